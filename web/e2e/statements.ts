// The ways in which a model states what it has read. Each writes a piece of an
// answer, and says which words its footnotes must mark.

import { quotable, type Text } from "./formats/prose";
import type { Answer, Footnote } from "./quoting";

export interface Statement {
  /** The way it is written. */
  way: string;
  /** Markdown with "{}" for footnotes. */
  text: string;
  footnotes: Footnote[];
  /** For each "{}", what its footnotes must mark; undefined where the statement is not word for word. */
  marked: (string | undefined)[];
}

export interface Said {
  answer: Answer;
  statements: readonly Statement[];
}

const quoting = (way: string, text: string, ...sentences: string[]): Statement => ({
  way,
  text,
  footnotes: sentences.map((of) => ({ of })),
  marked: sentences,
});

/** Ways to state one sentence. */
const waysOfOne: ((s: string) => Statement)[] = [
  (s) => quoting("as it stands", `${s} {}`, s),
  (s) => quoting("footnote before the stop", `${open(s)} {}${s.at(-1) ?? ""}`, s),
  (s) => quoting("bold", `**${s}** {}`, s),
  (s) => quoting("in quotation marks", `It says: “${s}” {}`, s),
  (s) => quoting("footnote before the statement", `According to {}, ${lower(s)}`, s),
  (s) => quoting("item of a list", `- ${s} {}`, s),
  (s) => quoting("words set off", s.replace(/^(\S+ \S+) (\S+ \S+)/, "$1 *$2*") + " {}", s),
  (s) => quoting("block quote", `> ${s} {}`, s),
  (s) => quoting("in German quotation marks", `„${open(s)}“ {}.`, s),
  (s) => quoting("row of a table", `| Question | Answer |\n|---|---|\n| What holds? | ${s} {} |`, s),
  (s) => ({ ...quoting("with the wrong footnote", `${s} {}`, s), footnotes: [{ of: s, wrong: true }] }),
  (s) => quoting("part of a sentence", `${part(s)} {}.`, part(s)),
  (s) => quoting("after a heading", `### To be noted\n\n${s} {}`, s),
  (s) => quoting("after words of its own", `About this there is one more thing to say. ${s} {}`, s),
  (s) => ({ way: "in other words", text: `It is told that ${lower(open(s))}, as far as one knows {}.`, footnotes: [{ of: s }], marked: [undefined] }),
];

/** Ways to state two sentences that follow each other. */
const waysOfTwo: ((a: string, b: string) => Statement)[] = [
  (a, b) => ({ way: "two sentences, one footnote", text: `${a} ${b} {}`, footnotes: [{ of: b }], marked: [`${a} ${b}`] }),
  (a, b) => quoting("footnote within a sentence", `${part(a)} {}, and ${lower(part(b))} {}.`, part(a), part(b)),
  (a, b) => quoting("two in one paragraph", `${a} {} ${b} {}`, a, b),
  (a, b) => quoting("in turned order", `${b} {} ${a} {}`, b, a),
];

/** Rows of a document's table, stated in three ways. */
const waysOfRows: ((row: string[]) => Statement)[] = [
  (row) => quoting("row, told", `${row[0] ?? ""}: ${row.slice(1).join(", ")} {}`, row.join(" ")),
  (row) => quoting("row, as a row", `|${row.map((_, i) => ` ${i + 1} |`).join("")}\n|${row.map(() => "---|").join("")}\n| ${row.join(" | ")} {} |`, row.join(" ")),
  (row) => quoting("row, as an item", `- **${row[0] ?? ""}** – ${row.slice(1).join("; ")} {}`, row.join(" ")),
];

/** Answers from one text, each of some statements, until every sentence was stated. turn chooses with which way it begins. */
export function answersFrom(text: Text, turn: number): Said[] {
  const { sentences, items, rows } = quotable(text);
  const statements: Statement[] = [];
  let at = turn;
  const next = <T>(ways: readonly T[]): T => ways[at++ % ways.length] as T;
  const all = [...sentences, ...items];
  for (let i = 0; i < all.length; ) {
    const [a, b] = [all[i] ?? "", all[i + 1]];
    // Two that follow each other, now and then, where both stand in one paragraph.
    if (b !== undefined && neighbours(text, a, b) && (i + turn) % 4 === 3) {
      statements.push(next(waysOfTwo)(a, b));
      i += 2;
    } else {
      statements.push(next(waysOfOne)(a));
      i++;
    }
  }
  statements.push(...rows.map((row) => next(waysOfRows)(row)));
  return inAnswers(statements);
}

/** Answers that state rows of a table. */
export function answersFromRows(rows: readonly string[][], turn: number): Said[] {
  return inAnswers(rows.map((row, i) => (waysOfRows[(i + turn) % waysOfRows.length] as (row: string[]) => Statement)(row)));
}

function inAnswers(statements: readonly Statement[]): Said[] {
  const answers: Said[] = [];
  const most = 16;
  for (let i = 0; i < statements.length; i += most) {
    const some = statements.slice(i, i + most);
    const first = some[0];
    if (first && some.length > 8) some.push({ ...first, way: "said again" });
    answers.push(said(some));
  }
  return answers;
}

/** An answer of statements. */
export function said(statements: readonly Statement[]): Said {
  return {
    answer: { text: statements.map((s) => s.text).join("\n\n"), footnotes: statements.flatMap((s) => s.footnotes) },
    statements,
  };
}

export function asItStands(sentence: string): Statement {
  return quoting("as it stands", `${sentence} {}`, sentence);
}

function neighbours(text: Text, a: string, b: string): boolean {
  return text.sections.some((s) => s.blocks.some((block) => block.kind === "paragraph" && block.sentences.some((x, i) => x === a && block.sentences[i + 1] === b)));
}

/** Without its stop. */
function open(s: string): string {
  return s.replace(/[.!?]$/, "");
}

function lower(s: string): string {
  return s.slice(0, 1).toLowerCase() + s.slice(1);
}

/** The first part of a sentence: up to a comma or an "and", or five words and half of the others. */
function part(s: string): string {
  const list = open(s).split(" ");
  if (list.length < 8) return open(s);
  const cut = list.findIndex((w, i) => i >= 4 && (w.endsWith(",") || list[i + 1] === "and"));
  return list.slice(0, cut >= 0 ? cut + 1 : 5 + Math.floor((list.length - 5) / 2)).join(" ").replace(/,$/, "");
}
