// The library of the footnote tests: a document in every format that is read.

import { execFileSync } from "node:child_process";
import type { Browser } from "playwright-core";
import { csv, eml, html, markdown, plainText, xml } from "./markup";
import * as more from "./moretexts";
import { docx, epub, pptx, xlsx } from "./office";
import { pdfOf, pdfOfPicture } from "./pdf";
import type { Text } from "./prose";
import * as texts from "./texts";

export interface Fixture {
  /** The format, and what is particular about it; a row of the test's table. */
  kind: string;
  name: string;
  mime: string;
  text: Text;
  bytes: Buffer;
}

const fixture = (kind: string, name: string, mime: string, text: Text, bytes: Buffer | string): Fixture => ({
  kind,
  name,
  mime,
  text,
  bytes: Buffer.from(bytes),
});

const office = "application/vnd.openxmlformats-officedocument";

/** All but what needs a browser to be made. */
export function documents(): Fixture[] {
  const pdf = (kind: string, name: string, text: Text, bytes: Buffer) => fixture(kind, name, "application/pdf", text, bytes);
  return [
    pdf("PDF, one column", "lease.pdf", texts.lease, pdfOf(texts.lease, { size: 13, lines: 18 })),
    pdf("PDF, upside down", "handbook.pdf", texts.handbook, pdfOf(texts.handbook, { turned: [180, 0], lines: 26 })),
    pdf("PDF, two columns", "paper.pdf", texts.paper, pdfOf(texts.paper, { columns: 2, justified: true, lines: 19, size: 10 })),
    pdf("PDF, columns across", "bulletin.pdf", texts.bulletin, pdfOf(texts.bulletin, { columns: 2, justified: true, across: true, lines: 18, size: 10 })),
    pdf("PDF, turned pages", "report-2207.pdf", texts.labReport, pdfOf(texts.labReport, { turned: [90, 270], lines: 13, size: 13 })),
    pdf("PDF, sideways text", "annex-2207.pdf", texts.sideways, pdfOf(texts.sideways, { sideways: [90, 270], lines: 10, size: 13 })),
    fixture("DOCX", "minutes.docx", `${office}.wordprocessingml.document`, more.minutes, docx(more.minutes)),
    fixture("PPTX", "roadmap.pptx", `${office}.presentationml.presentation`, more.slides, pptx(more.slides)),
    fixture("XLSX", "stock.xlsx", `${office}.spreadsheetml.sheet`, more.stock, xlsx(more.stock)),
    fixture("EPUB", "observing.epub", "application/epub+zip", more.course, epub(more.course)),
    fixture("HTML", "lumen80.html", "text/html", more.product, html(more.product)),
    fixture("Markdown", "laboratory.md", "text/markdown", more.notes, markdown(more.notes)),
    fixture("mail", "shipment.eml", "message/rfc822", more.mail, eml(more.mail, { name: "packing.md", content: markdown(texts.mailNote) })),
    fixture("CSV", "complaints.csv", "text/csv", more.complaints, csv(more.complaints)),
    fixture("text", "garden.txt", "text/plain", more.plain, plainText(more.plain)),
  ];
}

/** Why scans can't be read here, if they can't. */
export function noScans(): string | undefined {
  try {
    execFileSync("tesseract", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "no tesseract: apt-get install tesseract-ocr";
  }
}

/** A letter as a scanner leaves it: the picture of a page. */
export async function scanned(browser: Browser): Promise<Fixture> {
  const { title, sections } = texts.scan;
  const size = { width: 918, height: 1188 }; // of a page of 612 × 792 points
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: 2 });
  const body = sections.map((s) => `<h2>${xml(s.heading)}</h2>${s.blocks.map((b) => (b.kind === "paragraph" ? `<p>${xml(b.sentences.join(" "))}</p>` : "")).join("")}`);
  await page.setContent(`<body style="margin: 90px; font: 25px/1.5 'DejaVu Serif', 'Liberation Serif', serif"><h1>${xml(title)}</h1>${body.join("")}</body>`);
  const jpeg = await page.screenshot({ type: "jpeg", quality: 90 });
  await page.close();
  const bytes = pdfOfPicture(title, jpeg, { width: size.width * 2, height: size.height * 2 });
  return fixture("PDF, scanned", "berth.pdf", "application/pdf", texts.scan, bytes);
}

/** A table that is asked in SQL. */
export const database = { name: "measurements", file: "measurements.csv", text: more.measurements, bytes: Buffer.from(csv(more.measurements)) };

/** Files that come with a question. */
export const attachments = [
  fixture("attached text", "scaffold.txt", "text/plain", more.attachedLetter, plainText(more.attachedLetter)),
  fixture("attached PDF", "energy.pdf", "application/pdf", more.attachedReport, pdfOf(more.attachedReport, { size: 12 })),
];
