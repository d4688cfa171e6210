// pdf.js, loaded when the first PDF is opened: the library, its worker and all
// it fetches come from our own server.

import type * as PdfJs from "pdfjs-dist";
import { authHeaders } from "../api/client";
import { findQuote } from "./match";

export type PdfDocument = PdfJs.PDFDocumentProxy;
export type PdfPage = PdfJs.PDFPageProxy;
export type Viewport = PdfJs.PageViewport;
export type TextContent = Awaited<ReturnType<PdfPage["getTextContent"]>>;

declare const __PDFJS_BASE__: string;

export type Library = typeof PdfJs;

let loading: Promise<Library> | undefined;

export function loadPdfJs(): Promise<Library> {
  loading ??= Promise.all([
    import("pdfjs-dist/legacy/build/pdf.min.mjs"),
    import("pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker"),
  ]).then(([library, worker]) => {
    library.GlobalWorkerOptions.workerPort = new worker.default();
    return library;
  });
  loading.catch(() => (loading = undefined)); // the next PDF tries again
  return loading;
}

export interface OpenPdf {
  document: Promise<PdfDocument>;
  close: () => void;
}

export function openPdf(url: string): OpenPdf {
  let task: PdfJs.PDFDocumentLoadingTask | undefined;
  let closed = false;
  const document = loadPdfJs().then((library) => {
    if (closed) throw new Error("closed");
    task = library.getDocument({
      url,
      httpHeaders: authHeaders(),
      cMapUrl: `${__PDFJS_BASE__}cmaps/`,
      standardFontDataUrl: `${__PDFJS_BASE__}standard_fonts/`,
      wasmUrl: `${__PDFJS_BASE__}wasm/`,
      iccUrl: `${__PDFJS_BASE__}iccs/`,
      disableAutoFetch: true, // of a large file only the pages that are looked at
      disableStream: true,
      enableXfa: false,
    });
    return task.promise;
  });
  return {
    document,
    close: () => {
      closed = true;
      void task?.destroy();
    },
  };
}

export function textOf(content: TextContent): string {
  return content.items.map((item) => ("str" in item ? item.str : "")).join("\n");
}

/**
 * The page that holds a quote: the one it was cited from, unless the words are
 * plainly on another one close by.
 */
export async function pageOfQuote(pdf: PdfDocument, pages: readonly number[], quote: string): Promise<number> {
  const first = Math.min(Math.max(pages[0] ?? 1, 1), pdf.numPages);
  if (quote === "") return first;
  let best = { page: first, coverage: await coverage(pdf, first, quote) };
  if (best.coverage >= 0.4) return first;
  for (const page of [...pages.slice(1), first + 1, first - 1]) {
    if (page < 1 || page > pdf.numPages) continue;
    const found = await coverage(pdf, page, quote);
    if (found > 0.6 && found > best.coverage) best = { page, coverage: found };
  }
  return best.page;
}

async function coverage(pdf: PdfDocument, page: number, quote: string): Promise<number> {
  const content = await (await pdf.getPage(page)).getTextContent();
  return findQuote(textOf(content), quote).coverage;
}

/** The height that most letters of a page have; 0 where there are none. */
export function letterHeight(content: TextContent): number {
  const letters = new Map<number, number>();
  for (const item of content.items) {
    if ("str" in item && item.height > 0) {
      const height = Math.round(item.height * 2) / 2;
      letters.set(height, (letters.get(height) ?? 0) + item.str.length);
    }
  }
  let most = { height: 0, count: 0 };
  for (const [height, count] of letters) if (count > most.count) most = { height, count };
  return most.height;
}
