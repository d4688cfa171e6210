import type { Table } from "../api/types";
import { t } from "../strings";
import { CopyButton } from "../ui/CopyButton";

/** A query and what the database answered; all of it is text, whatever it looks like. */
export function ResultTable({ table, marked }: { table: Table; marked?: ReadonlySet<number> }) {
  const rows = table.rows ?? [];
  return (
    <div className="result">
      {table.query !== "" && (
        <div className="code">
          <CopyButton text={() => table.query} />
          <pre tabIndex={0} aria-label={t.run.query}>
            <code>{table.query}</code>
          </pre>
        </div>
      )}
      <div className="table-scroll" tabIndex={0} role="group" aria-label={t.run.result}>
        <table>
          <thead>
            <tr>
              {(table.columns ?? []).map((c, i) => (
                <th key={i} scope="col">
                  {c}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i} data-marked={marked?.has(i) || undefined}>
                {row.map((cell, j) => (
                  <td key={j} data-number={isNumber(cell)}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p className="faint">{t.run.noRows}</p>}
      {table.truncated && <p className="faint">{t.run.rowsCut(rows.length)}</p>}
    </div>
  );
}

function isNumber(cell: string): boolean {
  return /^[-+]?\d[\d.,]*(e[-+]?\d+)?$/i.test(cell);
}
