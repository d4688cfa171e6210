// Asking: the question goes to the server, and what it answers is put into the
// page's data at once, so that nothing waits for the next look at the server.

import { ApiError, sendJSON } from "../api/client";
import { changed, keys, queryClient, refreshMessage } from "../api/queries";
import type { Accepted, Message, Question, Thread } from "../api/types";
import { live } from "../run/live";

export type Asked = { kind: "accepted"; messageId: string } | { kind: "busy"; messageId: string };

/** Asks in a thread, which its first question makes. A thread that is being answered is attached to instead. */
export async function ask(threadId: string, parentId: string, question: Question): Promise<Asked> {
  let accepted: Accepted;
  try {
    accepted = await sendJSON<Accepted>("POST", `/v1/threads/${encodeURIComponent(threadId)}/user_message`, question);
  } catch (err) {
    const running = err instanceof ApiError && err.status === 409 ? err.body["message_id"] : undefined;
    if (typeof running !== "string" || running === "") throw err;
    changed(keys.threads, keys.messages(threadId));
    return { kind: "busy", messageId: running };
  }
  await show(threadId, parentId, question, accepted);
  return { kind: "accepted", messageId: accepted.message_id };
}

async function show(threadId: string, parentId: string, question: Question, accepted: Accepted): Promise<void> {
  // An answer to an earlier look, still on its way, must not undo this.
  await Promise.all([
    queryClient.cancelQueries({ queryKey: keys.threads }),
    queryClient.cancelQueries({ queryKey: keys.messages(threadId) }),
  ]);
  const now = new Date().toISOString();
  const user: Message = {
    id: accepted.user_message_id,
    thread_id: threadId,
    parent_id: parentId || undefined,
    role: "user",
    text: question.input_text,
    status: "completed",
    request: {
      text: question.input_text,
      mode: question.mode,
      scope: question.scope,
      think: question.think,
      model: question.model,
      force_tools: question.force_tools,
      attachments: question.attachments?.map(({ name, mime }) => ({ name, mime })),
    },
    created_at: now,
  };
  const answer: Message = {
    id: accepted.message_id,
    thread_id: threadId,
    parent_id: user.id,
    role: "assistant",
    text: "",
    status: "queued",
    created_at: now,
  };
  queryClient.setQueryData<Message[]>(keys.messages(threadId), (old = []) => [...old, user, answer]);
  queryClient.setQueryData<Thread[]>(keys.threads, (old = []) => {
    const known = old.find((t) => t.id === threadId);
    const thread: Thread = {
      id: threadId,
      title: known?.title ?? question.input_text.slice(0, 80),
      created_at: known?.created_at ?? now,
      updated_at: now,
      head_id: answer.id,
      run_id: answer.id,
    };
    return [thread, ...old.filter((t) => t.id !== threadId)];
  });
  changed(keys.threads);
}

export async function stop(threadId: string): Promise<void> {
  try {
    await sendJSON("POST", `/v1/threads/${encodeURIComponent(threadId)}/stop`);
  } catch (err) {
    if (!(err instanceof ApiError && err.status === 404)) throw err; // it had ended by itself
  }
}

export async function selectHead(threadId: string, headId: string): Promise<void> {
  queryClient.setQueryData<Thread[]>(keys.threads, (old) => old?.map((t) => (t.id === threadId ? { ...t, head_id: headId } : t)));
  await sendJSON("PATCH", `/v1/threads/${encodeURIComponent(threadId)}`, { head_id: headId });
  changed(keys.threads);
}

live.onEnded = (threadId, messageId) => {
  queryClient.setQueryData<Thread[]>(keys.threads, (old) =>
    old?.map((t) => (t.id === threadId && t.run_id === messageId ? { ...t, run_id: undefined } : t)),
  );
  changed(keys.threads);
  refreshMessage(threadId, messageId).catch(() => changed(keys.messages(threadId)));
};
