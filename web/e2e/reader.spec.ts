// The way of a newcomer with nothing but the program: add a document, ask, watch,
// check the footnote.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ibid, missing } from "./binary";
import { ask, close, documentsReady, drop, launch, open, shot, titlesFound, type Watched } from "./browser";
import { handbook, notes, tomatoes } from "./files";

describe.skipIf(missing())(`the page with the built-in reader${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;
  let w: Watched;

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
    w = await open(browser, ibid.url);
  });

  afterAll(async () => {
    await close(w);
    await ibid.stop();
  });

  it("explains itself when the library is empty", async () => {
    const { page } = w;
    await page.getByRole("heading", { name: "Ask your own documents" }).waitFor();
    await page.getByText("The built-in reader answers by quoting").click();
    await page.getByText("ibid serve --model").waitFor();
    await shot(page, "first-run");
  });

  it("takes dropped documents and shows how far they are", async () => {
    const { page } = w;
    await drop(page, [handbook, notes]);
    await page.locator(".tray", { hasText: "2 files added" }).waitFor();
    await documentsReady(page, 2);
    await page.getByRole("link", { name: "Library" }).click();
    await page.getByRole("button", { name: "Garden Handbook", exact: true }).waitFor();
    await expect.poll(() => page.locator(".document").count()).toBe(2);
    await shot(page, "library");
    await page.getByRole("searchbox", { name: "Filter" }).fill("bees");
    await expect.poll(() => page.locator(".document").count()).toBe(1);
  });

  it("answers with thinking, a source and a footnote", async () => {
    const { page } = w;
    await page.getByRole("link", { name: "New thread" }).click();
    await ask(page, "How much water do tomato plants need?");
    await page.waitForURL(/\/t\/[0-9a-f-]{36}$/);
    await page.locator(".answer[data-status=completed]").waitFor();
    await expect.poll(() => page.locator(".prose").last().innerText()).toContain("two litres of water a day");
    await page.locator(".work .fold").click();
    await page.locator(".thinking-text .prose").waitFor();
    await page.locator(".work .fold").click();
    await page.locator(".thinking-text").waitFor({ state: "detached" });
    await page.locator(".card", { hasText: "Garden Handbook" }).first().waitFor();
    await shot(page, "answer");
    await page.locator(".footnote-mark").first().hover();
    await page.locator(".hover-card", { hasText: "Tomato plants need" }).waitFor();
    await page.mouse.move(0, 0);
  });

  it("opens a footnote at the page, with the words marked", async () => {
    const { page } = w;
    await page.locator(".footnote-mark").first().click();
    const panel = page.getByRole("complementary", { name: "Source" });
    await panel.getByText("Page 3 of 4").waitFor();
    await panel.locator(".page-mark").first().waitFor();
    await expect.poll(() => inSight(panel.locator(".page-mark").first(), panel.locator(".pdf-pages"))).toBe(true);
    await shot(page, "footnote");
    // The same words in the text that was read.
    await panel.getByRole("button", { name: "Text", exact: true }).click();
    await panel.locator("mark").first().waitFor();
    const marked = (await panel.locator("mark").allInnerTexts()).join(" ").replace(/\s+/g, " ");
    expect(tomatoes).toContain(marked.slice(0, 40));
    await expect.poll(() => page.url()).toContain("?note=");
    await page.goBack();
    await panel.waitFor({ state: "detached" });
  });

  it("marks a quote in text by its bytes, not by its characters", async () => {
    const { page } = w;
    await page.getByRole("link", { name: "New thread" }).click();
    await ask(page, "When do honeybees swarm?");
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.locator(".footnote-mark").first().click();
    const panel = page.getByRole("complementary", { name: "Source" });
    await panel.locator("mark").first().waitFor();
    expect(await panel.locator("mark").first().innerText()).toMatch(/^Honeybees swarm between May and July/);
    await expect.poll(() => inSight(panel.locator("mark").first(), panel.locator(".text-view"))).toBe(true);
    await shot(page, "footnote-text");
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  });

  it("keeps drafts, answers and footnotes over a reload", async () => {
    const { page } = w;
    await page.getByLabel("Your question").fill("not yet asked");
    await page.reload();
    await page.locator(".footnote-mark").first().waitFor();
    await expect.poll(() => page.getByLabel("Your question").inputValue()).toBe("not yet asked");
    await page.getByLabel("Your question").fill("");
  });

  it("asks again on a branch of its own, and goes back", async () => {
    const { page } = w;
    await page.locator(".question").hover();
    await page.getByRole("button", { name: "Edit and ask again" }).click();
    await page.getByLabel("Edit the question").fill("How much honey does a colony eat in winter?");
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("2/2").waitFor();
    await page.locator(".answer[data-status=completed]").waitFor();
    await expect.poll(() => page.locator(".prose").last().innerText()).toContain("fifteen kilograms");
    await page.getByRole("button", { name: "Earlier version" }).click();
    await page.getByText("1/2").waitFor();
    await expect.poll(() => page.locator(".question-text").innerText()).toBe("When do honeybees swarm?");
  });

  it("searches only in what was chosen", async () => {
    const { page } = w;
    await page.getByRole("link", { name: "New thread" }).click();
    await page.getByRole("button", { name: "Choose documents to search" }).click();
    await page.locator(".choice", { hasText: "Garden Handbook" }).click();
    await page.keyboard.press("Escape");
    await page.locator(".chip", { hasText: "Garden Handbook" }).waitFor();
    await ask(page, "What happens in July?"); // both documents say something of it
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.getByText("Asked in: Garden Handbook").waitFor();
    expect(new Set(await titlesFound(page))).toEqual(new Set(["Garden Handbook"]));
  });

  it("renames a thread, and deletes one with a way back", async () => {
    const { page } = w;
    const items = page.locator(".thread-item");
    await expect.poll(() => items.count()).toBe(3);
    await items.first().hover();
    await items.first().getByRole("button").click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByLabel("Name of the thread").fill("Bees, but not here");
    await page.keyboard.press("Enter");
    await page.locator(".thread-item", { hasText: "Bees, but not here" }).waitFor();
    await items.first().hover();
    await items.first().getByRole("button").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect.poll(() => items.count()).toBe(2);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => items.count()).toBe(3);
  });

  it("shows the quote of a document that is gone", async () => {
    const { page } = w;
    const { documents } = (await (await page.request.get(`${ibid.url}/v1/documents`)).json()) as { documents: { id: string; name: string }[] };
    const bees = documents.find((d) => d.name === notes.name);
    await page.request.delete(`${ibid.url}/v1/documents/${bees?.id ?? ""}`);
    const before = page.url();
    await page.locator(".thread-item", { hasText: "When do honeybees" }).click();
    await expect.poll(() => page.url()).not.toBe(before);
    await page.reload();
    await page.locator(".footnote-mark").first().click();
    const panel = page.getByRole("complementary", { name: "Source" });
    await panel.getByText("no longer in the library").waitFor();
    expect(await panel.locator("mark").first().innerText()).toMatch(/^Honeybees swarm between May and July/);
  });

  it("is as good in the dark and on a phone", async () => {
    const { page } = w;
    const url = page.url().replace(/\?.*/, "");
    const phone = await open(browser, url, { viewport: { width: 380, height: 780 }, colorScheme: "dark", hasTouch: true });
    await phone.page.locator(".footnote-mark").first().waitFor();
    await shot(phone.page, "phone-dark");
    const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(wide, "the page is wider than the phone").toBe(false);
    await phone.page.locator(".footnote-mark").first().tap();
    await phone.page.getByRole("dialog", { name: "Source" }).waitFor();
    await shot(phone.page, "phone-dark-footnote");
    await phone.page.getByRole("button", { name: "Close the source" }).tap();
    await phone.page.getByRole("dialog").waitFor({ state: "detached" });
    await phone.page.getByRole("button", { name: "Menu" }).tap();
    await phone.page.getByRole("link", { name: "Library" }).tap();
    await phone.page.getByRole("heading", { name: "Library" }).waitFor();
    await close(phone);
  });
});

async function inSight(inner: import("playwright-core").Locator, outer: import("playwright-core").Locator): Promise<boolean> {
  const [a, b] = await Promise.all([inner.boundingBox(), outer.boundingBox()]);
  return a !== null && b !== null && a.y >= b.y && a.y + a.height <= b.y + b.height;
}
