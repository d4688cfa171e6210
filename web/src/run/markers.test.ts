import { describe, expect, it } from "vitest";
import type { Citation } from "../api/types";
import { markersOf, replaceMarkers, type Answered } from "./markers";
import { footnotesOfOld } from "./old";
import type { Footnote } from "./view";

const bytes = (s: string) => new TextEncoder().encode(s).length;
const passage = (n: number, chunk_id: string) => ({ n, chunk_id }) as Citation;

/** An answer with footnotes: "{1,2:c_a}" stands for the marker [c_a] that shows footnotes 1 and 2. */
function answer(marked: string, ...unplaced: string[]): Answered {
  let text = "";
  const citations = new Map<number, Footnote>();
  for (const piece of marked.split(/(\{[^}]*\})/)) {
    const [, numbers, id] = /^\{([\d,]*):(.*)\}$/.exec(piece) ?? [];
    if (numbers === undefined || id === undefined) {
      text += piece;
      continue;
    }
    for (const n of numbers.split(",").filter(Boolean).map(Number)) {
      const note = citations.get(n) ?? { ...passage(n, id), found: n, statements: [] };
      note.statements.push({ start: 0, end: 1, marker: bytes(text), support: "quoted" });
      citations.set(n, note);
    }
    text += `[${id}]`;
  }
  return { text, citations: [...citations.values()].sort((a, b) => a.n - b.n), found: unplaced.map((id, i) => passage(i + 1, id)) };
}

const shown = (a: Answered) => replaceMarkers(a, (numbers) => `<${numbers.join(" ")}>`);

describe("the footnotes of an answer", () => {
  it.each([
    ["One {1:c_a}, two {2:c_b}.", "One<1>, two<2>."],
    ["größer 日本 😀 {1:c_a} “naïve” {2:c_b}.", "größer 日本 😀<1> “naïve”<2>."],
    ["both {1,2:c_a} and {3:c_b}", "both<1 2> and<3>"],
    ["the same {1:c_a} twice {1:c_a}, then {2:c_a}", "the same<1> twice<1>, then<2>"],
    ["later first {2,1:c_a}", "later first<1 2>"],
    ["- a\n  {1:c_a} b\n", "- a\n  <1> b\n"],
    ["{1:c_a} first", "<1> first"],
    ["a[0] and [x](y) {1:c_a}", "a[0] and [x](y)<1>"],
  ])("of %j stand where they were placed", (marked, want) => {
    expect(shown(answer(marked))).toBe(want);
  });

  it("tell passages of one chunk apart by their place alone", () => {
    const a = answer("A {1:c_a} B {2:c_a} C {3:c_a}");
    expect(markersOf(a).map((m) => m.numbers)).toEqual([[1], [2], [3]]);
  });

  it("are not shown where the server placed none, and neither is the marker", () => {
    expect(shown(answer("A {1:c_a} B [c_b] C [c_c].", "c_b"))).toBe("A<1> B C [c_c].");
  });

  it("stand once at a marker that two statements share", () => {
    const a = answer("A {1:c_a}");
    a.citations[0]?.statements.push({ start: 1, end: 2, marker: 2, support: "quoted" });
    expect(shown(a)).toBe("A<1>");
  });

  it("are nowhere where their bytes name no marker", () => {
    const a = answer("A B [c_a]", "c_a");
    const odd: Footnote = { ...passage(1, "c_a"), found: 1, statements: [{ start: 0, end: 1, marker: 2, support: "quoted" }, { start: 0, end: 1, marker: 99, support: "quoted" }] };
    expect(shown({ ...a, citations: [odd] })).toBe("A B");
  });
});

describe("the footnotes of an old answer", () => {
  const old = (text: string, ...citations: Citation[]): Answered => ({ text, citations: footnotesOfOld(text, citations), found: citations });

  it("are the passages that it names, with the numbers that they had", () => {
    const a = old("B 日本 [d2-b], A [d1:a], B again [d2-b], [x].", passage(1, "d1:a"), passage(2, "d2-b"), passage(3, "d3"));
    expect(shown(a)).toBe("B 日本<2>, A<1>, B again<2>, [x].");
    expect(a.citations.map((c) => [c.n, c.found, c.statements.length])).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
  });

  it("are none where it names none", () => {
    expect(old("none [d3]", passage(1, "d1")).citations).toEqual([]);
  });
});
