import { describe, expect, it } from "vitest";
import type { Citation } from "../api/types";
import { citedIn, markCitations, numberCitations, remarkFootnotes, withoutCitations } from "./marks";

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
    remarkFootnotes()(tree);
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
});
