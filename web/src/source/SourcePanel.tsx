import { Dialog } from "radix-ui";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { useDocument } from "../api/documents";
import { useText } from "../api/queries";
import { closeSource, here, usePlace, type SourceRef } from "../app/router";
import { t } from "../strings";
import { narrow, useMedia, useWindowEvent } from "../ui/hooks";
import { Utf8Text } from "./bytes";
import { Frame } from "./Frame";
import { NoteSource } from "./NoteSource";
import { warmPdf } from "./pdf";
import { documentUrls, type Place } from "./place";
import { Viewer } from "./Viewer";

/** The source beside the answer; a sheet over it where there is no room beside. */
export function SourcePanel() {
  const { source } = usePlace();
  const isNarrow = useMedia(narrow);
  useWarmPdf();
  if (!source) return null;
  return isNarrow ? <Sheet source={source} /> : <Aside source={source} />;
}

function Source({ source }: { source: SourceRef }) {
  return source.kind === "document" ? <DocumentSource source={source} /> : <NoteSource source={source} />;
}

/** Whoever points at a footnote may open it: pdf.js takes a moment to load. */
function useWarmPdf(): void {
  const warm = (e: PointerEvent | FocusEvent) => {
    if (e.target instanceof Element && e.target.closest("[data-note], .source-chip, .footnote, .card, .passage")) warmPdf();
  };
  useWindowEvent("pointerover", warm);
  useWindowEvent("focusin", warm);
}

/** The mark in the answer whose footnote is open. */
const openMark = '.footnote-mark[aria-expanded="true"]';

/**
 * Where the focus goes when the panel closes: to the mark of the footnote that
 * was read last, else to what had the focus before.
 */
function useWayBack(source: SourceRef): () => void {
  const before = useRef<Element>(undefined);
  const mark = useRef<HTMLElement>(undefined);
  useEffect(() => {
    const focused = document.activeElement;
    before.current ??= focused ?? undefined;
    const open = focused instanceof HTMLElement && focused.matches(openMark) ? focused : document.querySelector<HTMLElement>(openMark);
    mark.current = open ?? undefined;
    if (source.kind === "note") open?.scrollIntoView({ block: "nearest" });
  }, [source]);
  return () => {
    if (here().source) return; // it only turned from a panel into a sheet, or back
    const to = [mark.current, before.current].find((el): el is HTMLElement => el instanceof HTMLElement && el.isConnected);
    to?.focus({ preventScroll: to !== mark.current });
  };
}

function Sheet({ source }: { source: SourceRef }) {
  const back = useWayBack(source);
  const sheet = useRef<HTMLDivElement>(null);
  useKeepFocus(sheet, source);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeSource()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          ref={sheet}
          className="source-sheet"
          aria-describedby={undefined}
          onOpenAutoFocus={(e) => {
            e.preventDefault(); // the sheet itself, not the first of its buttons and its tooltip
            sheet.current?.focus();
          }}
          onCloseAutoFocus={(e) => {
            e.preventDefault();
            back();
          }}
          onEscapeKeyDown={(e) => {
            // Esc in a field of the sheet ends what is done there.
            if (e.target instanceof Element && e.target.closest(".find-bar, .page-field")) e.preventDefault();
          }}
        >
          <Dialog.Title className="visually-hidden">{t.panel.title}</Dialog.Title>
          <Source source={source} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Takes the focus when it opens, gives it back when it closes, closes on Esc. */
function Aside({ source }: { source: SourceRef }) {
  const back = useWayBack(source);
  const ref = useRef<HTMLElement>(null);
  const giveBack = useRef(back);
  useEffect(() => {
    giveBack.current = back;
  });
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    return () => giveBack.current();
  }, []);
  useKeepFocus(ref, source);
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
      <Source source={source} />
    </aside>
  );
}

/** When another document takes the place of what had the focus, the panel has it. */
function useKeepFocus(panel: React.RefObject<HTMLElement | null>, source: SourceRef): void {
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus({ preventScroll: true });
  }, [panel, source]);
}

function DocumentSource({ source }: { source: Extract<SourceRef, { kind: "document" }> }): ReactNode {
  const { id, page, span } = source;
  const asked = useDocument(id);
  const doc = asked.data ?? undefined;
  // A look at the document must not begin anew with each poll of its state.
  const version = doc?.version ?? "";
  const format = doc?.format;
  const { fileUrl, textUrl } = documentUrls(id, version);
  // Bytes of the text are asked for by an address; the words there are the quote.
  const text = useText(textUrl, span !== undefined && doc !== undefined).data?.text;
  const quote = useMemo(() => {
    if (!span || text === undefined) return undefined;
    const bytes = new Utf8Text(text);
    const around = { before: bytes.slice(Math.max(0, span.start - 600), span.start), after: bytes.slice(span.end, span.end + 600) };
    return { text: bytes.slice(span.start, span.end), around };
  }, [span, text]);
  const waits = span !== undefined && quote === undefined;
  const place = useMemo<Place | undefined>(
    () => (format !== undefined && !waits ? { id, format, fileUrl, textUrl, pages: page ? [page] : [], quote, span } : undefined),
    [id, format, fileUrl, textUrl, page, quote, span, waits],
  );
  if (!doc) return <Frame title={asked.isSuccess ? t.panel.goneDocument : t.loading}>{null}</Frame>;
  const where = [doc.folder, doc.pages ? t.library.pages(doc.pages) : "", doc.notice].filter(Boolean).join(" · ");
  return (
    <Frame title={doc.title || doc.name} where={where} doc={doc} original={{ url: fileUrl, name: doc.name, page: doc.format === "pdf" ? page : undefined }}>
      {place && <Viewer place={place} />}
    </Frame>
  );
}
