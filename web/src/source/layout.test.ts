import { describe, expect, it } from "vitest";
import { anchorAt, gap, Layout, pointOf } from "./layout";

const letter = { width: 612, height: 792 };
const sizes = new Map([[2, { width: 792, height: 612 }]]);

describe("Layout", () => {
  it("makes all pages as wide as each other", () => {
    const layout = new Layout(3, 306, sizes, letter);
    expect([1, 2, 3].map((n) => layout.heightOf(n))).toEqual([396, 236, 396]);
    expect([1, 2, 3].map((n) => layout.top(n))).toEqual([0, 396 + gap, 396 + 236 + 2 * gap]);
    expect(layout.height).toBe(396 + 236 + 396 + 2 * gap);
  });

  it("knows the page at a height, and stays within the document", () => {
    const layout = new Layout(3, 306, sizes, letter);
    expect([-50, 0, 395, 396 + gap, 700, 9999].map((y) => layout.pageAt(y))).toEqual([1, 1, 1, 2, 3, 3]);
  });

  it("finds the same point again at another width, and when pages before it turn out otherwise", () => {
    const before = new Layout(40, 500, new Map(), letter);
    const at = anchorAt(before, 125, before.top(20) + before.heightOf(20) / 2);
    const after = new Layout(40, 1100, sizes, letter);
    const { x, y } = pointOf(after, at);
    expect(at.page).toBe(20);
    expect(x).toBeCloseTo(275);
    expect(y).toBeCloseTo(after.top(20) + after.heightOf(20) / 2);
  });
});
