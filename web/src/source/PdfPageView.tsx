import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../strings";
import { drawCanvas, drawText, release } from "./drawPage";
import type { Size } from "./layout";
import { layMarks, markedText, type TextLayer } from "./marks";
import { findQuote, type Span } from "./match";
import type { PdfFile } from "./pdf";
import type { Quote } from "./place";

/** What is marked on a page beside the quote: what was searched for. */
export interface PageHits {
  spans: readonly Span[];
  /** Index of the one that is looked at; -1 when it is on another page. */
  at: number;
}

interface Props {
  file: PdfFile;
  n: number;
  top: number;
  width: number;
  height: number;
  /** Width of the page's own measure: where 1 CSS pixel is a point. */
  natural: number;
  /** The width that its picture is drawn for; it follows the width when that has settled. */
  drawnFor: number;
  /** Pages out of sight wait until the others are drawn. */
  inSight: boolean;
  quote: Quote | undefined;
  /** The whole page is meant, not words of it. */
  framed: boolean;
  hits: PageHits | undefined;
  onSize: (n: number, size: Size) => void;
  /** The quote's marks are in the page. */
  onMarked: (n: number, coverage: number, pictureOnly: boolean) => void;
  onHits: (n: number) => void;
}

/** How long pages out of sight wait, in ms. */
const patience = 200;

export const PdfPageView = memo(function PdfPageView({ file, n, top, width, height, natural, drawnFor, inSight, quote, framed, hits, onSize, onMarked, onHits }: Props) {
  const picture = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const marks = useRef<HTMLDivElement>(null);
  const hitMarks = useRef<HTMLDivElement>(null);
  const [layer, setLayer] = useState<TextLayer>();
  const [broken, setBroken] = useState("");
  const [awake, setAwake] = useState(inSight);

  useEffect(() => {
    if (awake) return;
    const timer = setTimeout(() => setAwake(true), inSight ? 0 : patience);
    return () => clearTimeout(timer);
  }, [awake, inSight]);

  const scale = useRef(1);
  useEffect(() => {
    scale.current = width / natural;
  });

  useEffect(() => {
    const into = text.current;
    if (!awake || !into) return;
    const abort = new AbortController();
    const read = async () => {
      const { width, height } = (await file.pdf.getPage(n)).getViewport({ scale: 1 });
      if (abort.signal.aborted) return;
      onSize(n, { width, height });
      setLayer(await drawText(file, n, scale.current, into, abort.signal));
    };
    read().catch((err: unknown) => !abort.signal.aborted && setBroken(messageOf(err)));
    return () => {
      abort.abort();
      into.replaceChildren();
      setLayer(undefined);
    };
  }, [awake, file, n, onSize]);

  useEffect(() => {
    const into = picture.current;
    if (!awake || !into) return;
    const abort = new AbortController();
    drawCanvas(file, n, drawnFor, abort.signal)
      .then((canvas) => {
        release(into.querySelector("canvas"));
        into.replaceChildren(canvas);
      })
      .catch((err: unknown) => !abort.signal.aborted && setBroken(messageOf(err)));
    return () => abort.abort();
  }, [awake, file, n, drawnFor]);

  // What a page took is given back when it is left.
  useEffect(() => {
    const into = picture.current;
    return () => {
      release(into?.querySelector("canvas"));
      void file.pdf.getPage(n).then((page) => page.cleanup(), () => undefined);
    };
  }, [file, n]);

  useLayoutEffect(() => {
    const into = marks.current;
    if (!into || !layer) return;
    const found = quote && !framed ? findQuote(layer.words.text, quote.text, { around: quote.around, spot: layer.words.spot }) : undefined;
    into.replaceChildren();
    delete into.dataset["marked"];
    if (found && found.spans.length > 0) {
      layMarks(layer, into, into.getBoundingClientRect(), found.spans, "page-mark");
      into.dataset["marked"] = markedText(layer, found.spans);
    }
    if (found || framed) onMarked(n, found?.coverage ?? 1, layer.words.text.trim() === "");
  }, [layer, quote, framed, n, onMarked]);

  useLayoutEffect(() => {
    const into = hitMarks.current;
    if (!into || !layer) return;
    into.replaceChildren();
    if (!hits) return;
    const page = into.getBoundingClientRect();
    hits.spans.forEach((span, i) => layMarks(layer, into, page, [span], i === hits.at ? "page-hit current" : "page-hit"));
    if (hits.at >= 0) onHits(n);
  }, [layer, hits, n, onHits]);

  const style = { top, width, height, "--total-scale-factor": width / natural } as React.CSSProperties;
  return (
    <div className="pdf-page" data-page={n} data-framed={framed || undefined} style={style}>
      <div ref={picture} className="pdf-picture" />
      {broken && <p className="pdf-broken">{t.panel.broken(broken)}</p>}
      <div ref={hitMarks} className="page-hits" />
      <div ref={marks} className="page-marks" />
      <div ref={text} className="text-layer" />
    </div>
  );
});

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
