// A list of the server in a component: its first page at once, further ones as
// one scrolls, and of a very long one only what is near.

import { hashKey, useQuery, type QueryKey } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { append, fill, held, letGo, refresh, type Order, type Page, type Row, type Rows } from "./paged";
import { queryClient } from "./queries";

export interface Source<T> {
  key: QueryKey;
  order: Order<T>;
  page: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<T>>;
  /** Asks for items by their ids, at most byIdMost at once. Without it, all that was loaded is kept. */
  byId?: (ids: readonly string[]) => Promise<readonly T[]>;
}

export interface PagedList<T> {
  rows: readonly Row<T>[];
  /** The list is here to its end. */
  complete: boolean;
  isPending: boolean;
  error: Error | null;
  /** What is in sight, from one row to another; the rest follows from it. */
  show: (from: number, to: number) => void;
  /** Asks again for what failed. */
  retry: () => void;
}

/** So many rows before the end of what is loaded the next page is asked for. */
const ahead = 40;

/** So many items are held at most; beyond that only those near what is in sight. */
const mostHeld = 2_000;
const near = 400;

/** As many ids as fit into an address. */
export const byIdMost = 100;

/** An answer of the server on its way into the list; everything else is the list itself. */
type Fresh<T> = Rows<T> & { fresh?: Page<T> };

const inSight = new Map<string, readonly [from: number, to: number]>();
const noRows: readonly never[] = [];

export function usePaged<T>(source: Source<T>, refetchInterval: number | false | ((rows: Rows<T> | undefined) => number | false)): PagedList<T> {
  const { key, order, page, byId } = source;
  const query = useQuery<Fresh<T>>({
    queryKey: key,
    queryFn: async ({ signal }) => ({ rows: noRows, fresh: await page(undefined, signal) }),
    // The one place that sees both the list as it is at this moment and what has come for it.
    structuralSharing: (old, now) => {
      const { fresh } = now as Fresh<T>;
      return fresh ? refresh(old as Rows<T> | undefined, fresh, order) : now;
    },
    refetchInterval: (q) => (typeof refetchInterval === "function" ? refetchInterval(q.state.data) : refetchInterval),
  });
  const [failure, setFailure] = useState<Error>();
  const asking = useRef(new Set<string>());

  const list = query.data;
  const rows = list?.rows ?? noRows;

  const hash = hashKey(key);
  useEffect(() => () => void inSight.delete(hash), [hash]);

  const once = async (what: string, work: () => Promise<void>) => {
    if (asking.current.has(what)) return;
    asking.current.add(what);
    try {
      await work();
      setFailure(undefined);
    } catch (err) {
      setFailure(err instanceof Error ? err : new Error(String(err)));
    } finally {
      asking.current.delete(what);
    }
  };
  const change = (to: (list: Rows<T>) => Rows<T>) => queryClient.setQueryData<Rows<T>>(key, (now) => now && to(now));

  const show = (from: number, to: number) => {
    inSight.set(hash, [from, to]);
    const cursor = list?.next;
    if (cursor !== undefined && to + ahead >= rows.length) {
      void once(`${hash} ${cursor}`, async () => {
        const more = await page(cursor);
        change((now) => append(now, cursor, more, order));
      });
    }
    if (!byId) return;
    const ids = rows.slice(Math.max(0, from), to).flatMap((row) => (row.item === undefined ? [row.id] : []));
    if (ids.length > 0) void once(`${hash} ${ids[0] ?? ""}`, async () => refill(source, ids));
    if (list && held(list) > mostHeld) change((now) => letGo(now, (i) => i >= from - near && i < to + near));
  };

  return {
    rows,
    complete: list !== undefined && list.next === undefined,
    isPending: query.isPending,
    error: list ? (failure ?? null) : query.error,
    show,
    retry: () => {
      setFailure(undefined);
      if (!list) void query.refetch();
      else show(...(inSight.get(hash) ?? [0, 0]));
    },
  };
}

async function refill<T>({ key, order, byId }: Source<T>, ids: readonly string[]): Promise<void> {
  if (!byId) return;
  for (let i = 0; i < ids.length; i += byIdMost) {
    const part = ids.slice(i, i + byIdMost);
    const items = await byId(part);
    queryClient.setQueryData<Rows<T>>(key, (now) => now && fill(now, part, items, order));
  }
}

/**
 * Makes a list true again after changes that nobody told of: its first page and
 * what is in sight are asked for anew, the rest when one comes to it.
 */
export async function makeTrue<T>(source: Source<T>): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: source.key, exact: true });
  const [from, to] = inSight.get(hashKey(source.key)) ?? [0, 0];
  const list = queryClient.getQueryData<Rows<T>>(source.key);
  if (!list || !source.byId) return;
  const seen = list.rows.slice(Math.max(pageLength, from), to).map((row) => row.id);
  queryClient.setQueryData<Rows<T>>(source.key, (now) => now && letGo(now, (i) => i < pageLength || (i >= from && i < to)));
  await refill(source, seen);
}

/** Rows of one page of a list that is scrolled. */
export const pageLength = 100;
