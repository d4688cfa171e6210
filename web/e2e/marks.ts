// What the reading panel has marked.

import type { Page } from "playwright-core";

export interface Marked {
  /** Of the footnote that is open, "" while none is. */
  number: string;
  /** The words that the panel says it has marked. */
  said: string;
  /** The letters of the page's own text that lie under the marks; undefined where no page with text is shown, or nobody asked. */
  under: string | undefined;
  /** What is wider than it may be. */
  wide: string[];
}

export function marked(page: Page, how: "said" | "under"): Promise<Marked> {
  return page.evaluate((how) => {
    const panel = document.querySelector(".source-panel, .source-sheet");
    const all = (selector: string) => [...(panel?.querySelectorAll<HTMLElement>(selector) ?? [])];
    const pages = all(".page-marks[data-marked]").map((el) => el.dataset["marked"] ?? "");
    const texts = all("mark, tr[data-marked] td").map((el) => el.textContent);

    // The letters whose middles lie in a mark, in the order of the page's text.
    let under: string | undefined;
    for (const paper of how === "under" ? all(".page-marks") : []) {
      const marks = [...paper.querySelectorAll(".page-mark")].map((el) => el.getBoundingClientRect());
      const layer = paper.parentElement?.querySelector(".text-layer");
      if (marks.length === 0 || !layer?.textContent) continue;
      under ??= "";
      const near = (r: DOMRect) => marks.some((m) => r.right >= m.left - 2 && r.left <= m.right + 2 && r.bottom >= m.top - 2 && r.top <= m.bottom + 2);
      const inside = (x: number, y: number) => marks.some((m) => x >= m.left && x <= m.right && y >= m.top && y <= m.bottom);
      const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.textContent ?? "";
        if (!near(node.parentElement?.getBoundingClientRect() ?? new DOMRect())) continue;
        for (let i = 0; i < text.length; i++) {
          range.setStart(node, i);
          range.setEnd(node, i + 1);
          const r = range.getBoundingClientRect();
          if (r.width > 0 && r.height > 0 && inside((r.left + r.right) / 2, (r.top + r.bottom) / 2)) under += text[i] ?? "";
        }
        under += " ";
      }
    }

    const wide: string[] = [];
    if (document.documentElement.scrollWidth > window.innerWidth) wide.push("the page");
    for (const el of all(".pdf-pages, .text-view")) if (el.scrollWidth > el.clientWidth + 1) wide.push(el.className);
    const room = panel?.getBoundingClientRect();
    for (const el of all(".page-mark")) {
      const r = el.getBoundingClientRect();
      if (room && (r.left < room.left - 1 || r.right > room.right + 1)) wide.push("a mark");
    }
    return { number: /\d+/.exec(all(".walk-at")[0]?.textContent ?? "")?.[0] ?? "", said: [...pages, ...texts].join(" "), under, wide };
  }, how);
}
