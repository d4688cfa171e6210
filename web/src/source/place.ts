// A place in a document: what the panel is asked to show.

import type { Citation } from "../api/types";
import type { ByteSpan } from "./blocks";
import { Utf8Text } from "./bytes";
import type { Around } from "./match";

/** Words that were quoted, and what stands around them where they were taken from. */
export interface Quote {
  text: string;
  around?: Around;
}

export interface Place {
  /** Names the document over all its versions: what is remembered of it, is remembered by this. */
  id: string;
  format: string;
  /** Where its bytes and its extracted text are served. */
  fileUrl: string;
  textUrl: string;
  pages: readonly number[];
  quote?: Quote;
  /** The quote in bytes of the extracted text. */
  span?: ByteSpan;
  /** The whole page is meant, not words of it. */
  framed?: boolean;
}

export function documentUrls(id: string, version: string): { fileUrl: string; textUrl: string } {
  const query = version ? `?version=${encodeURIComponent(version)}` : "";
  const base = `/v1/documents/${encodeURIComponent(id)}`;
  return { fileUrl: `${base}/file${query}`, textUrl: `${base}/text${query}` };
}

/** Where in its passage the words of a citation stand, in bytes; undefined where they lie outside of it. */
export function spanInText(c: Citation): ByteSpan | undefined {
  if (!c.text || c.quote === "") return undefined;
  const text = new Utf8Text(c.text);
  for (const base of [c.text_start ?? 0, 0]) {
    const span = { start: c.start - base, end: c.end - base };
    if (span.start >= 0 && span.end <= text.length && text.slice(span.start, span.end) === c.quote) return span;
  }
  const at = c.text.indexOf(c.quote);
  return at < 0 ? undefined : { start: byteLength(c.text.slice(0, at)), end: byteLength(c.text.slice(0, at) + c.quote) };
}

/** The quote of a citation, with the rest of its passage to know it by. */
export function quoteOf(c: Citation): Quote | undefined {
  if (c.quote === "") return undefined;
  const span = spanInText(c);
  if (!span || !c.text) return { text: c.quote };
  const text = new Utf8Text(c.text);
  return { text: c.quote, around: { before: text.slice(0, span.start), after: text.slice(span.end, text.length) } };
}

function byteLength(s: string): number {
  return new TextEncoder().encode(s).length;
}
