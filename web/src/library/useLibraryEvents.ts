import { useEffect } from "react";
import { request } from "../api/client";
import { keys, queryClient } from "../api/queries";
import type { Doc } from "../api/types";
import { usePageVisible } from "../ui/hooks";
import { applyChange, readChanges } from "./changes";

const again = 3_000;

/**
 * Keeps the list of documents true from the server's own words while somebody
 * looks. A stream that breaks is opened again; between two, the list is asked
 * for as before.
 */
export function useLibraryEvents(wanted: boolean): void {
  const visible = usePageVisible();
  useEffect(() => {
    if (!wanted || !visible) return;
    const abort = new AbortController();
    void watch(abort.signal);
    return () => abort.abort();
  }, [wanted, visible]);
}

async function watch(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await request("/v1/documents/events?follow=true", { headers: { Accept: "text/event-stream" }, signal });
      if (response.body) {
        // What changed between the last look at the list and now, the stream does not tell.
        void queryClient.invalidateQueries({ queryKey: keys.documents });
        await readChanges(response.body, (change) => {
          queryClient.setQueryData<Doc[]>(keys.documents, (docs) => docs && applyChange(docs, change));
          if (change.kind === "behind") void queryClient.invalidateQueries({ queryKey: keys.documents });
        });
      }
    } catch {
      // Broken or refused; the list is still polled.
    }
    await new Promise((resolve) => setTimeout(resolve, again));
  }
}
