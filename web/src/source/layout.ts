// Where the pages of a PDF stand under each other, all as wide as each other, and
// how the same place stays in sight when that width changes. Lengths are CSS
// pixels; pages count from 1.

export interface Size {
  width: number;
  height: number;
}

/** Between two pages. */
export const gap = 12;

export class Layout {
  /** tops[n - 1] is where page n begins; the last entry is where all of them end. */
  private readonly tops: Float64Array;

  /** sizes holds the pages that were looked at; the others are taken for as large as guess. */
  constructor(
    readonly pages: number,
    readonly width: number,
    sizes: ReadonlyMap<number, Size>,
    guess: Size,
  ) {
    this.tops = new Float64Array(pages + 1);
    for (let n = 1; n <= pages; n++) {
      const size = sizes.get(n) ?? guess;
      this.tops[n] = this.top(n) + Math.round((width * size.height) / size.width) + gap;
    }
  }

  get height(): number {
    return Math.max(0, this.top(this.pages + 1) - gap);
  }

  top(n: number): number {
    return this.tops[n - 1] ?? 0;
  }

  heightOf(n: number): number {
    return this.top(n + 1) - gap - this.top(n);
  }

  /** The page at a height; the gap below a page belongs to it. */
  pageAt(y: number): number {
    let low = 1;
    let high = this.pages;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** A point of a document that does not depend on how large it is drawn. */
export interface Anchor {
  page: number;
  /** Parts of the page's height and width. */
  down: number;
  right: number;
}

export function anchorAt(layout: Layout, x: number, y: number): Anchor {
  const page = layout.pageAt(y);
  return { page, down: (y - layout.top(page)) / Math.max(1, layout.heightOf(page)), right: x / Math.max(1, layout.width) };
}

export function pointOf(layout: Layout, at: Anchor): { x: number; y: number } {
  return { x: at.right * layout.width, y: layout.top(at.page) + at.down * layout.heightOf(at.page) };
}
