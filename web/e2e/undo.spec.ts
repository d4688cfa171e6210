// Nothing is deleted by mistake: what was removed comes back, also after the page
// was left; files of one name are asked about; what failed is tried again.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Doc, Thread } from "../src/api/types";
import { violations } from "./axe";
import { Api } from "./api";
import { Ibid, missing } from "./binary";
import { ask, close, dismissTray, documentsReady, drop, launch, open, shot } from "./browser";
import { ScriptedModel } from "./model";

const why = missing() ? ` (${missing() ?? ""})` : "";
const file = (name: string, text: string) => ({ name, mimeType: "text/markdown", buffer: Buffer.from(text) });

describe.skipIf(missing())(`what was removed${why}`, () => {
  const model = new ScriptedModel();
  let ibid: Ibid;
  let api: Api;
  let browser: Browser;

  const documents = async () => (await api.get<{ documents: Doc[] }>("/v1/documents")).documents;
  const named = async (name: string) => (await documents()).find((d) => d.name === name);
  const threads = async () => (await api.get<{ threads: Thread[] }>("/v1/threads")).threads;
  const titles = (page: Page) => page.locator(".document-title").allInnerTexts();
  const erase = async (page: Page, name: string) => {
    await page.getByRole("button", { name: `Options for ${name}` }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
  };

  beforeAll(async () => {
    ibid = new Ibid(["--model", await model.start()]);
    await ibid.start();
    api = new Api(ibid.url);
    browser = await launch();
    for (const f of [file("ants.md", "# Ants\n\nAnts keep aphids.\n"), file("bees.md", "# Bees\n\nBees dance.\n"), file("crabs.md", "# Crabs\n\nCrabs moult.\n")]) {
      await api.add([{ name: f.name, mime: f.mimeType, bytes: f.buffer }]);
    }
  });

  afterAll(async () => {
    model.stop();
    await ibid.stop();
  });

  it("is gone at once, and the same document is back in its place", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    await expect.poll(() => titles(page)).toHaveLength(3);
    const order = await titles(page);
    const before = await named("bees.md");
    await erase(page, "Bees");
    await expect.poll(() => named("bees.md")).toBeUndefined(); // the note with the way back still stands
    expect(await titles(page)).not.toContain("Bees");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => titles(page)).toEqual(order);
    expect(await named("bees.md")).toMatchObject({ id: before?.id, version: before?.version, added_at: before?.added_at });
    await close(w);
  });

  it("stays gone when the page is left, and comes back from where it is kept", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    await expect.poll(() => titles(page)).toHaveLength(3);
    const ids = new Map((await documents()).map((d) => [d.name, d.id]));
    await erase(page, "Ants");
    await expect.poll(() => named("ants.md")).toBeUndefined();
    await erase(page, "Crabs");
    await expect.poll(() => named("crabs.md")).toBeUndefined();
    await page.reload();
    await expect.poll(() => titles(page)).toEqual(["Bees"]);
    await page.getByRole("button", { name: "Recently removed" }).click();
    const rows = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Restore/ }) });
    await expect.poll(() => rows.locator(".removed-name").allInnerTexts()).toEqual(["crabs.md", "ants.md"]); // the last first
    await rows.nth(1).getByText(/kept until/).waitFor();
    await shot(page, "removed");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Restore ants.md" }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("button", { name: "Restore crabs.md" }).click();
    await page.getByText("Nothing was removed lately.").waitFor();
    expect(new Map((await documents()).map((d) => [d.name, d.id]))).toEqual(ids);
    await page.getByRole("button", { name: "Documents", exact: true }).click();
    await expect.poll(async () => (await titles(page)).sort()).toEqual(["Ants", "Bees", "Crabs"]);
    await close(w);
  });

  it("brings a thread back with all that was said", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    for (const question of ["Who dances?", "Who moults?"]) {
      await page.getByRole("link", { name: "New thread" }).click();
      await ask(page, question);
      await page.locator(".question-text", { hasText: question }).waitFor();
      await page.locator(".answer[data-status=completed]").waitFor();
    }
    const url = page.url();
    const items = page.locator(".thread-title");
    const remove = async (title: string) => {
      const item = page.locator(".thread-item", { hasText: title });
      await item.hover();
      await item.getByRole("button").click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
    };
    await expect.poll(() => items.allInnerTexts()).toEqual(["Who moults?", "Who dances?"]);
    await remove("Who moults?");
    await expect.poll(async () => (await threads()).map((x) => x.title)).toEqual(["Who dances?"]);
    await page.getByRole("heading", { name: "What would you like to know?" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => items.allInnerTexts()).toEqual(["Who moults?", "Who dances?"]);
    await remove("Who moults?");
    await expect.poll(async () => (await threads()).length).toBe(1);
    await page.goto(url);
    await page.getByText("This thread does not exist").waitFor();
    await page.goto(`${ibid.url}/removed`);
    await page.getByRole("button", { name: "Restore Who moults?" }).click();
    await page.locator(".thread-item", { hasText: "Who moults?" }).locator("a").click();
    await page.locator(".question-text", { hasText: "Who moults?" }).waitFor();
    expect(page.url()).toBe(url);
    await page.locator(".answer[data-status=completed]").waitFor();
    await close(w);
  });

  it("asks once what to do with names that are there already, and does it", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    const dialog = page.getByRole("dialog");
    const before = await documents();
    // Other content: three are asked about. The same content is there already, and a new name is only added.
    await drop(page, [file("ants.md", "# Ants\n\nAnts farm.\n"), file("bees.md", "# Bees\n\nBees hum.\n"), file("crabs.md", "# Crabs\n\nCrabs moult.\n"), file("doves.md", "# Doves\n\nDoves coo.\n")]);
    await page.locator(".tray", { hasText: "crabs.md: was here already" }).waitFor();
    await dialog.getByRole("heading", { name: "ants.md is already in the library" }).waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: /^Keep both/ }).evaluate((el) => el === document.activeElement)).toBe(true);
    await dialog.getByLabel("Do the same for the other one").waitFor();
    expect(await violations(page, "[role=dialog]")).toEqual([]);
    await shot(page, "same-name");
    await page.keyboard.press("Enter");
    await dialog.getByRole("heading", { name: "bees.md is already in the library" }).waitFor();
    await dialog.getByRole("button", { name: /^New version/ }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".tray", { hasText: "4 files added" }).waitFor();
    await dismissTray(page);
    await documentsReady(page, 5);
    const after = await documents();
    const id = (list: Doc[], name: string) => list.find((d) => d.name === name);
    expect(after.map((d) => d.name).sort()).toEqual(["ants (2).md", "ants.md", "bees.md", "crabs.md", "doves.md"]);
    expect(id(after, "ants.md")?.version).toBe(id(before, "ants.md")?.version);
    expect(id(after, "bees.md")).toMatchObject({ id: id(before, "bees.md")?.id });
    expect(id(after, "bees.md")?.version).not.toBe(id(before, "bees.md")?.version);

    // The same answer for all the others of a drop.
    await drop(page, ["ants.md", "bees.md", "crabs.md"].map((name) => file(name, `# Third ${name}\n`)));
    await dialog.getByLabel("Do the same for the other 2").check();
    await dialog.getByRole("button", { name: /^Skip/ }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".tray", { hasText: "crabs.md: skipped" }).waitFor();
    expect((await documents()).map((d) => [d.id, d.version]).sort()).toEqual(after.map((d) => [d.id, d.version]).sort());
    await close(w);
  });

  it("tries again what could not be read, one or all", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    const broken = (name: string) => ({ name, mimeType: "application/pdf", buffer: Buffer.from(`%PDF-1.7\n${name} is no PDF`) });
    await drop(page, [broken("x.pdf"), broken("y.pdf")]);
    await page.getByText("2 documents could not be read").waitFor();
    const retried: string[] = [];
    page.on("response", (r) => r.url().endsWith("/retry") && retried.push(`${r.status()}`));
    await page.getByRole("button", { name: "Show only these" }).click();
    await expect.poll(() => titles(page)).toHaveLength(2);
    await shot(page, "failed-documents");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Try again: y.pdf" }).click();
    await expect.poll(() => retried).toEqual(["202"]);
    await page.locator(".document[data-status=failed]").nth(1).waitFor(); // it fails again, as it must
    await page.getByRole("button", { name: "Try all again" }).click();
    await page.locator(".toast", { hasText: "2 documents are being read again" }).waitFor();
    expect(retried).toEqual(["202", "202", "202"]);
    await page.locator(".document[data-status=failed]").nth(1).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(async () => (await titles(page)).length).toBeGreaterThan(3);
    await close(w);
  });

  it("says why a document waits for its original, and goes on when that is back", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    const row = (name: string) => page.locator(".document", { has: page.getByRole("button", { name, exact: true }) });
    ibid.originals(false);
    for (const name of ["x.pdf", "y.pdf"]) {
      await page.getByRole("button", { name: `Try again: ${name}` }).click();
      await row(name).getByText("Its original can't be reached. See that the disk").waitFor();
      await row(name).locator(".status", { hasText: "Waiting for its original" }).waitFor();
    }
    expect(await violations(page)).toEqual([]);
    ibid.originals(true);
    for (const name of ["x.pdf", "y.pdf"]) await row(name).getByText("Could not be read").waitFor(); // they are no PDFs
    expect(await page.getByText("can't be reached").count()).toBe(0);
    await close(w);
  });
});

