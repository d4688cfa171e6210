// Asking: the question goes to the server, and what it answers is put into the
// page's data at once, so that nothing waits for the next look at the server.

import { ApiError, sendJSON } from "../api/client";
import { changeMessages, loadAround, loadNewest, refreshMessage, type MessageWindow } from "../api/messages";
import { changed, keys, queryClient } from "../api/queries";
import { changeThread, knownThread, putThread } from "../api/threads";
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
  // In the middle of the thread there is no place for it: its end is shown instead.
  if (queryClient.getQueryData<MessageWindow>(keys.messages(threadId))?.newer !== undefined && question.edit_message_id === undefined) await loadNewest(threadId);
  else changeMessages(threadId, (old) => withQuestion(old, question.edit_message_id, user, answer));
  const known = knownThread(threadId);
  putThread(threadId, {
    id: threadId,
    title: known?.title ?? question.input_text.slice(0, 80),
    created_at: known?.created_at ?? now,
    updated_at: now,
    head_id: answer.id,
    run_id: answer.id,
  });
  changed(keys.threads);
}

/** Puts a question and its answer at the end, or in the place of the question that was edited and of all that followed from it. */
export function withQuestion(old: MessageWindow, editedId: string | undefined, user: Message, answer: Message): MessageWindow {
  const at = old.messages.findIndex((m) => m.id === editedId);
  const edited = old.messages[at];
  if (!edited) return { ...old, messages: [...old.messages, user, answer] };
  const siblings = [...(edited.siblings ?? [edited.id]), user.id];
  return { ...old, messages: [...old.messages.slice(0, at), { ...user, siblings }, answer], newer: undefined };
}

export async function stop(threadId: string): Promise<void> {
  try {
    await sendJSON("POST", `/v1/threads/${encodeURIComponent(threadId)}/stop`);
  } catch (err) {
    if (!(err instanceof ApiError && err.status === 404)) throw err; // it had ended by itself
  }
}

/** Shows the branch that runs through a message, from where one reads. */
export async function selectBranch(threadId: string, messageId: string): Promise<void> {
  const thread = await sendJSON<Thread>("PATCH", `/v1/threads/${encodeURIComponent(threadId)}`, { branch_id: messageId });
  await loadAround(threadId, messageId);
  putThread(threadId, thread);
  changed(keys.threads);
}

live.onEnded = (threadId, messageId) => {
  changeThread(threadId, (x) => (x.run_id === messageId ? { ...x, run_id: undefined } : x));
  changed(keys.threads);
  refreshMessage(threadId, messageId).catch(() => changed(keys.messages(threadId)));
};
