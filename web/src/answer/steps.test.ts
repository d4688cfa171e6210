import { describe, expect, it } from "vitest";
import type { ToolStep } from "../run/view";
import { stepWords } from "./steps";

const words = new Map([["shout", { name: "shout", kind: "shout", doing: "Shouting", done: "Shouted" }]]);
const step = (tool: string, more: Partial<ToolStep>): ToolStep => ({ key: "s", kind: "tool", tool, detail: "", iteration: 1, done: true, ok: true, summary: "", error: "", output: "", durationMs: 1, files: [], ...more });

describe("a step", () => {
  it("is called what the server calls its tool, whichever that is", () => {
    expect(stepWords(step("shout", { done: false }), words).label).toBe("Shouting");
    expect(stepWords(step("shout", {}), words).label).toBe("Shouted");
    expect(stepWords(step("shout", { ok: false }), words).label).toBe("Shouting failed");
  });

  it("is called by its tool's name where the server says nothing of that", () => {
    expect(stepWords(step("cold_call", { done: false }), words).label).toBe("Using cold call");
    expect(stepWords(step("cold_call", {}), words).label).toBe("Used cold call");
    expect(stepWords(step("cold_call", { ok: false }), words).label).toBe("cold call failed");
  });
});
