import { ChevronDown, ChevronUp, Crosshair, ZoomIn, ZoomOut } from "lucide-react";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { bringIntoSight } from "../ui/scroll";
import { letterHeight, loadPdfJs, openPdf, pageOfQuote, type PdfDocument } from "./pdf";
import { PdfPageView } from "./PdfPageView";

interface Props {
  url: string;
  pages: readonly number[];
  quote: string;
  onBroken: (why: string) => void;
  /** Stands before the page's tools. */
  lead: ReactNode;
  /** Called once the page that holds the quote is drawn. */
  onFound: (coverage: number) => void;
}

interface Opened {
  pdf: PdfDocument;
  library: Awaited<ReturnType<typeof loadPdfJs>>;
  target: number;
  /** Size of the target page at scale 1; the others are taken for as large until they are seen. */
  width: number;
  height: number;
  /** Height of its letters in the same measure. */
  letters: number;
}

/** Wider than this a page is harder to read, not easier; in CSS pixels. */
const widest = 960;

/** Height of letters that can be read without effort, in CSS pixels. */
const readable = 10.5;

/** The real pages of a PDF, opened where the quote is. */
export function PdfView({ url, pages, quote, onBroken, onFound, lead }: Props) {
  const [opened, setOpened] = useState<Opened>();
  const [chosenZoom, setZoom] = useState<number>();
  const [current, setCurrent] = useState(1);
  const scroller = useRef<HTMLDivElement>(null);
  const room = useWidth(scroller);
  const pagesKey = pages.join(",");

  useEffect(() => {
    const file = openPdf(url);
    let gone = false;
    const open = async () => {
      const [library, pdf] = await Promise.all([loadPdfJs(), file.document]);
      const target = await pageOfQuote(pdf, pagesKey.split(",").filter(Boolean).map(Number), quote);
      const page = await pdf.getPage(target);
      const { width, height } = page.getViewport({ scale: 1 });
      const letters = letterHeight(await page.getTextContent());
      if (!gone) setOpened({ pdf, library, target, width, height, letters });
    };
    open().catch((err: unknown) => !gone && onBroken(err instanceof Error ? err.message : String(err)));
    return () => {
      gone = true;
      setOpened(undefined);
      file.close();
    };
  }, [url, pagesKey, quote, onBroken]);

  const toPage = useCallback((n: number) => {
    bringIntoSight(scroller.current, scroller.current?.querySelector(`[data-page="${n}"]`), "start");
  }, []);

  // The page comes into sight before it is drawn, the quote once it is.
  const target = opened?.target;
  useEffect(() => {
    if (target !== undefined) toPage(target);
  }, [target, toPage]);

  const onDrawn = useCallback(
    (n: number, coverage: number) => {
      if (n !== target) return;
      if (coverage > 0) showMark(scroller.current, n);
      onFound(coverage);
    },
    [target, onFound],
  );

  const fit = opened && room > 0 ? Math.min(room, widest) / opened.width : 1;
  // Small print opens large enough to be read, if then not the whole width is seen.
  const zoom = chosenZoom ?? (opened && opened.letters > 0 ? Math.min(1.9, Math.max(1, readable / (opened.letters * fit))) : 1);
  const scale = fit * zoom;
  return (
    <div className="pdf">
      <div className="pdf-tools">
        {lead}
        <IconButton className="fine-only" label={t.panel.previous} disabled={current <= 1} onClick={() => toPage(current - 1)}>
          <ChevronUp aria-hidden />
        </IconButton>
        <IconButton className="fine-only" label={t.panel.next} disabled={!opened || current >= opened.pdf.numPages} onClick={() => toPage(current + 1)}>
          <ChevronDown aria-hidden />
        </IconButton>
        <span className="pdf-at" aria-live="polite">
          {opened ? t.panel.page(current, opened.pdf.numPages) : t.panel.loading}
        </span>
        <span className="spring" />
        {quote && target !== undefined && (
          <IconButton
            label={t.panel.find}
            onClick={() => {
              toPage(target);
              showMark(scroller.current, target);
            }}
          >
            <Crosshair aria-hidden />
          </IconButton>
        )}
        <IconButton label={t.panel.zoomOut} disabled={zoom <= 0.5} onClick={() => setZoom(Math.max(0.5, zoom / 1.25))}>
          <ZoomOut aria-hidden />
        </IconButton>
        <IconButton label={t.panel.zoomIn} disabled={zoom >= 4} onClick={() => setZoom(Math.min(4, zoom * 1.25))}>
          <ZoomIn aria-hidden />
        </IconButton>
      </div>
      <div className="pdf-pages" ref={scroller} tabIndex={0} role="region" aria-label={t.panel.original}>
        {opened &&
          room > 0 &&
          Array.from({ length: opened.pdf.numPages }, (_, i) => (
            <PdfPageView
              key={i + 1}
              opened={opened}
              n={i + 1}
              scale={scale}
              quote={pages.includes(i + 1) || i + 1 === target ? quote : ""}
              onDrawn={onDrawn}
              onCurrent={setCurrent}
            />
          ))}
      </div>
    </div>
  );
}

function showMark(scroller: HTMLElement | null, page: number): void {
  bringIntoSight(scroller, scroller?.querySelector(`[data-page="${page}"] .page-mark`), "center");
}

/** The width there is for a page, without the margins around it. */
function useWidth(ref: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    const observer = new ResizeObserver(([entry]) => {
      // A drag of the panel's edge would draw hundreds of sizes; steps will do.
      if (entry) setWidth(Math.floor((entry.contentRect.width - 4) / 8) * 8);
    });
    observer.observe(el);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
