// The marks that markup.ts puts into an answer's text become elements once
// Markdown has been read: footnotes, statements in doubt or lit, formulas.

import type { Weak } from "./doubts";
import { sourceOf } from "./math";

/** A footnote mark: the number of its marker in the text, a colon, and the numbers of the footnotes. */
export const notesOpen = "\ue000";
export const notesClose = "\ue001";
export const doubtOpen: Record<Weak, string> = { not_found: "\ue002", partly: "\ue006", contradicted: "\ue009" };
export const doubtClose = "\ue003";
export const litOpen = "\ue007";
export const litClose = "\ue008";

/** Text without characters that would be taken for marks. */
export function withoutMarks(text: string): string {
  return text.replace(/[\ue000-\ue009]/g, "");
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
export const elements = { notes: "cite", statement: "u", doubtEnd: "ins", formula: "var" } as const;

const anyMark = /\ue000(\d+):([\d,]+)\ue001|([\ue002\ue006\ue009])|(\ue003)|\ue004([0-9a-f]*)\ue005|(\ue007)|(\ue008)/g;

/**
 * Markdown plugin: marks in running text become elements; marks in code become
 * what was written there.
 */
export function remarkMarks() {
  return (tree: Node): void => new Walk().into(tree);
}

class Walk {
  // Statements run through links and bold words, so what the walk is in outlives a node.
  private doubt: Weak | undefined;
  private lit = false;

  into(node: Node): void {
    if (node.url !== undefined) node.url = plain(node.url);
    if (node.alt) node.alt = plain(node.alt);
    if (node.title) node.title = plain(node.title);
    if (node.children) node.children = node.children.flatMap((child) => this.child(child));
    else if (node.value !== undefined) node.value = this.code(node.value);
  }

  private child(node: Node): Node[] {
    if (node.type === "text" && node.value !== undefined && (this.doubt !== undefined || this.lit || marksIn(node.value))) return this.split(node.value);
    this.into(node);
    return [node];
  }

  private code(value: string): string {
    for (const m of value.matchAll(anyMark)) this.turn(m);
    return plain(value);
  }

  private turn(m: RegExpMatchArray): void {
    if (m[3] !== undefined) this.doubt = weakOf(m[3]);
    if (m[4] !== undefined) this.doubt = undefined;
    if (m[6] !== undefined) this.lit = true;
    if (m[7] !== undefined) this.lit = false;
  }

  private split(text: string): Node[] {
    const nodes: Node[] = [];
    let from = 0;
    for (const m of text.matchAll(anyMark)) {
      nodes.push(...this.words(text.slice(from, m.index)));
      from = m.index + m[0].length;
      if (m[2] !== undefined) nodes.push(element("notes", { "data-at": m[1] ?? "", "data-notes": m[2] }));
      if (m[5] !== undefined) nodes.push(element("formula", { "data-formula": sourceOf(m[5]) }));
      if (m[4] !== undefined && this.doubt !== undefined) nodes.push(element("doubtEnd", { "data-support": this.doubt }));
      this.turn(m);
    }
    nodes.push(...this.words(text.slice(from)));
    return nodes;
  }

  private words(value: string): Node[] {
    if (value === "") return [];
    // The full stop after a footnote is not underlined by itself.
    const support = this.doubt !== undefined && !/^[\s.,;:!?…)\]]+$/.test(value) ? this.doubt : "";
    if (support === "" && !this.lit) return [{ type: "text", value }];
    return [element("statement", { "data-support": support, "data-lit": String(this.lit) }, value)];
  }
}

function weakOf(open: string): Weak | undefined {
  return (Object.keys(doubtOpen) as Weak[]).find((support) => doubtOpen[support] === open);
}

function marksIn(text: string): boolean {
  return /[\ue000-\ue009]/.test(text);
}

/** What was written where nothing can be shown in its place. */
function plain(text: string): string {
  if (!marksIn(text)) return text;
  return text.replace(anyMark, (_, _at?: string, notes?: string, _doubt?: string, _end?: string, hex?: string) =>
    notes !== undefined ? `[${notes.replaceAll(",", "][")}]` : hex !== undefined ? sourceOf(hex) : "",
  );
}

function element(what: keyof typeof elements, hProperties: Record<string, string>, text?: string): Node {
  return { type: what, data: { hName: elements[what], hProperties }, children: text === undefined ? [] : [{ type: "text", value: text }] };
}
