// Deleting with a way back: what is deleted disappears at once, and is deleted
// in truth when the way back is no longer shown or the page is left.

import { ApiError } from "../api/client";
import { Store } from "./store";
import { toast } from "./toasts";

/** Keys of what is as good as gone: "thread:…", "document:…", "message:…". */
export const going = new Store<ReadonlySet<string>>(new Set());

const commits = new Map<string, () => void>();

export function removeLater(key: string, text: string, remove: () => Promise<void>): void {
  going.update((set) => new Set(set).add(key));
  const release = () => {
    commits.delete(key);
    going.update((set) => new Set([...set].filter((k) => k !== key)));
  };
  const commit = () => {
    if (!commits.delete(key)) return;
    remove()
      .catch((err: unknown) => {
        if (err instanceof ApiError && err.status === 404) return; // somebody else was faster
        toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
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
