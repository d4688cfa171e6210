// Taking back what was removed, and putting it where the page shows it again.

import { sendJSON } from "../api/client";
import { changed, keys } from "../api/queries";
import { putThread } from "../api/threads";
import type { Doc, Removed, Thread } from "../api/types";
import { takeIn } from "./takeIn";

export async function restoreDocument(id: string): Promise<void> {
  const document = await sendJSON<Doc>("POST", `/v1/documents/${encodeURIComponent(id)}/restore`);
  takeIn(new Map([[id, document]]));
  changed(keys.removed);
}

export async function restoreThread(id: string): Promise<void> {
  const thread = await sendJSON<Thread>("POST", `/v1/threads/${encodeURIComponent(id)}/restore`);
  putThread(id, thread);
  changed(keys.threads, keys.removed);
}

export async function restoreDatabase(id: string): Promise<void> {
  await sendJSON("POST", `/v1/databases/${encodeURIComponent(id)}/restore`);
  changed(keys.databases, keys.removed);
}

export function restore({ kind, id }: Pick<Removed, "kind" | "id">): Promise<void> {
  switch (kind) {
    case "document":
      return restoreDocument(id);
    case "thread":
      return restoreThread(id);
    case "database":
      return restoreDatabase(id);
  }
}
