import { expect, it } from "vitest";
import { remarkMarks } from "./marks";

it("makes marks into elements in running text and into plain numbers in code", () => {
  const tree = {
    type: "root",
    children: [
      { type: "paragraph", children: [{ type: "text", value: "so\ue0000:1,2\ue001 it is" }] },
      { type: "code", value: "x\ue0001:2,3\ue001" },
    ],
  };
  remarkMarks()(tree);
  expect(tree.children[0]).toEqual({
    type: "paragraph",
    children: [
      { type: "text", value: "so" },
      { type: "notes", data: { hName: "cite", hProperties: { "data-at": "0", "data-notes": "1,2" } }, children: [] },
      { type: "text", value: " it is" },
    ],
  });
  expect(tree.children[1]).toEqual({ type: "code", value: "x[2][3]" });
});

it("carries statements through what is bold, and formulas into elements", () => {
  const tree = {
    type: "paragraph",
    children: [
      { type: "text", value: "yes \ue002no " },
      { type: "strong", children: [{ type: "text", value: "bold \ue007lit" }] },
      { type: "inlineCode", value: "x\ue0047824\ue005" },
      { type: "text", value: " end\ue0002:1\ue001.\ue003 lit\ue008 \ue0042478\u{e005}" },
    ],
  };
  remarkMarks()(tree);
  const statement = (value: string, support: string, lit = false) => ({
    type: "statement",
    data: { hName: "u", hProperties: { "data-support": support, "data-lit": String(lit) } },
    children: [{ type: "text", value }],
  });
  expect(tree.children).toEqual([
    { type: "text", value: "yes " },
    statement("no ", "not_found"),
    { type: "strong", children: [statement("bold ", "not_found"), statement("lit", "not_found", true)] },
    { type: "inlineCode", value: "xx$" },
    statement(" end", "not_found", true),
    { type: "notes", data: { hName: "cite", hProperties: { "data-at": "2", "data-notes": "1" } }, children: [] },
    statement(".", "", true),
    { type: "doubtEnd", data: { hName: "ins", hProperties: { "data-support": "not_found" } }, children: [] },
    statement(" lit", "", true),
    { type: "text", value: " " },
    { type: "formula", data: { hName: "var", hProperties: { "data-formula": "$x" } }, children: [] },
  ]);
});
