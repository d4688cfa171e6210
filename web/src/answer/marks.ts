// Citations stand in an answer as [chunk_id]. Before the text is read as
// Markdown they become marks that Markdown does not touch: the footnote's
// number between two private-use characters. After it, each mark in running
// text becomes an element of its own.

import type { Citation } from "../api/types";

const open = "\ue000";
const close = "\ue001";
const strays = /[\ue000\ue001]/g;
const bracketed = / ?\[([^[\]\s]{1,200})\]/g;
const marked = /\ue000(\d+)\ue001/g;

/** The answer with its citations as marks; what only looks like one stays as it is. */
export function markCitations(text: string, citations: readonly Citation[]): string {
  const clean = text.replace(strays, "");
  if (citations.length === 0) return clean;
  const numbers = new Map(citations.map((c) => [c.chunk_id, c.n]));
  return clean.replace(bracketed, (whole, id: string) => {
    const n = numbers.get(id);
    return n === undefined ? whole : `${open}${n}${close}`;
  });
}

/** The answer with its citations written as [n], for copying and for reading aloud. */
export function numberCitations(text: string, citations: readonly Citation[]): string {
  return markCitations(text, citations).replace(marked, (_, n: string) => ` [${n}]`);
}

/** The answer without its citations. */
export function withoutCitations(text: string, citations: readonly Citation[]): string {
  return markCitations(text, citations).replace(marked, "");
}

/** The citations that the text uses, in the order of their numbers. */
export function citedIn(text: string, citations: readonly Citation[]): Citation[] {
  const used = new Set<number>();
  for (const m of markCitations(text, citations).matchAll(marked)) used.add(Number(m[1]));
  return citations.filter((c) => used.has(c.n)).sort((a, b) => a.n - b.n);
}

interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: { hName?: string; hProperties?: Record<string, string> };
}

/** Markdown plugin: marks in text become <cite data-n="3">, marks in code become [3]. */
export function remarkFootnotes() {
  return (tree: Node): void => walk(tree);
}

function walk(node: Node): void {
  if (!node.children) {
    if (node.value !== undefined) node.value = node.value.replace(marked, "[$1]");
    return;
  }
  node.children = node.children.flatMap((child) => {
    if (child.type === "text" && child.value?.includes(open)) return split(child.value);
    walk(child);
    return [child];
  });
}

function split(text: string): Node[] {
  const nodes: Node[] = [];
  let from = 0;
  for (const m of text.matchAll(marked)) {
    if (m.index > from) nodes.push({ type: "text", value: text.slice(from, m.index) });
    nodes.push({ type: "footnote", data: { hName: "cite", hProperties: { "data-n": m[1] ?? "" } }, children: [] });
    from = m.index + m[0].length;
  }
  if (from < text.length) nodes.push({ type: "text", value: text.slice(from) });
  return nodes;
}
