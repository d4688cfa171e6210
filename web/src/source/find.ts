// Searching within the document that is open.

import { useEffect, useMemo, useState } from "react";
import { announce } from "../ui/announce";
import { t } from "../strings";
import type { ByteSpan } from "./blocks";
import { lettersOf } from "./letters";
import { findAll, type Span } from "./match";
import type { PdfFile } from "./pdf";

/** A search within a document, as its bar and its view share it. */
export interface Finding {
  open: boolean;
  query: string;
  /** Index of the hit that is looked at. */
  at: number;
  hits: number;
  /** False while pages are still to be searched. */
  done: boolean;
  /** Counts what was asked for, so that going to the only hit again goes there. */
  asked: number;
}

export const noFinding: Finding = { open: false, query: "", at: 0, hits: 0, done: true, asked: 0 };

export function stepTo(f: Finding, by: number): Finding {
  return f.hits === 0 ? f : { ...f, at: (f.at + by + f.hits) % f.hits, asked: f.asked + 1 };
}

export function sayCount(f: Finding): string {
  if (f.query.trim() === "") return "";
  if (f.hits === 0) return f.done ? t.panel.noHits : t.panel.searching;
  return t.panel.hitOf(f.at + 1, f.hits, f.done);
}

export interface PdfHit {
  page: number;
  span: Span;
}

/** More than this nobody walks through, and marks for them take time. */
const mostHits = 2_000;

/** Hits in a PDF, page by page; the pages are read as they are searched. */
export function usePdfHits(file: PdfFile | undefined, query: string): { hits: readonly PdfHit[]; done: boolean } {
  const [found, setFound] = useState<{ query: string; hits: readonly PdfHit[]; done: boolean }>({ query: "", hits: [], done: true });
  useEffect(() => {
    if (!file || lettersOf(query).text === "") return;
    let stopped = false;
    const search = async () => {
      const hits: PdfHit[] = [];
      let told = performance.now();
      for (let page = 1; page <= file.pdf.numPages && hits.length < mostHits; page++) {
        const letters = lettersOf(await file.text(page));
        if (stopped) return;
        hits.push(...findAll(letters, query).map((span) => ({ page, span })));
        if (performance.now() - told < 200) continue;
        told = performance.now();
        setFound({ query, hits: [...hits], done: false });
      }
      setFound({ query, hits, done: true });
    };
    const timer = setTimeout(() => void search().catch(() => !stopped && setFound({ query, hits: [], done: true })), 120); // while somebody types
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [file, query]);
  return useMemo(() => {
    if (lettersOf(query).text === "") return { hits: [], done: true };
    return found.query === query ? found : { hits: [], done: false };
  }, [found, query]);
}

/** Hits in an extracted text, in bytes. */
export function textHits(text: string, query: string): ByteSpan[] {
  const spans = findAll(lettersOf(text), query).slice(0, mostHits);
  const encoder = new TextEncoder();
  let unit = 0;
  let byte = 0;
  const byteAt = (at: number) => {
    byte += encoder.encode(text.slice(unit, at)).length;
    unit = at;
    return byte;
  };
  return spans.map((s) => ({ start: byteAt(s.start), end: byteAt(s.end) }));
}

/** Says the count aloud when it changes. */
export function useSaid(f: Finding): void {
  const text = f.open ? sayCount(f) : "";
  useEffect(() => announce(text), [text]);
}
