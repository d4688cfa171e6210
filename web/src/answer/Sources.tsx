import { useMemo, useState } from "react";
import type { Citation, WebSource } from "../api/types";
import { t } from "../strings";
import { NoteHead, pagesOf, tidy, useOpenNote } from "./FootnoteMark";

interface Props {
  citations: readonly Citation[];
  messageId: string;
}

const few = 3;

/** What was found, shown before the answer that will cite it: each document with its passages. */
export function SourceStrip({ citations, messageId }: Props) {
  const [all, setAll] = useState(false);
  const groups = useMemo(() => byDocument(citations), [citations]);
  if (groups.length === 0) return null;
  const rest = groups.length - few;
  // One more than a few is shown rather than folded behind a button as wide.
  const folds = rest > 1;
  return (
    <ul className="source-strip" aria-label={t.sources.list}>
      {(folds && !all ? groups.slice(0, few) : groups).map((group) => (
        <li key={group[0]?.document_id} className="source-group">
          <span className="source-title">{group[0]?.title}</span>
          {group.map((c) => (
            <SourceChip key={c.n} citation={c} messageId={messageId} />
          ))}
        </li>
      ))}
      {folds && (
        <li>
          <button type="button" className="source-chip more" onClick={() => setAll(!all)}>
            {all ? t.sources.fewer : t.sources.moreDocuments(rest)}
          </button>
        </li>
      )}
    </ul>
  );
}

/** Documents in the order in which they were found first. */
function byDocument(citations: readonly Citation[]): Citation[][] {
  const groups = new Map<string, Citation[]>();
  for (const c of citations) {
    const group = groups.get(c.document_id);
    if (group) group.push(c);
    else groups.set(c.document_id, [c]);
  }
  return [...groups.values()];
}

function SourceChip({ citation, messageId }: { citation: Citation; messageId: string }) {
  const { open, isOpen } = useOpenNote(messageId, citation.n);
  const page = pagesOf(citation);
  return (
    <button type="button" className="source-chip" aria-expanded={isOpen} title={citation.heading || undefined} onClick={open}>
      <span className="source-number">{citation.n}</span>
      {page && <span className="source-page"> {page}</span>}
      <span className="visually-hidden"> {citation.title}</span>
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
          <span className="footnote-quote">{tidy(citation.quote)}</span>
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
