// The library as folders: what lies at a path, and what lies below it.

import type { Doc } from "../api/types";

export interface Crumb {
  name: string;
  path: string;
}

export interface FolderHere extends Crumb {
  /** Documents in it and in all folders below it. */
  total: number;
}

export interface Shelf {
  /** From the outermost folder to this one; none at the top. */
  crumbs: Crumb[];
  folders: FolderHere[];
  documents: Doc[];
  /** Documents here and below. */
  total: number;
}

export function shelfAt(docs: readonly Doc[], path: string): Shelf {
  const folders = new Map<string, FolderHere>();
  const documents: Doc[] = [];
  let total = 0;
  for (const d of docs) {
    const at = d.folder ?? "";
    if (!isBelow(at, path)) continue;
    total++;
    if (at === path) {
      documents.push(d);
      continue;
    }
    const name = at.slice(path === "" ? 0 : path.length + 1).split("/")[0] ?? "";
    const inner = path === "" ? name : `${path}/${name}`;
    const known = folders.get(inner);
    if (known) known.total++;
    else folders.set(inner, { name, path: inner, total: 1 });
  }
  return { crumbs: crumbsOf(path), folders: [...folders.values()].sort((a, b) => a.name.localeCompare(b.name)), documents, total };
}

/** Whether a folder is this one or lies below it. */
export function isBelow(folder: string, path: string): boolean {
  return path === "" || folder === path || folder.startsWith(`${path}/`);
}

export function crumbsOf(path: string): Crumb[] {
  if (path === "") return [];
  const names = path.split("/");
  return names.map((name, i) => ({ name, path: names.slice(0, i + 1).join("/") }));
}
