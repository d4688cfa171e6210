import { describe, expect, it } from "vitest";
import type { Citation } from "../api/types";
import type { Footnote } from "../run/view";
import { cardsOf, formatOf, lookedAt } from "./cards";

const note = (n: number, more: Partial<Footnote>) => ({ n, chunk_id: `c${n}`, document_id: "d", version: "v", url: "", pages: [1], statements: [], ...more }) as Footnote;
const numbers = (...notes: Footnote[]) => cardsOf(notes).map((card) => card.notes.map((c) => c.n));

describe("the cards of an answer", () => {
  it("are one for each page of a source, in the order of the footnotes", () => {
    expect(numbers(note(1, { pages: [3] }), note(2, { pages: [4] }), note(3, { pages: [3, 4] }), note(4, { document_id: "e", pages: [3] }), note(5, { version: "w", pages: [3] }))).toEqual([[1, 3], [2], [4], [5]]);
  });

  it("keep files, pages of the web and results apart", () => {
    const none = { document_id: "", version: "", pages: [] };
    expect(
      numbers(
        note(1, { ...none, kind: "web", url: "https://a.example/" }),
        note(2, { ...none, kind: "web", url: "https://b.example/" }),
        note(3, { ...none, kind: "web", url: "https://a.example/" }),
        note(4, { ...none, kind: "query" }),
        note(5, { ...none, kind: "query" }),
        note(6, { ...none, kind: "file", url: "/v1/messages/m/files/0#page=1" }),
        note(7, { ...none, kind: "file", url: "/v1/messages/m/files/0#page=2" }),
      ),
    ).toEqual([[1, 3], [2], [4], [5], [6, 7]]);
  });

  it("leave what was found and not cited", () => {
    const found = [1, 2, 3].map((n) => ({ n, chunk_id: `c${n}` }) as Citation);
    expect(lookedAt({ found, citations: [note(1, { chunk_id: "c2" })] }).map((c) => c.n)).toEqual([1, 3]);
  });

  it("know a source's format", () => {
    expect(formatOf(note(1, { path: ["a", "b.PDF"] }))).toBe("pdf");
    expect(formatOf(note(1, { path: ["Makefile"] }))).toBe("");
    expect(formatOf(note(1, { path: [], kind: "query" }))).toBe("query");
    expect(formatOf(note(1, { path: ["letter.txt"], kind: "attachment" }))).toBe("txt");
  });
});
