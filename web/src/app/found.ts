// What the finder offers for some words: threads, documents and places, each
// with the words it is found by.

import type { Doc, Thread } from "../api/types";

export interface Found {
  key: string;
  group: "threads" | "documents" | "places";
  name: string;
  /** Said beside the name. */
  about: string;
  act: () => void;
}

const most = 7;

/** What the server is asked for: the longest of the words, since it looks for a part of a name. The others are looked for in what it answers. */
export function askedFor(words: string): string {
  return words.split(/\s+/).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** Everything that has all of the words, best first within its group: what begins with them, then what was used last. */
export function findIn(all: readonly Found[], words: string): Found[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = all.filter((f) => {
    const text = `${f.name} ${f.about}`.toLowerCase();
    return wanted.every((w) => text.includes(w));
  });
  const begins = (f: Found) => (f.name.toLowerCase().startsWith(wanted[0] ?? "") ? 0 : 1);
  const best = wanted.length === 0 ? fits : [...fits].sort((a, b) => begins(a) - begins(b));
  return (["threads", "documents", "places"] as const).flatMap((group) => best.filter((f) => f.group === group).slice(0, most));
}

export function threadsFound(threads: readonly Thread[], untitled: string, open: (id: string) => void): Found[] {
  return threads.map((x) => ({ key: `thread ${x.id}`, group: "threads", name: x.title || untitled, about: "", act: () => open(x.id) }));
}

export function documentsFound(docs: readonly Doc[], open: (id: string) => void): Found[] {
  return docs.map((d) => ({
    key: `document ${d.id}`,
    group: "documents",
    name: d.title || d.name,
    about: [d.title && d.title !== d.name ? d.name : "", d.folder].filter(Boolean).join(" · "),
    act: () => open(d.id),
  }));
}
