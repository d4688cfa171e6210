// What the page shows of one run: the state that the reducer builds from frames,
// or that a saved message unfolds into. Both give the same shape, so that an
// answer looks the same while it is written and years later.

import type { Citation, Finished, Memory, Message, Retrieval, RunFailed, Status, WebSource } from "../api/types";
import { isDone } from "../api/types";
import type { Grade, Verification } from "./frames";

export interface ToolStep {
  key: string;
  kind: "tool";
  tool: string;
  detail: string;
  input?: unknown;
  iteration: number;
  done: boolean;
  ok: boolean;
  summary: string;
  error: string;
  output: string;
  durationMs: number;
  retrieval?: Retrieval;
}

export type NoteStep =
  | { key: string; kind: "analysis"; query: string; complexity: string; subQueries: string[] }
  | { key: string; kind: "cache"; hit: boolean; originalQuery: string }
  | { key: string; kind: "grading"; correct: number; ambiguous: number; incorrect: number; action: string }
  | { key: string; kind: "reranking"; inputCount: number; outputCount: number; durationMs: number };

export type StepView = ToolStep | NoteStep;

export interface RunView {
  messageId: string;
  threadId: string;
  userMessageId: string;
  status: Status;
  /** Entry of the run's log up to which everything is in this view. */
  position: number;
  /** Processes that worked on the run; more than 1: it was continued after a restart. */
  attempt: number;
  /** Place in the queue from 1; 0 when it does not wait. */
  queued: number;
  thinking: string;
  /** Offsets in thinking where a new stretch of it begins. */
  thinkingBreaks: number[];
  thinkingNow: boolean;
  steps: StepView[];
  grades: Record<string, Grade>;
  citations: Citation[];
  text: string;
  writing: boolean;
  /** Times streamed text was declared void, and why the last time. */
  retracted: number;
  retractedReason: string;
  model: string;
  webSources: WebSource[];
  memory?: Memory;
  verification?: Verification;
  error?: RunFailed;
  finished?: Finished;
}

export function emptyRun(messageId: string, threadId: string, userMessageId = ""): RunView {
  return {
    messageId,
    threadId,
    userMessageId,
    status: "queued",
    position: 0,
    attempt: 1,
    queued: 0,
    thinking: "",
    thinkingBreaks: [],
    thinkingNow: false,
    steps: [],
    grades: {},
    citations: [],
    text: "",
    writing: false,
    retracted: 0,
    retractedReason: "",
    model: "",
    webSources: [],
  };
}

/** The view of a message as the server saved it. */
export function fromMessage(m: Message): RunView {
  return {
    ...emptyRun(m.id, m.thread_id, m.parent_id ?? ""),
    status: m.status,
    position: m.last_seq ?? 0,
    attempt: Math.max(1, m.attempts ?? 1),
    thinking: m.reasoning ?? "",
    steps: (m.steps ?? []).map((s) => ({
      key: s.call_id,
      kind: "tool",
      tool: s.tool,
      detail: s.detail ?? "",
      iteration: s.iteration,
      done: s.done || isDone(m.status),
      ok: s.ok,
      summary: s.summary ?? "",
      error: s.error ?? "",
      output: "",
      durationMs: s.duration_ms,
      retrieval: s.retrieval,
    })),
    citations: m.citations ?? [],
    text: m.text,
    retracted: m.retracted ?? 0,
    model: m.model ?? "",
    webSources: m.sources ?? [],
    memory: m.memory ?? undefined,
    error: m.error ?? undefined,
    finished: m.finished ?? undefined,
  };
}
