// Draws one page of a PDF: its picture, the text above it that can be selected,
// and the marks over a quote's words.

import { findQuote, type Span } from "./match";
import type { Library, PdfPage, Viewport } from "./pdf";

// Phones refuse larger canvases, and eyes need none.
const mostPixels = 16_000_000;

/** Gives the part of the quote that was found on the page. */
export async function drawPage(
  library: Library,
  page: PdfPage,
  scale: number,
  into: HTMLElement,
  quote: string,
  signal: AbortSignal,
): Promise<number> {
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { alpha: false });
  if (!context) throw new Error("no canvas");
  const density = Math.min(window.devicePixelRatio || 1, Math.sqrt(mostPixels / (viewport.width * viewport.height)));
  canvas.width = Math.floor(viewport.width * density);
  canvas.height = Math.floor(viewport.height * density);

  const task = page.render({
    canvas,
    canvasContext: context,
    viewport,
    transform: density === 1 ? undefined : [density, 0, 0, density, 0, 0],
  });
  signal.addEventListener("abort", () => task.cancel(), { once: true });

  const text = document.createElement("div");
  text.className = "text-layer";
  const [layer] = await Promise.all([drawText(library, page, viewport, text, signal), task.promise]);
  if (signal.aborted) throw new Error("cancelled");

  const marks = document.createElement("div");
  marks.className = "page-marks";
  into.replaceChildren(canvas, marks, text); // the text last: it is what can be pointed at
  return quote === "" ? 0 : markQuote(layer, text, marks, quote);
}

async function drawText(library: Library, page: PdfPage, viewport: Viewport, into: HTMLElement, signal: AbortSignal) {
  const layer = new library.TextLayer({ textContentSource: await page.getTextContent(), container: into, viewport });
  signal.addEventListener("abort", () => layer.cancel(), { once: true });
  await layer.render();
  return layer;
}

/** Lays marks over the quote's words; positions are in percent, so they bear any zoom. */
function markQuote(layer: InstanceType<Library["TextLayer"]>, text: HTMLElement, marks: HTMLElement, quote: string): number {
  const strings = layer.textContentItemsStr;
  const found = findQuote(strings.join("\n"), quote);
  const box = text.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return found.coverage;
  for (const rect of joinLines(rectsOf(found.spans, strings, layer.textDivs))) {
    const mark = document.createElement("div");
    mark.className = "page-mark";
    mark.style.left = `${((rect.left - box.left) / box.width) * 100}%`;
    mark.style.top = `${((rect.top - box.top) / box.height) * 100}%`;
    mark.style.width = `${((rect.right - rect.left) / box.width) * 100}%`;
    mark.style.height = `${((rect.bottom - rect.top) / box.height) * 100}%`;
    marks.append(mark);
  }
  return found.coverage;
}

interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function rectsOf(spans: readonly Span[], strings: readonly string[], divs: readonly HTMLElement[]): Rect[] {
  const rects: Rect[] = [];
  let at = 0;
  strings.forEach((s, i) => {
    const node = divs[i]?.firstChild;
    for (const span of spans) {
      const start = Math.max(span.start - at, 0);
      const end = Math.min(span.end - at, s.length);
      if (start >= end || !(node instanceof Text)) continue;
      const range = document.createRange();
      range.setStart(node, Math.min(start, node.length));
      range.setEnd(node, Math.min(end, node.length));
      for (const r of range.getClientRects()) if (r.width > 0) rects.push({ left: r.left, top: r.top, right: r.right, bottom: r.bottom });
    }
    at += s.length + 1;
  });
  return rects;
}

/** Words of one line become one mark. */
function joinLines(rects: readonly Rect[]): Rect[] {
  const out: Rect[] = [];
  for (const r of rects) {
    const last = out.at(-1);
    const height = r.bottom - r.top;
    const sameLine = last && Math.abs(last.top - r.top) < height / 2 && Math.abs(last.bottom - r.bottom) < height / 2;
    if (sameLine && r.left - last.right < height && r.left >= last.left - height) {
      last.right = Math.max(last.right, r.right);
      last.top = Math.min(last.top, r.top);
      last.bottom = Math.max(last.bottom, r.bottom);
    } else {
      out.push({ ...r });
    }
  }
  return out;
}
