// What is set, where it comes from, and the button that tries it.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyLook, looksTimeout } from "./axe";
import { Ibid, missing } from "./binary";
import { ask, close, launch, open } from "./browser";
import { ScriptedModel } from "./model";

const why = missing() ? ` (${missing() ?? ""})` : "";

describe.skipIf(missing())(`settings${why}`, () => {
  const model = new ScriptedModel();
  let ibid: Ibid;
  let browser: Browser;

  beforeAll(async () => {
    ibid = new Ibid(["--model", await model.start(), "--embedder", "ollama:absent@http://127.0.0.1:9"], { IBID_SEARCH_MODE: "rrf" });
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    model.stop();
    await ibid.stop();
  });

  it("are reached from every page, and each model can be tested", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/settings");

    await page.getByRole("button", { name: "Test this: Answers" }).click();
    await page.locator(".trial-result[data-ok=true]").waitFor();
    await page.getByRole("button", { name: "Test this: Turns text into vectors" }).click();
    await page.locator(".trial-result[data-ok=false]").waitFor();

    await page.getByRole("button", { name: "Check everything" }).click();
    await page.locator("[data-check=database] .trial-result[data-ok=true]").waitFor();

    const mode = page.locator(".setting-list > div", { hasText: "IBID_SEARCH_MODE" }).first();
    await expect.poll(() => mode.innerText()).toContain("rrf");
    await close(w);
  });

  it("name the models a question may choose from", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await page.getByRole("button", { name: "How to answer" }).click();
    await page.getByRole("menuitemradio", { name: "reader" }).click();
    await expect.poll(() => page.getByRole("button", { name: "How to answer" }).getAttribute("data-on")).toBe("true");
    await ask(page, "Hello there");
    await page.locator(".answer[data-status=completed]").waitFor();
    const thread = /\/t\/([^?]+)/.exec(page.url())?.[1] ?? "";
    const { messages } = (await (await page.request.get(`${ibid.url}/v1/threads/${thread}/messages`)).json()) as { messages: { role: string; model?: string }[] };
    expect(messages.find((m) => m.role === "assistant")?.model).toBe("reader");
    await close(w);
  });

  it("stand well at every width, in both themes", async () => {
    const sizes = [[380, 780], [1280, 800], [2560, 1440]] as const;
    await everyLook(browser, ibid.url, "settings", async (page) => {
      await page.goto(`${ibid.url}/settings`);
      await page.getByRole("button", { name: "Test this: Answers" }).click();
      await page.locator(".trial-result").waitFor();
    }, sizes);
  }, looksTimeout);
});
