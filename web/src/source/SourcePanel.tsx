import { useQuery } from "@tanstack/react-query";
import { Download, MessageCirclePlus, X } from "lucide-react";
import { Dialog } from "radix-ui";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { auth, authHeaders, getJSON, request } from "../api/client";
import { useDocuments } from "../api/queries";
import type { Citation, Doc, Message } from "../api/types";
import { pagesOf } from "../answer/FootnoteMark";
import { closeSource, usePlace, type SourceRef } from "../app/router";
import { askAbout } from "../library/askAbout";
import { useLiveRun } from "../run/live";
import { t } from "../strings";
import { narrow, useMedia } from "../ui/hooks";
import { IconButton } from "../ui/IconButton";
import { toast } from "../ui/toasts";
import { fileUrl, QuoteBox, Viewer, type Place } from "./Viewer";
import { Why } from "./Why";

/** The source beside the answer; a sheet over it where there is no room beside. */
export function SourcePanel() {
  const { source } = usePlace();
  const isNarrow = useMedia(narrow);
  if (!source) return null;
  const content = <Source key={keyOf(source)} source={source} />;
  if (!isNarrow) return <Aside>{content}</Aside>;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeSource()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="source-sheet"
          aria-describedby={undefined}
          onOpenAutoFocus={(e) => {
            e.preventDefault(); // the sheet itself, not the first of its buttons and its tooltip
            if (e.currentTarget instanceof HTMLElement) e.currentTarget.focus();
          }}
        >
          <Dialog.Title className="visually-hidden">{t.panel.title}</Dialog.Title>
          {content}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function keyOf(s: SourceRef): string {
  return s.kind === "note" ? `${s.messageId}.${s.n}` : `${s.id} ${s.page ?? 0}`;
}

/** Takes the focus when it opens, gives it back when it closes, closes on Esc. */
function Aside({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      ref={ref}
      className="source-panel"
      aria-label={t.panel.title}
      tabIndex={-1}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || e.defaultPrevented) return;
        e.preventDefault();
        closeSource();
      }}
    >
      {children}
    </aside>
  );
}

function Source({ source }: { source: SourceRef }) {
  return source.kind === "note" ? <NoteSource messageId={source.messageId} n={source.n} /> : <DocumentSource id={source.id} page={source.page} />;
}

/** A footnote's message: watched in this tab, or asked of the server. */
function useCitation(messageId: string, n: number): { citation: Citation | undefined; missing: boolean } {
  const run = useLiveRun(messageId);
  const watched = run?.view.citations.find((c) => c.n === n);
  const saved = useQuery({
    queryKey: ["message", messageId],
    queryFn: ({ signal }) => getJSON<Message>(`/v1/messages/${encodeURIComponent(messageId)}`, signal),
    enabled: !watched,
    staleTime: 60_000,
  });
  const citation = watched ?? saved.data?.citations?.find((c) => c.n === n);
  return { citation, missing: !citation && (saved.isError || saved.isSuccess) };
}

function NoteSource({ messageId, n }: { messageId: string; n: number }) {
  const { citation, missing } = useCitation(messageId, n);
  const grades = useLiveRun(messageId)?.view.grades;
  const documents = useDocuments();
  const doc = documents.data?.find((d) => d.id === citation?.document_id);
  const place = useMemo<Place | undefined>(
    () =>
      citation && doc
        ? {
            doc,
            version: citation.version,
            pages: citation.pages ?? [],
            quote: citation.quote,
            span: { start: citation.start, end: citation.end },
          }
        : undefined,
    [citation, doc],
  );
  if (!citation) return <Frame title={missing ? t.notFound : t.loading}>{null}</Frame>;
  const where = [pagesOf(citation), citation.heading].filter(Boolean).join(" · ");
  return (
    <Frame number={n} title={citation.title} where={where} doc={doc} version={citation.version} page={citation.pages?.[0]}>
      {place && <Viewer place={place} />}
      {documents.isSuccess && !doc && <QuoteBox text={t.panel.gone} quote={citation.quote} passage={citation.text} />}
      <Why citation={citation} grade={grades?.[citation.chunk_id]} />
    </Frame>
  );
}

function DocumentSource({ id, page }: { id: string; page: number | undefined }) {
  const documents = useDocuments();
  const doc = documents.data?.find((d) => d.id === id);
  // A look at the document must not begin anew with each poll of its state.
  const version = doc?.version ?? "";
  const format = doc?.format;
  const place = useMemo<Place | undefined>(
    () => (doc ? { doc, version, pages: page ? [page] : [], quote: "" } : undefined),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- these are what it depends on
    [id, version, format, page],
  );
  if (!doc) return <Frame title={documents.isSuccess ? t.panel.goneDocument : t.loading}>{null}</Frame>;
  const where = [doc.folder, doc.pages ? t.library.pages(doc.pages) : "", doc.notice].filter(Boolean).join(" · ");
  return (
    <Frame title={doc.title || doc.name} where={where} doc={doc} version={version} page={page}>
      {place && <Viewer place={place} />}
    </Frame>
  );
}

interface FrameProps {
  number?: number;
  title: string;
  where?: string;
  doc?: Doc;
  version?: string;
  page?: number;
  children: ReactNode;
}

function Frame({ number, title, where, doc, version = "", page, children }: FrameProps) {
  return (
    <>
      <header className="source-head">
        <div className="source-name">
          <h2>
            {number !== undefined && <span className="source-number">{number}</span>}
            {title}
          </h2>
          {where && <p className="faint">{where}</p>}
        </div>
        {doc && (
          <>
            <IconButton label={t.panel.ask} onClick={() => askAbout(doc.id)}>
              <MessageCirclePlus aria-hidden />
            </IconButton>
            <IconButton label={t.panel.download} onClick={() => void openOriginal(doc, version, page)}>
              <Download aria-hidden />
            </IconButton>
          </>
        )}
        <IconButton label={t.panel.close} onClick={closeSource}>
          <X aria-hidden />
        </IconButton>
      </header>
      {children}
    </>
  );
}

/** In a tab of its own; where a token is needed, a link could not carry it. */
async function openOriginal(doc: Doc, version: string, page: number | undefined): Promise<void> {
  const url = fileUrl(doc.id, version);
  const link = document.createElement("a");
  link.target = "_blank";
  link.rel = "noopener";
  link.href = page && doc.format === "pdf" ? `${url}#page=${page}` : url;
  if (auth.get().token !== undefined) {
    try {
      const blob = await (await request(url, { headers: authHeaders() })).blob();
      link.href = URL.createObjectURL(blob);
      link.download = doc.name;
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (err) {
      toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
      return;
    }
  }
  link.click();
}
