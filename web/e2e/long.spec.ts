// A thread of ten thousand messages: only what is in sight exists, and it stays
// where it is.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Message } from "../src/api/types";
import { Ibid, missing } from "./binary";
import { close, launch, open, shot } from "./browser";
import { answer, question, serveThread } from "./scripted";

const pairs = 5_000;

/** Answers of many heights, so that no estimate of them is right. */
function thread(): Message[] {
  const list: Message[] = [];
  for (let i = 0; i < pairs; i++) {
    const paragraphs = Array.from({ length: 1 + ((i * 7) % 9) }, (_, p) => `Paragraph ${p} of answer ${i}: ${"water and light ".repeat(3 + ((i + p) % 20))}[c${i}].`);
    list.push(question(`q${i}`, `Question ${i}?`, i > 0 ? `a${i - 1}` : ""));
    const citation = { n: 1, chunk_id: `c${i}`, document_id: "d", version: "v", title: "Handbook", path: [], pages: [1], heading: "", quote: "water", start: 0, end: 5, level: "L2", score: 1, url: "" };
    list.push(answer(`a${i}`, `q${i}`, paragraphs.join("\n\n"), { citations: [citation] }));
  }
  return list;
}

describe.skipIf(missing())(`a thread of ${pairs * 2} messages${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;
  const messages = thread();

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    await ibid.stop();
  });

  const nodes = (page: Page) => page.evaluate(() => document.querySelectorAll("*").length);
  const top = (page: Page) => page.locator(".scroller").evaluate((el) => el.scrollTop);
  const scroll = (page: Page, by: number) => page.locator(".scroller").evaluate((el, by) => el.scrollBy(0, by), by);
  /** The question nearest the top of the window, and where it stands, once it has stood there for some frames. */
  const reading = (page: Page) =>
    page.locator(".scroller").evaluate(async (el) => {
      const look = () => {
        const list = [...el.querySelectorAll<HTMLElement>(".question-text")].map((q) => ({ text: q.innerText, at: Math.round(q.getBoundingClientRect().top) }));
        return list.filter((q) => q.at > 0).sort((a, b) => a.at - b.at)[0];
      };
      let before = look();
      for (let same = 0; same < 20; ) {
        await new Promise(requestAnimationFrame);
        const now = look();
        same = now && JSON.stringify(now) === JSON.stringify(before) ? same + 1 : 0;
        before = now;
      }
      return before;
    });

  /** Scrolls up, and gives by how much what stood in the middle of the window has moved down once all is settled. */
  const climb = (page: Page, by: number) =>
    page.locator(".scroller").evaluate(async (el, by) => {
      const frames = async (n: number) => {
        for (let i = 0; i < n; i++) await new Promise(requestAnimationFrame);
      };
      // Whatever is on its way comes first: a page of messages, or a height that was not known.
      const place = (of: Element) => Math.round(of.getBoundingClientRect().top);
      await frames(2);
      const shown = [...el.querySelectorAll(".prose p, .question-text")].filter((p) => place(p) > 0 && place(p) < el.clientHeight);
      const first = shown[0];
      if (!first) return NaN;
      const before = place(first);
      el.scrollBy(0, -by);
      await frames(6);
      return first.isConnected ? place(first) - before : NaN;
    }, by);

  it("opens at its last question, keeps few nodes, and keeps its place", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await serveThread(page, "t", "Long", messages);
    const asked: string[] = [];
    page.on("request", (r) => r.url().includes("/messages?") && asked.push(r.url().slice(ibid.url.length)));
    await page.goto(`${ibid.url}/t/t`);
    await page.getByText(`Question ${pairs - 1}?`).waitFor();
    await expect.poll(() => page.locator(".exchange[data-last=true]").evaluate((el) => Math.round(el.getBoundingClientRect().top))).toBeLessThan(60);
    await reading(page);
    const few = await nodes(page);
    expect(few).toBeLessThan(2_500);
    await shot(page, "long-thread");

    // Upwards, through exchanges that were never measured and pages that were not loaded: nothing jumps, and
    // nothing piles up. Up to sixty exchanges are all in the page, where the browser's search finds them.
    expect(asked).toEqual(["/v1/threads/t/messages?limit=50"]);
    for (let i = 0; i < 10; i++) expect(await climb(page, 1_500), `step ${i}`).toBe(1_500);
    expect(await nodes(page)).toBeLessThan(4_500);
    for (let i = 0; i < 16; i++) expect(await climb(page, 1_500), `step ${i}`).toBe(1_500);
    expect(asked.length).toBeGreaterThan(2);
    expect(new Set(asked).size).toBe(asked.length); // no page twice
    expect(await page.locator(".exchange").count()).toBeLessThan(30);
    expect(await nodes(page)).toBeLessThan(2_500);
    const was = await reading(page);

    // Elsewhere and back: at the same words.
    await page.getByRole("link", { name: "Library" }).click();
    await page.getByRole("heading", { name: "Library" }).waitFor();
    await page.locator(".thread-item", { hasText: "Long" }).locator("a").click();
    await page.locator(".question-text").first().waitFor();
    await expect.poll(() => reading(page)).toEqual(was);

    // To the middle of what is here, and to the end.
    await page.locator(".scroller").evaluate((el) => el.scrollTo(0, el.scrollHeight / 2));
    await expect.poll(() => page.locator(".question-text").count()).toBeGreaterThan(0);
    expect(await nodes(page)).toBeLessThan(2_500);
    const middle = await top(page);
    await page.getByRole("button", { name: "To the end" }).click();
    await page.getByText(`Question ${pairs - 1}?`).waitFor();
    await expect.poll(() => top(page)).toBeGreaterThan(middle);
    await close(w);
  });

  it("opens a footnote deep inside it without losing its place", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await serveThread(page, "t", "Long", messages);
    await page.goto(`${ibid.url}/t/t`);
    await page.getByText(`Question ${pairs - 1}?`).waitFor();
    await scroll(page, -2500);
    await reading(page);
    const mark = page.locator(".footnote-mark").nth(2);
    await mark.click();
    await page.getByRole("complementary", { name: "Source" }).getByText("no longer in the library").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: "Source" }).waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".question-text").first().innerText()).toMatch(/Question 49\d\d/);
    await close(w);
  });
});
