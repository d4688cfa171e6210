// Answers of older versions: all that was found stands among their citations,
// and a marker "[chunk_id]" in the text means the passage with that id.

import type { Citation } from "../api/types";
import { markerPattern } from "./markers";
import type { Footnote } from "./view";

/** The passages that the text cites, as footnotes. They keep the numbers that they were saved with. */
export function footnotesOfOld(text: string, citations: readonly Citation[]): Footnote[] {
  const byId = new Map(citations.map((c) => [c.chunk_id, c]));
  const footnotes = new Map<string, Footnote>();
  const utf8 = new TextEncoder();
  let marker = 0; // bytes
  let at = 0; // UTF-16 units
  for (const m of text.matchAll(markerPattern)) {
    marker += utf8.encode(text.slice(at, m.index)).length;
    at = m.index;
    const cited = byId.get(m[1] ?? "");
    if (!cited) continue;
    const footnote = footnotes.get(cited.chunk_id) ?? { ...cited, found: cited.n, statements: [] };
    // Which words it backs was not saved.
    footnote.statements.push({ start: 0, end: 0, marker, support: "supported" });
    footnotes.set(cited.chunk_id, footnote);
  }
  return [...footnotes.values()].sort((a, b) => a.n - b.n);
}
