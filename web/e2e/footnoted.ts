// Answers with footnotes over documents that the real program holds.

import type { Page } from "playwright-core";
import type { Citation, Message } from "../src/api/types";
import { documentsReady } from "./browser";
import { answer } from "./scripted";

/** A footnote as the server places it. */
export function cited(n: number, quote: string, more: Partial<Citation> = {}): Citation {
  return { n, found: n, chunk_id: `c_${n}`, document_id: "", version: "", title: "", path: [], pages: [], heading: "", quote, start: 0, end: 0, level: "L2", score: 0.8, url: "", ...more };
}

/** An answer with a statement and its marker for each footnote. */
export function footnoted(id: string, parent: string, citations: readonly Citation[], more: Partial<Message> = {}): Message {
  let text = "";
  const placed = citations.map((c): Citation => {
    const start = Buffer.byteLength(text);
    text += `Statement ${c.n} rests on its source`;
    const end = Buffer.byteLength(text);
    text += ` [${c.chunk_id}]. `;
    return { ...c, statements: [{ start, end, marker: end + 1, support: "quoted" }] };
  });
  return answer(id, parent, text, { citations: placed, found: [...citations], ...more });
}

interface File {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Adds files to the library and waits until all are ready; gives their documents in the same order. */
export async function addFiles(page: Page, files: readonly File[]): Promise<{ id: string; version: string }[]> {
  const api = new URL("/v1/documents", page.url()).href;
  for (const file of files) {
    const response = await page.request.post(api, { multipart: { file } });
    if (!response.ok()) throw new Error(`${file.name} was not added: ${await response.text()}`);
  }
  await documentsReady(page, files.length);
  const { documents } = (await (await page.request.get(`${api}?limit=500`)).json()) as { documents: { id: string; version: string; name: string }[] };
  const byName = new Map(documents.map((d) => [d.name, d]));
  return files.map((f) => byName.get(f.name) ?? { id: "", version: "" });
}
