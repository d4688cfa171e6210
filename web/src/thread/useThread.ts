// A thread as the page shows it: its turns on the selected branch, the run that
// is under way, and the watch over it.

import { useEffect, useMemo } from "react";
import { keys, queryClient, useMessages, useThreads } from "../api/queries";
import { isDone, type Message, type Thread } from "../api/types";
import { live, useLiveRun } from "../run/live";
import { usePageVisible } from "../ui/hooks";
import { useStore } from "../ui/store";
import { going } from "../ui/undo";
import { branchOf, type Turn } from "./branch";

export interface ThreadState {
  thread: Thread | undefined;
  messages: readonly Message[];
  turns: Turn[];
  /** The message that is being written now. */
  runningId: string | undefined;
  loading: boolean;
  missing: boolean;
  error: Error | null;
}

const noMessages: readonly Message[] = [];

export function useThread(threadId: string): ThreadState {
  const threads = useThreads();
  const thread = threads.data?.find((t) => t.id === threadId);
  const messages = useMessages(threadId, thread !== undefined);
  const hidden = useStore(going);
  const all = messages.data ?? noMessages;
  const headId = thread?.head_id ?? "";

  const turns = useMemo(() => {
    const path = branchOf(all, headId);
    const cut = path.findIndex((turn) => hidden.has(`message:${turn.message.id}`));
    return cut < 0 ? path : path.slice(0, cut);
  }, [all, headId, hidden]);

  const last = turns.at(-1)?.message;
  const candidate = last?.role === "assistant" && !isDone(last.status) ? last.id : thread?.run_id;
  const run = useLiveRun(candidate);
  const runningId = run?.view.finished || run?.connection === "ended" ? undefined : candidate;
  useWatch(threadId, runningId);

  // Another tab or device has asked: its messages are not here yet.
  const news = messages.isSuccess && !messages.isFetching ? unknown([headId, thread?.run_id], all) : undefined;
  useEffect(() => {
    if (news !== undefined) void queryClient.invalidateQueries({ queryKey: keys.messages(threadId) });
  }, [news, threadId]);

  return {
    thread,
    messages: all,
    turns,
    runningId,
    loading: threads.isPending || (thread !== undefined && messages.isPending),
    missing: threads.isSuccess && !threads.isFetching && !thread,
    error: messages.error ?? (threads.data ? null : threads.error),
  };
}

function unknown(ids: (string | undefined)[], messages: readonly Message[]): string | undefined {
  return ids.find((id) => id && !messages.some((m) => m.id === id));
}

/**
 * Watches a run while the page is seen. A browser allows few connections to one
 * server, over all its tabs; a hidden page lets go of its own, and misses
 * nothing when it comes back.
 */
function useWatch(threadId: string, messageId: string | undefined): void {
  const visible = usePageVisible();
  useEffect(() => {
    if (!messageId || !visible) return;
    return live.watch(threadId, messageId);
  }, [threadId, messageId, visible]);
}
