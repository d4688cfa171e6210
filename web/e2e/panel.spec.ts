// The reading mode: footnotes opened beside their answer, at every width, and the
// way from one to the next.

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Message } from "../src/api/types";
import { everyLook, looksTimeout } from "./axe";
import { Ibid, missing } from "./binary";
import { close, focused, launch, open } from "./browser";
import { notes, pdf } from "./files";
import { addFiles, cited, footnoted } from "./footnoted";
import { question, serveThread } from "./scripted";

const small = "Interest on late payments is five per cent a year, counted from the day after the payment was due.";
const report = {
  name: "report.pdf",
  mimeType: "application/pdf",
  buffer: pdf("Annual Report 2019", [
    ...Array.from({ length: 19 }, (_, i) => `Chapter ${i + 1}\n\nThis chapter is about subject ${i + 1} and says so.`),
    "Results\n\nBerlin: sales grew by 20 %.\nHamburg: sales grew by 20 %.\nMunich: sales grew by 20 %.\n\nThe board proposes to pay the same dividend as the\nyear before.",
    ...Array.from({ length: 60 }, (_, i) => `Annex ${i + 1}\n\nFigures of branch ${i + 1}.`),
  ]),
};
const contract = { name: "contract.pdf", mimeType: "application/pdf", buffer: pdf("Contract", [`Terms\n\n${small.replace("counted", "\ncounted")}\n\nNotice is three months.`, "Signatures"]) };
const turned = { name: "turned.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdf("Turned", ["This page is turned.\n\nIts words are marked where they stand."]).toString("latin1").replace("/MediaBox [0 0 612 792]", "/MediaBox [0 0 612 792]  /Rotate 90"), "latin1") };

const panelOf = (page: Page): Locator => page.locator(".source-panel, .source-sheet");
const marked = (page: Page): Promise<(string | undefined)[]> => page.locator(".page-marks[data-marked]").evaluateAll((all: HTMLElement[]) => all.map((el) => el.dataset["marked"]));
const letters = (text: string | undefined) => (text ?? "").replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();

/** What is wrong with where the page and its marks stand in the panel; nothing, if all is well. */
function misplaced(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scroller = document.querySelector<HTMLElement>(".pdf-pages");
    const marks = [...document.querySelectorAll(".page-mark")].map((el) => el.getBoundingClientRect());
    if (!scroller || marks.length === 0) return ["nothing is marked"];
    const room = scroller.getBoundingClientRect();
    const wrong: string[] = [];
    if (scroller.scrollWidth > scroller.clientWidth) wrong.push(`${scroller.scrollWidth - scroller.clientWidth} px are cut off`);
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("the window scrolls sideways");
    for (const m of marks) if (m.left < room.left || m.right > room.left + scroller.clientWidth || m.top < room.top || m.bottom > room.bottom) wrong.push("a mark is out of sight");
    const middle = (Math.min(...marks.map((m) => m.top)) + Math.max(...marks.map((m) => m.bottom))) / 2;
    const away = Math.abs(middle - (room.top + room.bottom) / 2);
    const atEnd = scroller.scrollTop <= 1 || scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
    if (away > 24 && !atEnd) wrong.push(`the marks are ${away} px from the middle`);
    return wrong;
  });
}

/** A mark covers ink: the words under it are drawn there, however the page is turned. */
function inkUnderMarks(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".pdf-page:has(.page-mark) canvas");
    const context = canvas?.getContext("2d");
    if (!canvas || !context) return [];
    const whole = canvas.getBoundingClientRect();
    const [kx, ky] = [canvas.width / whole.width, canvas.height / whole.height];
    return [...document.querySelectorAll(".page-mark")].map((mark) => {
      const m = mark.getBoundingClientRect();
      const { data } = context.getImageData((m.left - whole.left) * kx, (m.top - whole.top) * ky, Math.max(1, m.width * kx), Math.max(1, m.height * ky));
      let dark = 0;
      for (let i = 0; i < data.length; i += 4) if ((data[i] ?? 255) < 128) dark++;
      return dark / (data.length / 4);
    });
  });
}

