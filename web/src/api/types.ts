// The words of the house as they stand on the wire: the JSON of the root
// package (ibid.go, message.go, event.go), field for field.

import type { Queue } from "./library";

export type DocumentStatus = "queued" | "processing" | "ready" | "failed";

export interface Doc {
  id: string;
  title: string;
  name: string;
  source?: string;
  folder?: string;
  category?: string;
  tags?: string[] | null;
  metadata?: Record<string, string> | null;
  format: string;
  version?: string;
  language?: string;
  bytes: number;
  pages?: number;
  chunks: number;
  status: DocumentStatus;
  stage?: string;
  progress?: number;
  /** Of pages, while it is read. */
  pages_done?: number;
  eta_seconds?: number;
  error?: string;
  notice?: string;
  chunks_embedded: number;
  chunks_kept: number;
  added_at: string;
  changed_at: string;
}

export type BlockKind = "heading" | "paragraph" | "list" | "table" | "code" | "image";

/** start and end are bytes into the UTF-8 of Extract.text. */
export interface Block {
  kind: BlockKind;
  start: number;
  end: number;
  page?: number;
  level?: number;
  heading?: string[];
}

export interface Extract {
  title?: string;
  format: string;
  text: string;
  blocks: Block[] | null;
  pages?: number;
  page_at?: number[] | null;
  notice?: string;
}

export interface Scope {
  documents?: string[];
  category?: string;
  folder?: string;
  tags?: string[];
  metadata?: Record<string, string>;
  databases?: string[];
}

export interface Match {
  lexical_rank?: number;
  lexical_score?: number;
  vector_rank?: number;
  vector_score?: number;
  fused_score: number;
}

/** How far the sources bear a statement out. */
export type Support = "quoted" | "supported" | "partly" | "not_found" | "contradicted";

/**
 * A statement that a footnote backs. All numbers are bytes into the UTF-8 of the
 * answer's text; marker is where the marker "[chunk_id]" begins that shows the footnote.
 */
export interface CitedStatement {
  start: number;
  end: number;
  marker: number;
  support: Support;
}

/**
 * A passage that was found, or a footnote. start and end are bytes into the
 * UTF-8 of the extracted text.
 */
export interface Citation {
  /** Of a footnote: its number, in reading order. Of what was found: its place there. */
  n: number;
  /** Of a footnote: the place of its passage among what was found. */
  found?: number;
  chunk_id: string;
  document_id: string;
  version: string;
  title: string;
  path: string[] | null;
  pages: number[] | null;
  heading: string;
  quote: string;
  start: number;
  end: number;
  /** Of a database's answer: what it was asked. The quote is its rows. */
  query?: string;
  text?: string;
  /** Where text begins in the extracted text, in bytes. */
  text_start?: number;
  level: string;
  score: number;
  url: string;
  /** "file" is what older versions called an attachment. */
  kind?: "query" | "web" | "file" | "attachment" | "image" | "tool";
  match?: Match;
  /** Of a footnote: what it backs, once for each time that it stands in the answer. */
  statements?: CitedStatement[] | null;
}

export interface Thread {
  id: string;
  title: string;
  head_id: string;
  run_id?: string;
  created_at: string;
  updated_at: string;
}

export type Status = "queued" | "running" | "completed" | "stopped" | "interrupted" | "failed";
export type Mode = "auto" | "agentic" | "direct";
export type Think = "auto" | "on" | "off";

export interface Retrieval {
  chunks_found: number;
  top_score: number;
  levels?: Record<string, number> | null;
}

export interface Step {
  call_id: string;
  tool: string;
  detail?: string;
  iteration: number;
  done: boolean;
  ok: boolean;
  summary?: string;
  error?: string;
  duration_ms: number;
  retrieval?: Retrieval;
  table?: Table;
  files?: MadeFile[] | null;
}

/** A picture that an answer made. */
export interface MadeFile {
  message_id: string;
  n: number;
  name: string;
  mime: string;
}

/** What a database answered. */
export interface Table {
  query: string;
  columns: string[] | null;
  rows: string[][] | null;
  truncated?: boolean;
}

export interface Analysis {
  query: string;
  complexity: string;
  mode: Mode;
  decomposed: boolean;
  sub_queries: string[] | null;
}

export interface CacheChecked {
  hit: boolean;
  similarity?: number;
  original_query?: string;
  cached_at?: string;
}

export interface Grade {
  chunk_id: string;
  score: number;
  classification: string;
  expanded?: boolean;
  new_score?: number;
}

/** start and end are bytes into the UTF-8 of the answer's text; both 0 where it does not stand there. */
export interface Claim {
  claim: string;
  verdict: string;
  chunk_ids: string[] | null;
  /** The verdict in finer words; absent in answers of older versions. */
  support?: Support;
  /** Numbers of the footnotes behind the statement. */
  notes?: number[] | null;
  start?: number;
  end?: number;
}

export interface Verification {
  claims_checked: number;
  claims_supported: number;
  claims_partially_supported: number;
  claims_unsupported: number;
  confidence: number;
  details: Claim[] | null;
}

export interface Memory {
  used_chars: number;
  budget_chars: number;
  pairs: number;
  dropped_pairs: number;
}

export interface RunFailed {
  code: string;
  message: string;
  hint?: string;
  recoverable: boolean;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  model_requests: number;
  tool_calls: number;
}

