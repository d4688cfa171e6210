// A thread as the page shows it: the messages of the shown branch that are here,
// the run that is under way, and the watch over it.

import { useEffect, useMemo, useState } from "react";
import { loadAround, useMessages } from "../api/messages";
import { keys, queryClient } from "../api/queries";
import { useOneThread } from "../api/threads";
import { isDone, type Message, type Thread } from "../api/types";
import { here } from "../app/router";
import { live, useLiveRun } from "../run/live";
import { usePageVisible } from "../ui/hooks";
import { useStore } from "../ui/store";
import { going } from "../ui/undo";

export interface ThreadState {
  thread: Thread | undefined;
  /** Of the shown branch, oldest first: a part of it that has no gaps. */
  messages: readonly Message[];
  /** Messages stand before these that are not here. */
  earlier: boolean;
  /** Messages stand behind these that are not here. */
  later: boolean;
  /** The message whose branch was chosen last. */
  chosen: string | undefined;
  /** The message that the address named a footnote of when the thread was opened. */
  wanted: string | undefined;
  /** The message that is being written now. */
  runningId: string | undefined;
  loading: boolean;
  missing: boolean;
  error: Error | null;
}

const noMessages: readonly Message[] = [];

export function useThread(threadId: string): ThreadState {
  const asked = useOneThread(threadId);
  const thread = asked.data ?? undefined;
  const window = useMessages(threadId, asked.data !== null);
  const hidden = useStore(going);
  const all = window.data?.messages ?? noMessages;
  const headId = thread?.head_id ?? "";
  const later = window.data?.newer !== undefined;

  const messages = useMemo(() => {
    const cut = all.findIndex((m) => hidden.has(`message:${m.id}`));
    return cut < 0 ? all : all.slice(0, cut);
  }, [all, hidden]);

  const last = messages.at(-1);
  const candidate = !later && last?.role === "assistant" && !isDone(last.status) ? last.id : thread?.run_id;
  const run = useLiveRun(candidate);
  const runningId = run?.view.finished || run?.connection === "ended" ? undefined : candidate;
  useWatch(threadId, runningId);

  // Another tab or device has asked: its messages are not here yet.
  const news = window.isSuccess && !window.isFetching && !later ? unknown([headId, thread?.run_id], all) : undefined;
  useEffect(() => {
    if (news !== undefined) void queryClient.invalidateQueries({ queryKey: keys.messages(threadId) });
  }, [news, threadId]);

  const { wanted, waits } = useWantedMessage(threadId, window.isSuccess, all);

  return {
    thread,
    messages: waits ? noMessages : messages,
    earlier: window.data?.older !== undefined,
    later,
    chosen: window.data?.chosen,
    wanted,
    runningId,
    loading: asked.isPending || (thread !== undefined && window.isPending) || waits,
    missing: asked.data === null,
    error: window.error ?? (asked.data === undefined ? asked.error : null),
  };
}

function unknown(ids: (string | undefined)[], messages: readonly Message[]): string | undefined {
  return ids.find((id) => id && !messages.some((m) => m.id === id));
}

/** The message whose footnote the address names, and whether the part of the thread that holds it is still on its way. */
function useWantedMessage(threadId: string, ready: boolean, messages: readonly Message[]): { wanted: string | undefined; waits: boolean } {
  const [wanted] = useState(() => {
    const { source } = here();
    return source === undefined || source.kind === "document" ? undefined : source.messageId;
  });
  // Asked for once: where it is nowhere, the thread opens at its end.
  const [asked, setAsked] = useState(false);
  const found = messages.some((m) => m.id === wanted);
  const missing = ready && !found && !asked ? wanted : undefined;
  useEffect(() => {
    if (missing === undefined) return;
    let current = true;
    loadAround(threadId, missing)
      .catch(() => undefined)
      .finally(() => current && setAsked(true));
    return () => {
      current = false;
    };
  }, [threadId, missing]);
  return { wanted, waits: missing !== undefined };
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
