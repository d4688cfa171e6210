import { describe, expect, it } from "vitest";
import type { Citation } from "../api/types";
import { emptyRun } from "../run/view";
import { quoteOf, spanInText } from "./place";
import { resultOf } from "./results";

const citation = (more: Partial<Citation>): Citation => ({ n: 1, chunk_id: "c", document_id: "d", version: "v", title: "", path: [], pages: [], heading: "", quote: "", start: 0, end: 0, level: "L2", score: 1, url: "", ...more });

describe("the words of a citation", () => {
  const text = "Größe: klein. Größe: klein. Ende.";
  const bytes = (s: string) => new TextEncoder().encode(s).length;

  it("are known by their place in the passage, not only by what they say", () => {
    const first = bytes("Größe: klein. ");
    const c = citation({ text, text_start: 1000, quote: "Größe: klein.", start: 1000 + first, end: 1000 + first + bytes("Größe: klein.") });
    expect(spanInText(c)?.start).toBe(first);
    expect(quoteOf(c)).toEqual({ text: "Größe: klein.", around: { before: "Größe: klein. ", after: " Ende." } });
  });

  it("may lie outside the passage, or be none", () => {
    expect(quoteOf(citation({ text, quote: "elsewhere", start: 5, end: 14 }))).toEqual({ text: "elsewhere" });
    expect(quoteOf(citation({ text }))).toBeUndefined();
  });

  it("of old messages are found by what they say", () => {
    expect(spanInText(citation({ text, quote: "Ende.", start: 77, end: 82 }))).toEqual({ start: bytes(text) - 5, end: bytes(text) });
  });
});

describe("what a database answered", () => {
  const text = "plant | litres\ntomato | 2\nrose | 1";
  const rose = text.indexOf("rose");

  it("has its cited rows marked", () => {
    const got = resultOf(citation({ kind: "query", text, quote: "rose | 1", start: rose, end: text.length }), emptyRun("m", "t"));
    expect(got.table).toEqual({ query: "", columns: ["plant", "litres"], rows: [["tomato", "2"], ["rose", "1"]] });
    expect([...got.marked]).toEqual([1]);
  });

  it("is the table of the step that asked", () => {
    const table = { query: "SELECT …", columns: ["plant", "litres"], rows: [["tomato", "2"], ["rose", "1"], ["lily", "1"]] };
    const step = { key: "s", kind: "tool" as const, tool: "query_database", detail: "", iteration: 1, done: true, ok: true, summary: "", error: "", output: "", durationMs: 1, table, files: [] };
    const other = { ...step, table: { ...table, columns: ["other"], query: "SELECT other" } };
    const view = { ...emptyRun("m", "t"), steps: [other, step] };
    expect(resultOf(citation({ kind: "query", text, quote: "rose | 1", start: rose, end: text.length }), view).table.query).toBe("SELECT …");
    // Older versions quote the query itself.
    const old = resultOf(citation({ kind: "query", text, quote: "SELECT other", start: 0, end: 12 }), view);
    expect(old.table.query).toBe("SELECT other");
    expect(old.marked.size).toBe(0);
  });
});
