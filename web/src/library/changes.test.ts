import { describe, expect, it } from "vitest";
import type { Doc } from "../api/types";
import { applyChange, readChange, readChanges, type LibraryChange } from "./changes";

const doc = (id: string, progress = 0) => ({ id, progress }) as Doc;

describe("what is told of documents", () => {
  it("is read, and what is not known passes by", () => {
    expect(readChange("document", '{"id":"a","progress":0.5}')).toEqual({ kind: "document", document: { id: "a", progress: 0.5 } });
    expect(readChange("removed", '{"id":"a"}')).toEqual({ kind: "removed", id: "a" });
    expect(readChange("behind", "{}")).toEqual({ kind: "behind" });
    expect(readChange("done", "{}")).toBeUndefined();
    expect(readChange("document", "[]")).toBeUndefined();
    expect(readChange("document", "no")).toBeUndefined();
  });

  it("replaces, adds and removes", () => {
    const docs = [doc("a"), doc("b")];
    expect(applyChange(docs, { kind: "document", document: doc("b", 1) })).toEqual([doc("a"), doc("b", 1)]);
    expect(applyChange(docs, { kind: "document", document: doc("c") }).map((d) => d.id)).toEqual(["a", "b", "c"]);
    expect(applyChange(docs, { kind: "removed", id: "a" })).toEqual([doc("b")]);
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
