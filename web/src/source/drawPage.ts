// Draws one page of a PDF: its picture, and above it the text that can be selected.

import type { TextLayer } from "./marks";
import type { PdfFile } from "./pdf";

// Phones refuse larger canvases, and eyes need none.
const mostPixels = 16_000_000;

/** The picture of a page, width CSS pixels wide. */
export async function drawCanvas(file: PdfFile, n: number, width: number, signal: AbortSignal): Promise<HTMLCanvasElement> {
  const page = await file.pdf.getPage(n);
  signal.throwIfAborted();
  const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { alpha: false });
  if (!context) throw new Error("no canvas");
  const density = Math.min(window.devicePixelRatio || 1, Math.sqrt(mostPixels / (viewport.width * viewport.height)));
  canvas.width = Math.floor(viewport.width * density);
  canvas.height = Math.floor(viewport.height * density);
  const task = page.render({ canvas, canvasContext: context, viewport, transform: density === 1 ? undefined : [density, 0, 0, density, 0, 0] });
  const cancel = () => task.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    await task.promise;
  } finally {
    signal.removeEventListener("abort", cancel);
    if (signal.aborted) release(canvas);
  }
  signal.throwIfAborted();
  return canvas;
}

/** Gives a canvas' memory back at once; browsers are in no hurry to. */
export function release(canvas: HTMLCanvasElement | null | undefined): void {
  if (canvas) canvas.width = canvas.height = 0;
}

/** Fills an element with the words of a page, each where it is drawn. */
export async function drawText(file: PdfFile, n: number, scale: number, into: HTMLElement, signal: AbortSignal): Promise<TextLayer> {
  const [page, { content, words }] = await Promise.all([file.pdf.getPage(n), file.page(n)]);
  signal.throwIfAborted();
  const layer = new file.library.TextLayer({ textContentSource: content, container: into, viewport: page.getViewport({ scale }) });
  const cancel = () => layer.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    await layer.render();
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  signal.throwIfAborted();
  return { words, elements: layer.textDivs };
}
