// Where footnotes stand in an answer. Its text holds markers, "[chunk_id]"; a
// footnote names the byte at which its marker begins. This is the one place that
// knows which numbers stand at which marker: the page, copies and exports ask here.

import { Utf8Text } from "../source/bytes";
import type { RunView } from "./view";

export type Answered = Pick<RunView, "text" | "citations" | "found">;

export const markerPattern = /\[([^[\]\s]{1,200})\]/g;

/** A marker, and the blanks before it, in UTF-16 units of the text. */
export interface Marker {
  from: number;
  to: number;
  /** Of the footnotes that stand there, ascending; none where the server placed none, and nothing is shown. */
  numbers: number[];
}

/** The markers of an answer, from its beginning to its end. What only looks like one is not among them. */
export function markersOf({ text, citations, found }: Answered): Marker[] {
  if (citations.length === 0 && found.length === 0) return [];
  const ids = new Set([...citations, ...found].map((c) => c.chunk_id));
  const numbers = numbersByUnit(text, citations);
  const markers: Marker[] = [];
  for (const m of text.matchAll(markerPattern)) {
    const here = numbers.get(m.index);
    if (!here && !ids.has(m[1] ?? "")) continue;
    markers.push({ from: blanksBefore(text, m.index), to: m.index + m[0].length, numbers: here ?? [] });
  }
  return markers;
}

function numbersByUnit(text: string, citations: Answered["citations"]): Map<number, number[]> {
  const utf8 = new Utf8Text(text);
  const numbers = new Map<number, number[]>();
  for (const c of citations) {
    for (const s of c.statements) {
      const at = utf8.unit(s.marker);
      const here = numbers.get(at) ?? [];
      if (!here.includes(c.n)) numbers.set(at, [...here, c.n].sort((a, b) => a - b));
    }
  }
  return numbers;
}

/** Blanks between a word and its marker are not shown; those at the beginning of a line mean something to Markdown. */
function blanksBefore(text: string, at: number): number {
  let from = at;
  while (from > 0 && (text[from - 1] === " " || text[from - 1] === "\t")) from--;
  return from === 0 || text[from - 1] === "\n" ? at : from;
}

/** The answer with something else in place of each of its markers. */
export function replaceMarkers(answer: Answered, say: (numbers: readonly number[]) => string): string {
  let out = "";
  let at = 0;
  for (const m of markersOf(answer)) {
    out += answer.text.slice(at, m.from) + (m.numbers.length > 0 ? say(m.numbers) : "");
    at = m.to;
  }
  return out + answer.text.slice(at);
}
