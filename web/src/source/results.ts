// The table behind a footnote on what a database answered. Its rows come from the
// step of the answer that asked, or, where that was not kept, from the citation's
// text: a header line, then a line for each row.

import type { Citation, Table } from "../api/types";
import type { RunView } from "../run/view";
import { tableRows } from "./blocks";
import { Utf8Text } from "./bytes";

export interface Result {
  table: Table;
  /** Indices of the rows that are cited. */
  marked: ReadonlySet<number>;
}

export function resultOf(c: Citation, view: RunView): Result {
  const source = c.text ?? "";
  const text = new Utf8Text(source);
  const [header = [], ...lines] = tableRows(text, 0, text.length);
  const columns = header.map((cell) => text.slice(cell.start, cell.end));
  const rows = lines.map((cells) => cells.map((cell) => text.slice(cell.start, cell.end)));
  const marked = new Set<number>();
  // In answers of older versions start and end are those of the query.
  if (source.includes(c.quote)) {
    lines.forEach((cells, i) => {
      const [from, to] = [cells[0]?.start ?? 0, cells.at(-1)?.end ?? 0];
      if (from < c.end && to > c.start) marked.add(i);
    });
  }
  const asked = view.steps.flatMap((s) => (s.kind === "tool" && s.table ? [s.table] : []));
  const table = asked.find((x) => x.query.trim() === c.quote.trim()) ?? asked.find((x) => same(x, columns, rows));
  if (table) return { table, marked };
  const query = source.includes(c.quote) ? "" : c.quote;
  return { table: { query, columns, rows }, marked };
}

/** Whether a table is the one that a text was made of; the text may leave out its last rows. */
function same(table: Table, columns: readonly string[], rows: readonly string[][]): boolean {
  const equal = (a: readonly string[] | null | undefined, b: readonly string[]) => a?.length === b.length && b.every((cell, i) => tidy(a[i]) === tidy(cell));
  return equal(table.columns, columns) && rows.every((row, i) => equal(table.rows?.[i], row));
}

function tidy(cell: string | undefined): string {
  return (cell ?? "").replace(/\s+/g, " ").replaceAll("|", "¦").trim(); // as the text has it
}
