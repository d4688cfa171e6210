// Walks the footnotes of an answer and compares what each marks with what it is
// for.

import type { Locator, Page } from "playwright-core";
import type { Citation, Message } from "../src/api/types";
import { marked, type Marked } from "./marks";
import type { Statement } from "./statements";
import { words } from "./words";

export interface Asked {
  thread: string;
  message: Message;
  /** What a scripted model was told to say. */
  statements?: readonly Statement[];
}

/** A place in an answer where footnotes stand, and what they must mark. */
interface Mark {
  way: string;
  /** Numbers of the footnotes that stand here, in the order of what they back. */
  numbers: number[];
  /** undefined where what is said isn't word for word. */
  wanted: string | undefined;
}

interface Count {
  footnotes: number;
  verbatim: number;
  exact: number;
}

/** How long a footnote may take to open before it counts as wrong; less once many were. In milliseconds. */
const patience = { first: 10_000, later: 400, many: 6 };

export class Checker {
  readonly problems: string[] = [];
  answers = 0;
  statements = 0;
  private readonly counts = new Map<string, Count>();

  /** kinds: of documents, by their ids. */
  constructor(
    private readonly page: Page,
    private readonly home: string,
    private readonly kinds: ReadonlyMap<string, string>,
  ) {}

  async walk(asked: Asked, by: "clicks" | "keys"): Promise<void> {
    const { message, thread } = asked;
    const citations = message.citations ?? [];
    const problem = (what: string) => this.problems.push(`${thread}: ${what}`);
    if (citations.length === 0) {
      if (asked.statements) problem("the answer has no footnotes");
      return;
    }
    this.answers++;
    const expected = marksOf(asked, problem);
    await this.go(`/t/${thread}`);
    const marks = this.page.locator(".answer .footnote-mark");
    await marks.first().waitFor();
    const numbers = (await marks.evaluateAll((all) => all.map((el) => el.getAttribute("data-note") ?? ""))).map(Number);
    const placed = numbersShown(message);
    if (String(numbers) !== String(placed)) problem(`shows the footnotes ${String(numbers)}, but ${String(placed)} were placed`);
    const first = [...new Set(numbers)];
    if (String(first) !== String(first.map((_, i) => i + 1))) problem(`footnotes are not numbered as they are read: ${String(first)}`);

    const seen = new Map<number, string>();
    const look = async (n: number) => {
      const citation = citations.find((c) => c.n === n);
      if (citation) seen.set(n, await this.opened(citation, problem));
    };
    if (by === "clicks") {
      for (const [i, n] of numbers.entries()) {
        await marks.nth(i).click({ timeout: patience.first });
        await look(n);
      }
    } else {
      await this.keys(marks, citations.length, look);
    }
    for (const mark of expected) this.compare(mark, citations, seen, problem);
  }

  /** Goes to a thread and waits for its answer: the first time by its address, then from the thread before, as with the browser's Forward. */
  private async go(path: string): Promise<void> {
    if (this.answers === 1) await this.page.goto(this.home + path);
    else {
      await this.page.evaluate((path) => {
        for (const el of document.querySelectorAll<HTMLElement>(".answer")) el.dataset["left"] = "yes";
        history.pushState({}, "", path);
        dispatchEvent(new PopStateEvent("popstate"));
      }, path);
    }
    await this.page.locator(".answer[data-status=completed]:not([data-left])").waitFor();
  }

  /** Opens the first footnote and goes on with j to the last, then back one with k. */
  private async keys(marks: Locator, last: number, look: (n: number) => Promise<void>): Promise<void> {
    await marks.first().click({ timeout: patience.first });
    await look(1);
    for (let n = 2; n <= last; n++) {
      await this.page.keyboard.press("j");
      await look(n);
    }
    if (last === 1) return;
    await this.page.keyboard.press("k");
    await look(last - 1);
  }

  /** Waits until a footnote is open, compares what is marked with its quote, and returns it. */
  private async opened(citation: Citation, problem: (what: string) => void): Promise<string> {
    const quote = words(citation.quote);
    const deadline = Date.now() + (this.problems.length < patience.many ? patience.first : patience.later);
    let shows: Marked;
    const said = () => shows.number === String(citation.n) && words(shows.said) === quote;
    const right = () => said() && (shows.under === undefined || sorted(words(shows.under)) === sorted(quote));
    for (;;) {
      shows = await marked(this.page, "said");
      const late = Date.now() > deadline;
      // What lies under the marks takes a while to find: looked for once the marks say the right words.
      if (said() || late) shows = await marked(this.page, "under");
      if (right() || late) break;
      await this.page.waitForTimeout(15);
    }
    if (!right()) problem(`footnote ${citation.n} (${this.kindOf(citation)}) quotes “${citation.quote}”, but ${shows.number} is open and marks “${shows.said}”, over “${shows.under ?? ""}”`);
    for (const what of shows.wide) problem(`footnote ${citation.n}: ${what} is too wide`);
    return shows.said;
  }

