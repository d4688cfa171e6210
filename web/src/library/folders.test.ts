import { describe, expect, it } from "vitest";
import type { Doc } from "../api/types";
import { crumbsOf, shelfAt } from "./folders";

const doc = (name: string, folder?: string) => ({ id: name, name, folder }) as Doc;
const docs = [doc("a"), doc("b", "contracts"), doc("c", "contracts/2024"), doc("d", "contracts/2024/q1"), doc("e", "contracts2"), doc("f", "art")];

describe("shelfAt", () => {
  it("shows what lies at a path, and counts what lies below", () => {
    const top = shelfAt(docs, "");
    expect(top.documents.map((d) => d.id)).toEqual(["a"]);
    expect(top.folders.map((f) => [f.path, f.total])).toEqual([
      ["art", 1],
      ["contracts", 3],
      ["contracts2", 1],
    ]);
    expect(top.total).toBe(6);
    const inner = shelfAt(docs, "contracts");
    expect(inner.documents.map((d) => d.id)).toEqual(["b"]);
    expect(inner.folders).toEqual([{ name: "2024", path: "contracts/2024", total: 2 }]);
    expect(inner.total).toBe(3);
    expect(shelfAt(docs, "nowhere")).toMatchObject({ folders: [], documents: [], total: 0 });
  });

  it("knows the way to a folder", () => {
    expect(crumbsOf("contracts/2024")).toEqual([
      { name: "contracts", path: "contracts" },
      { name: "2024", path: "contracts/2024" },
    ]);
    expect(crumbsOf("")).toEqual([]);
  });
});
