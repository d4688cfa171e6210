import { describe, expect, it } from "vitest";
import type { Doc } from "../api/types";
import { countsDiffer, lastOf, readChange, readChanges, type LibraryChange } from "./changes";

const doc = (id: string, status: Doc["status"] = "processing") => ({ id, status }) as Doc;

describe("what is told of documents", () => {
  it("is read, and what is not known passes by", () => {
    expect(readChange("document", '{"id":"a","progress":0.5}')).toEqual({ kind: "document", document: { id: "a", progress: 0.5 } });
    expect(readChange("removed", '{"id":"a"}')).toEqual({ kind: "removed", id: "a" });
    expect(readChange("queue", '{"waiting":3,"processing":1,"done":0}')).toEqual({ kind: "queue", queue: { waiting: 3, processing: 1, done: 0 } });
    expect(readChange("behind", "{}")).toEqual({ kind: "behind" });
    expect(readChange("done", "{}")).toBeUndefined();
    expect(readChange("queue", "[]")).toBeUndefined();
    expect(readChange("document", "[]")).toBeUndefined();
    expect(readChange("document", "no")).toBeUndefined();
  });

  it("is the last that was told of each", () => {
    const last = lastOf([
      { kind: "document", document: doc("a") },
      { kind: "removed", id: "b" },
      { kind: "queue", queue: { waiting: 0, processing: 0, done: 0 } },
      { kind: "document", document: doc("a", "ready") },
      { kind: "document", document: doc("b") },
      { kind: "removed", id: "b" },
    ]);
    expect([...last]).toEqual([
      ["a", doc("a", "ready")],
      ["b", undefined],
    ]);
  });

  it("is counted anew when documents come, go or are done, and not with each step", () => {
    expect(countsDiffer(new Map([["a", doc("a")]]))).toBe(false);
    for (const d of [undefined, doc("b", "queued"), doc("b", "ready"), doc("b", "failed")]) expect(countsDiffer(new Map([["a", doc("a")], ["b", d]]))).toBe(true);
  });

  it("comes out whole, however the stream is cut into pieces", async () => {
    const wire = 'event: document\ndata: {"id":"ü"}\n\n: beat\n\nevent: removed\ndata: {"id":"x"}\n\n';
    const bytes = new TextEncoder().encode(wire);
    for (const size of [1, 3, 1000]) {
      const seen: LibraryChange[] = [];
      const body = new ReadableStream<Uint8Array>({
        start(c) {
          for (let i = 0; i < bytes.length; i += size) c.enqueue(bytes.slice(i, i + size));
          c.close();
        },
      });
      await readChanges(body, (c) => seen.push(c));
      expect(seen).toEqual([
        { kind: "document", document: { id: "ü" } },
        { kind: "removed", id: "x" },
      ]);
    }
  });
});
