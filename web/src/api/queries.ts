// Server state: what is asked for, under which key, and how often it is looked
// at again.

import { QueryClient, useQuery } from "@tanstack/react-query";
import { ApiError, getJSON } from "./client";
import type { DocumentQuery } from "./documents";
import type { Check, Database, Extract, Format, ServerStatus, ToolWords, Watch } from "./types";

export const keys = {
  threads: ["threads"] as const,
  threadList: (q: string) => ["threads", "list", q] as const,
  thread: (id: string) => ["threads", "one", id] as const,
  messages: (threadId: string) => ["messages", threadId] as const,
  documentLists: ["documents", "list"] as const,
  documentList: (query: DocumentQuery) => ["documents", "list", query] as const,
  document: (id: string) => ["documents", "one", id] as const,
  documentsNamed: (q: string, limit: number) => ["documents", "named", q, String(limit)] as const,
  documentsByIds: ["documents", "some"] as const,
  documentsById: (ids: readonly string[]) => ["documents", "some", ...ids] as const,
  /** Whatever only counts: asked for again when documents come and go. */
  counts: ["counts"] as const,
  foldersIn: (folder: string) => ["counts", "folders", folder] as const,
  labels: (kind: string, q: string, limit: number) => ["counts", "labels", kind, q, String(limit)] as const,
  documentCount: ["counts", "documents"] as const,
  failed: (folder: string) => ["counts", "failed", folder] as const,
  removed: ["removed"] as const,
  text: (url: string) => ["text", url] as const,
  databases: ["databases"] as const,
  watches: ["watches"] as const,
  status: ["status"] as const,
  tools: ["tools"] as const,
  formats: ["formats"] as const,
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

/** Empty where the server knows no databases. There are 500 at most, which come at once. */
export function useDatabases() {
  return useQuery({
    queryKey: keys.databases,
    queryFn: async ({ signal }) => (await getJSON<{ databases: Database[] | null }>("/v1/databases?limit=500", signal)).databases ?? [],
  });
}

export function useWatches() {
  return useQuery({
    queryKey: keys.watches,
    queryFn: async ({ signal }) => (await getJSON<{ watches: Watch[] }>("/v1/watches?limit=500", signal)).watches,
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

/** Tools by name, in the server's words; empty until they are known. */
export function useTools(): ReadonlyMap<string, ToolWords> {
  const { data } = useQuery({
    queryKey: keys.tools,
    queryFn: async ({ signal }) => {
      const { tools } = await getJSON<{ tools: ToolWords[] }>("/v1/tools", signal);
      return new Map(tools.map((w) => [w.name, w]));
    },
    staleTime: Infinity, // until the page is loaded anew
    gcTime: Infinity,
  });
  return data ?? noTools;
}

const noTools: ReadonlyMap<string, ToolWords> = new Map();

/** The kinds of files that are read, by name; empty until they are known. */
export function useFormats(): ReadonlyMap<string, Format> {
  const { data } = useQuery({
    queryKey: keys.formats,
    queryFn: async ({ signal }) => {
      const { formats } = await getJSON<{ formats: Format[] }>("/v1/formats", signal);
      return new Map(formats.map((f) => [f.name, f]));
    },
    staleTime: Infinity, // until the page is loaded anew
    gcTime: Infinity,
  });
  return data ?? noFormats;
}

const noFormats: ReadonlyMap<string, Format> = new Map();

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
