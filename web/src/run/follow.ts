// Watching one run until it ends, through cuts, restarts and sleep: attach at
// the last position, read, and attach again whenever the stream breaks.

import { parseFrame, type Frame } from "./frames";
import { EventParser } from "./sse";

export type Connection = "connecting" | "open" | "waiting";

/** How a watch ended; "gone" is a run, or a right to it, that is no more. */
export type Outcome = "done" | "not_streaming" | "gone" | "aborted";

export interface Watch {
  threadId: string;
  messageId: string;
  /** Where the reader stands now: entries of the run's log it has. */
  position: () => number;
  onFrame: (frame: Frame) => void;
  onConnection?: (state: Connection) => void;
  signal: AbortSignal;
}

/** What the loop needs of the world; tests bring their own. */
export interface World {
  fetch: (path: string, init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;
  /** Resolves after ms, or earlier when something says the network is back. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The server sends a comment every 15 s; a stream silent for longer than this is dead. */
  silenceMs: number;
}

const firstDelay = 250;
const longestDelay = 5000;

export async function follow(watch: Watch, world: World): Promise<Outcome> {
  let delay = firstDelay;
  while (!aborted(watch.signal)) {
    const before = watch.position();
    watch.onConnection?.("connecting");
    try {
      const outcome = await attach(watch, world);
      if (outcome) return outcome;
    } catch (err) {
      // Whatever broke, the answer to it is the same: attach again.
      if (!(err instanceof Error)) throw err;
    }
    if (watch.position() > before) delay = firstDelay;
    if (aborted(watch.signal)) break;
    watch.onConnection?.("waiting");
    await world.sleep(delay * (0.8 + Math.random() * 0.4), watch.signal);
    delay = Math.min(delay * 2, longestDelay);
  }
  return "aborted";
}

/** Asks anew each time; control flow analysis would remember the first answer. */
function aborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** One connection; undefined when it broke before the run's end. */
async function attach(watch: Watch, world: World): Promise<Outcome | undefined> {
  const cut = new AbortController();
  const onAbort = () => cut.abort();
  watch.signal.addEventListener("abort", onAbort, { once: true });
  let timer = setTimeout(() => cut.abort(), world.silenceMs);
  try {
    const query = new URLSearchParams({ last_message_id: watch.messageId, last_entry_id: String(watch.position()) });
    const response = await world.fetch(`/v1/threads/${encodeURIComponent(watch.threadId)}/stream?${query}`, {
      headers: { Accept: "text/event-stream" },
      signal: cut.signal,
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      // 400: a position the log does not have; 404: thread or run deleted.
      return response.status === 404 || response.status === 400 ? "gone" : undefined;
    }
    watch.onConnection?.("open");
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    while (true) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      clearTimeout(timer);
      timer = setTimeout(() => cut.abort(), world.silenceMs);
      for (const event of parser.push(value)) {
        const frame = parseFrame(event.data, event.id);
        if (!frame) continue;
        watch.onFrame(frame);
        if (frame.data.type === "done") return "done";
        if (frame.data.type === "message_not_streaming") return "not_streaming";
      }
    }
  } finally {
    clearTimeout(timer);
    watch.signal.removeEventListener("abort", onAbort);
    cut.abort();
  }
}

/** The world of a browser. */
export function browserWorld(fetcher: World["fetch"]): World {
  return {
    fetch: fetcher,
    silenceMs: 40_000,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          window.removeEventListener("online", done);
          document.removeEventListener("visibilitychange", done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        window.addEventListener("online", done);
        document.addEventListener("visibilitychange", done);
        signal.addEventListener("abort", done);
      }),
  };
}
