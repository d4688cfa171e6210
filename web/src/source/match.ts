// Finding a quote's words on a page. The quote was read by one PDF engine and
// the page is drawn by another, so spaces, hyphens, ligatures and sometimes the
// order of columns differ. Both are reduced to their letters and digits; then
// the quote is laid onto the page in the longest pieces that fit.

export interface Span {
  start: number;
  end: number;
}

export interface Found {
  /** Spans of the page's text in UTF-16 units, ascending, not overlapping. */
  spans: Span[];
  /** Part of the quote's letters that was found, 0 to 1. */
  coverage: number;
}

interface Letters {
  text: string;
  /** at[i] is where letter i stands in the source. */
  at: number[];
}

// Shorter pieces than this could stand anywhere on a page.
const seed = 14;

function letters(source: string): Letters {
  let text = "";
  const at: number[] = [];
  let i = 0;
  for (const char of source) {
    for (const c of char.normalize("NFKD").toLowerCase()) {
      if (!/[\p{L}\p{N}]/u.test(c)) continue;
      text += c;
      for (let k = 0; k < c.length; k++) at.push(i);
    }
    i += char.length;
  }
  return { text, at };
}

export function findQuote(page: string, quote: string): Found {
  const hay = letters(page);
  const needle = letters(quote).text;
  if (needle.length === 0) return { spans: [], coverage: 0 };
  const pieces = lay(hay.text, needle);
  const covered = pieces.reduce((sum, p) => sum + p.end - p.start, 0);
  const spans = pieces.map((p) => ({ start: hay.at[p.start] ?? 0, end: (hay.at[p.end - 1] ?? 0) + 1 }));
  return { spans: merge(spans, page), coverage: covered / needle.length };
}

/** Pieces of hay that spell the needle from left to right, each as long as can be. */
function lay(hay: string, needle: string): Span[] {
  const least = Math.min(seed, needle.length);
  const pieces: Span[] = [];
  let after = 0;
  for (let i = 0; i + least <= needle.length; ) {
    const start = best(hay, needle, i, least, after);
    if (start < 0) {
      i++;
      continue;
    }
    let length = least;
    while (i + length < needle.length && hay[start + length] === needle[i + length]) length++;
    pieces.push({ start, end: start + length });
    after = start + length;
    i += length;
  }
  return pieces;
}

/** Where needle[i…] begins in hay: the place that goes on longest, the next one after the last piece when equal. */
function best(hay: string, needle: string, i: number, least: number, after: number): number {
  const head = needle.slice(i, i + least);
  let found = -1;
  let longest = 0;
  for (let at = hay.indexOf(head); at >= 0; at = hay.indexOf(head, at + 1)) {
    let length = least;
    while (i + length < needle.length && hay[at + length] === needle[i + length]) length++;
    const nearer = length === longest && found < after && at >= after;
    if (length > longest || nearer) {
      found = at;
      longest = length;
    }
  }
  return found;
}

/** Joins spans with nothing but a few characters between them. */
function merge(spans: Span[], page: string): Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  const out: Span[] = [];
  for (const s of sorted) {
    const last = out.at(-1);
    const gap = last ? page.slice(last.end, s.start) : "";
    if (last && s.start - last.end <= 4 && !/[\p{L}\p{N}]/u.test(gap)) last.end = Math.max(last.end, s.end);
    else out.push({ ...s });
  }
  return out;
}
