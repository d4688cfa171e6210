// PDFs for the footnote tests, set as word processors set them: lines of real
// widths in Helvetica, headings in bold, words divided at the ends of lines.

import { pdfFile } from "../../scripts/pdfFile.mjs";
import type { Block, Text } from "./prose";

export interface Layout {
  columns?: 1 | 2;
  /** Columns are drawn line by line across, as some programs do, not one after the other. */
  across?: boolean;
  /** Words are divided and lines are stretched to the column's width. */
  justified?: boolean;
  /** How far each page, in turn, is turned clockwise when it is shown, in degrees. */
  turned?: readonly Turn[];
  /** How far the words of each page stand turned counter-clockwise on it. */
  sideways?: readonly Turn[];
  /** Lines that fit into a column. */
  lines?: number;
  size?: number;
}

export type Turn = 0 | 90 | 180 | 270;

interface Line {
  text: string;
  bold: boolean;
  /** Ends its paragraph, so it isn't stretched. */
  last: boolean;
}

const paper = { width: 612, height: 792 };
const margin = 60;
const gutter = 28;

/** A PDF of a text. */
export function pdfOf(text: Text, layout: Layout = {}): Buffer {
  const { columns = 1, across = false, justified = false, turned = [], sideways = [], size = 11 } = layout;
  const leading = size * 1.45;
  const pages: Page[] = [];
  // How long a line may be depends on how the page is held, so all pages of a file are held in one way.
  const upright = (turned[0] ?? sideways[0] ?? 0) % 180 === 0;
  const width = upright ? paper.width : paper.height;
  const height = upright ? paper.height : paper.width;
  const column = (width - 2 * margin - (columns - 1) * gutter) / columns;
  const fitting = Math.min(layout.lines ?? Infinity, Math.floor((height - 2 * margin) / leading));
  const lines = linesOf(text, column, size, justified);
  for (let at = 0; at < lines.length; at += fitting * columns) {
    const parts = Array.from({ length: columns }, (_, c) => lines.slice(at + c * fitting, at + (c + 1) * fitting));
    const placed = parts.flatMap((part, c) =>
      part.map((line, i) => ({ line, row: i, x: margin + c * (column + gutter), y: height - margin - i * leading })),
    );
    if (across) placed.sort((a, b) => a.row - b.row);
    const n = pages.length;
    const shown = turned[n % turned.length] ?? 0;
    const set = turned.length > 0 ? shown : (sideways[n % sideways.length] ?? 0);
    const content = placed
      .filter(({ line }) => line.text !== "")
      .map(({ line, x, y }) => {
        const stretch = justified && !line.last ? (column - widthOf(line.text, size)) / Math.max(1, line.text.split(" ").length - 1) : 0;
        return `BT /${line.bold ? "F2" : "F1"} ${size} Tf ${stretch.toFixed(3)} Tw ${matrix(set, x, y)} Tm (${escaped(line.text)}) Tj ET`;
      });
    pages.push({ content: content.join("\n"), turned: shown });
  }
  return file(text.title, pages);
}

/** A PDF whose one page is a picture and nothing else, as scanners make it. */
export function pdfOfPicture(title: string, jpeg: Buffer, pixels: { width: number; height: number }): Buffer {
  const content = `q ${paper.width} 0 0 ${paper.height} 0 0 cm /Im1 Do Q`;
  return file(title, [{ content, turned: 0, picture: { jpeg, ...pixels } }]);
}

/** Places what is written at x, y of the page as it is read, which is turned on the paper. */
function matrix(turn: Turn, x: number, y: number): string {
  switch (turn) {
    case 0:
      return `1 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)}`;
    case 90:
      return `0 1 -1 0 ${(paper.width - y).toFixed(2)} ${x.toFixed(2)}`;
    case 180:
      return `-1 0 0 -1 ${(paper.width - x).toFixed(2)} ${(paper.height - y).toFixed(2)}`;
    case 270:
      return `0 -1 1 0 ${y.toFixed(2)} ${(paper.height - x).toFixed(2)}`;
  }
}

