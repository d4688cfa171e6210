// A scripted run for tests: log entries and the frames each gives, numbered the
// way the server numbers them (the last frame of an entry carries its position,
// those before it the position before).

import type { FrameData, Placed } from "./frames";

export const messageId = "m1";

export type Entry = FrameData[];

export function wire(entries: Entry[], after = 0): string {
  let out = "retry: 1000\n\n";
  entries.forEach((frames, i) => {
    const seq = i + 1;
    if (seq <= after) return;
    frames.forEach((data, j) => {
      const id = j === frames.length - 1 ? seq : seq - 1;
      out += `id: ${id}\nevent: ${data.type}\ndata: ${JSON.stringify({ ...data, message_id: messageId })}\n\n`;
    });
  });
  return out;
}

const utf8 = new TextEncoder();
const final = "Two years, “naïve” 日本 [c-a1].";

/** Words of the passage that was found, behind the statement that ends with the marker. */
function placed(n: number, quote: string, marker: number): Entry {
  const start = 10 + utf8.encode(citation.quote.slice(0, citation.quote.indexOf(quote))).length;
  const where: Placed = {
    n,
    found: 1,
    chunk_id: citation.chunk_id,
    document_id: citation.document_id,
    version: citation.version,
    start,
    end: start + utf8.encode(quote).length,
    pages: [4],
    quote,
    url: "/v1/documents/d1/file?version=v1#page=4",
    kind: "passage",
    statement: { start: 0, end: marker - 1 },
    marker,
    support: "quoted",
  };
  return [{ type: "citation_placed", ...where }];
}

const citation = {
  n: 1,
  chunk_id: "c-a1",
  document_id: "d1",
  version: "v1",
  title: "Warranty",
  path: ["warranty.pdf"],
  pages: [4],
  heading: "Terms",
  quote: "The warranty lasts two years — no longer.",
  start: 10,
  end: 52,
  level: "L2",
  score: 0.8,
  url: "",
};

/** What a run may say beside its text: a cached answer, a query's table, an order of passages, a verdict. */
export const aside = {
  cache: { kind: "cache", hit: true, similarity: 0.97, original_query: "how long is the warranty", cached_at: "2026-01-01T00:00:00Z" },
  table: { query: "SELECT year, sum(total) FROM sales GROUP BY year", columns: ["year", "total"], rows: [["2024", "12.5"], ["2025", "NULL"]], truncated: true },
  reranking: { kind: "reranking", method: "mmr", input_count: 20, output_count: 7, top_score: 0.9, duration_ms: 3 },
  grade: { chunk_id: "c-a1", score: 0.4, classification: "AMBIGUOUS", expanded: true, new_score: 0.7 },
  verification: {
    claims_checked: 2,
    claims_supported: 1,
    claims_partially_supported: 0,
    claims_unsupported: 1,
    confidence: 0.6,
    details: [
      { claim: "Two years.", verdict: "SUPPORTED", chunk_ids: ["c-a1"], start: 0, end: 10 },
      { claim: "No longer.", verdict: "UNSUPPORTED", chunk_ids: [], start: 18, end: 28 },
    ],
  },
} as const;

export const script: Entry[] = [
  [{ type: "message_start", thread_id: "t1", user_message_id: "u1", mode: "auto", attempt: 1 }],
  [{ type: "step", kind: "queued", position: 2 }],
  [{ type: "step", kind: "analysis", query: "how long", complexity: "simple", mode: "agentic", decomposed: false, sub_queries: [] }],
  [{ type: "reasoning_start" }, { type: "reasoning_delta", text: "I shall look " }],
  [{ type: "reasoning_delta", text: "for the warranty…" }],
  [
    { type: "reasoning_end" },
    { type: "step", kind: "tool_call", call_id: "k1", tool: "search_knowledge_base", input: { query: "warranty" }, detail: "warranty", iteration: 1 },
  ],
  [
    {
      type: "step",
      kind: "tool_result",
      call_id: "k1",
      tool: "search_knowledge_base",
      ok: true,
      summary: "1 passage from 1 document",
      output: "…",
      duration_ms: 12,
      retrieval: { chunks_found: 1, top_score: 0.8, levels: { L2: 1 } },
    },
  ],
  [
    {
      type: "step",
      kind: "grading",
      correct: 1,
      ambiguous: 0,
      incorrect: 0,
      expanded: 0,
      action: "proceed",
      details: [{ chunk_id: "c-a1", score: 0.9, classification: "CORRECT" }],
    },
  ],
  [{ type: "citations", citations: [citation] }],
  [{ type: "text_start", model: "reader", context_chunks: 1, context_tokens: 200 }],
  [{ type: "text_delta", text: "Three years" }],
  placed(1, "no longer", "Three years ".length),
  [{ type: "text_delta", text: " [c-a1]" }],
  [{ type: "text_end" }, { type: "text_retracted", reason: "the model's connection broke" }],
  [{ type: "reasoning_start" }, { type: "reasoning_delta", text: "Again." }],
  [{ type: "step", kind: "continued", thread_id: "t1", user_message_id: "u1", mode: "auto", attempt: 2 }],
  [{ type: "reasoning_end" }, { type: "text_start" }, { type: "text_delta", text: "Two years, “naïve” 日本 " }],
  placed(1, "The warranty lasts two years", utf8.encode(final.slice(0, final.indexOf("["))).length),
  placed(2, "no longer", utf8.encode(final.slice(0, final.indexOf("["))).length),
  [{ type: "text_delta", text: "[c-a1]." }],
  [{ type: "text_end" }, { type: "step", kind: "memory", used_chars: 100, budget_chars: 48000, pairs: 1, dropped_pairs: 0 }],
  [
    {
      type: "message_end",
      status: "completed",
      usage: { input_tokens: 10, output_tokens: 5, reasoning_tokens: 3, model_requests: 1, tool_calls: 1 },
      timing: { first_event_ms: 1, first_reasoning_ms: 2, first_citation_ms: 3, first_answer_ms: 4, total_ms: 50 },
      iterations: 1,
      tools_used: ["search_knowledge_base"],
      sources_count: 1,
      confidence: 0.9,
      mode: "agentic",
      cached: false,
    },
    { type: "done" },
  ],
];
