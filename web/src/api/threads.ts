// Threads by pages, the one that changed last first, and single ones by their id.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ApiError, getJSON } from "./client";
import { change, type Order, type Page, type Rows } from "./paged";
import { keys, queryClient } from "./queries";
import type { Thread } from "./types";
import { pageLength, usePaged, type PagedList, type Source } from "./usePaged";

interface ThreadPage {
  threads: Thread[];
  next?: string;
}

const order: Order<Thread> = { id: (x) => x.id, at: (x) => Date.parse(x.updated_at) };

async function getThreads(q: string, limit: number, cursor?: string, signal?: AbortSignal): Promise<ThreadPage> {
  const params = new URLSearchParams({ limit: String(limit) });
  if (q !== "") params.set("q", q);
  if (cursor !== undefined) params.set("cursor", cursor);
  return getJSON<ThreadPage>(`/v1/threads?${params}`, signal);
}

function threadSource(q: string): Source<Thread> {
  return {
    key: keys.threadList(q),
    order,
    page: async (cursor, signal): Promise<Page<Thread>> => {
      const { threads, next } = await getThreads(q, pageLength, cursor, signal);
      return { items: threads, next };
    },
  };
}

/** How often threads are looked at, in milliseconds: more often while one of them is being answered. */
const pollMs = (running: boolean) => (running ? 2_000 : 15_000);

export function useThreadList(q: string): PagedList<Thread> {
  return usePaged(threadSource(q), (list) => pollMs(list?.rows.some((row) => row.item?.run_id) ?? false));
}

/** A few threads whose title has these words in it. */
export function useThreadsNamed(q: string, limit: number) {
  return useQuery({
    queryKey: [...keys.threads, "named", q, String(limit)],
    queryFn: async ({ signal }) => (await getThreads(q, limit, undefined, signal)).threads,
    placeholderData: keepPreviousData,
  });
}

/** One thread; null when there is none (any more). */
export function useOneThread(id: string) {
  return useQuery({
    queryKey: keys.thread(id),
    queryFn: async ({ signal }) => {
      try {
        return await getJSON<Thread>(`/v1/threads/${encodeURIComponent(id)}`, signal);
      } catch (err) {
        if (err instanceof ApiError && err.status === 404) return null;
        throw err;
      }
    },
    enabled: id !== "",
    refetchInterval: (query) => pollMs(query.state.data?.run_id !== undefined),
    gcTime: 30 * 60_000, // so that switching back is instant
  });
}

/** What the page knows of a thread without asking. */
export function knownThread(id: string): Thread | undefined {
  const one = queryClient.getQueryData<Thread | null>(keys.thread(id));
  return one ?? listed(id);
}

function listed(id: string): Thread | undefined {
  for (const [, list] of queryClient.getQueriesData<Rows<Thread>>({ queryKey: [...keys.threads, "list"] })) {
    const item = list?.rows.find((row) => row.id === id)?.item;
    if (item) return item;
  }
  return undefined;
}

/** Puts a thread as it is now into whatever shows it; undefined when it is gone. */
export function putThread(id: string, thread: Thread | undefined): void {
  const lists = queryClient.getQueriesData<Rows<Thread>>({ queryKey: [...keys.threads, "list"] });
  for (const [key, list] of lists) {
    if (!list) continue;
    const q = typeof key[2] === "string" ? key[2].toLowerCase() : "";
    const fits = thread?.title.toLowerCase().includes(q) ?? false;
    // Taken out first: a thread that has changed moves to the top.
    const rest = change(list, new Map([[id, undefined]]), order);
    queryClient.setQueryData<Rows<Thread>>(key, fits && thread ? change(rest, new Map([[id, thread]]), order) : rest);
  }
  queryClient.setQueryData<Thread | null>(keys.thread(id), thread ?? null);
}

/** Changes what the page knows of a thread, before the server says so. */
export function changeThread(id: string, to: (thread: Thread) => Thread): void {
  const thread = knownThread(id);
  if (thread) putThread(id, to(thread));
}
