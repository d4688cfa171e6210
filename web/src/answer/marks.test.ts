import { describe, expect, it } from "vitest";
import type { Citation } from "../api/types";
import { citedIn, markCitations, numberCitations, remarkMarks, withoutCitations } from "./marks";

const cite = (n: number, chunk_id: string) => ({ n, chunk_id }) as Citation;
const two = [cite(1, "d1:a"), cite(2, "d2-b")];

describe("citations in an answer", () => {
  it("become marks, without the space before them", () => {
    expect(markCitations("Two years [d1:a][d2-b]. See [x] and a[0].", two)).toBe("Two years\ue0001\ue001\ue0002\ue001. See [x] and a[0].");
    expect(markCitations("forged \ue0009\ue001 mark", two)).toBe("forged 9 mark");
  });

  it("are numbered, listed and left out", () => {
    const text = "B [d2-b], A [d1:a], B again [d2-b].";
    expect(numberCitations(text, two)).toBe("B [2], A [1], B again [2].");
    expect(withoutCitations(text, two)).toBe("B, A, B again.");
    expect(citedIn(text, two).map((c) => c.n)).toEqual([1, 2]);
    expect(citedIn("none [d3]", two)).toEqual([]);
  });

  it("become elements in running text and plain numbers in code", () => {
    const text = markCitations("so [d1:a] it is", two);
    const tree = {
      type: "root",
      children: [
        { type: "paragraph", children: [{ type: "text", value: text }] },
        { type: "code", value: markCitations("x [d2-b]", two) },
      ],
    };
    remarkMarks()(tree);
    expect(tree.children[0]).toEqual({
      type: "paragraph",
      children: [
        { type: "text", value: "so" },
        { type: "footnote", data: { hName: "cite", hProperties: { "data-n": "1" } }, children: [] },
        { type: "text", value: " it is" },
      ],
    });
    expect(tree.children[1]).toEqual({ type: "code", value: "x[2]" });
  });

  it("carry words in doubt through what is bold, and formulas into elements", () => {
    const tree = {
      type: "paragraph",
      children: [
        { type: "text", value: "yes \ue002no " },
        { type: "strong", children: [{ type: "text", value: "bold" }] },
        { type: "inlineCode", value: "x\ue0047824\ue005" },
        { type: "text", value: " end\ue0001\ue001\ue003 \ue0042478\u{e005}" },
      ],
    };
    remarkMarks()(tree);
    const doubt = (value: string) => ({
      type: "doubt",
      data: { hName: "u", hProperties: { "data-part": "false" } },
      children: [{ type: "text", value }],
    });
    expect(tree.children).toEqual([
      { type: "text", value: "yes " },
      doubt("no "),
      { type: "strong", children: [doubt("bold")] },
      { type: "inlineCode", value: "xx$" },
      doubt(" end"),
      { type: "footnote", data: { hName: "cite", hProperties: { "data-n": "1" } }, children: [] },
      { type: "doubtEnd", data: { hName: "ins", hProperties: { "data-part": "false" } }, children: [] },
      { type: "text", value: " " },
      { type: "formula", data: { hName: "var", hProperties: { "data-formula": "$x" } }, children: [] },
    ]);
  });
});
