// Footnotes in an answer and the cards below it, as messages of the server say.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Citation, Message } from "../src/api/types";
import { everyLook, looksTimeout, violations } from "./axe";
import { Ibid, missing } from "./binary";
import { close, documentsReady, drop, focused, launch, open, shot } from "./browser";
import { handbook, notes, tomatoes } from "./files";
import { answer, cite, question, serveThread, statement } from "./scripted";

const tomatoWords = "Tomaten – auf Englisch “tomato plants” – need **two litres of water a day** in July and never on their leaves";
const text = `${tomatoWords} [c1]. Water that stands on leaves overnight brings blight to the plants [c1]; bees swarm in \`May\` [c2], between spring and the high summer, when a hive becomes too small for its [colony](https://bees.example/) [c2].

- A colony eats *fifteen kilograms of honey* [c2] in one winter, they say
- Roses are pruned, compost is turned by worms, and apples are stored: each page is worth a look [c3] [c4] [c5]

So water tomatoes in the morning [c1]. It is the best hour.
`;

interface Ids {
  id: string;
  version: string;
}

/** Seven footnotes on five pages, and thirteen passages that were found besides. */
function conversation(pdf: Ids, md: Ids): Message[] {
  const page = (n: number, chunk: string, pages: number[], quote: string, more: Partial<Citation>): Citation =>
    cite(n, { chunk_id: chunk, document_id: pdf.id, version: pdf.version, title: "Garden Handbook", path: ["handbook.pdf"], pages, quote, ...more });
  const bees = { document_id: md.id, version: md.version, title: "Bienen – 蜜蜂", path: ["bees.md"], pages: [] };
  const found = [
    ...["c1", "c2", "c3", "c4", "c5"].map((chunk_id, i) => cite(i + 1, { chunk_id })),
    ...Array.from({ length: 13 }, (_, i) => cite(i + 6, { ...bees, chunk_id: `x${i}`, quote: "Honeybees", heading: `Part ${i}` })),
  ];
  return [
    question("q1", "How much water do tomatoes need?"),
    answer("a1", "q1", text, {
      found,
      citations: [
        page(1, "c1", [3], tomatoes, { found: 1, statements: [statement(text, tomatoWords, "c1"), statement(text, "So water tomatoes in the morning", "c1", "supported")] }),
        page(2, "c1", [3], "Water that stands on leaves overnight brings blight to the plants.", { found: 1, statements: [statement(text, "Water that stands on leaves overnight brings blight to the plants", "c1")] }),
        cite(3, { ...bees, chunk_id: "c2", found: 2, quote: "Honeybees swarm between May and July", statements: [statement(text, "bees swarm in `May`", "c2"), statement(text, "between spring and the high summer, when a hive becomes too small for its [colony](https://bees.example/)", "c2")] }),
        cite(4, { ...bees, chunk_id: "c2", found: 2, quote: "when the hive becomes too small for the colony", statements: [statement(text, "between spring and the high summer, when a hive becomes too small for its [colony](https://bees.example/)", "c2")] }),
        page(5, "c3", [1], "This page of the handbook is about roses and their pruning.", { found: 3, statements: [statement(text, "Roses are pruned", "c3")] }),
        page(6, "c4", [2], "This page of the handbook is about compost and worms.", { found: 4, statements: [statement(text, "compost is turned by worms", "c4")] }),
        page(7, "c5", [4], "This page of the handbook is about apples and their storage.", { found: 5, statements: [statement(text, "apples are stored", "c5")] }),
      ],
    }),
  ];
}

