import { Crosshair, MoveHorizontal, ZoomIn, ZoomOut } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { usePdfHits, type Finding, type PdfHit } from "./find";
import { Layout, type Size } from "./layout";
import { findQuote, type Span } from "./match";
import { PageField } from "./PageField";
import { openPdf, pageOfQuote, type PdfFile } from "./pdf";
import { PdfPageView, type PageHits } from "./PdfPageView";
import type { Place, Quote } from "./place";
import { usePdfScroll, useRoom, useSettled, type Sight } from "./usePdfScroll";
import { leastZoom, mostZoom, rememberZoom, zoomOf } from "./zoom";

interface Props {
  place: Place;
  finding: Finding;
  onFinding: (change: (f: Finding) => Finding) => void;
  onBroken: (why: string) => void;
  /** Called once the page that holds the quote is drawn; pictureOnly: that page has no text. */
  onFound: (coverage: number, pictureOnly: boolean) => void;
  /** Stand before and behind the page's tools, and below them. */
  lead: ReactNode;
  trail: ReactNode;
  below: ReactNode;
}

/** What is to be brought into sight. */
interface Goal {
  page: number;
  what: "page" | "quote" | "hit";
}

/** A quote and the page that holds it. */
interface Quoted {
  page: number;
  pages: readonly number[];
  quote: Quote | undefined;
  framed: boolean;
}

