// Marks over words of a drawn page. The words are those of the text layer, so a
// mark covers what it says it covers.

import type { Span } from "./match";
import type { PageText } from "./pageText";

/** A page's text layer, once it is in the page. */
export interface TextLayer {
  words: PageText;
  /** The element of each item that has text. */
  elements: readonly HTMLElement[];
}

/** Lays marks over spans of a page's words. Their places are in percent of the page, so they bear any zoom. */
export function layMarks(layer: TextLayer, into: HTMLElement, page: DOMRect, spans: readonly Span[], className: string): void {
  const marks = joinLines(rectsOf(layer, apart(spans))).map((rect) => {
    const mark = document.createElement("div");
    mark.className = className;
    mark.style.left = percent((rect.left - page.left) / page.width);
    mark.style.top = percent((rect.top - page.top) / page.height);
    mark.style.width = percent((rect.right - rect.left) / page.width);
    mark.style.height = percent((rect.bottom - rect.top) / page.height);
    return mark;
  });
  into.append(...marks);
}

/** What stands under the marks. */
export function markedText(layer: TextLayer, spans: readonly Span[]): string {
  return spans.map((s) => layer.words.text.slice(s.start, s.end)).join(" ");
}

function percent(part: number): string {
  return `${(part * 100).toFixed(3)}%`;
}

interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Spans in the order of the page, none over another: a word that is marked twice would be darker. */
function apart(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const s of [...spans].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last && s.start <= last.end) last.end = Math.max(last.end, s.end);
    else out.push({ ...s });
  }
  return out;
}

function rectsOf({ words, elements }: TextLayer, spans: readonly Span[]): Rect[] {
  const rects: Rect[] = [];
  for (const span of spans) {
    words.items.forEach((item, i) => {
      const start = Math.max(span.start, item.start) - item.start;
      const end = Math.min(span.end, item.end) - item.start;
      const node = elements[i]?.firstChild;
      if (start >= end || !(node instanceof Text)) return;
      const range = document.createRange();
      range.setStart(node, Math.min(start, node.length));
      range.setEnd(node, Math.min(end, node.length));
      for (const r of range.getClientRects()) if (r.width > 0 && r.height > 0) rects.push({ left: r.left, top: r.top, right: r.right, bottom: r.bottom });
    });
  }
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
