// Asking: files with a question, scopes of every kind, the keyboard.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Message } from "../src/api/types";
import { Ibid, missing } from "./binary";
import { ask, close, documentsReady, drop, focused, launch, open, shot, titlesFound } from "./browser";
import { handbook, notes } from "./files";

describe.skipIf(missing())(`asking${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    await drop(w.page, [handbook, notes]);
    await documentsReady(w.page, 2);
    const { documents } = (await (await w.page.request.get(`${ibid.url}/v1/documents`)).json()) as { documents: { id: string; name: string }[] };
    const id = documents.find((d) => d.name === handbook.name)?.id ?? "";
    await w.page.request.patch(`${ibid.url}/v1/documents/${id}`, { data: { tags: ["vegetables"], folder: "garden/books" } });
    await close(w);
  });

  afterAll(async () => {
    await ibid.stop();
  });

  const saved = async (page: import("playwright-core").Page): Promise<Message[]> => {
    const thread = /\/t\/([^?]+)/.exec(page.url())?.[1] ?? "";
    return ((await (await page.request.get(`${ibid.url}/v1/threads/${thread}/messages`)).json()) as { messages: Message[] }).messages;
  };

  it("sends files that were dropped onto the question or pasted, and keeps them out of the library", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    const put = (event: "drop" | "paste", name: string, text: string) =>
      page.locator("#question").evaluate(
        (el, { event, name, text }) => {
          const data = new DataTransfer();
          data.items.add(new File([text], name, { type: "text/plain" }));
          el.dispatchEvent(event === "drop" ? new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }) : new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
        },
        { event, name, text },
      );
    await put("drop", "soil.txt", "The soil is sandy.");
    await page.locator(".chip", { hasText: "soil.txt" }).waitFor();
    await put("paste", "rain.txt", "It rains on Mondays.");
    await page.locator(".chip", { hasText: "rain.txt" }).waitFor();
    await put("paste", "wrong.txt", "Not this.");
    await page.getByRole("button", { name: "Don’t attach wrong.txt" }).click();
    await shot(page, "attached");
    await ask(page, "How much water do tomato plants need?");
    await page.locator(".answer[data-status=completed]").waitFor();
    const list = page.getByRole("list", { name: "Attached" });
    await expect.poll(() => list.getByRole("link").allInnerTexts()).toEqual(["soil.txt", "rain.txt"]);
    const question = (await saved(page))[0];
    expect(question?.request?.attachments?.map((a) => a.name)).toEqual(["soil.txt", "rain.txt"]);
    const file = await page.request.get(`${ibid.url}/v1/messages/${question?.id ?? ""}/files/1`);
    expect(await file.text()).toBe("It rains on Mondays.");
    // Asked again, it has them still.
    await page.getByRole("button", { name: "Answer again" }).click();
    await page.getByText("2/2").waitFor();
    await page.locator(".answer[data-status=completed]").waitFor();
    expect((await saved(page))[0]?.request?.attachments).toHaveLength(2);
    await documentsReady(page, 2);
    await close(w);
  });

  it("searches only under a tag and in a folder, visibly", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await page.getByRole("button", { name: "Choose documents to search" }).click();
    await page.locator(".choice", { hasText: "vegetables" }).click();
    await page.locator(".choice").filter({ hasText: /^garden$/ }).click();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".chip-name").allInnerTexts()).toEqual(["garden", "vegetables"]);
    await ask(page, "What happens in July?"); // both documents say something of it
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.getByText("Asked in: garden, vegetables").waitFor();
    expect((await saved(page))[0]?.request?.scope).toEqual({ folder: "garden", tags: ["vegetables"] });
    expect(new Set(await titlesFound(page))).toEqual(new Set(["Garden Handbook"]));
    await close(w);
  });

  it("offers the web only where it can be searched, and sends it with the question", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await page.locator(".model-name", { hasText: "reader" }).waitFor(); // the server has said what it can do
    expect(await page.getByRole("button", { name: "Search the web too" }).count()).toBe(0);
    await page.route("**/v1/status", async (route) => {
      const status = (await (await route.fetch()).json()) as { tools: string[] };
      await route.fulfill({ json: { ...status, tools: [...status.tools, "web_search"] } });
    });
    await page.reload();
    const web = page.getByRole("button", { name: "Search the web too" });
    await web.click();
    await expect.poll(() => web.getAttribute("aria-pressed")).toBe("true");
    const sent = page.waitForRequest((r) => r.url().endsWith("/user_message"));
    await ask(page, "And on the web?");
    expect((JSON.parse((await sent).postData() ?? "{}") as { force_tools?: string[] }).force_tools).toEqual(["web_search"]);
    await page.getByText("web_search is not set up here").waitFor(); // as this server says; the question is kept
    await expect.poll(() => page.getByLabel("Your question").inputValue()).toBe("And on the web?");
    await close(w);
  });

  it("shows its keys when asked with ?", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    await w.page.getByRole("heading", { name: "Library" }).waitFor();
    await w.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await w.page.keyboard.press("?");
    await w.page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await w.page.keyboard.press("Escape");
    await w.page.getByRole("dialog").waitFor({ state: "detached" });
    await w.page.keyboard.press("Control+Shift+F");
    await focused(w.page, "#question");
    await close(w);
  });
});
