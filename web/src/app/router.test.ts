import { describe, expect, it } from "vitest";
import { href, parse, type Place } from "./router";

describe("addresses", () => {
  it("are read as they are written", () => {
    const places: Place[] = [
      { view: { name: "new" }, source: undefined },
      { view: { name: "thread", id: "a b" }, source: undefined },
      { view: { name: "settings" }, source: undefined },
      { view: { name: "databases" }, source: undefined },
      { view: { name: "watched" }, source: undefined },
      { view: { name: "removed" }, source: undefined },
      { view: { name: "library", folder: "contracts/2024 & before" }, source: undefined },
      { view: { name: "passages", folder: "contracts" }, source: undefined },
      { view: { name: "library" }, source: { kind: "document", id: "d/1", page: 7 } },
      { view: { name: "library" }, source: { kind: "document", id: "d", page: undefined, span: { start: 10, end: 42 } } },
      { view: { name: "thread", id: "t1" }, source: { kind: "note", messageId: "m.1", n: 12 } },
      { view: { name: "thread", id: "t1" }, source: { kind: "found", messageId: "m.1", n: 3 } },
    ];
    for (const p of places) {
      const url = new URL(href(p), "http://x");
      expect(parse(url.pathname, url.search)).toEqual(p);
    }
  });

  it("open a document", () => {
    expect(parse("/d/abc", "?page=3")).toEqual({ view: { name: "library" }, source: { kind: "document", id: "abc", page: 3 } });
  });

  it("say when they lead nowhere", () => {
    for (const path of ["/x", "/t/", "/t/a/b", "/t/%E0%A4%A", "/databases/x", "/watched/x", "/removed/x"]) expect(parse(path, "").view.name, path).toBe("unknown");
  });
});
