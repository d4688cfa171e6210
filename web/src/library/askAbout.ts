import { go } from "../app/router";
import { keepHow, plainly } from "../ask/draft";

/** A new thread whose questions look into one folder, and all below it. */
export function askIn(folder: string): void {
  keepHow("new", { ...plainly, scope: { folder } });
  go({ view: { name: "new" } });
}

/** A new thread whose questions look into one document only. */
export function askAbout(documentId: string): void {
  keepHow("new", { ...plainly, scope: { documents: [documentId] } });
  go({ view: { name: "new" } });
}
