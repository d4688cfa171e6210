// What happens while an answer is written, with a model that waits when told to.

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Ibid, missing } from "./binary";
import { answerText, ask, close, documentsReady, drop, launch, open, shot } from "./browser";
import { handbook } from "./files";
import { ScriptedModel } from "./model";
import { Proxy } from "./proxy";

// The server holds the first words back until a footnote says that they are the
// answer, and no announcement of another search. There are enough of them to be a
// statement, so that the footnote need not wait for what follows.
const first = "word0 begins, tomato plants need litres";
const words = Array.from({ length: 60 }, (_, i) => (i === 0 ? `${first} [c1] ` : `word${i} `));
const said = (n: number) => Array.from({ length: n }, (_, i) => (i === 0 ? first : `word${i}`)).join(" ");

describe.skipIf(missing())(`an answer while it is written${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
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

  afterEach(() => {
    model.release();
    model.breakAfter = Infinity;
    model.refuse = false;
    model.script = { ...model.script, answer: ["Two ", "litres ", "[c1]", " a ", "day."] };
  });

  afterAll(async () => {
    model.stop();
    await ibid.stop();
  });

  it("says in one line what it does, which unfolds into thinking and steps, and shows the answer as it comes", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    model.hold(4);
    await ask(page, "How much water do tomato plants need?");
    await page.locator(".prose", { hasText: "Two litres" }).waitFor();
    await page.getByRole("button", { name: "Reading 1 document…" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.locator(".thread-item .pulse").waitFor();
    expect(await page.locator(".sources, .step-list, .thinking-text").count()).toBe(0);
    await page.getByRole("button", { name: "Reading 1 document…" }).click();
    await page.getByText("I shall look into the documents.").first().waitFor(); // each call of the model thinks
    await page.locator(".step-list").getByText("Searched your documents").last().waitFor();
    await shot(page, "answer-growing");
    model.release();
    await page.locator(".answer[data-status=completed]").waitFor();
    expect(await answerText(page)).toBe("Two litres a day.");
    await page.locator(".card").waitFor();
    // It folds away, and says what was done.
    await page.locator(".step-list").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Searched your documents/ }).waitFor();
    await page.getByRole("status").getByText("The answer is complete, with 1 footnote. Two litres a day.").waitFor();
    await close(w);
  });

  it("calls a tool what the server calls it", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await page.route("**/v1/tools", async (route) => {
      const response = await route.fetch();
      const { tools } = (await response.json()) as { tools: { name: string; done: string }[] };
      const named = tools.map((tool) => (tool.name === "search_knowledge_base" ? { ...tool, done: "Went to the shelves" } : tool));
      await route.fulfill({ response, json: { tools: named } });
    });
    await page.reload();
    await ask(page, "How much water do tomato plants need?");
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.getByRole("button", { name: /^Went to the shelves/ }).waitFor();
    await close(w);
  });

  it("goes on after a reload and in a second tab, with nothing twice and nothing missing", async () => {
    model.script = { ...model.script, answer: words };
    model.hold(10);
    const w = await open(browser, ibid.url);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.locator(".prose", { hasText: "word9" }).waitFor();
    const second = await open(browser, w.page.url());
    await second.page.locator(".prose", { hasText: "word9" }).waitFor();
    await w.page.reload();
    await w.page.locator(".prose", { hasText: "word9" }).waitFor();
    model.release();
    for (const { page } of [w, second]) {
      await page.locator(".answer[data-status=completed]").waitFor();
      expect(await answerText(page)).toBe(said(60));
    }
    await close(second);
    await close(w);
  });

  it("stops when told to, keeps what there was, and lets go of the model", async () => {
    model.script = { ...model.script, answer: words };
    model.hold(5);
    const w = await open(browser, ibid.url);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.locator(".prose", { hasText: "word4" }).waitFor();
    const before = model.dropped;
    await w.page.keyboard.press("Escape");
    await w.page.locator(".answer[data-status=stopped]").waitFor();
    await w.page.locator(".notice", { hasText: "You stopped this answer." }).waitFor();
    expect(await answerText(w.page)).toBe(said(5));
    await expect.poll(() => model.dropped).toBe(before + 1);
    await w.page.getByRole("button", { name: "Send" }).waitFor();
    await close(w);
  });

  it("survives cuts of the connection", async () => {
    model.script = { ...model.script, answer: words };
    const proxy = new Proxy();
    const url = await proxy.start(ibid.url);
    const w = await open(browser, url);
    model.hold(0);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.getByRole("button", { name: "Reading 1 document…" }).waitFor();
    for (let i = 1; i <= 5; i++) {
      model.release();
      model.hold(i * 10);
      proxy.cut();
    }
    model.release();
    await w.page.locator(".answer[data-status=completed]").waitFor();
    expect(await answerText(w.page)).toBe(said(60));
    await close(w);
    proxy.stop();
  });

  it("goes on when the server is killed and comes back", async () => {
    model.script = { ...model.script, answer: words };
    model.hold(10);
    const w = await open(browser, ibid.url);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.locator(".prose", { hasText: "word9" }).waitFor();
    await ibid.kill();
    await w.page.locator(".notice", { hasText: "Connection lost" }).waitFor();
    model.release();
    await ibid.start();
    await w.page.locator(".answer[data-status=completed]").waitFor({ timeout: 60_000 });
    expect(await answerText(w.page)).toBe(said(60));
    await w.page.locator(".notice", { hasText: "Continued after a restart." }).waitFor();
    await shot(w.page, "continued");
    await close(w);
  });

  it("clears what was withdrawn", async () => {
    model.script = { ...model.script, answer: words };
    model.breakAfter = 7;
    model.hold(7);
    const w = await open(browser, ibid.url);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.locator(".prose", { hasText: "word6" }).waitFor();
    model.release();
    model.hold(30);
    await w.page.locator(".notice", { hasText: "was withdrawn" }).waitFor();
    await w.page.locator(".prose", { hasText: "word29" }).waitFor();
    model.release();
    await w.page.locator(".answer[data-status=completed]").waitFor();
    expect(await answerText(w.page)).toBe(said(60));
    await close(w);
  });

  it("says what failed and how to mend it", async () => {
    model.refuse = true;
    const w = await open(browser, ibid.url);
    await ask(w.page, "How much water do tomato plants need?");
    await w.page.locator(".answer[data-status=failed]").waitFor();
    await w.page.getByRole("alert").first().waitFor();
    expect((await w.page.locator(".answer .notice[data-tone=bad]").innerText()).length).toBeGreaterThan(10);
    await shot(w.page, "failed");
    model.refuse = false;
    await w.page.getByRole("button", { name: "Answer again" }).click();
    await w.page.locator(".answer[data-status=completed]").waitFor();
    await close(w);
  });
});

describe.skipIf(missing())(`a question behind others${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const model = new ScriptedModel();
  let ibid: Ibid;
  let browser: Browser;

  beforeAll(async () => {
    ibid = new Ibid(["--model", await model.start()], { IBID_LIMITS_RUNS: "1" });
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    model.stop();
    await ibid.stop();
  });

  it("says which place it has, and is answered when it is its turn", async () => {
    const first = await open(browser, ibid.url);
    model.hold(0);
    await ask(first.page, "How much water do tomato plants need?");
    await first.page.getByRole("button", { name: "Stop" }).waitFor();
    const second = await open(browser, ibid.url);
    await ask(second.page, "And roses?");
    await second.page.locator(".activity", { hasText: "Waiting: next in line" }).waitFor();
    await shot(second.page, "queued");
    model.release();
    for (const { page } of [first, second]) await page.locator(".answer[data-status=completed]").waitFor();
    await close(second);
    await close(first);
  });
});
