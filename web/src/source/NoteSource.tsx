import { ExternalLink } from "lucide-react";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { pagesOf } from "../answer/FootnoteMark";
import { ResultTable } from "../answer/ResultTable";
import { webAddress } from "../answer/web";
import { useDocument } from "../api/documents";
import { useText } from "../api/queries";
import type { Citation } from "../api/types";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { Frame } from "./Frame";
import { useNote, useWalk, type NoteRef, type Walk } from "./notes";
import { documentUrls, quoteOf, type Place } from "./place";
import { PassageBox } from "./QuoteBox";
import { resultOf } from "./results";
import { Viewer } from "./Viewer";
import { Why } from "./Why";

/** What a footnote rests on: a passage of a document or a file, a page of the web, what a database or a tool answered. */
export function NoteSource({ source }: { source: NoteRef }) {
  const { note, missing } = useNote(source);
  const walk = useWalk(source, note);
  if (!note) return <Frame title={missing ? t.notFound : t.loading}>{null}</Frame>;
  const { citation, view } = note;
  const why = <Why citation={citation} grade={view.grades[citation.chunk_id]} />;
  switch (citation.kind) {
    case "web":
      return <WebNote citation={citation} walk={walk} why={why} />;
    case "tool":
      return <ToolNote citation={citation} walk={walk} why={why} />;
    case "file":
    case "attachment":
      return <FileNote citation={citation} walk={walk} why={why} />;
    case "query":
      return <QueryNote citation={citation} walk={walk} why={why} view={view} />;
    default:
      return <DocumentNote citation={citation} walk={walk} why={why} />;
  }
}

interface NoteProps {
  citation: Citation;
  walk: Walk | undefined;
  why: ReactNode;
}

function whereOf(c: Citation): string {
  return [pagesOf(c), c.heading].filter(Boolean).join(" · ");
}

/** The place that a citation names in a file. */
function usePlaceOf(c: Citation, format: string | undefined, urls: { fileUrl: string; textUrl: string } | undefined): Place | undefined {
  const fileUrl = urls?.fileUrl;
  const textUrl = urls?.textUrl;
  return useMemo(
    () =>
      format !== undefined && fileUrl !== undefined && textUrl !== undefined
        ? {
            id: c.document_id,
            format,
            fileUrl,
            textUrl,
            pages: c.pages ?? [],
            quote: quoteOf(c),
            span: c.quote === "" ? undefined : { start: c.start, end: c.end },
            framed: c.quote === "", // no words of it: the page as a whole
          }
        : undefined,
    [c, format, fileUrl, textUrl],
  );
}

function DocumentNote({ citation, walk, why }: NoteProps) {
  const asked = useDocument(citation.document_id);
  const doc = asked.data ?? undefined;
  const urls = documentUrls(citation.document_id, citation.version);
  const place = usePlaceOf(citation, doc?.format, urls);
  const original = doc && { url: urls.fileUrl, name: doc.name, page: doc.format === "pdf" ? citation.pages?.[0] : undefined };
  return (
    <Frame walk={walk} title={citation.title} where={whereOf(citation)} doc={doc} original={original}>
      {place && <Viewer place={place} />}
      {(asked.isSuccess || citation.document_id === "") && !doc && <PassageBox text={t.panel.gone} citation={citation} />}
      {why}
    </Frame>
  );
}

/** A page of the web is never fetched by this page: its words were kept, and a link leads there. */
function WebNote({ citation, walk, why }: NoteProps) {
  const at = webAddress(citation.url);
  return (
    <Frame walk={walk} title={citation.title} where={at?.host}>
      <div className="note-body">
        <PassageBox text={t.panel.webPage} citation={citation} />
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

function ToolNote({ citation, walk, why }: NoteProps) {
  return (
    <Frame walk={walk} title={citation.title} where={citation.heading}>
      <div className="note-body">
        <PassageBox text={t.panel.tool} citation={citation} />
      </div>
      {why}
    </Frame>
  );
}

/** Where files of messages are served, and at which page. */
const fileAddress = /^(\/v1\/messages\/[\w.:-]+\/files\/\d+)(#page=\d+)?$/;

/** A file that came with a question is no document of the library, but opens like one. */
function FileNote({ citation, walk, why }: NoteProps) {
  const fileUrl = fileAddress.exec(citation.url)?.[1];
  const textUrl = `${fileUrl ?? ""}/text`;
  const text = useText(textUrl, fileUrl !== undefined);
  const place = usePlaceOf(citation, text.data?.format, fileUrl === undefined ? undefined : { fileUrl, textUrl });
  const page = text.data?.format === "pdf" ? citation.pages?.[0] : undefined;
  return (
    <Frame walk={walk} title={citation.title} where={whereOf(citation)} original={fileUrl === undefined ? undefined : { url: fileUrl, name: citation.title, page }}>
      {place ? (
        <Viewer place={place} />
      ) : text.isFetching ? (
        <p className="faint viewer-note">{t.panel.loading}</p>
      ) : (
        <div className="note-body">
          <PassageBox text={t.panel.file} citation={citation} />
          {fileUrl !== undefined && (
            <a className="button" href={citation.url} target="_blank" rel="noreferrer noopener">
              <ExternalLink aria-hidden />
              {t.panel.openFile}
            </a>
          )}
        </div>
      )}
      {why}
    </Frame>
  );
}

function QueryNote({ citation, walk, why, view }: NoteProps & { view: RunView }) {
  const result = useMemo(() => resultOf(citation, view), [citation, view]);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    body.current?.querySelector("tr[data-marked]")?.scrollIntoView({ block: "center" }); // newer browsers give a promise, which is no cleanup
  }, [result]);
  return (
    <Frame walk={walk} title={citation.title} where={citation.heading}>
      <div className="note-body" ref={body}>
        <p className="faint">{t.panel.query}</p>
        <ResultTable table={result.table} marked={result.marked} />
      </div>
      {why}
    </Frame>
  );
}
