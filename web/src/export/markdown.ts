// A thread as one Markdown file, with its footnotes in Markdown's own way.

import { doubtLines, footnoteWords } from "../answer/copy";
import { replaceMarkers } from "../run/markers";
import { fromMessage } from "../run/view";
import type { Message } from "../api/types";
import { t } from "../strings";

export function threadAsMarkdown(title: string, messages: readonly Message[]): string {
  const parts = [`# ${title.replace(/\s+/g, " ").trim() || t.threads.untitled}`];
  messages.forEach((message, i) => {
    if (message.role === "user") {
      parts.push(`## ${message.text.replace(/\s+/g, " ").trim()}`);
      return;
    }
    const view = fromMessage(message);
    // Notes are numbered within an answer; a file has many answers.
    const name = (n: number) => `[^${i + 1}-${n}]`;
    parts.push(replaceMarkers(view, (numbers) => numbers.map(name).join("")).trim(), doubtLines(view).join("\n"));
    const notes = view.citations.map((c) => `${name(c.n)}: ${footnoteWords(c)}`);
    if (notes.length > 0) parts.push(notes.join("\n"));
    if (view.webSources.length > 0) parts.push(view.webSources.map((s) => `- ${s.title}: <${s.url}>`).join("\n"));
  });
  return parts.filter(Boolean).join("\n\n") + "\n";
}

/** A name that every file system takes. */
export function fileName(title: string, extension: string): string {
  const plain = title.normalize("NFKC").replace(/[^\p{L}\p{N} ._-]+/gu, " ").replace(/\s+/g, " ").trim().slice(0, 80).replace(/^[. ]+|[. ]+$/g, "");
  return `${plain || "thread"}.${extension}`;
}
