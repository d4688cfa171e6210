// Threads that no server holds: what the page shows of anything a server may
// say. Only these answers are made up; all else comes from the real program.

import type { Page } from "playwright-core";
import type { Message, Thread } from "../src/api/types";

export async function serveThread(page: Page, threadId: string, title: string, messages: readonly Message[]): Promise<void> {
  const now = new Date().toISOString();
  const thread: Thread = { id: threadId, title, head_id: messages.at(-1)?.id ?? "", created_at: now, updated_at: now };
  const byId = new Map(messages.map((m) => [m.id, m]));
  await page.route("**/v1/threads", (route) => route.fulfill({ json: { threads: [thread] } }));
  await page.route(`**/v1/threads/${threadId}/messages*`, (route) => route.fulfill({ json: { messages } }));
  await page.route("**/v1/messages/*", (route) => {
    const message = byId.get(new URL(route.request().url()).pathname.split("/").at(-1) ?? "");
    return message ? route.fulfill({ json: message }) : route.continue();
  });
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
