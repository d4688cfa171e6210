// Documents, asked for one folder, one name or one id at a time; nothing here
// asks for all of them.

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { isBelow, pathsOf } from "../library/folders";
import { useStore } from "../ui/store";
import { ApiError, getJSON } from "./client";
import { feed } from "./feed";
import type { Order, Page } from "./paged";
import { keys } from "./queries";
import type { Doc, DocumentStatus, Folders, LabelCount } from "./types";
import { pageLength, usePaged, type PagedList, type Source } from "./usePaged";

/** Which documents a list has. */
export interface DocumentQuery {
  /** Directly in this folder; "" is the top. */
  in_folder?: string;
  /** In this folder or below it. */
  folder?: string;
  /** A part of name, title, folder, category or a tag. */
  q?: string;
  status?: DocumentStatus;
}

interface DocumentPage {
  documents: Doc[];
  next?: string;
  total?: number;
}

export const documentOrder: Order<Doc> = { id: (d) => d.id, at: (d) => Date.parse(d.added_at) };

/** How often counts and lists are looked at while nothing tells of changes, in milliseconds. */
const pollMs = 30_000;

function address(query: DocumentQuery, more: Record<string, string | undefined>): string {
  const params = new URLSearchParams();
  const all: Record<string, string | undefined> = { ...query, ...more };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && (value !== "" || name === "in_folder")) params.set(name, value);
  }
  return `/v1/documents?${params}`;
}

/** A list of documents, the one added last first. */
export function documentSource(query: DocumentQuery): Source<Doc> {
  return {
    key: keys.documentList(query),
    order: documentOrder,
    page: async (cursor, signal): Promise<Page<Doc>> => {
      const { documents, next } = await getJSON<DocumentPage>(address(query, { sort: "added", limit: String(pageLength), cursor }), signal);
      return { items: documents, next };
    },
    byId: documentsById,
  };
}

async function documentsById(ids: readonly string[]): Promise<Doc[]> {
  if (ids.length === 0) return [];
  const params = new URLSearchParams([...ids.map((id) => ["document", id]), ["limit", String(ids.length)]]);
  return (await getJSON<DocumentPage>(`/v1/documents?${params}`)).documents;
}

export function useDocumentList(query: DocumentQuery): PagedList<Doc> {
  const { connected } = useStore(feed);
  return usePaged(documentSource(query), connected ? false : pollMs);
}

/** Whether a document stands in a list. */
export function belongs(d: Doc, { in_folder, folder, q, status }: DocumentQuery): boolean {
  const at = d.folder ?? "";
  if (in_folder !== undefined && at !== in_folder) return false;
  if (folder && !isBelow(at, folder)) return false;
  if (status !== undefined && d.status !== status) return false;
  const find = q?.toLowerCase() ?? "";
  return [d.title, `${at}/${d.name}`, d.category, ...(d.tags ?? [])].some((text) => text?.toLowerCase().includes(find));
}

/** A few documents whose name has these words in it, for lists to choose from. */
export function useDocumentsNamed(q: string, limit: number, enabled = true) {
  return useQuery({
    queryKey: keys.documentsNamed(q, limit),
    queryFn: async ({ signal }) => (await getJSON<DocumentPage>(address({ q }, { sort: q === "" ? "added" : "name", limit: String(limit) }), signal)).documents,
    enabled,
    placeholderData: keepPreviousData, // the list does not flicker while one types
  });
}

/** One document; null when there is none (any more). */
export function useDocument(id: string) {
  const { connected } = useStore(feed);
  return useQuery({
    queryKey: keys.document(id),
    queryFn: async ({ signal }) => {
      try {
        return await getJSON<Doc>(`/v1/documents/${encodeURIComponent(id)}`, signal);
      } catch (err) {
        if (err instanceof ApiError && err.status === 404) return null;
        throw err;
      }
    },
    enabled: id !== "",
    refetchInterval: connected ? false : pollMs,
  });
}

/** The documents with these ids, as far as they are there; undefined until that is known. */
export function useDocumentsById(ids: readonly string[]): readonly Doc[] | undefined {
  return useQuery({
    queryKey: keys.documentsById(ids),
    queryFn: () => documentsById(ids),
    enabled: ids.length > 0,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  }).data;
}

/** How many documents the library holds; undefined until that is known. */
export function useDocumentCount() {
  const { connected } = useStore(feed);
  return useQuery({
    queryKey: keys.documentCount,
    queryFn: async ({ signal }) => {
      const { total, documents } = await getJSON<DocumentPage>("/v1/documents?limit=1", signal);
      return total ?? documents.length;
    },
    refetchInterval: connected ? false : pollMs,
  });
}

/** A folder and those directly in it, a page of them after the other; with it the counts of the whole library. */
export function useFoldersIn(folder: string) {
  const { connected } = useStore(feed);
  return useInfiniteQuery({
    queryKey: keys.foldersIn(folder),
    queryFn: ({ pageParam, signal }) => {
      const params = new URLSearchParams({ in: folder, limit: String(foldersAtOnce) });
      if (pageParam !== "") params.set("cursor", pageParam);
      return getJSON<Folders>(`/v1/folders?${params}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
    refetchInterval: connected ? false : pollMs,
  });
}

const foldersAtOnce = 200;

/** What documents are filed by. */
export type LabelKind = "folders" | "categories" | "tags";

/** A few of the names in use that have this text in them, for lists to choose from, and whether there are more. */
export function useLabels(kind: LabelKind, q: string, limit: number, enabled = true) {
  const { connected } = useStore(feed);
  return useQuery({
    queryKey: keys.labels(kind, q, limit),
    queryFn: async ({ signal }) => {
      const params = new URLSearchParams({ limit: String(limit) });
      if (q !== "") params.set("q", q);
      const found = await getJSON<Labels>(`/v1/${kind}?${params}`, signal);
      const names = kind === "folders" ? pathsOf(found.folder) : (found[kind] ?? []).map((label) => label.name);
      return { names, more: found.next !== undefined };
    },
    enabled,
    placeholderData: keepPreviousData, // the list does not flicker while one types
    refetchInterval: connected ? false : pollMs,
  });
}

/** The answer about any kind of labels. */
interface Labels {
  folder?: Folders["folder"];
  categories?: LabelCount[];
  tags?: LabelCount[];
  next?: string;
}

/** Documents of a folder and below that could not be read: the first few, and whether there are more. */
export function useFailed(folder: string) {
  return useQuery({
    queryKey: keys.failed(folder),
    queryFn: async ({ signal }) => {
      const { documents, next } = await failedPage(folder, undefined, signal);
      return { count: documents.length, more: next !== undefined };
    },
  });
}

export function failedPage(folder: string, cursor?: string, signal?: AbortSignal): Promise<DocumentPage> {
  return getJSON<DocumentPage>(address({ status: "failed", folder }, { limit: "100", cursor }), signal);
}
