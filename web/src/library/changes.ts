// What the server tells of documents while they change (GET
// /v1/documents/events).

import { EventParser } from "../run/sse";
import type { Doc, Queue } from "../api/types";

export type LibraryChange =
  | { kind: "document"; document: Doc }
  | { kind: "removed"; id: string }
  | { kind: "queue"; queue: Queue }
  /** More has changed than was told. */
  | { kind: "behind" };

export function readChange(event: string, data: string): LibraryChange | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (event === "behind") return { kind: "behind" };
  if (typeof value !== "object" || value === null) return undefined;
  if (event === "queue" && "waiting" in value && "processing" in value) return { kind: "queue", queue: value as Queue };
  if (!("id" in value) || typeof value.id !== "string") return undefined;
  if (event === "document") return { kind: "document", document: value as Doc };
  if (event === "removed") return { kind: "removed", id: value.id };
  return undefined;
}

/** What became of each document, by id: as it is now, or undefined for one that is gone. */
export function lastOf(changes: readonly LibraryChange[]): Map<string, Doc | undefined> {
  const last = new Map<string, Doc | undefined>();
  for (const c of changes) {
    if (c.kind === "document") last.set(c.document.id, c.document);
    else if (c.kind === "removed") last.set(c.id, undefined);
  }
  return last;
}

/** Whether documents came, went, or were done: what only counts is counted anew then, and not with each step of the work. */
export function countsDiffer(docs: ReadonlyMap<string, Doc | undefined>): boolean {
  return [...docs.values()].some((d) => d?.status !== "processing");
}

/** Reads the changes of a stream until it ends or breaks. */
export async function readChanges(body: ReadableStream<Uint8Array>, onChange: (change: LibraryChange) => void): Promise<void> {
  const parser = new EventParser();
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const e of parser.push(value)) {
      const change = readChange(e.event, e.data);
      if (change) onChange(change);
    }
  }
}
