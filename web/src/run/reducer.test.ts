import { describe, expect, it } from "vitest";
import type { Message } from "../api/types";
import { parseFrame, type Frame } from "./frames";
import { reduce } from "./reducer";
import { messageId, script, wire } from "./script";
import { EventParser } from "./sse";
import { emptyRun, fromMessage, type RunView } from "./view";

function frames(text: string): Frame[] {
  return new EventParser().push(text).map((e) => parseFrame(e.data, e.id)).filter((f) => f !== undefined);
}

function play(list: Frame[], from: RunView = emptyRun(messageId, "t1")): RunView {
  return list.reduce(reduce, from);
}

const all = frames(wire(script));

describe("reduce", () => {
  it("builds the page's state from a whole stream", () => {
    const v = play(all);
    expect(v).toMatchObject({
      status: "completed",
      userMessageId: "u1",
      position: script.length,
      attempt: 2,
      queued: 0,
      thinking: "I shall look for the warranty…Again.",
      thinkingNow: false,
      text: "Two years, “naïve” 日本 [c-a1].",
      writing: false,
      retracted: 1,
      model: "reader",
      memory: { used_chars: 100 },
    });
    expect(v.thinkingBreaks).toEqual(["I shall look for the warranty…".length]);
    expect(v.citations.map((c) => c.n)).toEqual([1]);
    expect(v.grades["c-a1"]?.classification).toBe("CORRECT");
    expect(v.steps.map((s) => s.kind)).toEqual(["analysis", "tool", "grading"]);
    expect(v.steps[1]).toMatchObject({ done: true, ok: true, summary: "1 passage from 1 document", durationMs: 12 });
  });

  it("gives the same state whatever is repeated", () => {
    const want = play(all);
    const twice = all.flatMap((f) => [f, f]);
    expect(play(twice)).toEqual(want);
    expect(play([...all, ...all])).toEqual(want);
  });

  it("gives the same state after a cut at any frame, resumed from the position it had", () => {
    const want = play(all);
    for (let cut = 0; cut <= all.length; cut++) {
      const before = play(all.slice(0, cut));
      expect(play(frames(wire(script, before.position)), before), `cut at frame ${cut}`).toEqual(want);
    }
  });

  it("shows the thinking, the queue and the pen while they are there", () => {
    const at = (n: number) => play(frames(wire(script.slice(0, n))));
    expect(at(2)).toMatchObject({ status: "queued", queued: 2 });
    expect(at(5)).toMatchObject({ status: "running", queued: 0, thinkingNow: true });
    expect(at(6)).toMatchObject({ thinkingNow: false });
    expect(at(6).steps[1]).toMatchObject({ kind: "tool", done: false });
    expect(at(11)).toMatchObject({ writing: true, text: "Three years" });
    expect(at(12)).toMatchObject({ writing: false, text: "", retractedReason: "the model's connection broke" });
  });

  it("ends running steps with the run", () => {
    const end = all.find((f) => f.data.type === "message_end");
    const v = reduce(play(frames(wire(script.slice(0, 6)))), { ...(end as Frame), position: 7 });
    expect(v.steps[1]).toMatchObject({ done: true });
  });

  it("takes an error either way the server may say it", () => {
    const failure = { code: "LLM_UNAVAILABLE", message: "no connection", hint: "start it", recoverable: true };
    const asStep = frames(wire([[{ type: "step", kind: "error", ...failure }]]));
    const asEvent = frames(wire([[{ type: "error", ...failure }]]));
    expect(play(asStep).error).toEqual(failure);
    expect(play(asEvent).error).toEqual(failure);
  });

  it("lets another run's frames and unknown frames pass", () => {
    const v = play(all);
    expect(reduce(v, { position: 99, messageId: "other", data: { type: "text_delta", text: "x" } })).toBe(v);
    const odd = parseFrame(`{"type":"step","kind":"telepathy","message_id":"${messageId}"}`, "99");
    expect(reduce(v, odd as Frame)).toEqual({ ...v, position: 99 });
    expect(parseFrame("not json", "1")).toBeUndefined();
    expect(parseFrame("[]", "1")).toBeUndefined();
  });
});

describe("fromMessage", () => {
  it("shows a saved message as its stream was shown", () => {
    const live = play(all);
    const saved: Message = {
      id: messageId,
      thread_id: "t1",
      parent_id: "u1",
      role: "assistant",
      text: live.text,
      status: "completed",
      reasoning: live.thinking,
      citations: live.citations,
      steps: [
        {
          call_id: "k1",
          tool: "search_knowledge_base",
          detail: "warranty",
          iteration: 1,
          done: true,
          ok: true,
          summary: "1 passage from 1 document",
          duration_ms: 12,
          retrieval: { chunks_found: 1, top_score: 0.8, levels: { L2: 1 } },
        },
      ],
      model: "reader",
      retracted: 1,
      attempts: 2,
      memory: live.memory,
      finished: live.finished,
      last_seq: script.length,
      created_at: "",
    };
    const v = fromMessage(saved);
    for (const key of ["text", "thinking", "citations", "status", "attempt", "model", "memory", "position", "retracted"] as const) {
      expect(v[key], key).toEqual(live[key]);
    }
    expect(v.steps).toHaveLength(1);
  });
});
