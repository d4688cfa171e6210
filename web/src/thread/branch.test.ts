import { describe, expect, it } from "vitest";
import type { Message } from "../api/types";
import { branchOf, leafBelow } from "./branch";

const m = (id: string, parent_id: string, role: Message["role"], at: number) =>
  ({ id, parent_id, role, created_at: `2026-01-01T00:00:0${at}.000Z` }) as Message;

// u1 ─ a1 ─ u2 ─ a2
//        └─ u3 ─ a3      u3 is u2, edited
const tree = [m("u1", "", "user", 1), m("a1", "u1", "assistant", 2), m("u2", "a1", "user", 3), m("a2", "u2", "assistant", 4), m("u3", "a1", "user", 5), m("a3", "u3", "assistant", 6)];

describe("branchOf", () => {
  it("is the path to the head, with the siblings of each message", () => {
    expect(branchOf(tree, "a2").map((t) => t.message.id)).toEqual(["u1", "a1", "u2", "a2"]);
    expect(branchOf(tree, "a3").map((t) => t.siblings)).toEqual([["u1"], ["a1"], ["u2", "u3"], ["a3"]]);
  });

  it("takes the newest message when the head is not there yet", () => {
    expect(branchOf(tree, "later").at(-1)?.message.id).toBe("a3");
    expect(branchOf([], "x")).toEqual([]);
  });

  it("ends in spite of a circle", () => {
    expect(branchOf([m("x", "y", "user", 1), m("y", "x", "user", 2)], "x")).toHaveLength(2);
  });
});

describe("leafBelow", () => {
  it("is the newest end below a message", () => {
    expect(leafBelow(tree, "u2")).toBe("a2");
    expect(leafBelow(tree, "a1")).toBe("a3");
    expect(leafBelow(tree, "a3")).toBe("a3");
  });
});
