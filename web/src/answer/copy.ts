// An answer as plain Markdown to take away, with its footnotes below it.

import type { Citation } from "../api/types";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { citedIn, numberCitations } from "./marks";

export function copyWithFootnotes(view: RunView): string {
  const notes = citedIn(view.text, view.citations).map(footnote);
  const web = view.webSources.map((s) => `- ${s.title}: ${s.url}`);
  return [numberCitations(view.text, view.citations).trim(), notes.join("\n"), web.join("\n")].filter(Boolean).join("\n\n");
}

function footnote(c: Citation): string {
  return `[${c.n}] ${footnoteWords(c)}`;
}

/** Where a citation stands, and its words. */
export function footnoteWords(c: Citation): string {
  const where = [c.title, c.kind === "web" ? c.url : t.sources.pages(c.pages ?? []), c.heading].filter(Boolean).join(", ");
  return `${where}: “${c.quote.replace(/\s+/g, " ").trim()}”`;
}
