// Finding a quote's words on a page. The quote was read by one PDF engine and the
// page is drawn by another, so spaces, hyphens, ligatures, and sometimes the order
// of lines and cells differ. Both are reduced to their letters and digits.
//
// Where the letters stand on the page without a gap, that is the place; of several
// such places, the one with the same text around it. Otherwise the quote is laid
// onto the page word by word: of all the places of each word, those are taken that
// follow each other best, in the file's order or side by side on the paper.

import { cellBorder, isLetter, lettersOf, visibleOf, wordsOf, type Letters, type Word } from "./letters";

/** Part of a text in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

export interface Found {
  /** Spans of the page's text, in the order of the quote. */
  spans: Span[];
  /** Part of the quote's letters that was found, 0 to 1. */
  coverage: number;
}

/** What stands before and after the quote in the text that it was taken from. */
export interface Around {
  before: string;
  after: string;
}

/** Where a character stands on the paper, along and across its line's direction, in points. */
export interface Spot {
  along: number;
  across: number;
  size: number;
}

export interface Hints {
  around?: Around;
  /** Where the page's character at this place is drawn. */
  spot?: (at: number) => Spot | undefined;
}

const nothing: Found = { spans: [], coverage: 0 };

export function findQuote(page: string, quote: string, hints: Hints = {}): Found {
  const wanted = lettersOf(quote);
  const inLetters = wanted.text !== "";
  const needle = inLetters ? wanted : visibleOf(quote);
  const hay = inLetters ? lettersOf(page) : visibleOf(page);
  if (needle.text === "" || hay.text === "") return nothing;

  const whole = cellBorder.test(quote) ? occurrences(page, hay, needle.text).filter((at) => inLine(hay, at, at + needle.text.length, hints)) : occurrences(page, hay, needle.text);
  const best = whole.length > 1 ? likeliest(hay, whole, needle.text.length, hints.around) : whole[0];
  if (best !== undefined) {
    const end = best + needle.text.length;
    return { spans: [withMarks(page, quote, needle, spanOf(hay, best, end))], coverage: 1 };
  }
  if (!inLetters) return nothing;
  const laid = new Alignment(page, hay, quote, needle, hints).pieces();
  const covered = laid.reduce((sum, p) => sum + p.letters, 0);
  return { spans: merge(laid.map((p) => spanOf(hay, p.start, p.end)), page), coverage: Math.min(1, covered / needle.text.length) };
}

/** All places of a search's words in a text, without regard to case, accents and spaces. */
export function findAll(letters: Letters, query: string): Span[] {
  const needle = lettersOf(query).text;
  const out: Span[] = [];
  if (needle === "") return out;
  for (let at = letters.text.indexOf(needle); at >= 0; at = letters.text.indexOf(needle, at + needle.length)) out.push(spanOf(letters, at, at + needle.length));
  return out;
}

function spanOf(letters: Letters, start: number, end: number): Span {
  return { start: letters.from[start] ?? 0, end: letters.to[end - 1] ?? 0 };
}

/** Where the needle stands in hay; only as words of their own, where it does so anywhere. */
function occurrences(page: string, hay: Letters, needle: string): number[] {
  const all: number[] = [];
  for (let at = hay.text.indexOf(needle); at >= 0; at = hay.text.indexOf(needle, at + 1)) all.push(at);
  const apart = all.filter((at) => standsApart(page, hay, at, at + needle.length));
  return apart.length > 0 ? apart : all;
}

/** Whether letters start…end of a text are not the middle of a longer word. */
function standsApart(page: string, hay: Letters, start: number, end: number): boolean {
  const { start: from, end: to } = spanOf(hay, start, end);
  return !isLetter(page[from - 1]) && !isLetter(page[to]);
}

/** Whether letters start…end are drawn in one line, as far as is known; cells under each other are no row. */
function inLine(hay: Letters, start: number, end: number, hints: Hints): boolean {
  const a = hints.spot?.(hay.from[start] ?? 0);
  const b = hints.spot?.(hay.from[end - 1] ?? 0);
  return !a || !b || sameLine(a, b);
}

function sameLine(a: Spot, b: Spot): boolean {
  return Math.abs(a.across - b.across) < 0.7 * Math.max(a.size, b.size, 1);
}

const contextLetters = 240;
const gram = 5;

