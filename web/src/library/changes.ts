// What the server tells of documents while they change (GET
// /v1/documents/events), taken into the list that the page has.

import { EventParser } from "../run/sse";
import type { Doc } from "../api/types";

export type LibraryChange = { kind: "document"; document: Doc } | { kind: "removed"; id: string } | { kind: "behind" };

export function readChange(event: string, data: string): LibraryChange | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (event === "behind") return { kind: "behind" };
  if (typeof value !== "object" || value === null || !("id" in value) || typeof value.id !== "string") return undefined;
  if (event === "document") return { kind: "document", document: value as Doc };
  if (event === "removed") return { kind: "removed", id: value.id };
  return undefined;
}

export function applyChange(docs: readonly Doc[], change: LibraryChange): Doc[] {
  switch (change.kind) {
    case "document": {
      const at = docs.findIndex((d) => d.id === change.document.id);
      return at < 0 ? [...docs, change.document] : docs.with(at, change.document);
    }
    case "removed":
      return docs.filter((d) => d.id !== change.id);
    case "behind":
      return [...docs];
  }
}

/** Reads the changes of a stream until it ends or breaks. */
export async function readChanges(body: ReadableStream<Uint8Array>, onChange: (change: LibraryChange) => void): Promise<void> {
  const parser = new EventParser();
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const e of parser.push(value)) {
      const change = readChange(e.event, e.data);
      if (change) onChange(change);
    }
  }
}
