// Mathematics in an answer: $…$, $$…$$, \(…\) and \[…\]. Markdown would take its
// backslashes and underscores for its own, so before it reads the text each
// formula becomes a mark that it does not touch: its source in hexadecimal
// between two private-use characters.

const open = "\ue004";
const close = "\ue005";

export const formulaMark = /\ue004([0-9a-f]*)\ue005/g;

const fence = /^ {0,3}(`{3,}|~{3,})/;

// Code first, so that what stands in it stays. A dollar opens a formula when no
// space follows it, and closes it when none comes before and no digit after:
// "$5 and $10" is money. Lengths are bounded, so that the time is too.
const formula =
  /(`+)(?!`)[^`][^]{0,2000}?\1(?!`)|\\[\\$]|\$\$([^$]{1,4000}?)\$\$|\\\[([^]{1,4000}?)\\\]|\\\(([^]{1,1000}?)\\\)|\$(?![\s$])([^$\n]{1,1000}?)(?<![\s\\])\$(?!\d)/g;

/** The Markdown with its formulas as marks; those in code stay as they are. */
export function markFormulas(markdown: string): string {
  if (!/\$|\\[([]/.test(markdown)) return markdown;
  const out: string[] = [];
  let run: string[] = [];
  let fenced: string | undefined;
  const flush = () => {
    if (run.length > 0) out.push(run.join("\n").replace(formula, mark));
    run = [];
  };
  for (const line of markdown.split("\n")) {
    const at = fence.exec(line)?.[1];
    if (fenced === undefined && at === undefined) {
      run.push(line);
      continue;
    }
    if (fenced === undefined) {
      flush();
      fenced = at;
    } else if (at?.startsWith(fenced) && line.trim() === at) {
      fenced = undefined;
    }
    out.push(line);
  }
  flush();
  return out.join("\n");
}

function mark(whole: string, code: string | undefined, ...bodies: (string | undefined)[]): string {
  if (code !== undefined || !bodies.slice(0, 4).some((b) => b !== undefined && b.trim() !== "")) return whole;
  const hex = [...new TextEncoder().encode(whole)].map((b) => b.toString(16).padStart(2, "0")).join("");
  return open + hex + close;
}

/** What was written, delimiters and all. */
export function sourceOf(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (b) => parseInt(b, 16)));
}

export interface Formula {
  tex: string;
  /** On a line of its own. */
  display: boolean;
}

export function readFormula(source: string): Formula {
  const display = source.startsWith("$$") || source.startsWith("\\[");
  const skip = source.startsWith("$") && !display ? 1 : 2;
  return { tex: source.slice(skip, -skip).trim(), display };
}
