// The messages of a thread's shown branch, newest first asked for: a window that
// grows upwards as one scrolls there.

import { useQuery } from "@tanstack/react-query";
import { getJSON } from "./client";
import { keys, queryClient } from "./queries";
import { isDone, type Message } from "./types";

/** One page as the server answers it, the oldest message first. */
export interface MessagePage {
  messages: Message[];
  /** The cursor of what stands before the first message; absent at the thread's beginning. */
  next?: string;
  /** The cursor of what stands behind the last message, where the page is no newest one. */
  newer?: string;
}

/** What is here of a thread: messages that follow one another on the shown branch. */
export interface MessageWindow {
  messages: readonly Message[];
  /** The cursor of what stands before the first message; absent at the thread's beginning. */
  older?: string;
  /** The cursor of what stands behind the last message, while the window is in the middle of the thread. */
  newer?: string;
  /** The message whose branch was chosen last: whoever chose it goes on reading there. */
  chosen?: string;
}

export const windowLength = 50;

export function messagesPath(threadId: string, query: Record<string, string | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, value);
  return `/v1/threads/${encodeURIComponent(threadId)}/messages?${params}`;
}

export function getMessages(threadId: string, query: { limit?: number; cursor?: string; around?: string }, signal?: AbortSignal): Promise<MessagePage> {
  return getJSON<MessagePage>(messagesPath(threadId, { limit: String(query.limit ?? windowLength), cursor: query.cursor, around: query.around }), signal);
}

type Fresh = MessageWindow & { fresh?: MessagePage };

export function useMessages(threadId: string, enabled: boolean) {
  return useQuery<Fresh>({
    queryKey: keys.messages(threadId),
    queryFn: async ({ signal }) => ({ messages: [], fresh: await getMessages(threadId, {}, signal) }),
    enabled,
    staleTime: 30_000,
    // The one place that sees both what is here at this moment and what has come.
    structuralSharing: (old, now) => {
      const { fresh } = now as Fresh;
      return fresh ? takeNewest(old as MessageWindow | undefined, fresh) : now;
    },
    gcTime: 30 * 60_000, // so that switching back is instant
  });
}

/** Takes the newest messages in. Whoever reads in the middle of a thread stays there. */
export function takeNewest(old: MessageWindow | undefined, page: MessagePage): MessageWindow {
  const joined = join(old, page);
  return old?.newer !== undefined && joined.messages[0]?.id !== old.messages[0]?.id ? old : joined;
}

/** Puts a page below what is here of the same branch, in the place of whatever stood there; without a link between the two only the page is left. */
export function join(old: MessageWindow | undefined, page: MessagePage): MessageWindow {
  const messages = keepMessages(old?.messages, page.messages);
  const first = messages[0];
  const alone = { messages, older: page.next, newer: page.newer };
  if (!old || !first) return alone;
  const same = old.messages.findIndex((m) => m.id === first.id);
  const parent = old.messages.findIndex((m) => m.id === first.parent_id);
  const until = same >= 0 ? same : parent + 1;
  return until <= 0 ? alone : { messages: [...old.messages.slice(0, until), ...messages], older: old.older, newer: page.newer };
}

/** Puts an older page above what is here. */
export function prepend(old: MessageWindow, cursor: string, page: MessagePage): MessageWindow {
  if (old.older !== cursor) return old;
  const known = new Set(old.messages.map((m) => m.id));
  return { ...old, messages: [...page.messages.filter((m) => !known.has(m.id)), ...old.messages], older: page.next };
}

/** Puts a newer page below what is here. */
export function extend(old: MessageWindow, cursor: string, page: MessagePage): MessageWindow {
  if (old.newer !== cursor) return old;
  const known = new Set(old.messages.map((m) => m.id));
  return { ...old, messages: [...old.messages, ...page.messages.filter((m) => !known.has(m.id))], newer: page.newer };
}

/** What has not changed stays the same object, so that it is not drawn again. */
export function keepMessages(old: readonly Message[] | undefined, now: readonly Message[]): Message[] {
  const before = new Map(old?.map((m) => [m.id, m]));
  return now.map((m) => {
    const was = before.get(m.id);
    const same =
      was &&
      isDone(was.status) &&
      was.status === m.status &&
      was.last_seq === m.last_seq &&
      was.text === m.text &&
      was.created_at === m.created_at &&
      was.siblings?.join() === m.siblings?.join();
    return same ? was : m;
  });
}

/** Changes what is here of a thread. */
export function changeMessages(threadId: string, to: (old: MessageWindow) => MessageWindow): void {
  queryClient.setQueryData<MessageWindow>(keys.messages(threadId), (old) => to(old ?? { messages: [] }));
}

/** Puts the saved message in its place, without asking for others again. */
export async function refreshMessage(threadId: string, messageId: string): Promise<void> {
  const saved = await getJSON<Message>(`/v1/messages/${encodeURIComponent(messageId)}`);
  changeMessages(threadId, (old) => ({ ...old, messages: old.messages.map((m) => (m.id === messageId ? { ...saved, siblings: m.siblings } : m)) }));
}

const asking = new Map<string, Promise<void>>();

/** One request of a kind at a time. */
function once(key: string, work: () => Promise<void>): Promise<void> {
  const running = asking.get(key);
  if (running) return running;
  const now = work().finally(() => asking.delete(key));
  asking.set(key, now);
  return now;
}

/** Loads what stands before the first message that is here. */
export function loadOlder(threadId: string): Promise<void> {
  return once(`older ${threadId}`, async () => {
    const cursor = queryClient.getQueryData<MessageWindow>(keys.messages(threadId))?.older;
    if (cursor === undefined) return;
    const page = await getMessages(threadId, { cursor });
    changeMessages(threadId, (old) => prepend(old, cursor, page));
  });
}

/** Loads what stands behind the last message that is here, in a window in the middle of the thread. */
export function loadNewer(threadId: string): Promise<void> {
  return once(`newer ${threadId}`, async () => {
    const cursor = queryClient.getQueryData<MessageWindow>(keys.messages(threadId))?.newer;
    if (cursor === undefined) return;
    const page = await getMessages(threadId, { cursor });
    changeMessages(threadId, (old) => extend(old, cursor, page));
  });
}

/** Loads the part of a thread that holds a message. */
export async function loadAround(threadId: string, messageId: string): Promise<void> {
  const page = await getMessages(threadId, { around: messageId });
  changeMessages(threadId, (old) => ({ ...join(old, page), chosen: messageId }));
}

/** Goes back to the newest messages, and lets go of those in the middle. */
export async function loadNewest(threadId: string): Promise<void> {
  const page = await getMessages(threadId, {});
  changeMessages(threadId, (old) => join(old, page));
}

/** All of the shown branch, oldest first. */
export async function allMessages(threadId: string): Promise<Message[]> {
  const pages: Message[][] = [];
  let cursor: string | undefined;
  do {
    const page = await getMessages(threadId, { limit: 500, cursor });
    pages.unshift(page.messages);
    cursor = page.next;
  } while (cursor !== undefined);
  return pages.flat();
}
