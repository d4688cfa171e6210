import { go } from "../app/router";
import { keepHow, plainly } from "../ask/draft";

/** A new thread whose questions look into one document only. */
export function askAbout(documentId: string): void {
  keepHow("new", { ...plainly, scope: { documents: [documentId] } });
  go({ view: { name: "new" } });
}