function linesOf(text: Text, column: number, size: number, justified: boolean): Line[] {
  const lines: Line[] = [{ text: text.title, bold: true, last: true }, gap];
  for (const section of text.sections) {
    lines.push({ text: section.heading, bold: true, last: true }, gap);
    for (const block of section.blocks) {
      for (const paragraph of paragraphsOf(block)) lines.push(...wrapped(paragraph, column, size, justified));
      lines.push(gap);
    }
  }
  return lines;
}

const gap: Line = { text: "", bold: false, last: true };

function paragraphsOf(block: Block): string[] {
  switch (block.kind) {
    case "paragraph":
      return [block.sentences.join(" ")];
    case "list":
      return block.items.map((item) => `\u2022 ${item}`);
    case "table":
      return block.rows.map((row) => row.join("   "));
  }
}

function wrapped(paragraph: string, column: number, size: number, divide: boolean): Line[] {
  const lines: Line[] = [];
  let line = "";
  const fits = (s: string) => widthOf(s, size) <= column;
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    const places = divide ? syllables(word) : [];
    const place = places.findLast((at) => fits(`${line} ${word.slice(0, at)}-`));
    if (place === undefined) {
      lines.push({ text: line, bold: false, last: false });
      line = word;
    } else {
      lines.push({ text: `${line} ${word.slice(0, place)}-`, bold: false, last: false });
      line = word.slice(place);
    }
  }
  return [...lines, { text: line, bold: false, last: true }];
}

/** Where a long word may be divided: before a consonant between two vowels. */
function syllables(word: string): number[] {
  if (!/^[a-z]{8,}[.,;]?$/.test(word)) return [];
  return [...word.matchAll(/[aeiou](?=[b-df-hj-np-tv-z][aeiou])/g)].map((m) => m.index + 1).filter((at) => at >= 3 && at <= word.length - 4);
}

// Widths of Helvetica's letters from the space on, in thousandths of its size (Adobe's font metrics).
const widths =
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 " +
  "667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 " +
  "556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584";
const widthAt = widths.split(" ").map(Number);

function widthOf(s: string, size: number): number {
  const letters = Array.from(s.normalize("NFD").replace(/\p{M}/gu, ""));
  return (letters.reduce((sum, c) => sum + (widthAt[c.charCodeAt(0) - 32] ?? 556), 0) * size) / 1000;
}

// What Windows' Western alphabet has where Latin-1 has control characters.
const windows: Record<string, number> = { "€": 0x80, "„": 0x84, "’": 0x92, "“": 0x93, "”": 0x94, "•": 0x95, "–": 0x96, "—": 0x97 };

/** A PDF string in WinAnsiEncoding. */
function escaped(s: string): string {
  return Array.from(s)
    .map((c) => {
      const code = windows[c] ?? c.charCodeAt(0);
      if (code > 255) throw new Error(`no letter for ${c} in Helvetica`);
      if ("()\\".includes(c)) return `\\${c}`;
      return code > 126 ? `\\${code.toString(8)}` : c;
    })
    .join("");
}

interface Page {
  content: string;
  turned: Turn;
  picture?: { jpeg: Buffer; width: number; height: number };
}

function file(title: string, pages: readonly Page[]): Buffer {
  const objects: string[] = [];
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const stream = (dict: string, data: string) => `<< ${dict} /Length ${data.length} >>\nstream\n${data}\nendstream`;
  const kids = pages.map((_, i) => `${5 + i * 3} 0 R`).join(" ");
  objects.push("<< /Type /Catalog /Pages 2 0 R >>", `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`, font("Helvetica"), font("Helvetica-Bold"));
  for (const { content, turned, picture } of pages) {
    const n = objects.length + 1;
    const pictures = picture ? `/XObject << /Im1 ${n + 2} 0 R >>` : "";
    const box = `/MediaBox [0 0 ${paper.width} ${paper.height}] /Rotate ${turned}`;
    objects.push(`<< /Type /Page /Parent 2 0 R ${box} /Resources << /Font << /F1 3 0 R /F2 4 0 R >> ${pictures} >> /Contents ${n + 1} 0 R >>`);
    objects.push(stream("", content));
    const dict = `/Type /XObject /Subtype /Image /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`;
    objects.push(picture ? stream(`${dict} /Width ${picture.width} /Height ${picture.height}`, picture.jpeg.toString("latin1")) : "null");
  }
  objects.push(`<< /Title (${escaped(title)}) >>`);
  return pdfFile(objects);
}
