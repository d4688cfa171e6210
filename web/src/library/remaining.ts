// How long it takes until all files of a drop can be searched: those that the
// server has and those that it doesn't know of yet.

import { inWork } from "../api/feed";
import type { Queue } from "../api/types";

export interface Sending {
  /** Since the first file was begun. */
  seconds: number;
  files: number;
  filesDone: number;
  bytes: number;
  bytesSent: number;
}

/** Before this nothing can be said, in seconds. */
const soonest = 3;

/** In seconds; undefined while it is not known. */
export function remaining(sending: Sending, queue: Queue | undefined): number | undefined {
  const send = sendingLeft(sending);
  const read = readingLeft(sending, queue);
  if (send === undefined) return undefined;
  return Math.max(send, read ?? 0);
}

/** Small files cost by their number, large ones by their bytes: whichever is further behind says more. */
function sendingLeft({ seconds, files, filesDone, bytes, bytesSent }: Sending): number | undefined {
  const part = Math.min(files > 0 ? filesDone / files : 1, bytes > 0 ? bytesSent / bytes : 1);
  if (seconds < soonest || part <= 0) return undefined;
  return (seconds * (1 - part)) / part;
}

/** The server's own estimate is of what it has; what it hasn't takes as long apiece. */
function readingLeft({ files, filesDone }: Sending, queue: Queue | undefined): number | undefined {
  const here = inWork(queue);
  if (here === 0 || !queue?.eta_seconds) return undefined;
  return (queue.eta_seconds * (here + files - filesDone)) / here;
}