/** The real pages of a PDF, as wide as the panel, opened where the quote is. */
export function PdfView({ place, finding, onFinding, onBroken, onFound, lead, trail, below }: Props) {
  const { fileUrl, pages, quote, framed = false } = place;
  const file = useFile(fileUrl, onBroken);
  const scroller = useRef<HTMLDivElement>(null);
  const room = useRoom(scroller);
  const [zoom, setZoom] = useState(() => zoomOf(place.id));
  const [sizes, setSizes] = useState<{ all: ReadonlyMap<number, Size>; guess: Size }>();
  const [quoted, setQuoted] = useState<Quoted>();
  const [goal, setGoal] = useState<Goal>();
  const pending = useRef<Goal>(undefined);

  const width = Math.round(room.width * zoom);
  const drawnFor = useSettled(width, 150) || width;
  const count = file?.pdf.numPages ?? 0;
  const layout = useMemo(() => (count > 0 && sizes && width > 0 ? new Layout(count, width, sizes.all, sizes.guess) : undefined), [count, sizes, width]);
  const { sight, toPage, center } = usePdfScroll(scroller, layout, room);

  // Another quote of the same document leaves it open: only the marks move.
  useEffect(() => {
    if (!file) return;
    let gone = false;
    const choose = async () => {
      const page = await pageOfQuote(file, pages, (words) => (quote && !framed ? findQuote(words.text, quote.text).coverage : 1));
      const { width, height } = (await file.pdf.getPage(page)).getViewport({ scale: 1 });
      if (gone) return;
      const size = { width, height };
      setSizes((old) => (old ? withSize(old, page, size) : { all: new Map([[page, size]]), guess: size }));
      setQuoted({ page, pages, quote, framed });
      setGoal({ page, what: quote && !framed ? "quote" : "page" });
    };
    choose().catch((err: unknown) => !gone && onBroken(err instanceof Error ? err.message : String(err)));
    return () => {
      gone = true;
    };
  }, [file, pages, quote, framed, onBroken]);

  // The page comes into sight before it is drawn, its marks once they are there.
  const ready = layout !== undefined;
  useLayoutEffect(() => {
    if (!goal || !ready) return;
    pending.current = goal;
    const marks = boxOf(scroller.current, goal);
    if (!marks) {
      toPage(goal.page);
      return;
    }
    center(marks);
    pending.current = undefined;
  }, [goal, ready, toPage, center]);

  const arrive = useCallback(
    (n: number, what: Goal["what"]) => {
      const wanted = pending.current;
      if (wanted?.page !== n || wanted.what !== what) return;
      const marks = boxOf(scroller.current, wanted);
      if (marks) center(marks);
      pending.current = undefined;
    },
    [center],
  );
  const target = quoted?.page;
  const onMarked = useCallback(
    (n: number, coverage: number, pictureOnly: boolean) => {
      arrive(n, "quote");
      if (n === target) onFound(coverage, pictureOnly);
    },
    [arrive, target, onFound],
  );
  const onHits = useCallback((n: number) => arrive(n, "hit"), [arrive]);
  const onSize = useCallback((n: number, size: Size) => setSizes((old) => old && withSize(old, n, size)), []);

  const { hits, done } = usePdfHits(file, finding.open ? finding.query : "");
  useEffect(() => {
    onFinding((f) => (f.hits === hits.length && f.done === done ? f : { ...f, hits: hits.length, done }));
  }, [hits, done, onFinding]);
  const hitPage = hits[finding.at]?.page;
  const asked = `${finding.asked} ${finding.at} ${hitPage}`;
  const [answered, setAnswered] = useState(asked);
  if (hitPage !== undefined && asked !== answered) {
    setAnswered(asked);
    setGoal({ page: hitPage, what: "hit" });
  }
  const hitsOn = useMemo(() => byPage(hits, finding.at), [hits, finding.at]);

  const change = (to: number) => setZoom(rememberZoom(place.id, to));
  const leave = () => {
    pending.current = undefined; // whoever scrolls wants to be somewhere else
  };
  return (
    <div className="pdf">
      <div className="pdf-tools">
        {lead}
        {sight ? <PageField page={sight.current} of={count} onGo={(page) => setGoal({ page, what: "page" })} /> : <span className="pdf-at">{t.panel.loading}</span>}
        <span className="spring" />
        {quoted?.quote && (
          <IconButton className="to-quote" label={t.panel.find} onClick={() => setGoal({ page: quoted.page, what: framed ? "page" : "quote" })}>
            <Crosshair aria-hidden />
          </IconButton>
        )}
        <IconButton label={t.panel.zoomOut} disabled={zoom <= leastZoom} onClick={() => change(zoom / 1.25)}>
          <ZoomOut aria-hidden />
        </IconButton>
        <IconButton label={t.panel.fit} data-on={zoom === 1} onClick={() => change(1)}>
          <MoveHorizontal aria-hidden />
        </IconButton>
        <IconButton label={t.panel.zoomIn} disabled={zoom >= mostZoom} onClick={() => change(zoom * 1.25)}>
          <ZoomIn aria-hidden />
        </IconButton>
        {trail}
      </div>
      {below}
      <div className="pdf-pages" ref={scroller} tabIndex={0} role="region" aria-label={t.panel.original} onWheel={leave} onPointerDown={leave} onKeyDown={leave}>
        {file && layout && (
          <div className="pdf-sheet" style={{ width, height: layout.height }}>
            {range(sight, count).map((n) => (
              <PdfPageView
                key={n}
                file={file}
                n={n}
                top={layout.top(n)}
                width={width}
                height={layout.heightOf(n)}
                natural={(sizes?.all.get(n) ?? sizes?.guess)?.width ?? width}
                drawnFor={drawnFor}
                inSight={sight !== undefined && n >= sight.first && n <= sight.last}
                quote={n === target || quoted?.pages.includes(n) ? quoted?.quote : undefined}
                framed={n === target && quoted?.framed === true}
                hits={hitsOn.get(n)}
                onSize={onSize}
                onMarked={onMarked}
                onHits={onHits}
              />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

function useFile(url: string, onBroken: (why: string) => void): PdfFile | undefined {
  const [file, setFile] = useState<PdfFile>();
  useEffect(() => {
    const opened = openPdf(url);
    let gone = false;
    opened.file.then(
      (f) => !gone && setFile(f),
      (err: unknown) => !gone && onBroken(err instanceof Error ? err.message : String(err)),
    );
    return () => {
      gone = true;
      setFile(undefined);
      opened.close();
    };
  }, [url, onBroken]);
  return file;
}

function withSize(old: { all: ReadonlyMap<number, Size>; guess: Size }, n: number, size: Size): { all: ReadonlyMap<number, Size>; guess: Size } {
  const known = old.all.get(n);
  if (known?.width === size.width && known.height === size.height) return old;
  return { ...old, all: new Map(old.all).set(n, size) };
}

/** The pages to draw: those in sight, and one more at each end. */
function range(sight: Sight | undefined, count: number): number[] {
  if (!sight) return [];
  const first = Math.max(1, sight.first - 1);
  return Array.from({ length: Math.min(count, sight.last + 1) - first + 1 }, (_, i) => first + i);
}

function byPage(hits: readonly PdfHit[], at: number): Map<number, PageHits> {
  const pages = new Map<number, { spans: Span[]; at: number }>();
  hits.forEach((hit, i) => {
    const page = pages.get(hit.page) ?? { spans: [], at: -1 };
    if (i === at) page.at = page.spans.length;
    page.spans.push(hit.span);
    pages.set(hit.page, page);
  });
  return pages;
}

/** The box around the marks that are meant; undefined where there are none yet. */
function boxOf(scroller: HTMLElement | null, { page, what }: Goal): DOMRect | undefined {
  if (what === "page") return undefined;
  const marks = scroller?.querySelectorAll(`[data-page="${page}"] ${what === "quote" ? ".page-mark" : ".page-hit.current"}`) ?? [];
  let box: DOMRect | undefined;
  for (const mark of marks) {
    const r = mark.getBoundingClientRect();
    if (!box) {
      box = r;
      continue;
    }
    const [left, top] = [Math.min(box.left, r.left), Math.min(box.top, r.top)];
    box = new DOMRect(left, top, Math.max(box.right, r.right) - left, Math.max(box.bottom, r.bottom) - top);
  }
  return box;
}
