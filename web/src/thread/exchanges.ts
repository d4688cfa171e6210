// A thread as the page lists it: each question with what answers it.

import type { Message } from "../api/types";

export interface Exchange {
  key: string;
  question?: Message;
  answers: Message[];
}

/** earlier: messages stand before these that are not here. */
export function exchangesOf(messages: readonly Message[], runningId: string | undefined, threadId: string, earlier = false): Exchange[] {
  const list: Exchange[] = [];
  for (const m of messages) {
    const last = list.at(-1);
    if (m.role === "user") list.push({ key: m.id, question: m, answers: [] });
    else if (last) last.answers.push(m);
    // An answer whose question is not here yet comes with it.
    else if (!earlier) list.push({ key: m.id, answers: [m] });
  }
  // The run of a question asked elsewhere is shown before its messages are here.
  if (runningId && !messages.some((m) => m.id === runningId)) {
    const running = placeholder(runningId, threadId);
    const last = list.at(-1);
    if (last && last.answers.length === 0) last.answers.push(running);
    else list.push({ key: running.id, answers: [running] });
  }
  return list;
}

const placeholders = new Map<string, Message>();

function placeholder(id: string, threadId: string): Message {
  let m = placeholders.get(id);
  if (!m) {
    m = { id, thread_id: threadId, role: "assistant", text: "", status: "queued", created_at: "" };
    placeholders.set(id, m);
  }
  return m;
}
