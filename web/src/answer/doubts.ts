// What the sources do not bear out. Where all is well, nothing is said.

import type { Claim, Support, Verification } from "../api/types";
import type { RunView } from "../run/view";

/** The kinds of support that a reader is told of. */
export type Weak = Exclude<Support, "quoted" | "supported">;

/** A statement that the sources do not back, in bytes of the answer's text. */
export interface Doubt {
  start: number;
  end: number;
  support: Weak;
}

type Checked = Pick<RunView, "verification" | "citations">;

/** How far the sources bear a statement out; answers of older versions have only the coarse verdict. */
function supportOf(c: Claim): Support {
  return c.support ?? (c.verdict === "SUPPORTED" ? "supported" : c.verdict === "PARTIALLY_SUPPORTED" ? "partly" : "not_found");
}

function isWeak(s: Support): s is Weak {
  return s === "partly" || s === "not_found" || s === "contradicted";
}

/** The statements of the text that are not backed. Until the answer has been checked, its footnotes say which. */
export function doubtsOf({ verification, citations }: Checked): Doubt[] {
  const judged = verification
    ? (verification.details ?? []).map((c) => ({ start: c.start ?? 0, end: c.end ?? 0, support: supportOf(c) }))
    : citations.flatMap((c) => c.statements);
  return judged.flatMap(({ start, end, support }) => (isWeak(support) && end > start ? [{ start, end, support }] : []));
}

/** How many statements are not backed, the worst first; those that do not stand in the text word by word count too. */
export function countDoubts(verification: Verification | undefined): [Weak, number][] {
  const counts: Record<Weak, number> = { contradicted: 0, not_found: 0, partly: 0 };
  const details = verification?.details ?? [];
  for (const c of details) {
    const support = supportOf(c);
    if (isWeak(support)) counts[support]++;
  }
  if (verification && details.length === 0) {
    counts.not_found = verification.claims_unsupported;
    counts.partly = verification.claims_partially_supported;
  }
  return (Object.entries(counts) as [Weak, number][]).filter(([, count]) => count > 0);
}
