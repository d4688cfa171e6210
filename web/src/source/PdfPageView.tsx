import { memo, useEffect, useRef, useState } from "react";
import { t } from "../strings";
import { drawPage } from "./drawPage";
import type { Library, PdfDocument } from "./pdf";

interface Props {
  opened: { pdf: PdfDocument; library: Library; width: number; height: number };
  n: number;
  scale: number;
  quote: string;
  onDrawn: (n: number, coverage: number) => void;
  onCurrent: (n: number) => void;
}

/** One page: drawn when it comes near what is seen, dropped when it is far from it. */
export const PdfPageView = memo(function PdfPageView({ opened, n, scale, quote, onDrawn, onCurrent }: Props) {
  const { pdf, library } = opened;
  const place = useRef<HTMLDivElement>(null);
  const paper = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const [size, setSize] = useState({ width: opened.width, height: opened.height });

  useEffect(() => {
    const el = place.current;
    if (!el) return;
    const root = el.parentElement;
    const nearby = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), { root, rootMargin: "100% 0px" });
    const middle = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && onCurrent(n), { root, rootMargin: "-49% 0px -49% 0px" });
    nearby.observe(el);
    middle.observe(el);
    return () => {
      nearby.disconnect();
      middle.disconnect();
    };
  }, [n, onCurrent]);

  useEffect(() => {
    const into = paper.current;
    if (!near || !into) return;
    const abort = new AbortController();
    const draw = async () => {
      const page = await pdf.getPage(n);
      const { width, height } = page.getViewport({ scale: 1 });
      if (abort.signal.aborted) return;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
      const coverage = await drawPage(library, page, scale, into, quote, abort.signal);
      onDrawn(n, coverage); // an aborted drawing has thrown
    };
    draw().catch((err: unknown) => {
      if (!abort.signal.aborted) into.textContent = t.panel.broken(err instanceof Error ? err.message : String(err));
    });
    return () => abort.abort();
  }, [near, pdf, library, n, scale, quote, onDrawn]);

  // Far pages give their memory back.
  useEffect(() => {
    if (!near) paper.current?.replaceChildren();
  }, [near]);

  const style = {
    width: `${size.width * scale}px`,
    height: `${size.height * scale}px`,
    "--total-scale-factor": scale,
    "--scale-round-x": "1px",
    "--scale-round-y": "1px",
  } as React.CSSProperties;
  return (
    <div className="pdf-page" ref={place} data-page={n} style={style}>
      <div ref={paper} className="pdf-paper" />
    </div>
  );
});
