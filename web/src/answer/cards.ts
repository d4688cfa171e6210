// Footnotes as cards: those on the same page of the same source share one.

import type { Citation } from "../api/types";
import type { Footnote, RunView } from "../run/view";

export interface Card {
  key: string;
  /** Ascending by number, at least one. */
  notes: [Footnote, ...Footnote[]];
}

/** In the order of their first numbers. */
export function cardsOf(citations: readonly Footnote[]): Card[] {
  const cards = new Map<string, Card>();
  for (const c of citations) {
    const key = `${sourceKey(c)} ${c.pages?.[0] ?? ""}`;
    const card = cards.get(key);
    if (card) card.notes.push(c);
    else cards.set(key, { key, notes: [c] });
  }
  return [...cards.values()];
}

/** The same for all passages of a source: a version of a document, a page of the web, a file, one result. */
export function sourceKey(c: Citation): string {
  switch (c.kind) {
    case "web":
      return `web ${c.url}`;
    case "query":
    case "tool":
      return `${c.kind} ${c.chunk_id}`;
    default:
      return c.document_id ? `${c.document_id} ${c.version}` : `file ${c.url.split("#")[0] ?? ""}`;
  }
}

/** What was found and stands behind no footnote. */
export function lookedAt({ citations, found }: Pick<RunView, "citations" | "found">): Citation[] {
  const cited = new Set(citations.map((c) => c.chunk_id));
  return found.filter((c) => !cited.has(c.chunk_id));
}

/** What a source is: the ending of its name, or its kind. */
export function formatOf(c: Citation): string {
  if (c.kind && c.kind !== "file" && c.kind !== "attachment" && c.kind !== "image") return c.kind;
  const name = c.path?.at(-1) ?? c.title;
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1] ?? "";
  return ending.toLowerCase();
}