export interface Timing {
  first_event_ms: number;
  first_reasoning_ms: number;
  first_citation_ms: number;
  first_answer_ms: number;
  total_ms: number;
}

export interface Finished {
  status: Status;
  usage: Usage;
  timing: Timing;
  iterations: number;
  tools_used: string[] | null;
  sources_count: number;
  confidence: number;
  mode: Mode;
  cached: boolean;
}

export interface WebSource {
  title: string;
  url: string;
}

export interface Request {
  text: string;
  mode?: Mode;
  scope?: Scope;
  think?: Think;
  model?: string;
  force_tools?: string[] | null;
  attachments?: Attachment[] | null;
}

/** A file or an image that comes with a question; data is base64. */
export interface Attachment {
  name: string;
  mime: string;
  data?: string;
  document_id?: string;
}

export interface Message {
  id: string;
  thread_id: string;
  parent_id?: string;
  role: "user" | "assistant" | "tool";
  text: string;
  status: Status;
  reasoning?: string;
  /** The footnotes. In messages of older versions, which have no found: all that was found. */
  citations?: Citation[] | null;
  found?: Citation[] | null;
  steps?: Step[] | null;
  sources?: WebSource[] | null;
  error?: RunFailed | null;
  model?: string;
  retracted?: number;
  attempts?: number;
  memory?: Memory | null;
  analysis?: Analysis | null;
  cache?: CacheChecked | null;
  grades?: Grade[] | null;
  verification?: Verification | null;
  finished?: Finished | null;
  last_seq?: number;
  request?: Request | null;
  created_at: string;
  /** In a list: ids of the messages that share parent and role, oldest first, this one among them; absent where it is alone. */
  siblings?: string[];
}

export interface Question {
  model?: string;
  input_text: string;
  mode?: Mode;
  scope?: Scope;
  think?: Think;
  force_tools?: string[];
  attachments?: Attachment[];
  edit_message_id?: string;
}

export interface Accepted {
  workflow_id: string;
  user_message_id: string;
  message_id: string;
}

export interface Check {
  name: string;
  ok: boolean;
  level: "ok" | "warn" | "fail";
  message: string;
  hint?: string;
}

export interface Setting {
  key: string;
  value: string;
  secret?: boolean;
  set: boolean;
  origin?: string;
  about: string;
  variable: string;
  test?: string;
}

export interface SettingsReport {
  file: string;
  settings: Setting[];
}

export interface Trial {
  ok: boolean;
  message: string;
  hint?: string;
  took_ms: number;
}

/** What a search found, and why. */
export interface Passage {
  chunk_id: string;
  document_id: string;
  text: string;
  start: number;
  end: number;
  pages?: number[] | null;
  heading?: string[] | null;
  document: Doc;
  quote: { text: string; start: number; end: number; page?: number };
  score: number;
  match: Match;
}

export interface SearchResult {
  query: string;
  mode: string;
  passages: Passage[] | null;
  took_ms: number;
  chunks_searched: number;
  warning?: string;
}

export interface Database {
  id: string;
  name: string;
  kind: string;
  source?: string;
  tables: { name: string; columns: { name: string; type?: string }[] | string[] | null; rows: number; more_rows?: boolean }[] | null;
  error?: string;
}

/** A kind of file that is read: one of GET /v1/formats. */
export interface Format {
  name: string;
  label: string;
  kind: string;
  /** As names end: ".pdf". */
  extensions: string[] | null;
  /** The server makes pictures of its pages. */
  drawn?: boolean;
}

/** What a tool is called, while it runs and afterwards: one of GET /v1/tools. */
export interface ToolWords {
  name: string;
  kind: string;
  doing: string;
  done: string;
}

export interface ServerStatus {
  version?: string;
  ready?: boolean;
  runs?: number;
  queue?: Queue;
  backup?: {
    schedule: string;
    /** The last attempt, and when one last succeeded. */
    last?: { ok: boolean; to: string; error?: string; success?: string };
  };
  /** What an answer may use, and a question may force. */
  tools?: string[] | null;
  model?: {
    name?: string;
    built_in?: boolean;
    reachable?: boolean;
    error?: string;
    hint?: string;
    capabilities?: { thinking?: boolean; tools?: boolean; images?: boolean; context_tokens?: number };
  };
  /** That a question may ask for, the default first. */
  models?: string[] | null;
  embedder?: { name?: string; built_in?: boolean };
  documents?: number;
  chunks?: number;
  threads?: number;
}

/** A document or thread that an answer of the server names. */
export interface Named {
  id: string;
  name: string;
}

export interface AddResult {
  documents: (Doc & { unchanged?: boolean; same_name?: Named })[];
  /** same_name is the document that has the name of a file already, where both were not wanted. */
  errors: { name: string; error: string; hint?: string; code?: string; same_name?: Named }[] | null;
}

/** What is to be done with a file whose name its folder has already, with other bytes. */
export type OnSameName = "keep_both" | "new_version" | "refuse";

export type { Folders, FolderNode, LabelCount, Queue, Removed } from "./library";

export function isDone(status: Status): boolean {
  return status !== "queued" && status !== "running";
}

/** A folder that is followed. */
export interface Watch {
  id: string;
  path: string;
  folder?: string;
  by: "server" | "command";
  state: "starting" | "followed" | "missing" | "failed";
  error?: string;
  files: number;
  since: string;
}
