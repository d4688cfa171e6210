// What the panel shows of footnotes that rest on something else than a document of
// the library: attached files, results of queries, web pages, tools, pictures.

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Citation, Extract, Message } from "../src/api/types";
import { everyLook, looksTimeout } from "./axe";
import { Ibid, missing } from "./binary";
import { close, launch, open } from "./browser";
import { pdf } from "./files";
import { cited, footnoted } from "./footnoted";
import { question, serveThread } from "./scripted";

const letter = pdf("Letter", ["Dear tenant,\n\nThe rent is due on the third of each month.\nYours", "Second page\n\nThe deposit is paid back within six weeks."]);
const minutes = "# Minutes\n\nThe roof leaks. The roof leaks again in May.\n\nNobody was at fault.\n";
const again = "The roof leaks";
const results = "plant | litres\ntomato | 2.0\n<b>rose</b> | 1.0\nlily | 0.5";
const rose = results.indexOf("<b>rose");

// A red dot.
const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==", "base64");

function attached(n: number, file: number, title: string, quote: string, more: Partial<Citation> = {}): Citation {
  return cited(n, quote, { kind: "attachment", document_id: `q1:${file}`, version: `v${file}`, title, url: `/v1/messages/q1/files/${file}#page=1`, ...more });
}

const second = minutes.indexOf(again, minutes.indexOf(again) + 1);
const citations = [
  attached(1, 1, "letter.pdf", "The deposit is paid back within six weeks.", { pages: [2] }),
  attached(2, 2, "minutes.md", again, { start: second, end: second + again.length, url: "/v1/messages/q1/files/2" }),
  cited(3, "<b>rose</b> | 1.0\nlily | 0.5", { kind: "query", title: "garden", text: results, start: rose, end: results.length }),
  cited(4, "two litres", { kind: "web", title: "Watering", url: "https://garden.example/water", text: "Some say two litres; we say two litres.", text_start: 90, start: 118, end: 128 }),
  cited(5, "62", { kind: "tool", title: "calculator", text: "2 * 31 = 62", start: 9, end: 11 }),
  attached(6, 3, "dot.png", "", { kind: "attachment", url: "/v1/messages/q1/files/3" }),
  attached(7, 4, "old.txt", "As it was in the beginning.", { text: "Said: As it was in the beginning. So it ends.", url: "/v1/messages/q1/files/4" }),
];
const messages: Message[] = [
  question("q1", "What do my files say?"),
  footnoted("a1", "q1", citations, {
    steps: [
      { call_id: "x", tool: "query_database", iteration: 1, done: true, ok: true, duration_ms: 1, table: { query: "SELECT 1", columns: ["one"], rows: [["1"]] } },
      { call_id: "d", tool: "query_database", iteration: 1, done: true, ok: true, duration_ms: 8, table: { query: "SELECT plant, litres FROM watering", columns: ["plant", "litres"], rows: [["tomato", "2.0"], ["<b>rose</b>", "1.0"], ["lily", "0.5"]] } },
    ],
  }),
];

const texts: Record<string, Extract> = {
  "1": { format: "pdf", text: "Dear tenant,\n\nThe rent is due on the third of each month.\nYours\n\nSecond page\n\nThe deposit is paid back within six weeks.", blocks: null, pages: 2 },
  "2": { format: "markdown", text: minutes, blocks: null },
  "3": { format: "image", text: "", blocks: null, pages: 1 },
};
const bodies: Record<string, { body: Buffer; contentType: string }> = {
  "1": { body: letter, contentType: "application/pdf" },
  "2": { body: Buffer.from(minutes), contentType: "application/octet-stream" },
  "3": { body: dot, contentType: "image/png" },
};

const panelOf = (page: Page): Locator => page.locator(".source-panel, .source-sheet");

describe.skipIf(missing())(`kinds of footnotes${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    await ibid.stop();
  });

  const show = async (page: Page, n: number) => {
    await serveThread(page, "t", "Files", messages);
    // The fourth file is on a server that can't give its text.
    await page.route(/\/v1\/messages\/q1\/files\/(\d+)(\/text)?$/, (route) => {
      const [, n = "", text] = /files\/(\d+)(\/text)?/.exec(route.request().url()) ?? [];
      if (text) return texts[n] ? route.fulfill({ json: texts[n] }) : route.fulfill({ status: 404, json: { error: { code: "NOT_FOUND", message: "not found" } } });
      return bodies[n] ? route.fulfill(bodies[n]) : route.fulfill({ status: 404 });
    });
    await page.goto(`${ibid.url}/t/t?note=a1.${n}`);
    await panelOf(page).locator(".walk").waitFor();
  };

  it("opens an attached PDF at its page, and goes on to the next file", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, 1);
    const marks = w.page.locator(".page-marks[data-marked]");
    await expect.poll(() => marks.evaluateAll((all: HTMLElement[]) => all.map((el) => el.dataset["marked"]))).toEqual(["The deposit is paid back within six weeks."]);
    await panelOf(w.page).getByText("Page 2 of 2").waitFor();
    await w.page.keyboard.press("j");
    const marked = panelOf(w.page).locator("mark");
    await expect.poll(() => marked.allInnerTexts()).toEqual([again]);
    // It is the second of the same words.
    expect(await marked.evaluate((el) => el.nextSibling?.textContent)).toContain(" again in May");
    await close(w);
  });

  it("shows an attached picture framed", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, 6);
    await expect.poll(() => w.page.locator("img.picture").evaluate((el: HTMLImageElement) => el.naturalWidth)).toBe(5);
    expect(await w.page.locator("img.picture[data-framed]").count()).toBe(1);
    await close(w);
  });

  it("shows the quote of a file that the server can't give", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, 7);
    await expect.poll(() => panelOf(w.page).locator("mark").allInnerTexts()).toEqual(["As it was in the beginning."]);
    expect(await panelOf(w.page).getByRole("link", { name: "Open the file" }).getAttribute("href")).toBe("/v1/messages/q1/files/4");
    await close(w);
  });

  it("marks the rows of a result, under the query that asked for them", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, 3);
    const note = w.page.locator(".note-body");
    await expect.poll(() => note.locator("tr[data-marked] td").allInnerTexts()).toEqual(["<b>rose</b>", "1.0", "lily", "0.5"]);
    expect(await note.locator("td").count()).toBe(6);
    expect((await note.locator("pre").innerText()).trim()).toBe("SELECT plant, litres FROM watering");
    await close(w);
  });

  it("marks the words in what a page of the web and a tool said", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, 4);
    const mark = panelOf(w.page).locator("mark");
    await expect.poll(() => mark.allInnerTexts()).toEqual(["two litres"]);
    expect(await mark.evaluate((el) => el.previousSibling?.textContent)).toBe("Some say two litres; we say ");
    await w.page.keyboard.press("j");
    await expect.poll(() => mark.allInnerTexts()).toEqual(["62"]);
    await panelOf(w.page).getByText("What the tool answered:").waitFor();
    await close(w);
  });

  it("looks right at every width and in both themes", async () => {
    await everyLook(browser, ibid.url, "reading-query", async (page) => {
      await show(page, 3);
      await page.locator("tr[data-marked]").first().waitFor();
    });
  }, looksTimeout);
});
