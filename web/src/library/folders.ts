// The library as folders: what lies below a path, and the way to it.

import type { FolderNode } from "../api/types";

export interface Crumb {
  name: string;
  path: string;
}

/** The paths of all folders, each before what is in it. */
export function pathsOf(root: FolderNode | undefined): string[] {
  return (root?.folders ?? []).flatMap((f) => [f.path, ...pathsOf(f)]);
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
