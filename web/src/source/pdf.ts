// pdf.js, loaded when the first PDF is opened: the library, its worker and all
// it fetches come from our own server.
//
// One worker reads all PDFs. It is ours, not the documents': a document that is
// closed leaves it running for the next one. PDFs that were closed last stay open
// in the background, so that going back to one is quick; the others give their
// memory back.

import type * as PdfJs from "pdfjs-dist";
import { authHeaders } from "../api/client";
import { pageText, type PageText } from "./pageText";

export type PdfDocument = PdfJs.PDFDocumentProxy;
export type PdfPage = PdfJs.PDFPageProxy;
export type Viewport = PdfJs.PageViewport;
export type TextContent = Awaited<ReturnType<PdfPage["getTextContent"]>>;

declare const __PDFJS_BASE__: string;

export type Library = typeof PdfJs;

interface Engine {
  library: Library;
  worker: PdfJs.PDFWorker;
  /** Set when the worker can no longer be used. */
  failed: boolean;
}

let engine: Promise<Engine> | undefined;

/** The library and its worker; made anew where the last worker failed. */
function startEngine(): Promise<Engine> {
  engine ??= Promise.all([
    import("pdfjs-dist/legacy/build/pdf.min.mjs"),
    import("pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker"),
  ]).then(([library, { default: Port }]) => {
    const port = new Port();
    const made: Engine = { library, worker: library.PDFWorker.create({ port }), failed: false };
    port.addEventListener("error", () => discard(made, port), { once: true });
    return made;
  });
  engine.catch(() => (engine = undefined)); // the next PDF tries again
  return engine;
}

function discard(broken: Engine, port: Worker): void {
  broken.failed = true;
  engine = undefined;
  for (const [url, f] of files) if (f.engine === broken) files.delete(url);
  broken.worker.destroy();
  port.terminate();
}

/** Loads pdf.js before it is needed. */
export function warmPdf(): void {
  startEngine().catch(() => undefined); // whoever opens a PDF hears of it
}

/** A page's words, and what the text layer is made of. */
export interface PageContent {
  content: TextContent;
  words: PageText;
}

/** Pages whose words are kept for each open PDF. */
const pagesKept = 16;

/** An open PDF. */
export class PdfFile {
  private readonly pages = new Map<number, Promise<PageContent>>();
  /** Texts of pages that were searched, as long as the PDF is looked at. */
  private readonly texts = new Map<number, string>();

  constructor(
    readonly pdf: PdfDocument,
    readonly library: Library,
  ) {}

  /** What a page says; the last few that were asked for are kept. */
  page(n: number): Promise<PageContent> {
    const known = this.pages.get(n);
    const content = known ?? this.readPage(n);
    this.pages.delete(n);
    this.pages.set(n, content);
    content.catch(() => this.pages.delete(n));
    for (const old of this.pages.keys()) {
      if (this.pages.size <= pagesKept) break;
      this.pages.delete(old);
    }
    return content;
  }

  /** The text of a page; all that were asked for are kept until forget. */
  async text(n: number): Promise<string> {
    const known = this.texts.get(n) ?? (await this.pages.get(n))?.words.text;
    const text = known ?? (await this.readPage(n)).words.text;
    this.texts.set(n, text);
    return text;
  }

  forget(): void {
    this.texts.clear();
  }

  private async readPage(n: number): Promise<PageContent> {
    const content = await (await this.pdf.getPage(n)).getTextContent();
    return { content, words: pageText(content) };
  }
}

interface Entry {
  engine: Engine | undefined;
  /** Views that show it; at 0 it is kept for a while. */
  users: number;
  task: PdfJs.PDFDocumentLoadingTask | undefined;
  opened: Promise<PdfFile>;
}

/** PDFs that nobody looks at and that stay open. */
const idleKept = 6;

/** By address; those that were used last stand last. */
const files = new Map<string, Entry>();

export interface OpenPdf {
  file: Promise<PdfFile>;
  close: () => void;
}

export function openPdf(url: string): OpenPdf {
  const entry = files.get(url) ?? load(url);
  files.delete(url);
  files.set(url, entry);
  entry.users++;
  let closed = false;
  return {
    file: entry.opened,
    close: () => {
      if (closed) return;
      closed = true;
      entry.users--;
      if (entry.users === 0) void entry.opened.then((file) => file.forget(), () => undefined);
      closeIdle();
    },
  };
}

function load(url: string): Entry {
  const entry: Entry = { engine: undefined, users: 0, task: undefined, opened: Promise.reject(new Error("not begun")) };
  entry.opened.catch(() => undefined);
  const opened = open(url, entry).catch(async (err: unknown) => {
    // A worker that failed takes its documents with it; a new one may do better.
    if (!entry.engine?.failed) throw err;
    return open(url, entry);
  });
  opened.catch(() => {
    if (files.get(url) === entry) files.delete(url); // the next view tries again
  });
  entry.opened = opened;
  return entry;
}

async function open(url: string, entry: Entry): Promise<PdfFile> {
  const running = await startEngine();
  entry.engine = running;
  entry.task = running.library.getDocument({
    url,
    worker: running.worker,
    httpHeaders: authHeaders(),
    cMapUrl: `${__PDFJS_BASE__}cmaps/`,
    standardFontDataUrl: `${__PDFJS_BASE__}standard_fonts/`,
    wasmUrl: `${__PDFJS_BASE__}wasm/`,
    iccUrl: `${__PDFJS_BASE__}iccs/`,
    disableAutoFetch: true, // of a large file only the pages that are looked at
    disableStream: true,
    enableXfa: false,
  });
  return new PdfFile(await entry.task.promise, running.library);
}

/** Closes the PDFs that were left longest ago, but for a few. */
function closeIdle(): void {
  const idle = [...files].filter(([, f]) => f.users === 0);
  for (const [url, f] of idle.slice(0, Math.max(0, idle.length - idleKept))) {
    files.delete(url);
    void end(f);
  }
}

async function end(entry: Entry): Promise<void> {
  await entry.opened.catch(() => undefined); // a task that is destroyed while it loads leaves its requests behind
  await entry.task?.destroy().catch(() => undefined);
}

/** How much of a quote a page shows, 0 to 1. */
export type Coverage = (words: PageText) => number;

/**
 * The page that holds a quote: the one it was cited from, unless the words are
 * plainly on another one close by.
 */
export async function pageOfQuote(file: PdfFile, pages: readonly number[], coverage: Coverage): Promise<number> {
  const all = file.pdf.numPages;
  const first = Math.min(Math.max(pages[0] ?? 1, 1), all);
  const best = { page: first, coverage: coverage((await file.page(first)).words) };
  if (best.coverage >= 0.4) return first;
  for (const page of [...pages.slice(1), first + 1, first - 1]) {
    if (page < 1 || page > all) continue;
    const found = coverage((await file.page(page)).words);
    if (found > 0.6 && found > best.coverage) Object.assign(best, { page, coverage: found });
  }
  return best.page;
}
