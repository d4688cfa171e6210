import { useMemo, useState } from "react";
import type { Citation, WebSource } from "../api/types";
import { t } from "../strings";
import { webAddress } from "./web";
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
        <li key={groupOf(group[0])} className="source-group">
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
    const group = groups.get(groupOf(c));
    if (group) group.push(c);
    else groups.set(groupOf(c), [c]);
  }
  return [...groups.values()];
}

/** Passages of one document stand together; web pages by their address, queries by what they asked. */
function groupOf(c: Citation | undefined): string {
  if (!c) return "";
  return c.kind === "web" ? `web ${c.url}` : c.kind === "query" ? `query ${c.title}` : c.kind === "file" ? `file ${c.url.split("#")[0]}` : c.document_id;
}

function SourceChip({ citation, messageId }: { citation: Citation; messageId: string }) {
  const { open, isOpen } = useOpenNote(messageId, citation.n);
  const page = pagesOf(citation) || placeOf(citation);
  return (
    <button type="button" className="source-chip" aria-expanded={isOpen} title={citation.heading || undefined} onClick={open}>
      <span className="source-number">{citation.n}</span>
      {page && <span className="source-page"> {page}</span>}
      <span className="visually-hidden"> {citation.title}</span>
    </button>
  );
}

/** Where in a document without pages: under its nearest heading. */
function placeOf(c: Citation): string {
  return c.kind === "query" ? t.sources.query : (c.heading.split(" › ").at(-1) ?? "");
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
            <WebLink source={s} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function WebLink({ source }: { source: WebSource }) {
  const at = webAddress(source.url);
  if (!at) return <>{source.title || source.url}</>;
  return (
    <>
      <a href={at.href} target="_blank" rel="noreferrer noopener external">
        {source.title || at.host}
      </a>{" "}
      <span className="faint">{at.host}</span>
    </>
  );
}
