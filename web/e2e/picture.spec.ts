// The picture of the README: a question with its right answer, and its footnote
// open. After a change of the page, `cp .ci/out/readme.png docs/images/answer.png`.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "playwright-core";
import { Ibid, missing } from "./binary";
import { answerText, ask, close, documentsReady, drop, dismissTray, launch, open, shot } from "./browser";
import { documents } from "./formats/documents";
import { pdfOf } from "./formats/pdf";
import { lease } from "./formats/texts";

const why = missing();

describe.skipIf(why)(why ? `the README's picture (${why})` : "the README's picture", () => {
  const ibid = new Ibid();
  let browser: Browser;

  beforeAll(async () => {
    [browser] = await Promise.all([launch(), ibid.start()]);
  });

  afterAll(async () => {
    await ibid.stop();
  });

  it("shows a question with its right answer, and the words that back it", async () => {
    const watched = await open(browser, ibid.url, { viewport: { width: 1440, height: 900 } });
    const { page } = watched;
    const library = documents().filter((d) => ["handbook.pdf", "minutes.docx", "observing.epub", "laboratory.md"].includes(d.name));
    const all = [{ name: "lease.pdf", mime: "application/pdf", bytes: pdfOf(lease, { justified: true, lines: 30, size: 12.5 }) }, ...library];
    await drop(page, all.map((d) => ({ name: d.name, mimeType: d.mime, buffer: d.bytes })));
    await documentsReady(page, all.length);
    await dismissTray(page);
    await ask(page, "When does the lease begin and how long does it run?");
    await page.locator(".answer .footnote-mark").first().click();
    await page.locator(".page-marks[data-marked]").first().waitFor();
    const right = "The lease begins on 1 May 2021 and runs for six years.";
    expect(await answerText(page)).toContain(right);
    expect(await page.locator(".page-marks[data-marked]").first().getAttribute("data-marked")).toContain("begins on 1 May 2021");
    await page.locator(".card img").first().waitFor();
    await shot(page, "readme");
    await close(watched);
  });
});
