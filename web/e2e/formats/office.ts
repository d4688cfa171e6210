// Office files and books for the footnote tests.

import { xml } from "./markup";
import type { Block, Text } from "./prose";
import { zip } from "./zip";

const kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** The part that says which other parts one has. */
function relations(parts: readonly (readonly [kind: string, target: string])[]): string {
  const list = parts.map(([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${kinds}/${kind}" Target="${target}"/>`);
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join("")}</Relationships>`;
}

/** Word: headings by style, numbered items, tables; each sentence is in several runs. */
export function docx(text: Text): Buffer {
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const run = (s: string, props = "") => `<w:r>${props}<w:t xml:space="preserve">${xml(s)}</w:t></w:r>`;
  const runs = (s: string) => {
    const words = s.split(" ");
    return run(words.slice(0, 2).join(" "), "<w:rPr><w:b/></w:rPr>") + (words.length > 2 ? run(` ${words.slice(2).join(" ")}`) : "");
  };
  const paragraph = (content: string, props = "") => `<w:p><w:pPr>${props}</w:pPr>${content}</w:p>`;
  const styled = (style: string, s: string) => paragraph(run(s), `<w:pStyle w:val="${style}"/>`);
  const numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
  const set = (b: Block): string => {
    switch (b.kind) {
      case "paragraph":
        return paragraph(b.sentences.map((s, i) => (i > 0 ? run(" ") : "") + runs(s)).join(""));
      case "list":
        return b.items.map((item) => paragraph(runs(item), numbered)).join("");
      case "table":
        return `<w:tbl>${b.rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(run(cell))}</w:tc>`).join("")}</w:tr>`).join("")}</w:tbl>`;
    }
  };
  const body = styled("Heading1", text.title) + text.sections.map((s) => styled("Heading2", s.heading) + s.blocks.map(set).join("")).join("");
  const style = (id: string, name: string) => `<w:style w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  return zip([
    ["[Content_Types].xml", "<Types/>"],
    ["_rels/.rels", relations([["officeDocument", "word/document.xml"]])],
    ["word/_rels/document.xml.rels", relations([["styles", "styles.xml"]])],
    ["word/styles.xml", `<w:styles ${space}>${style("Heading1", "heading 1")}${style("Heading2", "heading 2")}</w:styles>`],
    ["word/document.xml", `<w:document ${space}><w:body>${body}</w:body></w:document>`],
  ]);
}

/** A presentation with a slide for each section, one point for each sentence. */
export function pptx(text: Text): Buffer {
  const space =
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
    `xmlns:r="${kinds}"`;
  const point = (s: string) => `<a:p><a:r><a:t>${xml(s)}</a:t></a:r></a:p>`;
  const shape = (kind: string, points: string) => `<p:sp><p:nvPr><p:ph type="${kind}"/></p:nvPr><p:txBody>${points}</p:txBody></p:sp>`;
  const points = (b: Block): string[] => {
    if (b.kind === "table") throw new Error("slides of these tests have no tables");
    return b.kind === "list" ? b.items : b.sentences;
  };
  const slides = text.sections.map((s) => shape("title", point(s.heading)) + shape("body", s.blocks.flatMap(points).map(point).join("")));
  slides.unshift(shape("title", point(text.title)));
  return zip([
    ["[Content_Types].xml", "<Types/>"],
    ["_rels/.rels", relations([["officeDocument", "/ppt/presentation.xml"]])],
    ["ppt/presentation.xml", `<p:presentation ${space}><p:sldIdLst>${slides.map((_, i) => `<p:sldId r:id="rId${i + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`],
    ["ppt/_rels/presentation.xml.rels", relations(slides.map((_, i) => ["slide", `slides/slide${i + 1}.xml`]))],
    ...slides.map((s, i) => [`ppt/slides/slide${i + 1}.xml`, `<p:sld ${space}><p:cSld><p:spTree>${s}</p:spTree></p:cSld></p:sld>`] as const),
  ]);
}

/** A workbook with a sheet for each section. */
export function xlsx(text: Text): Buffer {
  const cell = (s: string) => `<c t="inlineStr"><is><t>${xml(s)}</t></is></c>`;
  const rows = (b: Block) => (b.kind === "table" ? b.rows : []);
  const sheets = text.sections.map((s) => s.blocks.flatMap(rows).map((row, i) => `<row r="${i + 1}">${row.map(cell).join("")}</row>`));
  const names = text.sections.map((s, i) => `<sheet name="${xml(s.heading)}" r:id="rId${i + 1}"/>`);
  return zip([
    ["[Content_Types].xml", "<Types/>"],
    ["_rels/.rels", relations([["officeDocument", "xl/workbook.xml"]])],
    ["xl/workbook.xml", `<workbook xmlns:r="${kinds}"><sheets>${names.join("")}</sheets></workbook>`],
    ["xl/_rels/workbook.xml.rels", relations(sheets.map((_, i) => ["worksheet", `worksheets/sheet${i + 1}.xml`]))],
    ...sheets.map((s, i) => [`xl/worksheets/sheet${i + 1}.xml`, `<worksheet><sheetData>${s.join("")}</sheetData></worksheet>`] as const),
  ]);
}

/** A book with a chapter for each section. */
export function epub(text: Text): Buffer {
  const set = (b: Block): string => (b.kind === "paragraph" ? `<p>${xml(b.sentences.join(" "))}</p>` : "");
  const chapters = text.sections.map((s) => `<h1>${xml(s.heading)}</h1>${s.blocks.map(set).join("\n")}`);
  const items = chapters.map((_, i) => `<item id="c${i}" href="c${i}.xhtml" media-type="application/xhtml+xml"/>`);
  const spine = chapters.map((_, i) => `<itemref idref="c${i}"/>`);
  const metadata = `<metadata><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">${xml(text.title)}</dc:title></metadata>`;
  return zip([
    ["mimetype", "application/epub+zip"],
    ["META-INF/container.xml", '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'],
    ["OEBPS/book.opf", `<package>${metadata}<manifest>${items.join("")}</manifest><spine>${spine.join("")}</spine></package>`],
    ...chapters.map((c, i) => [`OEBPS/c${i}.xhtml`, `<html xmlns="http://www.w3.org/1999/xhtml"><body>${c}</body></html>`] as const),
  ]);
}
