import { describe, expect, it } from "vitest";
import type { Footnote } from "../run/view";
import type { Doubt, Weak } from "./doubts";
import { markAnswer } from "./markup";

const bytes = (s: string) => new TextEncoder().encode(s).length;

/** The text of «doubtful» and ‹lit› statements, and their spans. */
function read(marked: string, support: Weak = "not_found"): [string, Doubt[], { start: number; end: number }[]] {
  const doubts: Doubt[] = [];
  const lit: { start: number; end: number }[] = [];
  let text = "";
  for (const piece of marked.split(/(?=[«»‹›])/)) {
    const at = bytes(text);
    if (piece.startsWith("«")) doubts.push({ start: at, end: at, support });
    if (piece.startsWith("»")) Object.assign(doubts.at(-1) ?? {}, { end: at });
    if (piece.startsWith("‹")) lit.push({ start: at, end: at });
    if (piece.startsWith("›")) Object.assign(lit.at(-1) ?? {}, { end: at });
    text += piece.replace(/[«»‹›]/, "");
  }
  return [text, doubts, lit];
}

const shown = (s: string) =>
  s
    .replaceAll("\ue002", "⟨")
    .replaceAll("\ue006", "⟨partly ")
    .replaceAll("\ue009", "⟨wrong ")
    .replaceAll("\ue003", "⟩")
    .replaceAll("\ue007", "{")
    .replaceAll("\ue008", "}")
    .replace(/\ue000(\d+):([\d,]+)\ue001/g, "<$1:$2>");

function mark(marked: string, support?: Weak, citations: Footnote[] = []): string {
  const [text, doubts, lit] = read(marked, support);
  return shown(markAnswer({ text, citations, found: [] }, doubts, lit));
}

const note = (n: number, ...markers: number[]) => ({ n, chunk_id: "c_a", statements: markers.map((marker) => ({ start: 0, end: 1, marker, support: "quoted" })) }) as Footnote;

describe("markAnswer", () => {
  it.each([
    ["True. «Not so.» True.", "True. ⟨Not so.⟩ True."],
    ["日本 “naïve” «größer» x", "日本 “naïve” ⟨größer⟩ x"],
    ["- «one\n- two»\n", "- ⟨one⟩\n- ⟨two⟩\n"],
    ["a\n\n«**Bold words.**» b", "a\n\n**⟨Bold words.⟩** b"],
    ["«1. first\n\n   > second»", "1. ⟨first⟩\n\n   > ⟨second⟩"],
    ["«## Head\n\n| a | b |\n|:--|--:|\n| 1 | 2 |»", "## ⟨Head⟩\n\n| ⟨a | b⟩ |\n|:--|--:|\n| ⟨1 | 2⟩ |"],
    ["«so:\n```go\n```\n»", "⟨so:⟩\n```go\n```\n"],
    ["x «with [c1].» y", "x ⟨with [c1].⟩ y"],
    ["| a | «b |\n| c» | d |", "| a | ⟨b⟩ |\n| ⟨c⟩ | d |"],
    ["a ‹lit words› b", "a {lit words} b"],
    ["a «doubtful ‹and lit›» b", "a ⟨doubtful {and lit⟩} b"],
  ])("marks %j", (marked, want) => {
    expect(mark(marked)).toBe(want);
  });

  it("tells the kinds of doubt apart", () => {
    expect(mark("a «b» c", "partly")).toBe("a ⟨partly b⟩ c");
    expect(mark("a «b» c", "contradicted")).toBe("a ⟨wrong b⟩ c");
  });

  it("puts footnotes in place of their markers, and keeps what is around them in order", () => {
    expect(mark("größer ‹als› «das [c_a].» Und [c_a]", undefined, [note(1, bytes("größer als das ")), note(2, bytes("größer als das ")), note(3, bytes("größer als das [c_a]. Und "))])).toBe(
      "größer {als} ⟨das<0:1,2>.⟩ Und<1:3>",
    );
    // A statement that ends before its marker, with or without the blank between them.
    expect(mark("‹ab› [c_a] c", undefined, [note(1, 3)])).toBe("{ab}<0:1> c");
    expect(mark("‹ab ›[c_a] c", undefined, [note(1, 3)])).toBe("{ab}<0:1> c");
  });

  it("takes away marks that a model wrote itself, without losing its place", () => {
    expect(mark("\ue002a\ue003\ue0000:9\ue001 «b» c")).toBe("a0:9 ⟨b⟩ c");
  });

  it("believes no statement that lies outside the text or over another", () => {
    const [text, doubts] = read("ab «cd» ef");
    doubts.push({ start: 0, end: 4, support: "partly" }, { start: 90, end: 99, support: "partly" });
    const out = markAnswer({ text, citations: [], found: [] }, doubts, []);
    expect(out.replace(/[\ue002\ue003\ue006]/g, "")).toBe(text);
    expect(out.match(/\ue003/g)).toHaveLength(2);
  });
});
