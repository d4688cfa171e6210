// What was removed and can still be taken back.

import { getJSON } from "./client";
import type { Order, Page } from "./paged";
import { keys } from "./queries";
import type { Removed } from "./types";
import { pageLength, usePaged, type PagedList } from "./usePaged";

export const removedOrder: Order<Removed> = { id: (r) => `${r.kind} ${r.id}`, at: (r) => Date.parse(r.removed_at) };

/** What was removed last comes first. */
export function useRemoved(): PagedList<Removed> {
  return usePaged(
    {
      key: keys.removed,
      order: removedOrder,
      page: async (cursor, signal): Promise<Page<Removed>> => {
        const params = new URLSearchParams({ limit: String(pageLength), ...(cursor === undefined ? {} : { cursor }) });
        const { removed, next } = await getJSON<{ removed: Removed[]; next?: string }>(`/v1/removed?${params}`, signal);
        return { items: removed, next };
      },
    },
    15_000,
  );
}
