import { Dialog } from "radix-ui";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { useDocuments, useText } from "../api/queries";
import { closeSource, usePlace, type SourceRef, type Span } from "../app/router";
import { t } from "../strings";
import { narrow, useMedia } from "../ui/hooks";
import { Utf8Text } from "./bytes";
import { Frame } from "./Frame";
import { NoteSource } from "./NoteSource";
import { Viewer, type Place } from "./Viewer";

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
  return s.kind === "document" ? `${s.id} ${s.page ?? 0} ${s.span?.start ?? 0}` : `${s.kind} ${s.messageId}.${s.n}`;
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
  return source.kind === "document" ? <DocumentSource id={source.id} page={source.page} span={source.span} /> : <NoteSource messageId={source.messageId} kind={source.kind} n={source.n} />;
}

function DocumentSource({ id, page, span }: { id: string; page: number | undefined; span: Span | undefined }) {
  const documents = useDocuments();
  const doc = documents.data?.find((d) => d.id === id);
  // A look at the document must not begin anew with each poll of its state.
  const version = doc?.version ?? "";
  const format = doc?.format;
  // Bytes of the text are asked for by an address; the words there are the quote.
  const text = useText(id, version, span !== undefined && doc !== undefined).data?.text;
  const quote = useMemo(() => (span && text !== undefined ? new Utf8Text(text).slice(span.start, span.end) : ""), [span, text]);
  const place = useMemo<Place | undefined>(
    () => (doc && (!span || text !== undefined) ? { doc, version, pages: page ? [page] : [], quote, span } : undefined),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- these are what it depends on
    [id, version, format, page, quote, span],
  );
  if (!doc) return <Frame title={documents.isSuccess ? t.panel.goneDocument : t.loading}>{null}</Frame>;
  const where = [doc.folder, doc.pages ? t.library.pages(doc.pages) : "", doc.notice].filter(Boolean).join(" · ");
  return (
    <Frame title={doc.title || doc.name} where={where} doc={doc} version={version} page={page}>
      {place && <Viewer place={place} />}
    </Frame>
  );
}
