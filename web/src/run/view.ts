// What the page shows of one run: the state that the reducer builds from frames,
// or that a saved message unfolds into. Both give the same shape, so that an
// answer looks the same while it is written and years later.

import type { Analysis, CacheChecked, Citation, CitedStatement, Finished, Grade, MadeFile, Memory, Message, Retrieval, RunFailed, Status, Step, Table, Verification, WebSource } from "../api/types";
import { isDone } from "../api/types";
import type { Placed } from "./frames";
import { footnotesOfOld } from "./old";

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
  table?: Table;
  /** Pictures that it made. */
  files: readonly MadeFile[];
}

export type NoteStep =
  | { key: string; kind: "analysis"; query: string; complexity: string; subQueries: string[] }
  | { key: string; kind: "cache"; hit: boolean; originalQuery: string; similarity: number }
  | { key: string; kind: "grading"; correct: number; ambiguous: number; incorrect: number; action: string }
  | { key: string; kind: "reranking"; inputCount: number; outputCount: number; durationMs: number };

export type StepView = ToolStep | NoteStep;

/** A footnote of the answer. */
export interface Footnote extends Citation {
  /** The place of its passage in RunView.found. */
  found: number;
  /** What it backs; in reading order. */
  statements: CitedStatement[];
}

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
  /** The footnotes, by number. */
  citations: Footnote[];
  /** All passages that were found, cited or not, in that order. */
  found: Citation[];
  text: string;
  writing: boolean;
  /** Times streamed text was declared void, and why the last time. */
  retracted: number;
  retractedReason: string;
  model: string;
  webSources: WebSource[];
  /** Set when the answer is that to an earlier question like this one. */
  cache?: CacheChecked;
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
    found: [],
    text: "",
    writing: false,
    retracted: 0,
    retractedReason: "",
    model: "",
    webSources: [],
  };
}

export function analysisStep(key: string, a: Analysis): NoteStep {
  return { key, kind: "analysis", query: a.query, complexity: a.complexity, subQueries: a.sub_queries ?? [] };
}

export function cacheStep(key: string, c: CacheChecked): NoteStep {
  return { key, kind: "cache", hit: c.hit, originalQuery: c.original_query ?? "", similarity: c.similarity ?? 0 };
}

/** The view of a message as the server saved it. */
export function fromMessage(m: Message): RunView {
  const notes: NoteStep[] = [];
  if (m.analysis) notes.push(analysisStep("analysis", m.analysis));
  if (m.cache) notes.push(cacheStep("cache", m.cache));
  return {
    ...emptyRun(m.id, m.thread_id, m.parent_id ?? ""),
    status: m.status,
    position: m.last_seq ?? 0,
    attempt: Math.max(1, m.attempts ?? 1),
    thinking: m.reasoning ?? "",
    steps: [...notes, ...(m.steps ?? []).map((s) => savedStep(s, isDone(m.status)))],
    grades: Object.fromEntries((m.grades ?? []).map((g) => [g.chunk_id, g])),
    ...citationsOf(m),
    text: m.text,
    retracted: m.retracted ?? 0,
    model: m.model ?? "",
    webSources: m.sources ?? [],
    cache: m.cache?.hit ? m.cache : undefined,
    memory: m.memory ?? undefined,
    verification: m.verification ?? undefined,
    error: m.error ?? undefined,
    finished: m.finished ?? undefined,
  };
}

function citationsOf(m: Message): Pick<RunView, "citations" | "found"> {
  const citations = m.citations ?? [];
  if (!m.found && !citations.some((c) => c.statements)) return { citations: footnotesOfOld(m.text, citations), found: citations };
  const footnotes = citations.map((c): Footnote => ({ ...c, found: c.found ?? 0, statements: c.statements ?? [] }));
  return { citations: footnotes.sort(byNumber), found: m.found ?? [] };
}

function byNumber(a: Footnote, b: Footnote): number {
  return a.n - b.n;
}

/** Adds a footnote, or to one that is there another statement that it backs. Adding the same again changes nothing. */
export function place(footnotes: Footnote[], found: readonly Citation[], p: Placed): Footnote[] {
  const statement: CitedStatement = { ...p.statement, marker: p.marker, support: p.support };
  const at = footnotes.findIndex((c) => c.n === p.n);
  const known = footnotes[at];
  if (known) {
    if (known.statements.some((s) => s.start === statement.start && s.end === statement.end && s.marker === statement.marker)) return footnotes;
    return footnotes.with(at, { ...known, statements: [...known.statements, statement] });
  }
  const passage = found.find((c) => c.n === p.found) ?? found.find((c) => c.chunk_id === p.chunk_id);
  const footnote: Footnote = {
    title: "",
    path: [],
    heading: "",
    level: "",
    score: 0,
    ...passage,
    n: p.n,
    found: p.found,
    chunk_id: p.chunk_id,
    document_id: p.document_id,
    version: p.version,
    start: p.start,
    end: p.end,
    pages: p.pages,
    quote: p.quote,
    url: p.url,
    kind: p.kind === "passage" ? undefined : p.kind,
    statements: [statement],
  };
  return [...footnotes, footnote].sort(byNumber);
}

function savedStep(s: Step, ended: boolean): ToolStep {
  return {
    key: s.call_id,
    kind: "tool",
    tool: s.tool,
    detail: s.detail ?? "",
    iteration: s.iteration,
    done: s.done || ended,
    ok: s.ok,
    summary: s.summary ?? "",
    error: s.error ?? "",
    output: "",
    durationMs: s.duration_ms,
    retrieval: s.retrieval,
    table: s.table,
    files: s.files ?? [],
  };
}
