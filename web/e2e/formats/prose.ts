// The texts of the footnote tests are written once, one sentence a line, and
// then set in every format.

export interface Section {
  /** "" before the first heading. */
  heading: string;
  blocks: Block[];
}

export type Block =
  | { kind: "paragraph"; sentences: string[] }
  | { kind: "list"; items: string[] }
  | { kind: "table"; rows: string[][] };

export interface Text {
  title: string;
  sections: Section[];
}

/**
 * Reads a text: "# " is its title, "## " a heading, "- " an item of a list and
 * "| a | b |" a row of a table, whose first row is its header. Any other line is
 * one sentence; an empty line ends the paragraph.
 */
export function read(source: string): Text {
  const text: Text = { title: "", sections: [] };
  let section: Section = { heading: "", blocks: [] };
  let open: Block | undefined;
  const put = (block: Block) => {
    section.blocks.push(block);
    open = block;
  };
  for (const line of source.trim().split("\n").map((l) => l.trim())) {
    if (line === "") {
      open = undefined;
    } else if (line.startsWith("# ")) {
      text.title = line.slice(2);
    } else if (line.startsWith("## ")) {
      section = { heading: line.slice(3), blocks: [] };
      text.sections.push(section);
      open = undefined;
    } else if (line.startsWith("- ")) {
      if (open?.kind === "list") open.items.push(line.slice(2));
      else put({ kind: "list", items: [line.slice(2)] });
    } else if (line.startsWith("| ")) {
      const row = line.slice(2, -1).split(" | ").map((cell) => cell.trim());
      if (open?.kind === "table") open.rows.push(row);
      else put({ kind: "table", rows: [row] });
    } else {
      if (open?.kind === "paragraph") open.sentences.push(line);
      else put({ kind: "paragraph", sentences: [line] });
    }
    if (text.sections.length === 0 && section.blocks.length > 0) text.sections.push(section);
  }
  return text;
}

/** Everything of a text that can be quoted, in its order. */
export interface Quotable {
  sentences: string[];
  items: string[];
  /** Without the headers. */
  rows: string[][];
}

export function quotable(text: Text): Quotable {
  const blocks = text.sections.flatMap((s) => s.blocks);
  return {
    sentences: blocks.flatMap((b) => (b.kind === "paragraph" ? b.sentences : [])),
    items: blocks.flatMap((b) => (b.kind === "list" ? b.items : [])),
    rows: blocks.flatMap((b) => (b.kind === "table" ? b.rows.slice(1) : [])),
  };
}
