import { describe, expect, it } from "vitest";
import type { Extract } from "../api/types";
import { blockAt, pieces, shownBlocks, tableRows } from "./blocks";
import { Utf8Text } from "./bytes";

const source = "Überschrift\n\nDie Gewährleistung währt zwei Jahre. Danach nicht.\n\na\tbß\nc\td";
const text = new Utf8Text(source);
const at = (s: string) => new TextEncoder().encode(source.slice(0, source.indexOf(s))).length;
const size = (s: string) => new TextEncoder().encode(s).length;

const extract: Extract = {
  format: "pdf",
  text: source,
  blocks: [
    { kind: "heading", start: 0, end: size("Überschrift"), level: 1, page: 1 },
    { kind: "paragraph", start: at("Die"), end: at("Die") + size("Die Gewährleistung währt zwei Jahre. Danach nicht."), page: 2 },
    { kind: "table", start: at("a\t"), end: text.length, page: 2 },
  ],
};

describe("extracted text", () => {
  const blocks = shownBlocks(extract, text);

  it("is shown block by block, with a mark where a page begins", () => {
    expect(blocks.map((b) => [b.kind, b.page])).toEqual([["heading", 1], ["paragraph", 2], ["table", undefined]]);
    expect(text.slice(blocks[1]?.start ?? 0, blocks[1]?.end ?? 0)).toBe("Die Gewährleistung währt zwei Jahre. Danach nicht.");
  });

  it("marks a quote by its bytes", () => {
    const quote = { kind: "quote" as const, start: at("Gewähr"), end: at("Gewähr") + size("Gewährleistung währt") };
    const b = blocks[1];
    if (!b) throw new Error("no block");
    expect(pieces(text, b.start, b.end, [quote])).toEqual([{ text: "Die " }, { text: "Gewährleistung währt", mark: "quote" }, { text: " zwei Jahre. Danach nicht." }]);
    expect(pieces(text, 0, 12, [quote])).toEqual([{ text: "Überschrift" }]);
    // A hit over the quote's end.
    const hit = { kind: "current" as const, start: at("währt"), end: at("Jahre") };
    expect(pieces(text, b.start, b.end, [quote, hit])).toEqual([
      { text: "Die " },
      { text: "Gewährleistung ", mark: "quote" },
      { text: "währt zwei ", mark: "current" },
      { text: "Jahre. Danach nicht." },
    ]);
  });

  it("finds the block of an offset", () => {
    expect(blockAt(blocks, 0)).toBe(0);
    expect(blockAt(blocks, at("zwei"))).toBe(1);
    expect(blockAt(blocks, 9999)).toBe(2);
  });

  it("takes tables apart without losing count of bytes", () => {
    const b = blocks[2];
    if (!b) throw new Error("no block");
    const cells = tableRows(text, b.start, b.end).map((row) => row.map((c) => text.slice(c.start, c.end)));
    expect(cells).toEqual([["a", "bß"], ["c", "d"]]);
    const pipes = new Utf8Text("x | y\nz | ä");
    expect(tableRows(pipes, 0, pipes.length).map((row) => row.map((c) => pipes.slice(c.start, c.end)))).toEqual([["x", "y"], ["z", "ä"]]);
  });

  it("cuts what is very long at line ends, and bears text without blocks", () => {
    const long = "eine Zeile mit ä\n".repeat(2000);
    const t = new Utf8Text(long);
    const parts = shownBlocks({ format: "text", text: long, blocks: null }, t);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map((p) => t.slice(p.start, p.end)).join("")).toBe(long);
    expect(parts.every((p) => t.slice(p.start, p.end).endsWith("\n"))).toBe(true);
  });
});
