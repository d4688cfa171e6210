// From frames to what the page shows: one pure function.
//
// A reader that was cut between two frames of one log entry gets the first of
// them again when it comes back: those carry the position *before* the entry.
// So there are two kinds of frames. Marks (…_start, …_end, done) may stand at
// the view's own position and come any number of times; they say the same thing
// each time. All others are the last frame of their entry and carry its
// position: one whose position is not beyond the view's has been taken in
// already and is passed over. No text is ever repeated, and none is missing.

import type { Citation } from "../api/types";
import type { Frame, FrameData, Started, StepData } from "./frames";
import { analysisStep, cacheStep, place, type NoteStep, type RunView, type StepView, type ToolStep } from "./view";

const marks: ReadonlySet<FrameData["type"]> = new Set([
  "message_start",
  "reasoning_start",
  "reasoning_end",
  "text_start",
  "text_end",
  "message_end",
  "done",
  "message_not_streaming",
]);

export function reduce(view: RunView, frame: Frame): RunView {
  if (frame.messageId !== "" && frame.messageId !== view.messageId) return view;
  const { position } = frame;
  if (position !== undefined && position < view.position + (marks.has(frame.data.type) ? 0 : 1)) return view;
  const next = apply(view, frame.data, position ?? view.position);
  if (position === undefined || position <= next.position) return next;
  return { ...next, position };
}

function apply(view: RunView, d: FrameData, position: number): RunView {
  switch (d.type) {
    case "message_start":
      return started(view, d);
    case "reasoning_start":
      return { ...running(view), thinkingNow: true, thinkingBreaks: withBreak(view) };
    case "reasoning_delta":
      return { ...running(view), thinkingNow: true, thinking: view.thinking + d.text };
    case "reasoning_end":
      return { ...view, thinkingNow: false };
    case "step":
      return step(view, d, position);
    case "citations":
      return { ...view, found: withFound(view.found, d.citations ?? []) };
    case "citation_placed":
      return { ...view, citations: place(view.citations, view.found, d) };
    case "text_start":
      return { ...running(view), writing: true, thinkingNow: false, model: d.model ?? view.model };
    case "text_delta":
      return { ...view, writing: true, text: view.text + d.text };
    case "text_end":
      return { ...view, writing: false };
    case "text_retracted":
      return { ...view, text: "", citations: [], writing: false, verification: undefined, retracted: view.retracted + 1, retractedReason: d.reason };
    case "error":
      return { ...view, error: { code: d.code, message: d.message, hint: d.hint, recoverable: d.recoverable } };
    case "message_end":
      return {
        ...view,
        status: d.status,
        finished: d,
        thinkingNow: false,
        writing: false,
        queued: 0,
        steps: view.steps.map(closed),
      };
    default: // done, message_not_streaming, and what a newer server may say
      return view;
  }
}

/** A run that says anything at all no longer waits in the queue. */
function running(view: RunView): RunView {
  return view.finished ? view : { ...view, status: "running", queued: 0 };
}

function started(view: RunView, d: Started): RunView {
  return {
    ...running(view),
    threadId: d.thread_id,
    userMessageId: d.user_message_id,
    attempt: Math.max(view.attempt, d.attempt),
  };
}

function withBreak(view: RunView): number[] {
  const at = view.thinking.length;
  return at === 0 || view.thinkingBreaks.includes(at) ? view.thinkingBreaks : [...view.thinkingBreaks, at];
}

function withFound(found: Citation[], more: readonly Citation[]): Citation[] {
  const known = new Set(found.map((c) => c.chunk_id));
  return [...found, ...more.filter((c) => !known.has(c.chunk_id))];
}

function closed(step: StepView): StepView {
  return step.kind === "tool" && !step.done ? { ...step, done: true } : step;
}

function step(view: RunView, d: StepData, position: number): RunView {
  switch (d.kind) {
    case "queued":
      return view.finished ? view : { ...view, status: "queued", queued: d.position };
    case "continued":
      return started({ ...view, thinkingNow: false, writing: false }, d);
    case "tool_call":
      return { ...running(view), steps: put(view.steps, toolCall(d)) };
    case "tool_result":
      return { ...view, steps: view.steps.map((s) => (s.kind === "tool" && s.key === d.call_id ? toolResult(s, d) : s)) };
    case "cache":
      return { ...running(view), cache: d.hit ? d : undefined, steps: put(view.steps, note(d, position)) };
    case "analysis":
    case "reranking":
      return { ...running(view), steps: put(view.steps, note(d, position)) };
    case "grading": {
      const grades = { ...view.grades };
      for (const g of d.details ?? []) grades[g.chunk_id] = g;
      return { ...view, grades, steps: put(view.steps, note(d, position)) };
    }
    case "verification":
      return { ...view, verification: d };
    case "memory":
      return { ...view, memory: d };
    case "sources":
      return { ...view, webSources: d.sources ?? [] };
    case "error":
      return { ...view, error: { code: d.code, message: d.message, hint: d.hint, recoverable: d.recoverable } };
    default:
      return view;
  }
}

/** Adds a step, or puts it in place of the one it repeats (a call run again after a crash). */
function put(steps: StepView[], step: StepView): StepView[] {
  const at = steps.findIndex((s) => s.key === step.key);
  return at < 0 ? [...steps, step] : steps.with(at, step);
}

function toolCall(d: StepData & { kind: "tool_call" }): ToolStep {
  return {
    key: d.call_id,
    kind: "tool",
    tool: d.tool,
    detail: d.detail,
    input: d.input,
    iteration: d.iteration,
    done: false,
    ok: true,
    summary: "",
    error: "",
    output: "",
    durationMs: 0,
    files: [],
  };
}

function toolResult(s: ToolStep, d: StepData & { kind: "tool_result" }): ToolStep {
  return {
    ...s,
    done: true,
    ok: d.ok,
    summary: d.summary,
    error: d.error ?? "",
    output: d.output ?? "",
    durationMs: d.duration_ms,
    retrieval: d.retrieval,
    table: d.table,
    files: d.files ?? [],
  };
}

function note(d: StepData & { kind: "analysis" | "cache" | "grading" | "reranking" }, position: number): NoteStep {
  const key = `${d.kind}@${position}`;
  switch (d.kind) {
    case "analysis":
      return analysisStep(key, d);
    case "cache":
      return cacheStep(key, d);
    case "grading":
      return { key, kind: d.kind, correct: d.correct, ambiguous: d.ambiguous, incorrect: d.incorrect, action: d.action };
    case "reranking":
      return { key, kind: d.kind, inputCount: d.input_count, outputCount: d.output_count, durationMs: d.duration_ms };
  }
}
