import { describe, expect, it } from "vitest";
import type { Citation, Grade, Message } from "../api/types";
import { parseFrame, type Frame } from "./frames";
import { markersOf } from "./markers";
import { reduce } from "./reducer";
import { aside, messageId, script, wire, type Entry } from "./script";
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
    expect(v.found.map((c) => [c.n, c.quote])).toEqual([[1, "The warranty lasts two years — no longer."]]);
    expect(v.citations.map((c) => [c.n, c.found, c.title, c.quote])).toEqual([
      [1, 1, "Warranty", "The warranty lasts two years"],
      [2, 1, "Warranty", "no longer"],
    ]);
    expect(markersOf(v)).toEqual([{ from: "Two years, “naïve” 日本".length, to: v.text.length - 1, numbers: [1, 2] }]);
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
    expect(at(13).citations.map((c) => [c.n, c.quote])).toEqual([[1, "no longer"]]);
    // What was withdrawn takes its footnotes with it; what was found stays found.
    expect(at(14)).toMatchObject({ writing: false, text: "", citations: [], found: [{ n: 1 }], retractedReason: "the model's connection broke" });
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

  it("adds a statement to a footnote that is there, once", () => {
    const v = play(all);
    const again = { ...v.citations[0], type: "citation_placed", kind: "passage", statement: { start: 40, end: 50 }, marker: 51, support: "partly" } as unknown as Frame["data"];
    const frame = (position: number) => ({ position, messageId, data: again });
    const twice = reduce(reduce(v, frame(99)), frame(100));
    expect(twice.citations).toHaveLength(2);
    expect(twice.citations[0]?.statements.map((s) => [s.marker, s.support])).toEqual([
      [v.citations[0]?.statements[0]?.marker, "quoted"],
      [51, "partly"],
    ]);
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

describe("what a run says beside its text", () => {
  const { cache, table, reranking, grade, verification } = aside;
  const grading = (g: Grade, action: string): Entry => [
    { type: "step", kind: "grading", correct: 0, ambiguous: 1, incorrect: 0, expanded: 0, action, details: [g] },
  ];
  const entries: Entry[] = [
    [{ type: "message_start", thread_id: "t1", user_message_id: "u1", mode: "auto", attempt: 1 }],
    [{ type: "step", ...cache }],
    [{ type: "step", kind: "tool_call", call_id: "q", tool: "query_database", input: {}, detail: table.query, iteration: 1 }],
    [{ type: "step", kind: "tool_result", call_id: "q", tool: "query_database", ok: true, summary: "2 rows", output: "…", duration_ms: 4, table: clone(table) }],
    grading({ chunk_id: "c-a1", score: 0.2, classification: "INCORRECT" }, "re-retrieve"),
    [{ type: "step", ...reranking }],
    grading(grade, "proceed"),
    [{ type: "text_start" }, { type: "text_delta", text: "Two years [c-a1]. No longer." }],
    [{ type: "text_end" }, { type: "step", kind: "verification", ...clone(verification) }],
  ];
  const v = play(frames(wire(entries)));

  it("is kept: the cache, the table, the last verdict on a passage, the order, the verification", () => {
    expect(v.cache).toMatchObject({ hit: true, original_query: "how long is the warranty" });
    expect(v.steps.map((s) => s.kind)).toEqual(["cache", "tool", "grading", "reranking", "grading"]);
    expect(v.steps[1]).toMatchObject({ table });
    expect(v.steps[3]).toMatchObject({ inputCount: 20, outputCount: 7 });
    expect(v.grades["c-a1"]).toEqual(grade);
    expect(v.verification).toMatchObject(verification);
  });

  it("comes once, wherever the stream is cut", () => {
    const list = frames(wire(entries));
    for (let cut = 0; cut <= list.length; cut++) {
      const before = play(list.slice(0, cut));
      expect(play(frames(wire(entries, before.position)), before), `cut at frame ${cut}`).toEqual(v);
    }
  });

  it("is the same in the saved message", () => {
    const saved = fromMessage({
      id: messageId,
      thread_id: "t1",
      role: "assistant",
      text: v.text,
      status: "completed",
      cache,
      analysis: { query: "how long", complexity: "simple", mode: "direct", decomposed: true, sub_queries: ["a", "b"] },
      grades: [grade],
      verification: clone(verification),
      steps: [{ call_id: "q", tool: "query_database", detail: table.query, iteration: 1, done: true, ok: true, duration_ms: 4, table: clone(table) }],
      created_at: "",
    });
    expect(saved.cache).toMatchObject({ hit: true });
    expect(saved.grades).toEqual(v.grades);
    expect(saved.verification).toMatchObject(verification);
    expect(saved.steps.map((s) => s.kind)).toEqual(["analysis", "cache", "tool"]);
    expect(saved.steps[0]).toMatchObject({ subQueries: ["a", "b"] });
    expect(saved.steps[2]).toMatchObject({ table });
  });

  it("goes with the text it was about", () => {
    const list = frames(wire([...entries, [{ type: "text_retracted", reason: "not backed" }]]));
    expect(play(list)).toMatchObject({ text: "", verification: undefined });
  });

  it("is no earlier answer when the cache had none", () => {
    expect(play(frames(wire([[{ type: "step", kind: "cache", hit: false }]]))).cache).toBeUndefined();
  });
});

function clone<T>(value: T): Mutable<T> {
  return structuredClone(value) as Mutable<T>;
}

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

describe("fromMessage", () => {
  const live = play(all);

  it("shows a saved message as its stream was shown", () => {
    const saved: Message = {
      id: messageId,
      thread_id: "t1",
      parent_id: "u1",
      role: "assistant",
      text: live.text,
      status: "completed",
      reasoning: live.thinking,
      citations: live.citations,
      found: live.found,
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
    for (const key of ["text", "thinking", "citations", "found", "status", "attempt", "model", "memory", "position", "retracted"] as const) {
      expect(v[key], key).toEqual(live[key]);
    }
    expect(v.steps).toHaveLength(1);
  });

  it("takes the passages that the text of an old message names for its footnotes", () => {
    const passages = [1, 2, 3].map((n) => ({ ...live.found[0], n, chunk_id: `c${n}`, found: undefined, statements: undefined })) as Citation[];
    const old = fromMessage({ id: "m", thread_id: "t", role: "assistant", status: "completed", created_at: "", text: "A [c3], ü [c1].", citations: passages });
    expect(old.found).toHaveLength(3);
    expect(old.citations.map((c) => [c.n, c.statements.map((s) => s.marker)])).toEqual([
      [1, [11]],
      [3, [2]],
    ]);
  });

  it("shows no marker of a new message without its footnote", () => {
    const v = fromMessage({ id: "m", thread_id: "t", role: "assistant", status: "completed", created_at: "", text: "A [c-a1].", citations: null, found: live.found });
    expect(markersOf(v)).toEqual([{ from: 1, to: 8, numbers: [] }]);
  });
});
