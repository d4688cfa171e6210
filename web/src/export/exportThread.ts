// A thread to take away: as Markdown, as one HTML file that needs nothing else,
// or on paper. Loaded when it is asked for.

import { allMessages } from "../api/messages";
import type { Thread } from "../api/types";
import { fileName, threadAsMarkdown } from "./markdown";
import { drawThread } from "./Print";
import style from "./printed.css?raw";

export type Format = "markdown" | "html" | "print";

export async function exportThread(thread: Thread, format: Format): Promise<void> {
  const messages = await allMessages(thread.id);
  switch (format) {
    case "markdown":
      save(threadAsMarkdown(thread.title, messages), "text/markdown", fileName(thread.title, "md"));
      return;
    case "html":
      save(page(thread.title, await drawThread(thread.title, messages)), "text/html", fileName(thread.title, "html"));
      return;
    case "print":
      print(await drawThread(thread.title, messages));
  }
}

function page(title: string, body: HTMLElement): string {
  const doc = document.implementation.createHTMLDocument(title);
  doc.documentElement.lang = document.documentElement.lang;
  const meta = doc.createElement("meta");
  meta.setAttribute("charset", "utf-8");
  // The file fetches nothing and runs nothing, wherever it is opened.
  const policy = doc.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "default-src 'none'; style-src 'unsafe-inline'";
  const css = doc.createElement("style");
  css.textContent = style;
  doc.head.prepend(meta, policy);
  doc.head.append(css);
  doc.body.append(doc.importNode(body, true));
  return `<!doctype html>\n${doc.documentElement.outerHTML}\n`;
}

function save(text: string, type: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Only the thread is on the paper: the page itself shows a window of it at most. */
function print(body: HTMLElement): void {
  document.querySelector(".printed")?.remove();
  const css = document.createElement("style");
  css.textContent = style;
  body.prepend(css);
  document.body.append(body);
  window.addEventListener("afterprint", () => body.remove(), { once: true });
  window.print();
}
