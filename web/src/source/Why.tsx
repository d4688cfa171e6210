import type { Citation, Grade } from "../api/types";
import { t } from "../strings";

/** Why this passage was found, as far as the search said. */
export function Why({ citation: c, grade }: { citation: Citation; grade: Grade | undefined }) {
  const m = c.match;
  const rows: [string, string][] = [[t.panel.score, c.score.toFixed(3)]];
  if (m) rows.push([t.panel.lexical, t.panel.rank(m.lexical_rank, m.lexical_score)], [t.panel.vector, t.panel.rank(m.vector_rank, m.vector_score)]);
  if (grade) rows.push([t.panel.grade, `${t.panel.grades[grade.classification] ?? grade.classification} (${grade.score.toFixed(2)})`]);
  if (c.level) rows.push([t.panel.level, t.panel.levels[c.level] ?? c.level]);
  if (c.heading) rows.push([t.panel.heading, c.heading]);
  if (c.version) rows.push([t.panel.version, c.version.slice(0, 12)]);
  return (
    <details className="why">
      <summary>{t.panel.why}</summary>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
