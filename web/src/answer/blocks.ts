// While an answer grows, only its last block changes. It is cut into blocks so
// that the others need not be parsed and drawn again with every word.

const fence = /^ {0,3}(`{3,}|~{3,}|\$\$)/;
const continues = /^(\s|[-*+]\s|\d{1,9}[.)]\s)/; // indented, or an item of a list: may belong to what is above
const definition = /^ {0,3}\[[^\]]+\]:/m; // a reference that any block may use

/** Cuts Markdown at blank lines that certainly end a block. Joined with "\n\n" it means the same. */
export function splitBlocks(markdown: string): string[] {
  if (definition.test(markdown)) return [markdown];
  const blocks: string[] = [];
  let lines: string[] = [];
  let fenced: string | undefined;
  let blank = false;
  for (const line of markdown.split("\n")) {
    if (fenced === undefined && line.trim() === "") {
      blank = true;
      if (lines.length > 0) lines.push(line);
      continue;
    }
    if (blank && fenced === undefined && lines.length > 0 && !continues.test(line)) {
      blocks.push(lines.join("\n").trimEnd());
      lines = [];
    }
    blank = false;
    lines.push(line);
    const mark = fence.exec(line)?.[1];
    if (mark === undefined) continue;
    if (fenced === undefined) {
      const closedHere = mark === "$$" && line.trim().length > 4 && line.trimEnd().endsWith("$$");
      if (!closedHere) fenced = mark;
    } else if (mark.startsWith(fenced) && line.trim() === mark) {
      fenced = undefined;
    }
  }
  if (lines.length > 0) blocks.push(lines.join("\n").trimEnd());
  return blocks;
}
