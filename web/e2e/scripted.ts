// Threads that no server holds: what the page shows of anything a server may
// say. Only these answers are made up; all else comes from the real program.

import type { Page } from "playwright-core";
import type { Citation, CitedStatement, Message, Support, Thread } from "../src/api/types";

export async function serveThread(page: Page, threadId: string, title: string, messages: readonly Message[]): Promise<void> {
  const now = new Date().toISOString();
  const thread: Thread = { id: threadId, title, head_id: messages.at(-1)?.id ?? "", created_at: now, updated_at: now };
  const byId = new Map(messages.map((m) => [m.id, m]));
  await page.route(/\/v1\/threads(\?[^/]*)?$/, (route) => route.fulfill({ json: { threads: [thread] } }));
  await page.route(new RegExp(`/v1/threads/${threadId}$`), (route) => route.fulfill({ json: thread }));
  await page.route(`**/v1/threads/${threadId}/messages*`, (route) => route.fulfill({ json: part(messages, new URL(route.request().url()).searchParams) }));
  await page.route("**/v1/messages/*", (route) => {
    const message = byId.get(new URL(route.request().url()).pathname.split("/").at(-1) ?? "");
    return message ? route.fulfill({ json: message }) : route.continue();
  });
}

/** The newest messages, or those before, behind or around one, as a server answers them; a cursor is the place of a message. */
function part(messages: readonly Message[], query: URLSearchParams): { messages: readonly Message[]; next?: string; newer?: string } {
  const limit = Number(query.get("limit") ?? "50");
  const around = messages.findIndex((m) => m.id === query.get("around"));
  const [way, place] = (query.get("cursor") ?? "before ").split(" ");
  const from = way === "after" ? Number(place) : Math.max(0, (around >= 0 ? around + limit / 2 : Number(place || messages.length)) - limit);
  const to = around >= 0 || way === "after" ? from + limit : Number(place || messages.length);
  return {
    messages: messages.slice(from, to),
    next: from > 0 && way === "before" ? `before ${from}` : undefined,
    newer: to < messages.length && (around >= 0 || way === "after") ? `after ${to}` : undefined,
  };
}

const bytes = (s: string) => new TextEncoder().encode(s).length;

export function cite(n: number, more: Partial<Citation> = {}): Citation {
  return { n, chunk_id: `c${n}`, document_id: "", version: "", title: "", path: [], pages: [], heading: "", quote: "", start: 0, end: 0, level: "L2", score: 0.8, url: "", ...more };
}

/** A statement of an answer, and the marker [chunkId] that comes first after it. */
export function statement(text: string, words: string, chunkId: string, support: Support = "quoted"): CitedStatement {
  const start = text.indexOf(words);
  const marker = text.indexOf(`[${chunkId}]`, start);
  if (start < 0 || marker < 0) throw new Error(`“${words}” does not stand before a marker [${chunkId}]`);
  return { start: bytes(text.slice(0, start)), end: bytes(text.slice(0, start + words.length)), marker: bytes(text.slice(0, marker)), support };
}

export function question(id: string, text: string, parent = ""): Message {
  return { id, thread_id: "t", parent_id: parent, role: "user", text, status: "completed", created_at: "2026-01-01T00:00:00Z" };
}

export function answer(id: string, parent: string, text: string, more: Partial<Message> = {}): Message {
  return {
    id,
    thread_id: "t",
    parent_id: parent,
    role: "assistant",
    text,
    status: "completed",
    model: "scripted",
    last_seq: 9,
    created_at: "2026-01-01T00:00:01Z",
    finished: {
      status: "completed",
      usage: { input_tokens: 1200, output_tokens: 80, reasoning_tokens: 0, model_requests: 2, tool_calls: 1 },
      timing: { first_event_ms: 1, first_reasoning_ms: 10, first_citation_ms: 20, first_answer_ms: 30, total_ms: 1500 },
      iterations: 1,
      tools_used: [],
      sources_count: 1,
      confidence: 0.72,
      mode: "agentic",
      cached: false,
    },
    ...more,
  };
}
