// Reading a document again that could not be read.

import { ApiError, sendJSON } from "../api/client";
import { failedPage } from "../api/documents";
import type { Doc } from "../api/types";
import { t } from "../strings";
import { toast } from "../ui/toasts";
import { takeIn } from "./takeIn";

/** Asks for another try; undefined where there is nothing to try any more. */
async function retry(id: string): Promise<Doc | undefined> {
  try {
    return await sendJSON<Doc>("POST", `/v1/documents/${encodeURIComponent(id)}/retry`);
  } catch (err) {
    if (err instanceof ApiError && (err.status === 404 || err.status === 409)) return undefined; // gone, or being read already
    throw err;
  }
}

export async function tryAgain(id: string): Promise<void> {
  try {
    const document = await retry(id);
    if (document) takeIn(new Map([[id, document]]));
  } catch (err) {
    toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
  }
}

/** Tries all documents of a folder and below again that could not be read. */
export async function tryAllAgain(folder: string): Promise<void> {
  let tried = 0;
  try {
    let cursor: string | undefined;
    do {
      const { documents, next } = await failedPage(folder, cursor);
      for (const { id } of documents) {
        const document = await retry(id);
        if (document) takeIn(new Map([[id, document]]));
        if (document) tried++;
      }
      cursor = next;
    } while (cursor !== undefined);
    toast({ text: t.library.triedAgain(tried) });
  } catch (err) {
    toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
  }
}
