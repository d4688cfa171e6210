// Statements that the sources do not back, marked in the answer's text: each
// begins and ends with a private-use character that Markdown does not touch.
// Verification gives them as bytes of the answer.

import type { Verification } from "../api/types";
import { Utf8Text } from "../source/bytes";

export const doubtOpen = "\ue002";
export const doubtClose = "\ue003";
/** Of a statement that is backed in part. */
export const partOpen = "\ue006";

// What Markdown wants to see first on a line, and what must stay inside at its end.
const lineHead = /^(?:[\s>]|[-*+#]+\s|\d{1,9}[.)]\s|\||\[[ x]\]\s)*/;
// Lines that only give shape: the rule below a table's head, a fence, a line across.
const structure = /^[\s|:*_=-]+$|^\s*(?:`{3}|~{3}|\$\$)/;
const strays = /[\ue000-\ue006]/g;

interface Cut {
  at: number;
  mark: string;
}

/** The answer's text without stray marks of its own, and with those of what is not backed. */
export function markDoubts(text: string, verification: Verification | undefined): string {
  const doubts = (verification?.details ?? []).filter((c) => c.verdict !== "SUPPORTED" && (c.end ?? 0) > (c.start ?? 0));
  if (doubts.length === 0) return text.replace(strays, "");
  const bytes = new Utf8Text(text);
  const cuts: Cut[] = [];
  let before = 0;
  for (const c of [...doubts].sort((a, b) => (a.start ?? 0) - (b.start ?? 0))) {
    const start = Math.max(c.start ?? 0, before); // statements do not overlap; whoever says so is not believed
    if (start >= (c.end ?? 0)) continue;
    before = c.end ?? 0;
    const from = bytes.slice(0, start).length;
    cuts.push(...cutLines(text.slice(from, bytes.slice(0, before).length), from, from === 0 || text[from - 1] === "\n", c.verdict === "UNSUPPORTED" ? doubtOpen : partOpen));
  }
  let out = "";
  let at = 0;
  for (const cut of cuts) {
    out += text.slice(at, cut.at).replace(strays, "") + cut.mark;
    at = cut.at;
  }
  return out + text.slice(at).replace(strays, "");
}

/** A mark never spans lines: the next may be another paragraph, or another item of a list. */
function cutLines(statement: string, from: number, startsLine: boolean, mark: string): Cut[] {
  const cuts: Cut[] = [];
  let at = from;
  for (const line of statement.split("\n")) {
    const head = (at > from || startsLine ? lineHead : /^\s*/).exec(line)?.[0].length ?? 0;
    const body = line.slice(head).trimEnd();
    // Between a mark and a full stop, ** would no longer end what is bold.
    const inner = /^[*_~]*/.exec(body)?.[0].length ?? 0;
    const outer = /[*_~|\s]*$/.exec(body)?.[0].length ?? 0;
    if (body.length > inner + outer && !structure.test(line)) cuts.push({ at: at + head + inner, mark }, { at: at + head + body.length - outer, mark: doubtClose });
    at += line.length + 1;
  }
  return cuts;
}
