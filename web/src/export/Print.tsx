// A thread as it stands on paper and in a file of its own: everything open,
// nothing to press. Drawn once, by the same Markdown as on the page.

import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { markDoubts } from "../answer/doubts";
import { footnoteWords } from "../answer/copy";
import { citedIn, markCitations, remarkMarks } from "../answer/marks";
import { markFormulas, readFormula } from "../answer/math";
import { webAddress } from "../answer/web";
import { fromMessage } from "../run/view";
import { t } from "../strings";
import type { Turn } from "../thread/branch";

/** Draws a thread into an element, its formulas too. */
export async function drawThread(title: string, turns: readonly Turn[]): Promise<HTMLElement> {
  const place = document.createElement("div");
  place.className = "printed";
  const root = createRoot(place);
  flushSync(() => root.render(<Printed title={title} turns={turns} />));
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

function Printed({ title, turns }: { title: string; turns: readonly Turn[] }) {
  return (
    <>
      <h1>{title || t.threads.untitled}</h1>
      {turns.map(({ message }, i) => (message.role === "user" ? <h2 key={message.id}>{message.text}</h2> : <PrintedAnswer key={message.id} turn={i} message={message} />))}
    </>
  );
}

function PrintedAnswer({ turn, message }: { turn: number; message: Turn["message"] }) {
  const view = fromMessage(message);
  const id = (n: string | number) => `note-${turn}-${n}`;
  const components: Components = {
    cite: ({ node }) => {
      const n = String(node?.properties["data-n"] ?? node?.properties["dataN"] ?? "");
      return (
        <sup>
          <a href={`#${id(n)}`}>{n}</a>
        </sup>
      );
    },
    var: ({ node }) => {
      const source = String(node?.properties["data-formula"] ?? node?.properties["dataFormula"] ?? "");
      return <span data-formula={source}>{source}</span>;
    },
    u: ({ children }) => <span className="doubt">{children}</span>,
    ins: () => <sup title={t.run.unsupported}>?</sup>,
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
  const notes = citedIn(view.text, view.citations);
  return (
    <section>
      <ReactMarkdown remarkPlugins={[remarkGfm, remarkMarks]} components={components}>
        {markFormulas(markCitations(markDoubts(view.text, view.verification), view.citations))}
      </ReactMarkdown>
      {notes.length > 0 && (
        <ol className="notes">
          {notes.map((c) => (
            <li key={c.n} id={id(c.n)} value={c.n}>
              {footnoteWords(c)}
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
