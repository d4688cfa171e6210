// Server state: what is asked for, under which key, and how often it is looked
// at again.

import { QueryClient, useQuery } from "@tanstack/react-query";
import { ApiError, getJSON } from "./client";
import { isDone, type Check, type Database, type Doc, type Extract, type Message, type ServerStatus, type Thread, type Watch } from "./types";

export const keys = {
  threads: ["threads"] as const,
  messages: (threadId: string) => ["messages", threadId] as const,
  documents: ["documents"] as const,
  document: (id: string) => ["documents", id] as const,
  text: (url: string) => ["text", url] as const,
  databases: ["databases"] as const,
  watches: ["watches"] as const,
  status: ["status"] as const,
  doctor: ["doctor"] as const,
};

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      networkMode: "always", // a server on this machine needs no network
      retry: (count, err) => count < 2 && !(err instanceof ApiError && err.status >= 400 && err.status < 500),
    },
    mutations: { networkMode: "always" },
  },
});

export function useThreads() {
  return useQuery({
    queryKey: keys.threads,
    queryFn: async ({ signal }) => (await getJSON<{ threads: Thread[] }>("/v1/threads", signal)).threads,
    refetchInterval: (query) => (query.state.data?.some((t) => t.run_id) ? 2_000 : 15_000),
  });
}

export function useMessages(threadId: string, enabled: boolean) {
  return useQuery({
    queryKey: keys.messages(threadId),
    queryFn: async ({ signal }) =>
      (await getJSON<{ messages: Message[] }>(`/v1/threads/${encodeURIComponent(threadId)}/messages?all=true`, signal)).messages,
    enabled,
    staleTime: 30_000,
    structuralSharing: (old, now) => keepMessages(old as Message[] | undefined, now as Message[]),
    gcTime: 30 * 60_000, // so that switching back is instant
  });
}

/** What has not changed stays the same object, so that it is not drawn again; threads may have thousands of messages. */
export function keepMessages(old: readonly Message[] | undefined, now: Message[]): Message[] {
  const before = new Map(old?.map((m) => [m.id, m]));
  return now.map((m) => {
    const was = before.get(m.id);
    const same = was && isDone(was.status) && was.status === m.status && was.last_seq === m.last_seq && was.text === m.text && was.created_at === m.created_at;
    return same ? was : m;
  });
}

/** Puts the saved message in its place, without asking for the whole thread again. */
export async function refreshMessage(threadId: string, messageId: string): Promise<void> {
  const saved = await getJSON<Message>(`/v1/messages/${encodeURIComponent(messageId)}`);
  queryClient.setQueryData<Message[]>(keys.messages(threadId), (old) => old?.map((m) => (m.id === messageId ? saved : m)));
}

function unsettled(docs: Doc[] | undefined): boolean {
  return docs?.some((d) => d.status === "queued" || d.status === "processing") ?? false;
}

export function useDocuments() {
  return useQuery({
    queryKey: keys.documents,
    queryFn: async ({ signal }) => (await getJSON<{ documents: Doc[] }>("/v1/documents", signal)).documents,
    refetchInterval: (query) => (unsettled(query.state.data) ? 600 : 30_000),
  });
}

/** Empty where the server knows no databases. */
export function useDatabases() {
  return useQuery({
    queryKey: keys.databases,
    queryFn: async ({ signal }) => (await getJSON<{ databases: Database[] | null }>("/v1/databases", signal)).databases ?? [],
  });
}

export function useWatches() {
  return useQuery({
    queryKey: keys.watches,
    queryFn: async ({ signal }) => (await getJSON<{ watches: Watch[] }>("/v1/watches", signal)).watches,
    refetchInterval: 2_000,
  });
}

/**
 * The extracted text of one version, which never changes. Books are large: the
 * text is let go soon after nobody shows it any more.
 */
export function useText(url: string, enabled = true) {
  return useQuery({
    queryKey: keys.text(url),
    queryFn: ({ signal }) => getJSON<Extract>(url, signal),
    enabled,
    staleTime: Infinity,
    gcTime: 2_000,
    structuralSharing: false,
  });
}

export function useServerStatus() {
  return useQuery({
    queryKey: keys.status,
    queryFn: ({ signal }) => getJSON<ServerStatus>("/v1/status", signal),
    refetchInterval: (query) => (query.state.data?.model?.reachable === false || query.state.error ? 5_000 : 60_000),
  });
}

/** Asked only when something is wrong. */
export function useDoctor(enabled: boolean) {
  return useQuery({
    queryKey: keys.doctor,
    queryFn: async ({ signal }) => (await getJSON<{ checks: Check[] }>("/v1/doctor", signal)).checks,
    enabled,
    staleTime: 10_000,
  });
}

// Other tabs hear at once what one of them changed.
const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("ibid");

/** Marks data as changed, here and in every other tab. */
export function changed(...queryKeys: (readonly string[])[]): void {
  for (const queryKey of queryKeys) void queryClient.invalidateQueries({ queryKey });
  channel?.postMessage(queryKeys);
}

channel?.addEventListener("message", (e: MessageEvent<string[][]>) => {
  for (const queryKey of e.data) void queryClient.invalidateQueries({ queryKey });
});
