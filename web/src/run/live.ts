// The runs that this tab has watched: their state lives outside the components,
// so that switching threads loses nothing, and is handed to them once a frame.

import { useSyncExternalStore } from "react";
import { getJSON, send } from "../api/client";
import { isDone, type Message } from "../api/types";
import { browserWorld, follow, type Connection, type Outcome } from "./follow";
import { reduce } from "./reducer";
import { emptyRun, fromMessage, type RunView } from "./view";

export interface LiveRun {
  view: RunView;
  /** idle: nobody watches it now; ended: there is nothing more to come. */
  connection: Connection | "idle" | "ended";
}

type Ended = (threadId: string, messageId: string) => void;

export class LiveRuns {
  private runs = new Map<string, LiveRun>();
  private shown = new Map<string, LiveRun>();
  private watched = new Map<string, AbortController>();
  private listeners = new Set<() => void>();
  private scheduled = false;
  onEnded: Ended = () => undefined;

  /** The run as it is shown now; the same object until something changes. */
  get(messageId: string): LiveRun | undefined {
    return this.shown.get(messageId);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Watches a run until it ends or the returned function is called. */
  watch(threadId: string, messageId: string, userMessageId = ""): () => void {
    const known = this.runs.get(messageId);
    if (known?.connection === "ended" || this.watched.has(messageId)) return () => undefined;
    if (!known) this.put(messageId, { view: emptyRun(messageId, threadId, userMessageId), connection: "idle" });
    const abort = new AbortController();
    this.watched.set(messageId, abort);
    void this.run(threadId, messageId, abort.signal);
    return () => {
      abort.abort();
      if (this.watched.get(messageId) === abort) this.watched.delete(messageId);
    };
  }

  private async run(threadId: string, messageId: string, signal: AbortSignal): Promise<void> {
    const outcome = await follow(
      {
        threadId,
        messageId,
        signal,
        position: () => this.runs.get(messageId)?.view.position ?? 0,
        onFrame: (frame) => this.change(messageId, (r) => ({ ...r, view: reduce(r.view, frame) })),
        onConnection: (connection) => !signal.aborted && this.change(messageId, (r) => ({ ...r, connection })),
      },
      browserWorld((path, init) => send(path, init)),
    );
    if (outcome === "aborted" || signal.aborted) {
      const taken = this.watched.has(messageId); // somebody watches it again already
      this.change(messageId, (r) => (taken || r.connection === "ended" ? r : { ...r, connection: "idle" }));
      return;
    }
    if (outcome !== "done") await this.fetch(messageId, outcome);
    this.watched.delete(messageId);
    this.change(messageId, (r) => ({ ...r, connection: "ended" }));
    this.onEnded(threadId, messageId);
  }

  /** A run that no longer streams is a saved message. */
  private async fetch(messageId: string, outcome: Outcome): Promise<void> {
    try {
      const saved = fromMessage(await getJSON<Message>(`/v1/messages/${encodeURIComponent(messageId)}`));
      // The log says more about the way to the answer than the message does.
      this.change(messageId, (r) => ({
        ...r,
        view: { ...saved, steps: r.view.steps.length > saved.steps.length ? r.view.steps : saved.steps, grades: { ...r.view.grades, ...saved.grades } },
      }));
    } catch {
      if (outcome === "gone") this.runs.delete(messageId);
    }
  }

  private change(messageId: string, next: (r: LiveRun) => LiveRun): void {
    const run = this.runs.get(messageId);
    if (run) this.put(messageId, next(run));
  }

  private put(messageId: string, run: LiveRun): void {
    this.runs.set(messageId, run);
    if (this.scheduled) return;
    this.scheduled = true;
    // Hidden pages draw no frames, but their title and announcements go on.
    if (document.hidden) setTimeout(this.show, 250);
    else requestAnimationFrame(this.show);
  }

  private show = (): void => {
    this.scheduled = false;
    this.shown = new Map(this.runs);
    for (const tell of this.listeners) tell();
  };
}

export const live = new LiveRuns();

export function useLiveRun(messageId: string | undefined): LiveRun | undefined {
  return useSyncExternalStore(live.subscribe, () => (messageId === undefined ? undefined : live.get(messageId)));
}

const unfolded = new WeakMap<Message, RunView>();

/** What to show of an answer: the watched run, or the saved message where that knows more. */
export function useRunView(message: Message): RunView {
  const run = useLiveRun(message.id);
  if (run && (run.view.position >= (message.last_seq ?? 0) || !isDone(message.status))) return run.view;
  let view = unfolded.get(message);
  if (!view) {
    view = fromMessage(message);
    unfolded.set(message, view);
  }
  return view;
}
