// A server that wants a token, a model that is away, two who ask at once, and
// deleting with a way back.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ibid, missing } from "./binary";
import { ask, close, drop, documentsReady, launch, open, shot } from "./browser";
import { handbook, notes } from "./files";
import { ScriptedModel } from "./model";

const why = missing() ? ` (${missing() ?? ""})` : "";

describe.skipIf(missing())(`a server with a token${why}`, () => {
  const token = "a-token-for-this-test";
  const ibid = new Ibid([], { IBID_TOKEN: token });
  let browser: Browser;

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    await ibid.stop();
  });

  it("asks for the token, refuses a wrong one, and sends the right one with everything", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await page.getByRole("heading", { name: "This server needs its token" }).waitFor();
    await page.getByLabel("Token", { exact: true }).fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("did not accept that token").waitFor();
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Ask your own documents" }).waitFor();
    await drop(page, [handbook]);
    await page.locator(".tray", { hasText: "1 file added" }).waitFor();
    await page.getByRole("link", { name: "Library" }).click();
    await page.locator(".document[data-status=ready]").waitFor();
    await page.getByRole("link", { name: "New thread" }).click();
    await ask(page, "How much water do tomato plants need?");
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.locator(".footnote-mark").first().click();
    await page.locator(".page-mark").first().waitFor();
    await page.reload();
    await page.locator(".page-mark").first().waitFor();
    await close(w);
  });
});

describe.skipIf(missing())(`a model that can't be reached${why}`, () => {
  const ibid = new Ibid(["--model", "ollama:absent@http://127.0.0.1:9"]);
  let browser: Browser;

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    await ibid.stop();
  });

  it("is explained with the command that mends it", async () => {
    const w = await open(browser, ibid.url);
    const notice = w.page.getByRole("alert");
    await notice.getByText("can’t be reached").waitFor();
    await notice.getByText("ollama serve", { exact: true }).waitFor();
    await shot(w.page, "model-away");
    await close(w);
  });
});

describe.skipIf(missing())(`several at once${why}`, () => {
  const model = new ScriptedModel();
  let ibid: Ibid;
  let browser: Browser;

  beforeAll(async () => {
    ibid = new Ibid(["--model", await model.start()]);
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    await drop(w.page, [handbook, notes]);
    await documentsReady(w.page, 2);
    await close(w);
  });

  afterAll(async () => {
    model.stop();
    await ibid.stop();
  });

  it("attaches to the answer that somebody else has asked for, and keeps the question", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await ask(page, "How much water do tomato plants need?");
    await page.locator(".answer[data-status=completed]").waitFor();
    const thread = /\/t\/([^?]+)/.exec(page.url())?.[1] ?? "";
    await page.getByLabel("Your question").fill("mine");
    model.hold(4);
    const theirs = await page.request.post(`${ibid.url}/v1/threads/${thread}/user_message`, { data: { input_text: "theirs: tomato plants" } });
    expect(theirs.status()).toBe(202);
    // Before the page has looked at the server again it does not know.
    await page.getByLabel("Your question").press("Enter");
    await page.locator(".question-text", { hasText: "theirs" }).waitFor();
    await page.locator(".answer[data-status=running] .prose").waitFor();
    await expect.poll(() => page.getByLabel("Your question").inputValue()).toBe("mine");
    model.release();
    await expect.poll(() => page.locator(".answer[data-status=completed]").count()).toBe(2);
    await close(w);
  });

  it("deletes a document with a way back", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    const rows = page.locator(".document");
    const there = async () => ((await (await page.request.get(`${ibid.url}/v1/documents`)).json()) as { documents: unknown[] }).documents.length;
    const erase = async () => {
      await page.getByRole("button", { name: "Options for Garden Handbook" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
    };
    await expect.poll(() => rows.count()).toBe(2);
    await erase();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await there()).toBe(2);
    await erase();
    await page.goto("about:blank"); // leaving makes it final
    await expect.poll(there).toBe(1);
    await close(w);
  });

  it("remembers the theme that was chosen", async () => {
    const w = await open(browser, ibid.url, { colorScheme: "light" });
    const { page } = w;
    const dark = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await page.getByRole("button", { name: "Theme: as the system" }).click();
    await page.getByRole("button", { name: "Theme: light" }).click();
    await expect.poll(dark).toBe("dark");
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    await expect.poll(dark).toBe("dark");
    await close(w);
  });

  it("says when an address leads nowhere", async () => {
    const w = await open(browser, `${ibid.url}/t/no-such-thread`);
    await w.page.getByText("This thread does not exist").waitFor();
    await w.page.goto(`${ibid.url}/no/such/place`);
    await w.page.getByText("There is nothing at this address.").waitFor();
    await close(w);
  });
});
