// Documents for the tests, made on the spot.

import { pdfFile } from "../scripts/pdfFile.mjs";

/** A PDF with one page per entry, one line of Helvetica per "\n". */
export function pdf(title: string, pages: readonly string[]): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body); // the number of the new object
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(" ");
  add(`<< /Type /Catalog /Pages 2 0 R >>`);
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add(`<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>`);
  for (const text of pages) {
    const stream = `BT /F1 12 Tf 16 TL 72 720 Td ${text.split("\n").map((line) => `(${line.replace(/[()\\]/g, "\\$&")}) Tj T*`).join(" ")} ET`;
    const content = objects.length + 2;
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${content} 0 R >>`);
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  add(`<< /Title (${title}) >>`);
  return pdfFile(objects);
}

const filler = (about: string) =>
  `This page of the handbook is about ${about}.\nIt was written for readers who want to know\nmore about ${about}, and it says so at length.`;

export const handbook = {
  name: "handbook.pdf",
  mimeType: "application/pdf",
  buffer: pdf("Garden Handbook", [
    filler("roses and their pruning"),
    filler("compost and worms"),
    "Watering tomatoes\n\nTomato plants need two litres of water a day in\nJuly, and never on their leaves. Water that stands\non leaves overnight brings blight to the plants.",
    filler("apples and their storage"),
  ]),
};

export const tomatoes = "Tomato plants need two litres of water a day in July, and never on their leaves.";

export const notes = {
  name: "bees.md",
  mimeType: "text/markdown",
  buffer: Buffer.from(
    "# Bienen – 蜜蜂\n\nGrüße vom Imker: „Süßes für alle“.\n\n## Swarming\n\nHoneybees swarm between May and July, when the hive becomes too small for the colony — naïve keepers are surprised.\n\n## Winter\n\nA colony eats fifteen kilograms of honey in one winter.\n",
  ),
};
