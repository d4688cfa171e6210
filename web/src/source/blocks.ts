// A document's extracted text as pieces to show: its blocks, with the very long
// ones cut at line ends, and what of each belongs to a quote.

import type { BlockKind, Extract } from "../api/types";
import type { Utf8Text } from "./bytes";

export interface ShownBlock {
  kind: BlockKind;
  start: number;
  end: number;
  level: number;
  /** Set on the first block of a page. */
  page?: number;
}

/** What a part of a text is marked as: the quote, a hit of a search, or the hit that is looked at. */
export type MarkKind = "quote" | "hit" | "current";

export interface Mark extends ByteSpan {
  kind: MarkKind;
}

export interface Piece {
  text: string;
  /** undefined where nothing is marked. */
  mark?: MarkKind;
}

export interface ByteSpan {
  start: number;
  end: number;
}

const longest = 8_000; // bytes; what is longer makes scrolling heavy

export function shownBlocks(extract: Extract, text: Utf8Text): ShownBlock[] {
  const whole = { kind: "paragraph" as const, start: 0, end: text.length };
  const blocks = extract.blocks && extract.blocks.length > 0 ? extract.blocks : [whole];
  const out: ShownBlock[] = [];
  let page = 0;
  for (const b of blocks) {
    if (b.kind === "image" && b.start === b.end) continue; // a picture that nothing is said about
    const at = "page" in b ? (b.page ?? 0) : 0;
    const turned = at !== 0 && at !== page;
    if (turned) page = at;
    for (const [i, part] of cut(text, b.start, b.end, b.kind !== "table").entries()) {
      out.push({ kind: b.kind, ...part, level: "level" in b ? (b.level ?? 0) : 0, page: turned && i === 0 ? at : undefined });
    }
  }
  return out;
}

function cut(text: Utf8Text, start: number, end: number, may: boolean): ByteSpan[] {
  if (!may || end - start <= longest) return [{ start, end }];
  const parts: ByteSpan[] = [];
  for (let from = start; from < end; ) {
    const to = from + longest >= end ? end : text.lineEnd(from + longest, Math.min(end, from + 4 * longest));
    parts.push({ start: from, end: to });
    from = to;
  }
  return parts;
}

/** The block where a span begins, or the last one before it. */
export function blockAt(blocks: readonly ByteSpan[], at: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.end ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return Math.min(low, blocks.length - 1);
}

/** The text from start to end, cut where marks begin and end. Of marks over each other the later one counts. */
export function pieces(text: Utf8Text, start: number, end: number, marks: readonly Mark[]): Piece[] {
  const here = marks.filter((m) => m.start < end && m.end > start);
  const cuts = new Set([start, end]);
  for (const m of here) cuts.add(Math.max(start, m.start)).add(Math.min(end, m.end));
  const at = [...cuts].sort((a, b) => a - b);
  const out: Piece[] = [];
  for (let i = 0; i + 1 < at.length; i++) {
    const [from = 0, to = 0] = [at[i], at[i + 1]];
    const mark = here.findLast((m) => m.start <= from && m.end >= to)?.kind;
    const last = out.at(-1);
    if (last && last.mark === mark) last.text += text.slice(from, to);
    else if (from < to) out.push({ text: text.slice(from, to), mark });
  }
  return out;
}

/** Rows of cells of a table's block: rows by newline, cells by tab or " | ". */
export function tableRows(text: Utf8Text, start: number, end: number): ByteSpan[][] {
  const source = text.slice(start, end);
  const separator = source.includes("\t") ? "\t" : " | ";
  const rows: ByteSpan[][] = [];
  let at = start;
  for (const line of source.split("\n")) {
    const cells: ByteSpan[] = [];
    for (const cell of line.split(separator)) {
      const size = byteLength(cell);
      cells.push({ start: at, end: at + size });
      at += size + separator.length;
    }
    at += 1 - separator.length; // the row ended with a newline instead
    if (line.trim() !== "") rows.push(cells);
  }
  return rows;
}

const encoder = new TextEncoder();

function byteLength(s: string): number {
  return encoder.encode(s).length;
}
