// Puts what became of documents into everything that this page holds of them, so
// that nothing has to be asked for again but counts.

import { documentOrder, documentSource, belongs, type DocumentQuery } from "../api/documents";
import { gently } from "../api/gently";
import { change, type Rows } from "../api/paged";
import { keys, queryClient } from "../api/queries";
import type { Doc } from "../api/types";
import { makeTrue } from "../api/usePaged";
import { countsDiffer } from "./changes";

/** Asks for counts again, soon and seldom. */
export const countAgain = gently(() => queryClient.invalidateQueries({ queryKey: keys.counts }));

/** By id: each document as it is now, or undefined for one that is gone. */
export function takeIn(docs: ReadonlyMap<string, Doc | undefined>): void {
  if (docs.size === 0) return;
  for (const [key, list] of documentLists()) {
    if (list) queryClient.setQueryData<Rows<Doc>>(key, change(list, of(docs, queryOf(key)), documentOrder));
  }
  for (const [id, doc] of docs) queryClient.setQueryData<Doc | null>(keys.document(id), (old) => (old === undefined ? undefined : (doc ?? null)));
  queryClient.setQueriesData<Doc[]>({ queryKey: keys.documentsByIds }, (old) => old?.flatMap((d) => (docs.has(d.id) ? (docs.get(d.id) ?? []) : [d])));
  if (countsDiffer(docs)) countAgain();
}

/** What changed is not known: what is shown is asked for again, and what is not shown is forgotten. */
export async function lookAgain(): Promise<void> {
  queryClient.removeQueries({ queryKey: keys.documentLists, type: "inactive" });
  countAgain();
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["documents", "one"] }),
    queryClient.invalidateQueries({ queryKey: keys.documentsByIds }),
    ...documentLists().map(([key]) => makeTrue(documentSource(queryOf(key)))),
  ]);
}

function documentLists() {
  return queryClient.getQueriesData<Rows<Doc>>({ queryKey: keys.documentLists });
}

/** The last part of a list's key is what the list was asked for. */
function queryOf(key: readonly unknown[]): DocumentQuery {
  return key[2] ?? {};
}

/** The same changes as one list sees them: what does not belong there is gone from it. */
function of(docs: ReadonlyMap<string, Doc | undefined>, query: DocumentQuery): Map<string, Doc | undefined> {
  return new Map([...docs].map(([id, doc]) => [id, doc && belongs(doc, query) ? doc : undefined]));
}
