// Never lost: the connection is cut fifty times, the network goes and comes
// back, several threads are answered at once.

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Ibid, missing } from "./binary";
import { answerText, ask, close, documentsReady, drop, launch, open } from "./browser";
import { handbook } from "./files";
import { ScriptedModel } from "./model";
import { Proxy } from "./proxy";

const words = (n: number) => Array.from({ length: n }, (_, i) => (i === 0 ? "word0 [c1] " : i % 40 === 0 ? `\n\nword${i} ` : `word${i} `));
const said = (n: number) => Array.from({ length: n }, (_, i) => `word${i}`).join(" ");

describe.skipIf(missing())(`an answer is never lost${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const model = new ScriptedModel();
  let ibid: Ibid;
  let browser: Browser;

  beforeAll(async () => {
    ibid = new Ibid(["--model", await model.start()]);
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    await drop(w.page, [handbook]);
    await documentsReady(w.page, 1);
    await close(w);
  });

  afterEach(() => model.release());

  afterAll(async () => {
    model.stop();
    await browser.close();
    await ibid.stop();
  });

  it("is the same when the connection is cut fifty times as when it is not", async () => {
    const cuts = 50;
    const all = cuts * 6;
    model.script = { ...model.script, answer: words(all) };
    const proxy = new Proxy();
    const w = await open(browser, await proxy.start(ibid.url));
    const whole = await open(browser, ibid.url);
    model.hold(6);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.locator(".prose", { hasText: "word5" }).waitFor();
    await whole.page.goto(`${ibid.url}${new URL(w.page.url()).pathname}`);
    for (let i = 1; i <= cuts; i++) {
      proxy.cut();
      // While the page has no connection the answer goes on; what it missed is
      // there before the next cut.
      model.holdAt((i + 1) * 6);
      await w.page.locator(".answer .prose", { hasText: `word${Math.min((i + 1) * 6, all) - 1} ` }).or(w.page.locator(".answer[data-status=completed]")).first().waitFor();
    }
    model.release();
    for (const { page } of [w, whole]) {
      await page.locator(".answer[data-status=completed]").waitFor();
      expect(await answerText(page)).toBe(said(all));
    }
    const html = (page: Page) => page.locator(".answer > .prose").last().innerHTML();
    expect(await html(w.page)).toBe(await html(whole.page));
    expect(await w.page.locator(".step").count()).toBe(await whole.page.locator(".step").count());
    expect(await w.page.locator(".source-chip").count()).toBe(await whole.page.locator(".source-chip").count());
    await close(whole);
    await close(w);
    proxy.stop();
  });

  it("goes on when the network does", async () => {
    model.script = { ...model.script, answer: words(40) };
    const proxy = new Proxy();
    const w = await open(browser, await proxy.start(ibid.url));
    model.hold(10);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.locator(".prose", { hasText: "word9" }).waitFor();
    await w.page.context().setOffline(true);
    proxy.cut();
    await w.page.locator(".notice", { hasText: "Connection lost" }).waitFor();
    model.release(); // the answer is finished while nobody can hear it
    await w.page.context().setOffline(false);
    await w.page.locator(".answer[data-status=completed]").waitFor();
    expect(await answerText(w.page)).toBe(said(40));
    expect(await w.page.locator(".notice", { hasText: "Connection lost" }).count()).toBe(0);
    await close(w);
    proxy.stop();
  });

  it("keeps several threads apart, and each at its place", async () => {
    model.script = { ...model.script, answer: words(400) };
    model.hold(200);
    const w = await open(browser, ibid.url);
    const { page } = w;
    const urls: string[] = [];
    for (const question of ["How much water do tomato plants need in July?", "What of compost and worms?"]) {
      await page.getByRole("link", { name: "New thread" }).click();
      await ask(page, question);
      await page.waitForURL(/\/t\//);
      urls.push(page.url());
      await page.locator(".answer .prose", { hasText: "word199" }).waitFor();
    }
    expect(await page.locator(".thread-item .pulse").count()).toBeGreaterThanOrEqual(2);
    const place = () => page.locator(".scroller").evaluate((el) => Math.round(el.scrollTop));
    await page.locator(".scroller").evaluate((el) => el.scrollTo(0, 100));
    const second = await place();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => page.url()).toBe(urls[0]);
    // What was seen is there at once: in the next frame, without a word from the server.
    expect(await page.locator(".answer .prose", { hasText: "word199" }).count()).toBe(1);
    await page.goForward();
    await page.goForward();
    await expect.poll(() => page.url()).toBe(urls[1]);
    await expect.poll(place).toBe(second);
    model.release();
    await page.locator(".answer[data-status=completed]").waitFor();
    expect(await answerText(page)).toBe(said(400));
    expect(await place()).toBe(second);
    await page.goto(urls[0] ?? "");
    await page.locator(".answer[data-status=completed]").waitFor();
    expect(await answerText(page)).toBe(said(400));
    await expect.poll(() => page.locator(".thread-item .pulse").count()).toBe(0);
    await close(w);
  });
});
