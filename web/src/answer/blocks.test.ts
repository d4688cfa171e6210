import { describe, expect, it } from "vitest";
import { splitBlocks } from "./blocks";

describe("splitBlocks", () => {
  it("cuts paragraphs, headings and tables at blank lines", () => {
    expect(splitBlocks("# A\n\none\ntwo\n\n| a |\n|---|\n| 1 |\n\n\nend\n")).toEqual(["# A", "one\ntwo", "| a |\n|---|\n| 1 |", "end"]);
  });

  it("keeps lists and what is indented below them together", () => {
    const list = "- a\n\n  more of a\n\n- b\n\n1. c";
    expect(splitBlocks(`${list}\n\nafter`)).toEqual([list, "after"]);
  });

  it("keeps fenced code together, also while it is open", () => {
    expect(splitBlocks("```go\na\n\nb\n```\n\nafter")).toEqual(["```go\na\n\nb\n```", "after"]);
    expect(splitBlocks("~~~\na\n\n```\nb")).toEqual(["~~~\na\n\n```\nb"]);
    expect(splitBlocks("$$\na\n\nb\n$$\n\nafter")).toEqual(["$$\na\n\nb\n$$", "after"]);
  });

  it("does not cut what has reference definitions", () => {
    const md = "see [a][1]\n\n[1]: https://example.org";
    expect(splitBlocks(md)).toEqual([md]);
  });
});
