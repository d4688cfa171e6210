// Whether the server tells this page of changes as they happen, and how far it is
// with what is being read.

import { Store } from "../ui/store";
import type { Queue } from "./types";

export interface Feed {
  connected: boolean;
  /** As last told; undefined where nothing was told since the feed was opened. */
  queue?: Queue;
}

export const feed = new Store<Feed>({ connected: false });

/** Documents that wait to be read or are being read. */
export function inWork(queue: Queue | undefined): number {
  return queue ? queue.waiting + queue.processing : 0;
}