/** Of several places of the same words the one with the same text around it; the first where nothing tells them apart. */
function likeliest(hay: Letters, places: readonly number[], length: number, around: Around | undefined): number | undefined {
  if (!around) return places[0];
  const before = lettersOf(around.before.slice(-4 * contextLetters)).text.slice(-contextLetters);
  const after = lettersOf(around.after.slice(0, 4 * contextLetters)).text.slice(0, contextLetters);
  const near = grams(before + " " + after);
  let best: number | undefined;
  let most = -1;
  for (const at of places) {
    const end = at + length;
    const left = hay.text.slice(Math.max(0, at - contextLetters), at);
    const right = hay.text.slice(end, end + contextLetters);
    let shared = 0;
    for (const g of grams(left + " " + right)) if (near.has(g)) shared++;
    // What touches the quote says more than what is near it.
    const score = 4 * (sameEnd(left, before) + sameStart(right, after)) + shared;
    if (score > most) {
      most = score;
      best = at;
    }
  }
  return best;
}

function grams(text: string): Set<string> {
  const out = new Set<string>();
  for (let i = 0; i + gram <= text.length; i++) out.add(text.slice(i, i + gram));
  return out;
}

function sameStart(a: string, b: string): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}

function sameEnd(a: string, b: string): number {
  let n = 0;
  while (n < a.length && n < b.length && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  return n;
}

/** The span with the quote's own punctuation around its letters: the full stop, the "%" after a number. */
function withMarks(page: string, quote: string, needle: Letters, span: Span): Span {
  let { start, end } = span;
  const head = quote.slice(0, needle.from[0]).replace(/\s+/g, "");
  for (let i = head.length - 1; i >= 0 && start > 0; i--) {
    const at = page.slice(0, start).trimEnd().length - 1;
    if (start - at > 3 || page[at] !== head[i]) break;
    start = at;
  }
  const tail = quote.slice(needle.to.at(-1)).replace(/\s+/g, "");
  for (const char of tail) {
    const rest = page.slice(end, end + 3);
    const gap = rest.length - rest.trimStart().length;
    if (rest[gap] !== char) break;
    end += gap + 1;
  }
  return { start, end };
}

/** A word of the quote, or of its context, at one place on the page; in letters. */
interface Place {
  start: number;
  end: number;
}

/** The best way so far of which the last word that was found stands at place. */
interface Way {
  cost: number;
  place: Place | undefined;
  word: number;
  before: Way | undefined;
  /** Whether place follows on the word before it, on the page or in the file. */
  follows: boolean;
}

interface Piece extends Place {
  /** Letters of the quote that it holds. */
  letters: number;
}

const mostWays = 120;
const mostPlaces = 150;
const contextWords = 16;
const leastLetters = 14; // shorter pieces could stand anywhere on a page

/** Lays the words of a quote onto a page: the cheapest way through the places of each word (Viterbi's algorithm, with a beam). */
class Alignment {
  private readonly words: Word[];
  private readonly firstOwn: number;
  private readonly afterOwn: number;

  constructor(
    private readonly page: string,
    private readonly hay: Letters,
    quote: string,
    private readonly needle: Letters,
    private readonly hints: Hints,
  ) {
    const own = wordsOf(quote, needle);
    const before = this.context(hints.around?.before.slice(-600)).slice(-contextWords);
    const after = this.context(hints.around?.after.slice(0, 600)).slice(0, contextWords);
    this.words = [...before, ...own, ...after];
    this.firstOwn = before.length;
    this.afterOwn = before.length + own.length;
  }

  private context(text: string | undefined): Word[] {
    return text ? wordsOf(text, lettersOf(text)) : [];
  }

  pieces(): Piece[] {
    let ways: Way[] = [{ cost: 0, place: undefined, word: -1, before: undefined, follows: false }];
    let ends = new Set<number>();
    this.words.forEach((word, i) => {
      const own = i >= this.firstOwn && i < this.afterOwn;
      const weight = own ? 1 : 0.25;
      const next = ways.map((w) => ({ ...w, cost: w.cost + weight * (2 + 0.6 * word.text.length) }));
      const places = this.places(word, ends);
      for (const place of places) {
        let best: Way | undefined;
        for (const way of ways) {
          const step = this.step(way.place, place, word.cell);
          const cost = way.cost + weight * step.cost;
          if (!best || cost < best.cost) best = { cost, place, word: i, before: way, follows: step.follows };
        }
        if (best) next.push(best);
      }
      next.sort((a, b) => a.cost - b.cost);
      ways = next.slice(0, mostWays);
      ends = new Set(ways.map((w) => w.place?.end ?? -1));
    });
    return this.piecesOf(ways[0]);
  }

  /** Where a word stands on the page. Short ones count only as words of their own, or where the word before them ends. */
  private places({ text, unspaced }: Word, ends: ReadonlySet<number>): Place[] {
    const out: Place[] = [];
    for (let at = this.hay.text.indexOf(text); at >= 0 && out.length < mostPlaces; at = this.hay.text.indexOf(text, at + 1)) {
      const end = at + text.length;
      if (text.length >= 5 || unspaced || ends.has(at) || standsApart(this.page, this.hay, at, end)) out.push({ start: at, end });
    }
    return out;
  }

  /** What it costs that a word stands at b after the one before it stood at a. */
  private step(a: Place | undefined, b: Place, cell: boolean): { cost: number; follows: boolean } {
    if (!a) return { cost: 3, follows: false };
    const gap = b.start - a.end;
    const from = this.hints.spot?.((this.hay.to[a.end - 1] ?? 1) - 1);
    const to = this.hints.spot?.(this.hay.from[b.start] ?? 0);
    const otherLine = from && to && !sameLine(from, to);
    if (gap === 0) return { cost: cell && otherLine ? 3 : 0, follows: true };
    if (gap > 0 && gap <= 30) return { cost: 1 + gap / 12 + (cell && otherLine ? 3 : 0), follows: true };
    if (from && to) {
      const size = Math.max(from.size, to.size, 1);
      const down = (to.across - from.across) / size;
      const right = (to.along - from.along) / size;
      if (!otherLine && right > -0.5 && right < 90) return { cost: 2 + right / 40, follows: true }; // the next cell
      if (down > 0.5 && down < 2.6 && right < 3) return { cost: 3, follows: true }; // the next line
    }
    return { cost: 10, follows: false };
  }

  /** The quote's words of a way, in pieces that hang together; those too short to mean anything are left out. */
  private piecesOf(way: Way | undefined): Piece[] {
    const steps: Way[] = [];
    for (let w = way; w; w = w.before) if (w.place) steps.unshift(w);
    const groups: Way[][] = [];
    for (const s of steps) {
      const last = groups.at(-1);
      if (last && s.follows) last.push(s);
      else groups.push([s]);
    }
    const least = Math.min(leastLetters, Math.ceil(this.needle.text.length * 0.6));
    const out: Piece[] = [];
    for (const group of groups) {
      const size = group.reduce((sum, s) => sum + (s.place ? s.place.end - s.place.start : 0), 0);
      if (size < least) continue;
      this.join(group.filter((s) => s.word >= this.firstOwn && s.word < this.afterOwn), out);
    }
    return out;
  }

  /** Words that stand behind each other become one piece, also over a few letters between them that were read otherwise. */
  private join(own: readonly Way[], out: Piece[]): void {
    let last: { piece: Piece; word: number } | undefined;
    for (const { place, word } of own) {
      if (!place) continue;
      const gap = last ? place.start - last.piece.end : -1;
      const missed = last ? (this.words[word]?.start ?? 0) - (this.words[last.word]?.end ?? 0) : 0;
      if (last && gap >= 0 && (gap === 0 || (missed > 0 && gap <= missed * 1.5 + 3))) {
        last.piece.end = place.end;
        last.piece.letters += missed + place.end - place.start;
      } else {
        last = { piece: { ...place, letters: place.end - place.start }, word };
        out.push(last.piece);
      }
      last.word = word;
    }
  }
}

/** Joins spans that follow each other with nothing but a few characters between them. */
function merge(spans: readonly Span[], page: string): Span[] {
  const out: Span[] = [];
  for (const s of spans) {
    const last = out.at(-1);
    const gap = last ? s.start - last.end : -1;
    if (last && gap >= 0 && gap <= 4 && !lettersOf(page.slice(last.end, s.start)).text) last.end = s.end;
    else out.push({ ...s });
  }
  return out;
}
