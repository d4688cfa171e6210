// A thread as it stands on paper and in a file of its own: everything open,
// nothing to press. Drawn once, by the same Markdown as on the page.

import { Fragment } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { doubtLines, placeWords, quoteWords } from "../answer/copy";
import { doubtsOf } from "../answer/doubts";
import { property } from "../answer/Markdown";
import { remarkMarks } from "../answer/marks";
import { markAnswer } from "../answer/markup";
import { markFormulas, readFormula } from "../answer/math";
import { webAddress } from "../answer/web";
import type { Message } from "../api/types";
import { markersOf } from "../run/markers";
import { fromMessage, type Footnote } from "../run/view";
import { t } from "../strings";

/** Draws a thread into an element, its formulas too. */
export async function drawThread(title: string, messages: readonly Message[]): Promise<HTMLElement> {
  const place = document.createElement("div");
  place.className = "printed";
  const root = createRoot(place);
  flushSync(() => root.render(<Printed title={title} messages={messages} />));
  const formulas = [...place.querySelectorAll<HTMLElement>("[data-formula]")];
  if (formulas.length > 0) {
    const { drawFormula } = await import("../answer/drawFormula");
    for (const el of formulas) {
      const { tex, display } = readFormula(el.dataset["formula"] ?? "");
      drawFormula(tex, display, el);
    }
  }
  return place;
}

function Printed({ title, messages }: { title: string; messages: readonly Message[] }) {
  return (
    <>
      <h1>{title || t.threads.untitled}</h1>
      {messages.map((message, i) => (message.role === "user" ? <h2 key={message.id}>{message.text}</h2> : <PrintedAnswer key={message.id} turn={i} message={message} />))}
    </>
  );
}

function PrintedAnswer({ turn, message }: { turn: number; message: Message }) {
  const view = fromMessage(message);
  // Anchors lead from a mark to its note and back to each mark of the note.
  const noteId = (n: number | string) => `note-${turn}-${n}`;
  const markId = (marker: number | string, n: number | string) => `mark-${turn}-${marker}-${n}`;
  const components: Components = {
    cite: ({ node }) => (
      <sup>
        {property(node, "notes")
          .split(",")
          .map((n, i) => (
            <Fragment key={n}>
              {i > 0 && " "}
              <a id={markId(property(node, "at"), n)} href={`#${noteId(n)}`}>
                {n}
              </a>
            </Fragment>
          ))}
      </sup>
    ),
    var: ({ node }) => <span data-formula={property(node, "formula")}>{property(node, "formula")}</span>,
    u: ({ children }) => <span className="doubt">{children}</span>,
    ins: () => null,
    a: ({ href, children }) => {
      const at = webAddress(href ?? "");
      return at ? (
        <a href={at.href} rel="noreferrer noopener">
          {children}
        </a>
      ) : (
        <>{children}</>
      );
    },
    img: ({ alt }) => <>{alt}</>, // nothing is fetched from anywhere
  };
  const marked = markAnswer(view, doubtsOf(view), []);
  const doubts = doubtLines(view);
  const markers = markersOf(view);
  const marksOf = (c: Footnote) => markers.flatMap((m, i) => (m.numbers.includes(c.n) ? [markId(i, c.n)] : []));
  return (
    <section>
      <ReactMarkdown remarkPlugins={[remarkGfm, remarkMarks]} components={components}>
        {markFormulas(marked)}
      </ReactMarkdown>
      {doubts.map((line) => (
        <p key={line} className="doubts">
          {line}
        </p>
      ))}
      {view.citations.length > 0 && (
        <ol className="notes">
          {view.citations.map((c) => (
            <li key={c.n} id={noteId(c.n)} value={c.n}>
              {placeWords(c)}
              {quoteWords(c) && <blockquote>{quoteWords(c)}</blockquote>}
              {marksOf(c).map((mark) => (
                <a key={mark} className="back" href={`#${mark}`} aria-label={t.sources.backTo(c.n)}>
                  ↩
                </a>
              ))}
            </li>
          ))}
        </ol>
      )}
      {view.webSources.length > 0 && (
        <ul className="notes">
          {view.webSources.map((s) => (
            <li key={s.url}>
              {s.title} {webAddress(s.url)?.href}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
