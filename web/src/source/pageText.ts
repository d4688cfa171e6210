// The words of a page as pdf.js reads them, in the order of the file, and where
// on the paper each stands.

import type { Spot } from "./match";
import type { TextContent } from "./pdf";

export interface PageItem {
  /** Part of PageText.text, in UTF-16 units. */
  start: number;
  end: number;
}

export interface PageText {
  text: string;
  /** One for each item that has text, as the text layer has elements for them. */
  items: PageItem[];
  /** Where the character at this place is drawn, along and across the direction of writing. */
  spot: (at: number) => Spot | undefined;
}

export function pageText(content: TextContent): PageText {
  let text = "";
  const items: PageItem[] = [];
  const drawn: { transform: number[]; width: number; height: number }[] = [];
  for (const item of content.items) {
    if (!("str" in item)) continue;
    items.push({ start: text.length, end: text.length + item.str.length });
    drawn.push({ transform: item.transform as number[], width: item.width, height: item.height });
    text += item.str + (item.hasEOL ? "\n" : "");
  }
  const spot = (at: number): Spot | undefined => {
    const i = itemAt(items, at);
    const item = items[i];
    const [a = 1, b = 0, , , x = 0, y = 0] = drawn[i]?.transform ?? [];
    const length = Math.hypot(a, b);
    if (!item || length === 0) return undefined;
    const [cos, sin] = [a / length, b / length];
    const along = ((drawn[i]?.width ?? 0) * (at - item.start)) / Math.max(1, item.end - item.start);
    // Down is against the y of PDF, seen in the direction of writing.
    return { along: x * cos + y * sin + along, across: x * sin - y * cos, size: drawn[i]?.height ?? length };
  };
  return { text, items, spot };
}

/** The item that holds the character at this place, or the last one before it. */
function itemAt(items: readonly PageItem[], at: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((items[middle]?.start ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