describe.skipIf(missing())(`the reading mode${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;
  let messages: Message[];
  let quotes: string[];

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    const [reportDoc, contractDoc, notesDoc, turnedDoc] = await addFiles(w.page, [report, contract, notes, turned]);
    const passage = "Berlin: sales grew by 20 %. Hamburg: sales grew by 20 %. Munich: sales grew by 20 %.";
    const at = passage.indexOf("sales", passage.indexOf("Hamburg"));
    const text = notes.buffer.toString();
    const bees = "A colony eats fifteen kilograms of honey in one winter.";
    const extract = (await (await w.page.request.get(`${ibid.url}/v1/documents/${notesDoc?.id}/text`)).json()) as { text: string };
    const beesAt = Buffer.byteLength(extract.text.slice(0, extract.text.indexOf(bees)));
    expect(text).toContain(bees);
    const inReport = { document_id: reportDoc?.id, version: reportDoc?.version, title: "Annual Report 2019", pages: [20] };
    const footnotes = [
      cited(1, "sales grew by 20 %", { ...inReport, text: passage, text_start: 500, start: 500 + at, end: 500 + at + 18 }),
      cited(2, "The board proposes to pay the same dividend as the year before.", inReport),
      cited(3, small, { document_id: contractDoc?.id, version: contractDoc?.version, title: "Contract", pages: [1] }),
      cited(4, bees, { document_id: notesDoc?.id, version: notesDoc?.version, title: "Bees", start: beesAt, end: beesAt + bees.length }),
      cited(5, "Its words are marked where they stand.", { document_id: turnedDoc?.id, version: turnedDoc?.version, title: "Turned", pages: [1] }),
      cited(6, "", { ...inReport, pages: [3], kind: "image" }),
    ];
    quotes = footnotes.map((c) => c.quote);
    const found = [...footnotes, cited(7, "Notice is three months.", { document_id: contractDoc?.id, version: contractDoc?.version, title: "Contract", pages: [1] })];
    messages = [question("q1", "How was the year?"), footnoted("a1", "q1", footnotes, { found })];
    await close(w);
  });

  afterAll(async () => {
    await ibid.stop();
  });

  const show = async (page: Page, to = "/t/t") => {
    await serveThread(page, "t", "The year", messages);
    await page.goto(ibid.url + to);
    await page.locator(".answer .prose").first().waitFor();
  };
  const at = (page: Page, n: number) => panelOf(page).locator(".walk-at", { hasText: new RegExp(`^${n} of 6$`) }).waitFor();
  const marks = (page: Page, n: number) => expect.poll(async () => (await marked(page)).map(letters)).toEqual([letters(quotes[n - 1])]);

  it("fits the page to the panel at every width, with the marked words in the middle", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    for (const width of [380, 768, 1280, 1440, 1920, 2560]) {
      await page.setViewportSize({ width, height: width < 900 ? 780 : 900 });
      await show(page, "/t/t?note=a1.1");
      for (const n of [1, 3, 5]) {
        if (n > 1) for (let j = 0; j < 2; j++) await panelOf(page).getByRole("button", { name: "Next footnote" }).click();
        await at(page, n);
        await marks(page, n);
        await expect.poll(() => misplaced(page), { message: `footnote ${n} at ${width}` }).toEqual([]);
      }
    }
    await close(w);
  });

  it("marks the words where they are drawn, also on a page that is turned", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    for (const n of [3, 5]) {
      await show(w.page, `/t/t?note=a1.${n}`);
      await marks(w.page, n);
      await expect.poll(async () => (await inkUnderMarks(w.page)).filter((ink) => ink < 0.08), { message: `footnote ${n}` }).toEqual([]);
      expect((await inkUnderMarks(w.page)).length).toBeGreaterThan(0);
    }
    await close(w);
  });

  it("marks the one of the same words that is meant", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, "/t/t?note=a1.1");
    await marks(w.page, 1);
    const line = await w.page.evaluate(() => {
      const mark = document.querySelector(".page-mark")?.getBoundingClientRect();
      const words = [...document.querySelectorAll(".text-layer span")].filter((el) => mark && Math.abs(el.getBoundingClientRect().top - mark.top) < 4);
      return words.map((el) => el.textContent).join("");
    });
    expect(line).toContain("Hamburg");
    await close(w);
  });

  it("walks through the footnotes with arrows and keys, across documents, and back to the word that was read", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    const files: string[] = [];
    page.on("request", (r) => /\/v1\/documents\/[^/]+\/file/.test(r.url()) && files.push(r.url()));
    await show(page);
    await page.locator('.footnote-mark[data-note="1"]').click();
    await marks(page, 1);
    await at(page, 1);
    // The next one is in the same PDF, which is not opened again.
    const canvas = await page.locator('[data-page="20"] canvas').elementHandle();
    const asked = files.length;
    await page.keyboard.press("j");
    await marks(page, 2);
    await at(page, 2);
    expect(files.length).toBe(asked);
    expect(await canvas.evaluate((el) => el.isConnected)).toBe(true);
    await expect.poll(() => misplaced(page)).toEqual([]);
    await panelOf(page).getByRole("button", { name: "Next footnote" }).click();
    await marks(page, 3);
    await at(page, 3);
    await page.keyboard.press("ArrowRight");
    await at(page, 4);
    await expect.poll(() => panelOf(page).locator("mark").allInnerTexts()).toEqual([quotes[3]]);
    await page.keyboard.press("ArrowLeft");
    await marks(page, 3);
    await page.keyboard.press("k");
    await marks(page, 2);
    expect(page.url()).toContain("note=a1.2");
    await page.keyboard.press("Escape");
    await panelOf(page).waitFor({ state: "detached" });
    await focused(page, '.footnote-mark[data-note="2"]');
    // Nothing is walked to once the panel is closed.
    await page.keyboard.press("j");
    expect(page.url()).not.toContain("note=");
    await close(w);
  });

  it("stops at the first and the last footnote, and leaves letters alone that are typed", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page, "/t/t?note=a1.1");
    await at(page, 1);
    await page.keyboard.press("k");
    await at(page, 1);
    await page.locator("#question").fill("");
    await page.locator("#question").pressSequentially("jk");
    expect(await page.locator("#question").inputValue()).toBe("jk");
    await at(page, 1);
    for (let n = 1; n < 6; n++) await panelOf(page).getByRole("button", { name: "Next footnote" }).click();
    await at(page, 6);
    expect(await panelOf(page).getByRole("button", { name: "Next footnote" }).getAttribute("aria-disabled")).toBe("true");
    // The last one is a whole page.
    await page.locator('.pdf-page[data-page="3"][data-framed]').waitFor();
    expect(await marked(page)).toEqual([]);
    await close(w);
  });

  it("opens a passage that was found and not cited, without arrows", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, "/t/t?found=a1.7");
    await expect.poll(() => marked(w.page)).toEqual(["Notice is three months."]);
    expect(await panelOf(w.page).locator(".walk").count()).toBe(0);
    await close(w);
  });

  it("keeps the zoom of each document, and the place when the window changes", async () => {
    const w = await open(browser, "about:blank", { viewport: { width: 1280, height: 800 } }, ibid.url);
    const { page } = w;
    await show(page, "/t/t?note=a1.1");
    await marks(page, 1);
    await expect.poll(() => misplaced(page)).toEqual([]);
    const width = () => page.locator('[data-page="20"]').evaluate((el) => el.getBoundingClientRect().width);
    const fitted = await width();
    for (const size of [{ width: 1920, height: 1000 }, { width: 960, height: 700 }, { width: 1440, height: 900 }]) {
      await page.setViewportSize(size);
      await expect.poll(() => misplaced(page), { message: `at ${size.width}` }).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(width).toBe(fitted);
    await panelOf(page).getByRole("button", { name: "Larger" }).click();
    await expect.poll(width).toBeGreaterThan(fitted * 1.2);
    const zoomed = await width();
    await page.setViewportSize({ width: 1300, height: 700 });
    await expect.poll(width).toBeGreaterThan(fitted * 1.2);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(width).toBe(zoomed);
    await page.keyboard.press("j");
    await marks(page, 2);
    expect(await width()).toBe(zoomed);
    await page.keyboard.press("j");
    await marks(page, 3); // another document is as wide as the panel
    await expect.poll(() => misplaced(page)).toEqual([]);
    await page.keyboard.press("k");
    await marks(page, 2);
    await expect.poll(width).toBe(zoomed);
    await panelOf(page).getByRole("button", { name: "Fit the width" }).click();
    await expect.poll(width).toBe(fitted);
    await close(w);
  });

  it("goes to a page by its number, and back to the quote", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page, "/t/t?note=a1.1");
    await panelOf(page).getByText("Page 20 of 80").waitFor();
    const field = panelOf(page).getByLabel("Go to page");
    await field.fill("57");
    await field.press("Enter");
    await panelOf(page).getByText("Page 57 of 80").waitFor();
    await page.locator('[data-page="57"] .text-layer', { hasText: "branch 37" }).waitFor();
    await field.fill("9999");
    await field.press("Enter");
    await panelOf(page).getByText("Page 80 of 80").waitFor();
    await panelOf(page).getByRole("button", { name: "Back to the quote" }).click();
    await panelOf(page).getByText("Page 20 of 80").waitFor();
    await expect.poll(() => misplaced(page)).toEqual([]);
    await close(w);
  });

  it("searches within a PDF and within a text", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page, "/t/t?note=a1.1");
    await marks(page, 1);
    await panelOf(page).locator(".pdf-pages").focus();
    await page.keyboard.press("Control+f");
    await focused(page, ".find-bar input");
    await page.keyboard.type("figures of branch 5");
    const count = panelOf(page).locator(".find-count");
    await expect.poll(() => count.innerText()).toBe("1 of 11"); // 5, 50 to 59
    await panelOf(page).getByText("Page 25 of 80").waitFor();
    await page.locator(".page-hit.current").first().waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => count.innerText()).toBe("2 of 11");
    await panelOf(page).getByText("Page 70 of 80").waitFor();
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("Shift+Enter");
    await expect.poll(() => count.innerText()).toBe("11 of 11");
    await panelOf(page).getByText("Page 79 of 80").waitFor();
    await page.locator(".find-bar input").fill("nowhere to be found");
    await expect.poll(() => count.innerText()).toBe("Not found");
    await page.keyboard.press("Escape"); // the search, not the document
    await panelOf(page).locator(".find-bar").waitFor({ state: "detached" });
    await panelOf(page).locator(".walk").waitFor();

    await show(page, "/t/t?note=a1.4");
    await panelOf(page).locator("mark").waitFor();
    await panelOf(page).getByRole("button", { name: "Search in this document" }).click();
    await page.keyboard.type("swarm");
    await expect.poll(() => count.innerText()).toBe("1 of 2");
    await page.keyboard.press("Enter");
    await expect.poll(() => panelOf(page).locator('mark[data-kind="current"]').innerText()).toBe("swarm");
    await expect.poll(() => count.innerText()).toBe("2 of 2");
    await close(w);
  });

  it("copies the quote, and dims the paper in the dark as long as it is wanted", async () => {
    const w = await open(browser, "about:blank", { colorScheme: "dark" }, ibid.url);
    const { page } = w;
    await page.addInitScript(() => {
      Object.defineProperty(navigator, "clipboard", { value: { writeText: (text: string) => Promise.resolve(void (document.title = text)) } });
    });
    await show(page, "/t/t?note=a1.3");
    await marks(page, 3);
    await panelOf(page).getByRole("button", { name: "Copy the quote" }).click();
    await expect.poll(() => page.title()).toBe(small);
    const veil = () => page.locator(".pdf-page").first().evaluate((el) => getComputedStyle(el, "::after").backgroundColor);
    expect(await veil()).toBe("rgb(185, 174, 159)");
    await panelOf(page).getByRole("button", { name: "Dim the paper" }).click();
    await expect.poll(veil).toBe("rgba(0, 0, 0, 0)");
    await page.reload();
    await marks(page, 3);
    expect(await veil()).toBe("rgba(0, 0, 0, 0)");
    await close(w);
  });

  it("folds the list at the side where room is short, and is a sheet on a phone", async () => {
    const w = await open(browser, "about:blank", { viewport: { width: 1280, height: 800 } }, ibid.url);
    const { page } = w;
    const list = page.locator(".thread-list");
    await show(page);
    await list.waitFor();
    await page.locator('.footnote-mark[data-note="1"]').evaluate((el: HTMLElement) => el.click());
    await marks(page, 1);
    expect(await list.isVisible()).toBe(false);
    expect(await page.locator(".sidebar").evaluate((el) => el.getBoundingClientRect().width)).toBeLessThan(64);
    await page.getByRole("link", { name: "New thread" }).waitFor();
    await page.getByRole("link", { name: "Library" }).waitFor();
    await page.locator(".sidebar").getByRole("button", { name: "Find a thread" }).click();
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1600, height: 900 });
    await list.waitFor();
    await page.setViewportSize({ width: 880, height: 800 });
    await page.locator(".source-sheet").waitFor();
    await marks(page, 1);
    await page.keyboard.press("j");
    await marks(page, 2);
    await page.keyboard.press("Escape");
    await page.locator(".source-sheet").waitFor({ state: "detached" });
    await focused(page, '.footnote-mark[data-note="2"]');
    await close(w);
  });

  it("looks right at three widths in both themes", async () => {
    const looks = [[380, 780], [1280, 800], [1920, 1080]] as const;
    for (const [n, name] of [[3, "page"], [4, "text"]] as const) {
      await everyLook(browser, ibid.url, `reading-${name}`, async (page) => {
        await show(page, `/t/t?note=a1.${n}`);
        await page.locator(n === 4 ? ".text-view mark" : ".page-mark").first().waitFor();
        await page.locator(n === 4 ? ".text-view" : ".pdf-page canvas").first().waitFor();
      }, looks);
    }
  }, looksTimeout);
});
