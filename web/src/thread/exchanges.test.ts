import { describe, expect, it } from "vitest";
import type { Message } from "../api/types";
import { exchangesOf } from "./exchanges";

const turn = (id: string, role: "user" | "assistant") => ({ id, role }) as Message;

describe("exchangesOf", () => {
  it("puts each answer to its question", () => {
    const list = exchangesOf([turn("q1", "user"), turn("a1", "assistant"), turn("q2", "user")], undefined, "t");
    expect(list.map((e) => [e.key, e.answers.map((m) => m.id)])).toEqual([
      ["q1", ["a1"]],
      ["q2", []],
    ]);
  });

  it("keeps an answer back whose question is not here yet", () => {
    const part = [turn("a1", "assistant"), turn("q2", "user"), turn("a2", "assistant")];
    expect(exchangesOf(part, undefined, "t", true).map((e) => e.key)).toEqual(["q2"]);
    expect(exchangesOf(part, undefined, "t").map((e) => e.key)).toEqual(["a1", "q2"]);
  });

  it("shows a run whose messages are not here yet, the same each time", () => {
    const turns = [turn("q1", "user")];
    const [first] = exchangesOf(turns, "run", "t");
    expect(first?.answers.map((m) => [m.id, m.status])).toEqual([["run", "queued"]]);
    expect(exchangesOf(turns, "run", "t")[0]?.answers[0]).toBe(first?.answers[0]);
    expect(exchangesOf([turn("q1", "user"), turn("a1", "assistant")], "run", "t").map((e) => e.key)).toEqual(["q1", "run"]);
    expect(exchangesOf([turn("q1", "user"), turn("run", "assistant")], "run", "t")).toHaveLength(1);
  });
});
