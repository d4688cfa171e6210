// Marked-up and plain texts for the footnote tests: web pages, Markdown, mail,
// tables of values, and text.

import type { Block, Text } from "./prose";

export function xml(s: string): string {
  return s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

/** A web page with a menu around its text, and words set off in its sentences. */
export function html(text: Text): string {
  const set = (b: Block): string => {
    switch (b.kind) {
      case "paragraph":
        return `<p>${b.sentences.map((s) => xml(s).replace(/^(\S+) (\S+)/, "$1 <em>$2</em>")).join("\n")}</p>`;
      case "list":
        return `<ul>${b.items.map((item) => `<li>${xml(item)}</li>`).join("")}</ul>`;
      case "table":
        return `<table>${b.rows.map((row, i) => `<tr>${row.map((c) => (i === 0 ? `<th>${xml(c)}</th>` : `<td>${xml(c)}</td>`)).join("")}</tr>`).join("\n")}</table>`;
    }
  };
  const body = text.sections.map((s) => `<h2>${xml(s.heading)}</h2>\n${s.blocks.map(set).join("\n")}`).join("\n");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${xml(text.title)}</title><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a> <a href="/shop">Shop</a></nav><main><h1>${xml(text.title)}</h1>\n${body}</main><footer>Imprint</footer></body></html>\n`;
}

/** Markdown with bold and slanted words in its sentences. */
export function markdown(text: Text): string {
  const set = (b: Block): string => {
    switch (b.kind) {
      case "paragraph":
        return b.sentences.map((s, i) => s.replace(/^(\S+) (\p{L}+) /u, i % 2 === 0 ? "$1 **$2** " : "$1 *$2* ")).join("\n");
      case "list":
        return b.items.map((item) => `- ${item}`).join("\n");
      case "table":
        return b.rows.map((row, i) => `| ${row.join(" | ")} |${i === 0 ? `\n|${row.map(() => " --- |").join("")}` : ""}`).join("\n");
    }
  };
  return `# ${text.title}\n\n${text.sections.map((s) => `## ${s.heading}\n\n${s.blocks.map(set).join("\n\n")}\n`).join("\n")}`;
}

/** Plain text in lines of at most 72 letters. */
export function plainText(text: Text): string {
  const wrap = (s: string) => s.replace(/(?![^\n]{1,72}$)([^\n]{1,72})\s/g, "$1\n");
  const set = (b: Block): string => (b.kind === "paragraph" ? wrap(b.sentences.join(" ")) : "");
  return `${text.title}\n\n${text.sections.map((s) => `${s.heading}\n\n${s.blocks.map(set).join("\n\n")}\n`).join("\n")}`;
}

/** Values between commas, all but numbers in quotation marks. */
export function csv(text: Text): string {
  const rows = text.sections.flatMap((s) => s.blocks.flatMap((b) => (b.kind === "table" ? b.rows : [])));
  return `${rows.map((row) => row.map((cell) => (/^-?\d+$/.test(cell) ? cell : `"${cell.replace(/"/g, '""')}"`)).join(",")).join("\r\n")}\r\n`;
}

/** A message in quoted-printable, with a file that comes with it. */
export function eml(text: Text, attached: { name: string; content: string }): string {
  const lines = text.sections.flatMap((s) => s.blocks.flatMap((b) => (b.kind === "paragraph" ? [b.sentences.join(" ")] : [])));
  const word = (s: string) => `=?utf-8?b?${Buffer.from(s).toString("base64")}?=`;
  return [
    `From: ${word("Jürgen Öhlschläger")} <j@norrland.example>`,
    `To: ${word("Sigrún Þórsdóttir")} <s@example.org>`,
    `Subject: ${word(text.title)}`,
    "Date: Tue, 2 Sep 2025 09:30:00 +0200",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="part"',
    "",
    "--part",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    quotedPrintable(lines.join("\n\n")),
    "--part",
    `Content-Type: text/markdown; charset=utf-8; name="${attached.name}"`,
    `Content-Disposition: attachment; filename="${attached.name}"`,
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(attached.content).toString("base64").replace(/.{76}/g, "$&\r\n"),
    "--part--",
    "",
  ].join("\r\n");
}

function quotedPrintable(s: string): string {
  const lines: string[] = [];
  for (const paragraph of s.split("\n")) {
    let line = "";
    for (const byte of Buffer.from(paragraph)) {
      const piece = byte === 61 || byte < 32 || byte > 126 ? `=${byte.toString(16).toUpperCase().padStart(2, "0")}` : String.fromCharCode(byte);
      if (line.length + piece.length > 75) {
        lines.push(`${line}=`);
        line = "";
      }
      line += piece;
    }
    lines.push(line);
  }
  return lines.join("\r\n");
}
