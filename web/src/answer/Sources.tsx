import { useState } from "react";
import type { Citation, WebSource } from "../api/types";
import { t } from "../strings";
import { labelOf, NoteHead, pagesOf, useOpenNote } from "./FootnoteMark";

interface Props {
  citations: readonly Citation[];
  messageId: string;
}

const few = 4;

/** What was found, shown before the answer that will cite it. */
export function SourceStrip({ citations, messageId }: Props) {
  const [all, setAll] = useState(false);
  if (citations.length === 0) return null;
  const rest = citations.length - few;
  // One more than a few is shown rather than folded behind a button as wide.
  const folded = !all && rest > 1;
  return (
    <ul className="source-strip" aria-label={t.sources.list}>
      {(folded ? citations.slice(0, few) : citations).map((c) => (
        <li key={c.n}>
          <SourceChip citation={c} messageId={messageId} />
        </li>
      ))}
      {rest > 1 && (
        <li>
          <button type="button" className="source-chip more" onClick={() => setAll(!all)}>
            {all ? t.sources.fewer : t.sources.showAll(rest)}
          </button>
        </li>
      )}
    </ul>
  );
}

function SourceChip({ citation, messageId }: { citation: Citation; messageId: string }) {
  const { open, isOpen } = useOpenNote(messageId, citation.n);
  const page = pagesOf(citation);
  return (
    <button type="button" className="source-chip" aria-label={labelOf(citation)} aria-expanded={isOpen} onClick={open}>
      <span className="source-number">{citation.n}</span>
      <span className="source-title">{citation.title}</span>
      {page && <span className="source-page">{page}</span>}
    </button>
  );
}

/** The footnotes under a finished answer, set as they are in a book. */
export function Footnotes({ citations, messageId }: Props) {
  if (citations.length === 0) return null;
  return (
    <section className="footnotes" aria-label={t.sources.footnotes}>
      <ol>
        {citations.map((c) => (
          <Footnote key={c.n} citation={c} messageId={messageId} />
        ))}
      </ol>
    </section>
  );
}

function Footnote({ citation, messageId }: { citation: Citation; messageId: string }) {
  const { open, isOpen } = useOpenNote(messageId, citation.n);
  return (
    <li value={citation.n}>
      <button type="button" className="footnote" aria-expanded={isOpen} onClick={open}>
        <span className="footnote-number">{citation.n}</span>
        <span className="footnote-body">
          <NoteHead citation={citation} />
          <span className="footnote-quote">{citation.quote}</span>
        </span>
      </button>
    </li>
  );
}

export function WebSources({ sources }: { sources: readonly WebSource[] }) {
  if (sources.length === 0) return null;
  return (
    <section className="footnotes" aria-label={t.sources.web}>
      <ul>
        {sources.map((s) => (
          <li key={s.url}>
            <a href={/^https?:/.test(s.url) ? s.url : undefined} target="_blank" rel="noreferrer noopener">
              {s.title}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
