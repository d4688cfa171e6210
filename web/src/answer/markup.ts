// An answer's text made ready for Markdown: its markers become the numbers of
// footnotes, and statements in doubt, or lit, are enclosed in marks. All marks are
// private-use characters, which Markdown does not touch; marks.ts turns them into
// elements once Markdown has been read.

import { markersOf, type Answered } from "../run/markers";
import { Utf8Text } from "../source/bytes";
import type { Doubt } from "./doubts";
import { doubtClose, doubtOpen, litClose, litOpen, notesClose, notesOpen, withoutMarks } from "./marks";

/** Bytes of the answer's text. */
interface Span {
  start: number;
  end: number;
}

/** At its place in the text (UTF-16 units), a mark is put in; up to "to", what stood there goes. */
interface Cut {
  at: number;
  to: number;
  mark: string;
}

// What Markdown wants to see first on a line, and what must stay inside at its end.
const lineHead = /^(?:[\s>]|[-*+#]+\s|\d{1,9}[.)]\s|\||\[[ x]\]\s)*/;
// Lines that only give shape: the rule below a table's head, a fence, a line across.
const structure = /^[\s|:*_=-]+$|^\s*(?:`{3}|~{3}|\$\$)/;

/**
 * The answer's text with marks for its footnotes, for statements in doubt and for
 * those that are lit. Marks that stood in the text by themselves are taken out.
 */
export function markAnswer(answer: Answered, doubts: readonly Doubt[], lit: readonly Span[]): string {
  const { text } = answer;
  const utf8 = new Utf8Text(text);
  const markers = markersOf(answer).map((m, i): Cut => ({ at: m.from, to: m.to, mark: m.numbers.length > 0 ? `${notesOpen}${i}:${m.numbers.join(",")}${notesClose}` : "" }));
  const opens: Cut[] = [];
  const closes: Cut[] = [];
  const enclose = (spans: readonly Span[], open: (i: number) => string, close: string) => {
    let before = 0;
    for (const i of [...spans.keys()].sort((a, b) => (spans[a]?.start ?? 0) - (spans[b]?.start ?? 0))) {
      const { start = 0, end = 0 } = spans[i] ?? {};
      const from = Math.max(start, before); // spans of one kind do not overlap; whoever says so is not believed
      if (from >= end) continue;
      before = end;
      for (const [head, tail] of lines(text, utf8.unit(from), utf8.unit(end))) {
        opens.push({ at: head, to: head, mark: open(i) });
        closes.push({ at: tail, to: tail, mark: close });
      }
    }
  };
  enclose(doubts, (i) => doubtOpen[doubts[i]?.support ?? "not_found"], doubtClose);
  enclose(lit, () => litOpen, litClose);
  // Where several stand at one place, what ends comes first and what begins comes last.
  const cuts = [...closes, ...markers, ...opens].sort((a, b) => a.at - b.at);
  let out = "";
  let at = 0;
  for (const cut of cuts) {
    if (cut.at > at) {
      out += withoutMarks(text.slice(at, cut.at));
      at = cut.at;
    }
    out += cut.mark;
    at = Math.max(at, cut.to);
  }
  return out + withoutMarks(text.slice(at));
}

/** A span line by line, each without what shapes the line: the next line may be another paragraph, or another item of a list. */
function lines(text: string, from: number, to: number): [number, number][] {
  const found: [number, number][] = [];
  let at = from;
  for (const line of text.slice(from, to).split("\n")) {
    const startsLine = at === 0 || text[at - 1] === "\n";
    const head = (startsLine ? lineHead : /^\s*/).exec(line)?.[0].length ?? 0;
    const body = line.slice(head).trimEnd();
    // Between a mark and a full stop, ** would no longer end what is bold.
    const inner = /^[*_~]*/.exec(body)?.[0].length ?? 0;
    const outer = /[*_~|\s]*$/.exec(body)?.[0].length ?? 0;
    if (body.length > inner + outer && !structure.test(line)) found.push([at + head + inner, at + head + body.length - outer]);
    at += line.length + 1;
  }
  return found;
}
