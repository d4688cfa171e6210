// How soon a footnote shows its words: node scripts/bench-reading.mjs URL [RUNS].
// Adds PDFs of 200 pages to the server at URL, shows an answer with a footnote on
// each, and clicks them: each PDF for the first time, then again. Prints one line
// for each figure: its name, the median, and the number of clicks, between tabs.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { pdfFile } from "./pdfFile.mjs";

const [url, runs = "5"] = process.argv.slice(2);
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => p && existsSync(p));
if (!url || !executablePath) {
  console.error(url ? "no Chromium: apt-get install chromium, or set CHROMIUM" : "usage: node scripts/bench-reading.mjs URL [RUNS]");
  process.exit(2);
}

const pages = 200;
const files = 12;
const sentence = (file, page) => `Entry ${page} of volume ${file} was written on day ${page * 3 + file} of the year.`;

/** A PDF whose pages are full of text. */
function pdf(file) {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"];
  const kids = [];
  for (let page = 1; page <= pages; page++) {
    const lines = Array.from({ length: 44 }, (_, i) => `Line ${i + 1} of page ${page} speaks of matter ${(page * 44 + i) % 997} at the length of a line.`);
    lines[30] = sentence(file, page);
    const text = lines.map((line) => `(${line}) Tj T*`).join(" ");
    const stream = `BT /F1 11 Tf 14 TL 60 730 Td ${text} ET`;
    kids.push(`${objects.length + 1} 0 R`);
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length + 2} 0 R >>`);
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages} >>`;
  return pdfFile([...objects, "<< >>"]);
}

async function documents() {
  return (await (await fetch(`${url}/v1/documents`)).json()).documents.filter((d) => d.name.startsWith("volume-"));
}

for (let file = 1; file <= files; file++) {
  const form = new FormData();
  form.append("file", new Blob([pdf(file)], { type: "application/pdf" }), `volume-${file}.pdf`);
  const response = await fetch(`${url}/v1/documents`, { method: "POST", body: form });
  if (!response.ok) throw new Error(`volume ${file} was not added: ${await response.text()}`);
}
let added = await documents();
while (added.some((d) => d.status !== "ready")) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  added = await documents();
}
const byName = new Map(added.map((d) => [d.name, d]));

let text = "";
const citations = [];
for (let n = 1; n <= files; n++) {
  const { id, version } = byName.get(`volume-${n}.pdf`);
  const page = 20 + n * 13;
  const start = text.length;
  text += `Statement ${n} has its source`;
  const end = text.length;
  text += ` [c${n}]. `;
  const quote = sentence(n, page);
  citations.push({ n, found: n, chunk_id: `c${n}`, document_id: id, version, title: `Volume ${n}`, path: [], pages: [page], heading: "", quote, start: 0, end: 0, level: "L2", score: 1, url: "", statements: [{ start, end, marker: end + 1, support: "quoted" }] });
}
const created_at = new Date().toISOString();
const question = { id: "q", thread_id: "t", role: "user", text: "What was written?", status: "completed", created_at };
const answer = { id: "a", thread_id: "t", parent_id: "q", role: "assistant", text, status: "completed", last_seq: 9, citations, found: citations, created_at };

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const fresh = [];
const again = [];
for (let run = 0; run < Math.max(1, Math.round(Number(runs) / 2)); run++) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.route(/\/v1\/threads(\?[^/]*)?$/, (route) => route.fulfill({ json: { threads: [{ id: "t", title: "Volumes", head_id: "a", created_at, updated_at: created_at }] } }));
  await page.route(/\/v1\/threads\/t$/, (route) => route.fulfill({ json: { id: "t", title: "Volumes", head_id: "a", created_at, updated_at: created_at } }));
  await page.route("**/v1/threads/t/messages*", (route) => route.fulfill({ json: { messages: [question, answer] } }));
  await page.route("**/v1/messages/a", (route) => route.fulfill({ json: answer }));
  await page.goto(`${url}/t/t`);
  await page.locator('.footnote-mark[data-note="1"]').hover(); // as anyone does before a click
  await page.waitForTimeout(1000);

  /** From the click until the words are marked on the drawn page, and painted; in ms. */
  const click = (n) =>
    page.evaluate(
      ({ n, quote }) =>
        new Promise((resolve, reject) => {
          const mark = document.querySelector(`.footnote-mark[data-note="${n}"]`);
          const began = performance.now();
          mark.click();
          const look = () => {
            const marks = document.querySelector(".page-marks[data-marked]");
            const drawn = marks?.dataset.marked === quote && marks.closest(".pdf-page").querySelector("canvas");
            const box = drawn && marks.firstElementChild.getBoundingClientRect();
            const room = drawn && marks.closest(".pdf-pages").getBoundingClientRect();
            if (drawn && box.top >= room.top && box.bottom <= room.bottom) requestAnimationFrame(() => resolve(performance.now() - began));
            else if (performance.now() - began > 30_000) reject(new Error(`footnote ${n} shows nothing`));
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        }),
      { n, quote: citations[n - 1].quote },
    );

  await click(1); // the reader of PDFs starts
  for (let n = 2; n <= files; n++) {
    fresh.push(await click(n));
    await page.waitForTimeout(400);
  }
  // The last few, there and back.
  for (const n of [files - 1, files, files - 2, files - 3, files - 1, files - 2, files, files - 3]) {
    again.push(await click(n));
    await page.waitForTimeout(400);
  }
  await page.context().close();
}
await browser.close();
for (const d of added) await fetch(`${url}/v1/documents/${d.id}`, { method: "DELETE" });

const median = (figures) => figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)];
console.log(["page: click until marked words are seen, new PDF of 200 pages", `${median(fresh).toFixed(0)} ms`, fresh.length].join("\t"));
console.log(["page: click until marked words are seen, PDF opened before", `${median(again).toFixed(0)} ms`, again.length].join("\t"));
