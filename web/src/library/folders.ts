// The library as folders: what lies at a path, and what lies below it.

import type { FolderNode } from "../api/types";

export interface Crumb {
  name: string;
  path: string;
}

/** The folder at a path, if any document is in it or below it. */
export function folderAt(root: FolderNode | undefined, path: string): FolderNode | undefined {
  let at = root;
  for (const { path: step } of crumbsOf(path)) at = at?.folders?.find((f) => f.path === step);
  return at;
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
