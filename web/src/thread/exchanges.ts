// A thread as the page lists it: each question with what answers it.

import type { Message } from "../api/types";
import type { Turn } from "./branch";

export interface Exchange {
  key: string;
  question?: Turn;
  answers: Message[];
}

export function exchangesOf(turns: readonly Turn[], runningId: string | undefined, threadId: string): Exchange[] {
  const list: Exchange[] = [];
  for (const turn of turns) {
    const last = list.at(-1);
    if (turn.message.role === "user") list.push({ key: turn.message.id, question: turn, answers: [] });
    else if (last) last.answers.push(turn.message);
    else list.push({ key: turn.message.id, answers: [turn.message] });
  }
  // The run of a question asked elsewhere is shown before its messages are here.
  if (runningId && !turns.some((turn) => turn.message.id === runningId)) {
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