describe.skipIf(missing())(`footnotes${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;
  let messages: Message[];

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    await drop(w.page, [handbook, notes]);
    await documentsReady(w.page, 2);
    const { documents } = (await (await w.page.request.get(`${ibid.url}/v1/documents`)).json()) as { documents: (Ids & { name: string })[] };
    const named = (name: string) => documents.find((d) => d.name === name) ?? { id: "", version: "" };
    messages = conversation(named(handbook.name), named(notes.name));
    await close(w);
  });

  afterAll(async () => {
    await ibid.stop();
  });

  const show = async (page: Page, to = "/t/t") => {
    await serveThread(page, "t", "Water", messages);
    await page.goto(ibid.url + to);
    await page.locator(".answer .prose").first().waitFor();
  };
  const mark = (page: Page, n: number) => page.locator(`.footnote-mark[data-note="${n}"]`);
  const lit = (page: Page) => page.locator(".statement[data-lit=true]").evaluateAll((all) => all.map((el) => el.textContent).join("").replace(/\s+/g, " "));

  it("stand where they were placed, several at one marker, and none where none was placed", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page);
    const marks = w.page.locator(".footnote-marks");
    // The second marker of c2, behind "honey", was given no footnote.
    await expect.poll(() => marks.evaluateAll((all) => all.map((el) => [...el.children].map((b) => b.textContent)))).toEqual([["1"], ["2"], ["3"], ["3", "4"], ["5"], ["6"], ["7"], ["1"]]);
    expect(await w.page.locator(".prose").innerText()).not.toContain("[");
    expect(await mark(w.page, 4).getAttribute("aria-label")).toBe("Footnote 4: Bienen – 蜜蜂");
    await close(w);
  });

  it("never stand on another line than their word, at any width", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page);
    let lines = 0;
    for (let width = 300; width < 1000; width += 13) {
      await page.setViewportSize({ width, height: 900 });
      const [apart, count] = await page.locator(".answer .prose").evaluate((prose) => {
        const letters: { at: DOMRect; text: string; mark: boolean }[] = [];
        const range = document.createRange();
        const walk = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode()) {
          const mark = node.parentElement?.closest(".footnote-mark");
          if (mark) {
            letters.push({ at: mark.getBoundingClientRect(), text: node.textContent ?? "", mark: true });
            continue;
          }
          for (let i = 0; i < (node.textContent ?? "").length; i++) {
            range.setStart(node, i);
            range.setEnd(node, i + 1);
            letters.push({ at: range.getBoundingClientRect(), text: node.textContent?.[i] ?? "", mark: false });
          }
        }
        const sameLine = (a: DOMRect, b: DOMRect) => a.top < b.bottom && b.top < a.bottom;
        const apart: string[] = [];
        letters.forEach(({ at, text, mark }, i) => {
          if (!mark) return;
          const [before, after] = [letters[i - 1], letters[i + 1]];
          if (before && !sameLine(before.at, at)) apart.push(`${before.text}|${text}`);
          if (after && /[.,;:]/.test(after.text) && !sameLine(after.at, at)) apart.push(`${text}|${after.text}`);
        });
        return [apart, new Set(letters.map((l) => l.at.bottom)).size] as const;
      });
      expect(apart, `${width} px`).toEqual([]);
      lines = Math.max(lines, count);
    }
    expect(lines).toBeGreaterThan(12); // there were lines to break
    await close(w);
  });

  it("show one quote at a time, above the answer, and none once a source opens", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page);
    const card = page.locator(".hover-card");
    await mark(page, 1).first().hover();
    await card.getByText(tomatoes).waitFor();
    await mark(page, 2).hover();
    await card.getByText("Water that stands on leaves").waitFor();
    await expect.poll(() => card.count()).toBe(1);
    await mark(page, 2).click();
    const panel = page.getByRole("complementary", { name: "Source" });
    await panel.waitFor();
    await card.waitFor({ state: "detached" });
    // Another mark, pointed at while the panel is open: its quote leaves the panel free.
    await page.mouse.move(5, 5);
    for (const n of [3, 6]) {
      await mark(page, n).first().hover();
      await card.getByText(n === 3 ? "Honeybees swarm" : "compost and worms").waitFor();
      const [over, beside] = await Promise.all([card.boundingBox(), panel.boundingBox()]);
      expect((over?.x ?? 0) + (over?.width ?? 0), `the quote of ${n}`).toBeLessThanOrEqual(beside?.x ?? 0);
    }
    // It goes when the source changes by other means than this mark.
    await page.evaluate(() => document.querySelector<HTMLElement>('.card-note[data-note="5"]')?.click());
    await card.waitFor({ state: "detached" });
    await close(w);
  });

  it("light what they back while they are open, and their card", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page);
    await mark(page, 4).click();
    await expect.poll(() => lit(page)).toBe("between spring and the high summer, when a hive becomes too small for its colony");
    expect(await page.locator('.footnote-mark[aria-expanded="true"]').allInnerTexts()).toEqual(["4"]);
    await expect.poll(() => page.locator(".card[data-open=true] .source-number").allInnerTexts()).toEqual(["3", "4"]);
    await shot(page, "footnote-lit");
    expect(await violations(page)).toEqual([]);
    // A footnote that backs two statements lights both.
    await page.locator('.card-note[data-note="1"]').click();
    await expect.poll(() => lit(page)).toBe("Tomaten – auf Englisch “tomato plants” – need two litres of water a day in July and never on their leavesSo water tomatoes in the morning");
    expect(await page.locator('.footnote-mark[aria-expanded="true"]').allInnerTexts()).toEqual(["1", "1"]);
    await page.keyboard.press("Escape");
    await expect.poll(() => lit(page)).toBe("");
    // Closed from the keyboard, one is back at the mark that was pressed.
    await mark(page, 6).press("Enter");
    await expect.poll(() => lit(page)).toBe("compost is turned by worms");
    await page.getByRole("complementary", { name: "Source" }).waitFor();
    await page.keyboard.press("Escape");
    await focused(page, '.footnote-mark[data-note="6"]');
    await close(w);
  });

  it("bring what they back into sight when they are opened from elsewhere", async () => {
    const w = await open(browser, "about:blank", { viewport: { width: 1280, height: 520 } }, ibid.url);
    const { page } = w;
    await show(page);
    const seen = () =>
      page.locator(".statement[data-lit=true]").evaluateAll((all) => {
        const room = document.querySelector(".scroller")?.getBoundingClientRect();
        return all.some((el) => room !== undefined && el.getBoundingClientRect().top >= room.top && el.getBoundingClientRect().bottom <= room.bottom);
      });
    for (const n of [4, 3]) {
      await page.locator(".scroller").evaluate((el) => el.scrollTo(0, el.scrollHeight));
      await page.locator(`.card-note[data-note="${n}"]`).click();
      await expect.poll(seen, { message: `footnote ${n}` }).toBe(true);
    }
    await close(w);
  });

  it("have cards in their order, with a picture of the page, and more where there is more", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page);
    const cards = page.locator(".card");
    const numbers = () => cards.evaluateAll((all) => all.map((card) => [...card.querySelectorAll(".source-number")].map((n) => n.textContent).join(" ")));
    await expect.poll(numbers).toEqual(["1 2", "3 4", "5", "6"]);
    expect(await cards.first().innerText()).toMatch(/Garden Handbook\s+p\. 3\s+1\s+Tomato plants need two litres[^]*2\s+Water that stands/);
    await cards.nth(2).scrollIntoViewIfNeeded();
    await cards.nth(2).locator(".cover img").waitFor();
    expect(await cards.nth(2).locator("img").evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(50);
    expect(await cards.nth(1).locator(".cover").innerText()).toBe("MD");
    await page.getByRole("button", { name: "1 more cited" }).click();
    await expect.poll(numbers).toEqual(["1 2", "3 4", "5", "6", "7"]);
    // The second card, and the second footnote on it.
    await cards.nth(2).click();
    await expect.poll(() => page.url()).toContain("?note=a1.5");
    await cards.first().locator('.card-note[data-note="2"]').click();
    await expect.poll(() => page.url()).toContain("?note=a1.2");
    await page.getByRole("complementary", { name: "Source" }).getByText("p. 3", { exact: true }).waitFor();
    await close(w);
  });

  it("leave what was only looked at behind a line, which opens it too", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await show(page);
    const more = page.getByRole("button", { name: "13 more looked at" });
    const passages = page.locator(".passage");
    expect(await passages.count()).toBe(0);
    await more.click();
    await expect.poll(() => passages.count()).toBe(13);
    await passages.nth(2).click();
    await expect.poll(() => page.url()).toContain("?found=a1.8");
    const panel = page.getByRole("complementary", { name: "Source" });
    await panel.getByRole("heading", { name: "Bienen" }).first().waitFor();
    expect(await lit(page)).toBe("");
    await passages.nth(4).click();
    await expect.poll(() => page.url()).toContain("?found=a1.10");
    expect(await passages.nth(4).getAttribute("aria-expanded")).toBe("true");
    await more.click();
    await expect.poll(() => passages.count()).toBe(0);
    await close(w);
  });

  it("of an answer that an older version saved are the passages that it names", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    const passages = [3, 1, 8].map((n) => ({ ...cite(n, { title: `Page ${n}`, quote: `words ${n}`, pages: [n] }), document_id: "gone" }));
    const old = answer("a1", "q1", "Größer [c8], as [c3] says [c8].", {
      citations: passages,
      verification: { claims_checked: 2, claims_supported: 1, claims_partially_supported: 0, claims_unsupported: 1, confidence: 0.5, details: [{ claim: "Größer", verdict: "UNSUPPORTED", chunk_ids: [], start: 0, end: 8 }] },
    });
    await serveThread(page, "t", "Old", [question("q1", "Old?"), old]);
    await page.goto(`${ibid.url}/t/t`);
    await expect.poll(() => page.locator(".footnote-mark").allInnerTexts()).toEqual(["8", "3", "8"]);
    await expect.poll(() => page.locator(".card .source-number").allInnerTexts()).toEqual(["3", "8"]);
    await page.getByRole("button", { name: "1 more looked at" }).waitFor();
    await page.getByText("1 statement could not be found in the sources").waitFor();
    expect(await page.locator(".doubt").allInnerTexts()).toEqual(["Größer"]);
    await mark(page, 8).last().click();
    await page.getByRole("complementary", { name: "Source" }).getByText("words 8").waitFor();
    await close(w);
  });

  it("look right at every width and in both themes", async () => {
    const look = async (page: Page, to: string) => {
      await show(page, to);
      await page.locator(".answer .footnote-marks").first().waitFor();
      await page.locator(".cover img").first().waitFor();
    };
    await everyLook(browser, ibid.url, "cards", async (page) => {
      await look(page, "/t/t");
      await page.locator(".cards").scrollIntoViewIfNeeded();
      await page.getByRole("button", { name: "13 more looked at" }).click();
    });
    await everyLook(browser, ibid.url, "cards-open", async (page) => {
      await look(page, "/t/t?note=a1.1");
    });
  }, looksTimeout);
});
