// What the page says of what was removed, and of files of one name.

import type { Removed } from "../api/types";
import { n } from "../format";
import type { SameNameAnswer } from "./uploads";

export const removed = {
  title: "Recently removed",
  about: "Documents, threads and databases that were removed can be taken back for some days.",
  none: "Nothing was removed lately.",
  kinds: { document: "Document", thread: "Thread", database: "Database" } satisfies Record<Removed["kind"], string>,
  when: (ago: string) => `removed ${ago}`,
  until: (when: string) => `kept until ${when}`,
  restore: "Restore",
  restoreOf: (name: string) => `Restore ${name}`,
  restored: (name: string) => `${name} is back`,
};

export const sameName = {
  title: (name: string, folder: string) => `${name} is already in ${folder ? folder : "the library"}`,
  about: "The file you are adding has the same name and other content.",
  choices: {
    keep_both: ["Keep both", "The new one gets a number behind its name"],
    new_version: ["New version", "The new one takes its place; footnotes of earlier answers still open the old one"],
    skip: ["Skip", "The new one is not added"],
  } satisfies Record<SameNameAnswer, [string, string]>,
  forAll: (others: number) => (others === 1 ? "Do the same for the other one" : `Do the same for the other ${n(others)}`),
};