  private compare(mark: Mark, citations: readonly Citation[], seen: ReadonlyMap<number, string>, problem: (what: string) => void): void {
    if (mark.numbers.length === 0) return; // said by the reader in its own words; a statement without one has been reported
    this.statements++;
    const citation = citations.find((c) => c.n === mark.numbers[0]);
    const count = this.count(citation ? this.kindOf(citation) : "none");
    count.footnotes += mark.numbers.length;
    if (mark.wanted === undefined) return;
    count.verbatim++;
    const said = mark.numbers.map((n) => seen.get(n) ?? "").join(" ");
    if (words(said) === words(mark.wanted)) count.exact++;
    else problem(`${mark.way}: “${mark.wanted}” is marked as “${said}”`);
  }

  private kindOf(c: Citation): string {
    return this.kinds.get(c.document_id) ?? c.kind ?? "?";
  }

  private count(kind: string): Count {
    const count = this.counts.get(kind) ?? { footnotes: 0, verbatim: 0, exact: 0 };
    this.counts.set(kind, count);
    return count;
  }

  /** What was checked, by format. */
  table(): string {
    const rows = [...this.counts].sort(([a], [b]) => a.localeCompare(b));
    const sum = (of: (c: Count) => number) => rows.reduce((s, [, c]) => s + of(c), 0);
    rows.push([`all: ${this.answers} answers, ${this.statements} statements`, { footnotes: sum((c) => c.footnotes), verbatim: sum((c) => c.verbatim), exact: sum((c) => c.exact) }]);
    const line = (a: string, ...rest: (string | number)[]) => a.padEnd(40) + rest.map((r) => String(r).padStart(10)).join("");
    return [line("format", "footnotes", "verbatim", "exact"), ...rows.map(([kind, c]) => line(kind, c.footnotes, c.verbatim, c.exact))].join("\n");
  }
}

/** The numbers that an answer shows, from its beginning to its end. */
function numbersShown({ citations }: Message): number[] {
  const at = new Map<number, Set<number>>();
  for (const c of citations ?? []) for (const s of c.statements ?? []) at.set(s.marker, (at.get(s.marker) ?? new Set()).add(c.n));
  return [...at].sort(([a], [b]) => a - b).flatMap(([, numbers]) => [...numbers].sort((a, b) => a - b));
}

/** Something said in an answer, and up to where its footnotes may stand: so many letters into the answer. */
interface Told {
  way: string;
  wanted: string | undefined;
  until: number;
}

/**
 * What was said in an answer, in reading order, with the numbers of the footnotes
 * behind it. The server may give a statement more footnotes than it was written with.
 */
function marksOf(asked: Asked, problem: (what: string) => void): Mark[] {
  const { message } = asked;
  const text = Buffer.from(message.text);
  const chunks = new Set([...(message.citations ?? []), ...(message.found ?? [])].map((c) => c.chunk_id));
  const bare = (s: string) => s.replace(/\[([^[\]\s]+)\]/g, (marker, id: string) => (chunks.has(id) ? "" : marker));
  const placed = (message.citations ?? [])
    .flatMap((c) => (c.statements ?? []).map((s) => ({ n: c.n, start: s.start, at: letters(bare(text.subarray(0, s.marker).toString())) })))
    .sort((a, b) => a.start - b.start || a.n - b.n);
  let from = -1;
  return (asked.statements ? toldBy(asked.statements) : quotedIn(bare(message.text))).map(({ way, wanted, until }) => {
    const numbers = [...new Set(placed.filter((p) => p.at > from && p.at <= until).map((p) => p.n))];
    if (numbers.length === 0 && (asked.statements || wanted !== undefined)) problem(`${way}: “${wanted ?? ""}” has no footnote`);
    from = until;
    return { way, wanted, numbers };
  });
}

/** What a scripted model was told to say. */
function toldBy(statements: readonly Statement[]): Told[] {
  let until = 0;
  return statements.flatMap((s) => {
    const pieces = s.text.split("{}");
    const told = s.marked.map((wanted, i) => ({ way: s.way, wanted, until: (until += letters(pieces[i] ?? "")) }));
    until += letters(pieces.at(-1) ?? "");
    return told;
  });
}

/** What the built-in reader quotes; what it says in its own words has footnotes too. */
function quotedIn(text: string): Told[] {
  let until = 0;
  return text.split("\n").map((line) => {
    until += letters(line);
    return { way: "reader", wanted: /^> “(.*)”\s*$/.exec(line)?.[1], until };
  });
}

/** The letters of a text in the order of the alphabet: a page may have drawn its lines in any order. */
function sorted(s: string): string {
  return Array.from(s).sort().join("");
}

function letters(s: string): number {
  return s.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