describe.skipIf(missing())(`more questions than are taken${why}`, () => {
  const model = new ScriptedModel();
  let ibid: Ibid;
  let browser: Browser;

  beforeAll(async () => {
    ibid = new Ibid(["--model", await model.start()], { IBID_LIMITS_RUNS: "1", IBID_LIMITS_QUEUED_RUNS: "1" });
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    model.stop();
    await ibid.stop();
  });

  it("keep their words, and are answered when they are sent again", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    model.hold(0);
    for (const thread of ["one", "two"]) {
      const asked = await page.request.post(`${ibid.url}/v1/threads/${thread}/user_message`, { data: { input_text: `${thread}?` } });
      expect(asked.status()).toBe(202);
    }
    await ask(page, "And the third?");
    await page.getByRole("alert").getByText("Too many questions are waiting to be answered.").waitFor();
    expect(await page.getByLabel("Your question").inputValue()).toBe("And the third?");
    await shot(page, "busy");
    model.release();
    const running = async () => ((await (await page.request.get(`${ibid.url}/v1/status`)).json()) as { runs: number }).runs;
    await expect.poll(running).toBe(0);
    await page.getByLabel("Your question").press("Enter");
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.locator(".question-text", { hasText: "And the third?" }).waitFor();
    await close(w);
  });
});
