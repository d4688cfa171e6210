// The frames of a thread's stream (docs/api.md), as data.

import type {
  Analysis,
  CacheChecked,
  Citation,
  CitedStatement,
  Finished,
  Grade,
  MadeFile,
  Memory,
  Mode,
  Retrieval,
  RunFailed,
  Scope,
  Support,
  Table,
  Verification,
  WebSource,
} from "../api/types";

export interface Started {
  thread_id: string;
  user_message_id: string;
  mode: Mode;
  scope?: Scope;
  attempt: number;
}

/** A footnote: the words that back one statement of the answer. Its passage was named among the citations before. */
export interface Placed {
  n: number;
  found: number;
  chunk_id: string;
  document_id: string;
  version: string;
  start: number;
  end: number;
  pages: number[] | null;
  quote: string;
  url: string;
  kind: "passage" | NonNullable<Citation["kind"]>;
  statement: Pick<CitedStatement, "start" | "end">;
  marker: number;
  support: Support;
}

export type StepData =
  | { kind: "queued"; position: number }
  | ({ kind: "continued" } & Started)
  | ({ kind: "analysis" } & Analysis)
  | ({ kind: "cache" } & CacheChecked)
  | { kind: "tool_call"; call_id: string; tool: string; input?: unknown; detail: string; iteration: number }
  | {
      kind: "tool_result";
      call_id: string;
      tool: string;
      ok: boolean;
      summary: string;
      output?: string;
      error?: string;
      duration_ms: number;
      retrieval?: Retrieval;
      table?: Table;
      files?: MadeFile[] | null;
    }
  | {
      kind: "grading";
      correct: number;
      ambiguous: number;
      incorrect: number;
      expanded: number;
      action: string;
      details: Grade[] | null;
    }
  | { kind: "reranking"; method: string; input_count: number; output_count: number; top_score: number; duration_ms: number }
  | ({ kind: "verification" } & Verification)
  | ({ kind: "memory" } & Memory)
  | { kind: "sources"; sources: WebSource[] | null }
  | ({ kind: "error" } & RunFailed);

export type FrameData =
  | ({ type: "message_start" } & Started)
  | { type: "reasoning_start" | "reasoning_end" | "text_end" | "done" }
  | { type: "reasoning_delta" | "text_delta"; text: string }
  | ({ type: "step" } & StepData)
  | { type: "citations"; citations: Citation[] | null }
  | ({ type: "citation_placed" } & Placed)
  | { type: "text_start"; model?: string; context_chunks?: number; context_tokens?: number }
  | { type: "text_retracted"; reason: string }
  | ({ type: "error" } & RunFailed)
  | ({ type: "message_end" } & Finished)
  | { type: "message_not_streaming" };

/**
 * One frame. position is the entry of the run's log up to which a reader that
 * has this frame has everything; absent where the stream gave none.
 */
export interface Frame {
  position?: number;
  messageId: string;
  data: FrameData;
}

/** Reads a frame from the data and the id of one server-sent event. */
export function parseFrame(data: string, id: string | undefined): Frame | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return undefined;
  const messageId = "message_id" in value && typeof value.message_id === "string" ? value.message_id : "";
  const position = id === undefined || !/^\d+$/.test(id) ? undefined : Number(id);
  // A type or kind that this page does not know passes through every switch
  // and changes nothing.
  return { position, messageId, data: value as FrameData };
}
