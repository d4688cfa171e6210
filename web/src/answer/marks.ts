// Citations stand in an answer as [chunk_id]. Before the text is read as
// Markdown they become marks that Markdown does not touch: the footnote's
// number between two private-use characters. After it, each mark in running
// text becomes an element of its own.

import type { Citation } from "../api/types";
import { partOpen } from "./doubts";
import { sourceOf } from "./math";

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
  url?: string;
  alt?: string;
  title?: string;
  children?: Node[];
  data?: { hName?: string; hProperties?: Record<string, string> };
}

/** Which elements stand for what; Markdown itself makes none of these. */
export const elements = { footnote: "cite", doubt: "u", doubtEnd: "ins", formula: "var" } as const;

const anyMark = /\ue000(\d+)\ue001|([\ue002\ue006])|(\ue003)|\ue004([0-9a-f]*)\ue005/g;

/**
 * Markdown plugin: marks in running text become elements (a footnote, a
 * formula, words in doubt); marks in code become what was written there.
 */
export function remarkMarks() {
  return (tree: Node): void => new Walk().into(tree);
}

class Walk {
  /** The mark of the statement in doubt that the walk is in; such statements run through links and bold words. */
  private inside: string | undefined;

  into(node: Node): void {
    if (node.url !== undefined) node.url = plain(node.url);
    if (node.alt) node.alt = plain(node.alt);
    if (node.title) node.title = plain(node.title);
    if (node.children) node.children = node.children.flatMap((child) => this.child(child));
    else if (node.value !== undefined) node.value = this.code(node.value);
  }

  private child(node: Node): Node[] {
    if (node.type === "text" && node.value !== undefined && (this.inside !== undefined || marksIn(node.value))) return this.split(node.value);
    this.into(node);
    return [node];
  }

  private code(value: string): string {
    for (const m of value.matchAll(anyMark)) this.turn(m);
    return plain(value);
  }

  private turn(m: RegExpMatchArray): void {
    if (m[2] !== undefined) this.inside = m[2];
    if (m[3] !== undefined) this.inside = undefined;
  }

  private split(text: string): Node[] {
    const nodes: Node[] = [];
    const say = (value: string) => {
      // The full stop after a footnote is not underlined by itself.
      if (value !== "") nodes.push(this.inside === undefined || /^[\s.,;:!?…)\]]+$/.test(value) ? { type: "text", value } : element("doubt", { "data-part": String(this.inside === partOpen) }, value));
    };
    let from = 0;
    for (const m of text.matchAll(anyMark)) {
      say(text.slice(from, m.index));
      from = m.index + m[0].length;
      if (m[1] !== undefined) nodes.push(element("footnote", { "data-n": m[1] }));
      if (m[4] !== undefined) nodes.push(element("formula", { "data-formula": sourceOf(m[4]) }));
      if (m[3] !== undefined && this.inside !== undefined) nodes.push(element("doubtEnd", { "data-part": String(this.inside === partOpen) }));
      this.turn(m);
    }
    say(text.slice(from));
    return nodes;
  }
}

function marksIn(text: string): boolean {
  return /[\ue000-\ue006]/.test(text);
}

/** What was written where nothing can be shown in its place. */
function plain(text: string): string {
  if (!marksIn(text)) return text;
  return text.replace(anyMark, (_, n?: string, _open?: string, _close?: string, hex?: string) => (n !== undefined ? `[${n}]` : hex !== undefined ? sourceOf(hex) : ""));
}

function element(what: keyof typeof elements, hProperties: Record<string, string>, text?: string): Node {
  return { type: what, data: { hName: elements[what], hProperties }, children: text === undefined ? [] : [{ type: "text", value: text }] };
}
