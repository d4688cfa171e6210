// Deleting with a way back. What the server can take back is deleted at once, and
// Undo asks the server for it. What it can't disappears at once too, and is deleted
// in truth when the way back is no longer shown or the page is left.

import { ApiError } from "../api/client";
import { Store } from "./store";
import { drop, toast } from "./toasts";

/** Keys of what is as good as gone: "thread:…", "document:…", "message:…". */
export const going = new Store<ReadonlySet<string>>(new Set());

function hide(key: string): void {
  going.update((set) => new Set(set).add(key));
}

function show(key: string): void {
  going.update((set) => new Set([...set].filter((k) => k !== key)));
}

function report(err: unknown): void {
  toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
}

/** Whether a request failed because what it was about is not there any more. */
function isGone(err: unknown): boolean {
  return err instanceof ApiError && err.status === 404;
}

/** Deletes now; remove and restore also put what the page holds right. */
export function removeNow(key: string, text: string, remove: () => Promise<void>, restore: () => Promise<void>, onFinal?: () => void): void {
  hide(key);
  let undone = false;
  const removed = remove().then(
    () => true,
    (err: unknown) => {
      if (isGone(err)) return true; // somebody else was faster
      drop(note);
      report(err);
      return false;
    },
  );
  void removed.then(() => show(key));
  const undo = () => {
    undone = true;
    void removed.then((ok) => (ok ? restore() : undefined)).catch(report);
  };
  const note = toast({ text, undo, onClosed: () => !undone && onFinal?.() });
}

const commits = new Map<string, () => void>();

/** Deletes when the way back has gone. */
export function removeLater(key: string, text: string, remove: () => Promise<void>): void {
  hide(key);
  const release = () => {
    commits.delete(key);
    show(key);
  };
  const commit = () => {
    if (!commits.delete(key)) return;
    remove()
      .catch((err: unknown) => {
        if (!isGone(err)) report(err);
      })
      .finally(release);
  };
  commits.set(key, commit);
  // The note stays for longer under the pointer or with the focus, and so does the way back.
  toast({ text, undo: release, onClosed: commit });
}

if (typeof window !== "undefined") {
  window.addEventListener("pagehide", () => {
    for (const commit of [...commits.values()]) commit();
  });
}
