// An answer as plain Markdown to take away, with its footnotes below it.

import type { Citation } from "../api/types";
import { replaceMarkers } from "../run/markers";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { countDoubts } from "./doubts";

export function copyWithFootnotes(view: RunView): string {
  const text = replaceMarkers(view, (numbers) => ` ${numbers.map((n) => `[${n}]`).join("")}`);
  const notes = view.citations.map((c) => `[${c.n}] ${footnoteWords(c)}`);
  const web = view.webSources.map((s) => `- ${s.title}: ${s.url}`);
  return [text.trim(), doubtLines(view).join("\n"), notes.join("\n"), web.join("\n")].filter(Boolean).join("\n\n");
}

/** What has to be said of how well the sources back an answer, a line for each kind of doubt. */
export function doubtLines({ verification }: Pick<RunView, "verification">): string[] {
  return countDoubts(verification).map(([support, count]) => t.run.doubts[support](count));
}

/** Where a citation stands: its title, page and heading, or its query. */
export function placeWords(c: Citation): string {
  return [c.title, c.kind === "web" ? c.url : t.sources.pages(c.pages ?? []), c.heading, c.query === c.quote ? "" : c.query].filter(Boolean).join(", ");
}

/** Its words on one line. */
export function quoteWords(c: Citation): string {
  return c.quote.replace(/\s+/g, " ").trim();
}

/** Where a citation stands, and its words. */
export function footnoteWords(c: Citation): string {
  const quote = quoteWords(c);
  return quote === "" ? placeWords(c) : `${placeWords(c)}: “${quote}”`;
}
