import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useMemo } from "react";
import { getJSON } from "../api/client";
import { useDocuments } from "../api/queries";
import type { Citation, Message, Table } from "../api/types";
import { pagesOf } from "../answer/FootnoteMark";
import { ResultTable } from "../answer/ResultTable";
import { webAddress } from "../answer/web";
import { useLiveRun } from "../run/live";
import { fromMessage, type RunView } from "../run/view";
import { t } from "../strings";
import { Frame } from "./Frame";
import { QuoteBox, Viewer, type Place } from "./Viewer";
import { Why } from "./Why";

/** What a footnote rests on: a passage of a document or a file, a page of the web, or what a database answered. */
export function NoteSource({ messageId, kind, n }: { messageId: string; kind: "note" | "found"; n: number }) {
  const { view, missing } = useMessageView(messageId, kind, n);
  const citation = view && named(view, kind, n);
  if (!view || !citation) return <Frame title={missing ? t.notFound : t.loading}>{null}</Frame>;
  const why = <Why citation={citation} grade={view.grades[citation.chunk_id]} />;
  switch (citation.kind) {
    case "web":
      return <WebNote citation={citation} why={why} />;
    case "file":
    case "attachment":
      return <FileNote citation={citation} why={why} />;
    case "query":
      return <QueryNote citation={citation} view={view} why={why} />;
    default:
      return <DocumentNote citation={citation} why={why} />;
  }
}

function named(view: RunView, kind: "note" | "found", n: number): Citation | undefined {
  return (kind === "note" ? view.citations : view.found).find((c) => c.n === n);
}

/** A footnote's message: watched in this tab, or asked of the server. */
function useMessageView(messageId: string, kind: "note" | "found", n: number): { view: RunView | undefined; missing: boolean } {
  const run = useLiveRun(messageId);
  const watched = run && named(run.view, kind, n) ? run.view : undefined;
  const saved = useQuery({
    queryKey: ["message", messageId],
    queryFn: ({ signal }) => getJSON<Message>(`/v1/messages/${encodeURIComponent(messageId)}`, signal),
    enabled: !watched,
    staleTime: 60_000,
  });
  const unfolded = useMemo(() => (saved.data ? fromMessage(saved.data) : undefined), [saved.data]);
  return { view: watched ?? unfolded, missing: saved.isError || saved.isSuccess };
}

interface NoteProps {
  citation: Citation;
  why: React.ReactNode;
}

function DocumentNote({ citation, why }: NoteProps) {
  const documents = useDocuments();
  const doc = documents.data?.find((d) => d.id === citation.document_id);
  const id = doc?.id;
  const format = doc?.format;
  const place = useMemo<Place | undefined>(
    () =>
      doc && {
        doc,
        version: citation.version,
        pages: citation.pages ?? [],
        quote: citation.quote,
        span: { start: citation.start, end: citation.end },
      },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a document that is polled is still the same one
    [citation, id, format],
  );
  const where = [pagesOf(citation), citation.heading].filter(Boolean).join(" · ");
  return (
    <Frame number={citation.n} title={citation.title} where={where} doc={doc} version={citation.version} page={citation.pages?.[0]}>
      {place && <Viewer place={place} />}
      {documents.isSuccess && !doc && <QuoteBox text={t.panel.gone} quote={citation.quote} passage={citation.text} />}
      {why}
    </Frame>
  );
}

/** A page of the web is never fetched by this page: its words were kept, and a link leads there. */
function WebNote({ citation, why }: NoteProps) {
  const at = webAddress(citation.url);
  return (
    <Frame number={citation.n} title={citation.title} where={at?.host}>
      <div className="note-body">
        <QuoteBox text={t.panel.webPage} quote={citation.quote} passage={citation.text} />
        {at ? (
          <a className="button" href={at.href} target="_blank" rel="noreferrer noopener external">
            <ExternalLink aria-hidden />
            {t.sources.onWeb(at.host)}
          </a>
        ) : (
          <p className="faint">{t.sources.notOnWeb}</p>
        )}
      </div>
      {why}
    </Frame>
  );
}

/** Where files of messages are served, and at which page. */
const fileAddress = /^\/v1\/messages\/[\w.:-]+\/files\/\d+(#page=\d+)?$/;

/** A file that came with a question stands in no library: its words, and the file itself. */
function FileNote({ citation, why }: NoteProps) {
  const where = [pagesOf(citation), citation.heading].filter(Boolean).join(" · ");
  return (
    <Frame number={citation.n} title={citation.title} where={where}>
      <div className="note-body">
        <QuoteBox text={t.panel.file} quote={citation.quote} passage={citation.text} />
        {fileAddress.test(citation.url) && (
          <a className="button" href={citation.url} target="_blank" rel="noreferrer noopener">
            <ExternalLink aria-hidden />
            {t.panel.openFile}
          </a>
        )}
      </div>
      {why}
    </Frame>
  );
}

function QueryNote({ citation, view, why }: NoteProps & { view: RunView }) {
  const table = useMemo(() => tableOf(citation, view), [citation, view]);
  return (
    <Frame number={citation.n} title={citation.title} where={citation.heading}>
      <div className="note-body">
        <p className="faint">{t.panel.query}</p>
        {table ? <ResultTable table={table} /> : <pre tabIndex={0}>{[citation.quote, citation.text].filter(Boolean).join("\n\n")}</pre>}
      </div>
      {why}
    </Frame>
  );
}

/** The table that a query's step of the same answer holds. */
function tableOf(citation: Citation, view: RunView): Table | undefined {
  const query = (citation.query ?? citation.quote).trim();
  for (const s of view.steps) if (s.kind === "tool" && s.table?.query.trim() === query) return s.table;
  return undefined;
}
