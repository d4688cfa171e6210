import { useEffect } from "react";
import { request } from "../api/client";
import { feed } from "../api/feed";
import { usePageVisible } from "../ui/hooks";
import { lastOf, readChanges, type LibraryChange } from "./changes";
import { lookAgain, takeIn } from "./takeIn";

/** How long until a stream that broke is opened again, in milliseconds. */
const again = 3_000;

/** How long changes are gathered before they are shown: many come at once while a folder is added. */
const gathered = 60;

/**
 * Keeps what the page holds of documents true from the server's own words while
 * somebody looks. While there is no stream, lists are asked for now and then.
 */
export function useFeed(wanted: boolean): void {
  const visible = usePageVisible();
  useEffect(() => {
    if (!wanted || !visible) return;
    const abort = new AbortController();
    void follow(abort.signal);
    return () => {
      abort.abort();
      feed.set({ connected: false });
    };
  }, [wanted, visible]);
}

async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let pause = again;
    try {
      const response = await request("/v1/documents/events?follow=true", { headers: { Accept: "text/event-stream" }, signal });
      if (response.body) {
        feed.set({ connected: true });
        void lookAgain(); // what changed before now, the stream does not tell
        // A stream that fell behind has ended; the next one begins with another look.
        if ((await read(response.body, signal)) === "behind") pause = gathered;
      }
    } catch {
      // Broken or refused.
    }
    if (isAborted(signal)) return;
    feed.set({ connected: false });
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Asks anew each time; control flow analysis would remember the first answer. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<"ended" | "behind"> {
  const told = { behind: false };
  let waiting: LibraryChange[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const changes = waiting;
    waiting = [];
    if (signal.aborted) return;
    const queue = changes.findLast((c) => c.kind === "queue")?.queue;
    if (queue) feed.set({ connected: true, queue });
    takeIn(lastOf(changes));
  };
  try {
    await readChanges(body, (change) => {
      if (change.kind === "behind") told.behind = true;
      waiting.push(change);
      timer ??= setTimeout(flush, gathered);
    });
  } finally {
    flush();
  }
  return told.behind ? "behind" : "ended";
}
