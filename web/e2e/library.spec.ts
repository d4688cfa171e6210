// The library: folders, what stands in the documents and how it was found, what
// is said of a document, and how far one is that is being read.

import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyLook, looksTimeout, violations } from "./axe";
import { Ibid, missing } from "./binary";
import { close, documentsReady, launch, open, shot } from "./browser";
import { handbook, notes, pdf } from "./files";

const why = missing() ? ` (${missing() ?? ""})` : "";

describe.skipIf(missing())(`the library${why}`, () => {
  const ibid = new Ibid();
  let browser: Browser;

  const send = async (page: Page, file: { name: string; mimeType: string; buffer: Buffer }, meta: object) => {
    const boundary = "b0undary";
    const head = (name: string, more: string, type: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\nContent-Type: ${type}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(head("meta", "", "application/json") + JSON.stringify(meta) + "\r\n" + head("file", `; filename="${file.name}"`, file.mimeType)),
      file.buffer,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const response = await page.request.post(`${ibid.url}/v1/documents`, { headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` }, data: body });
    expect(response.status()).toBe(202);
  };

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    await send(w.page, handbook, { folder: "garden/books", category: "gardening" });
    await send(w.page, notes, { folder: "garden" });
    await documentsReady(w.page, 2);
    await close(w);
  });

  afterAll(async () => {
    await ibid.stop();
  });

  it("is a tree of folders, with the way back", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    await page.locator(".document.folder", { hasText: "garden" }).click();
    await page.waitForURL("**/library/garden");
    await page.getByRole("button", { name: /Bienen/ }).first().waitFor();
    await page.locator(".document.folder", { hasText: "books" }).click();
    await page.getByRole("button", { name: "Garden Handbook", exact: true }).waitFor();
    const crumbs = page.getByRole("navigation", { name: "Where you are in the library" });
    expect((await crumbs.getByRole("link").allInnerTexts()).join(" / ")).toBe("Library / garden / books");
    await crumbs.getByRole("link", { name: "garden" }).click();
    await page.locator(".document.folder", { hasText: "books" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Garden Handbook", exact: true }).waitFor();
    await crumbs.getByRole("button", { name: "Ask about this folder" }).click();
    await page.locator(".chip", { hasText: "garden/books" }).waitFor();
    await close(w);
  });

  it("changes what is said of a document", async () => {
    const w = await open(browser, `${ibid.url}/library/garden/books`);
    const { page } = w;
    await page.getByRole("button", { name: "Options for Garden Handbook" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit" });
    await dialog.getByLabel("Category").fill("vegetables");
    await dialog.getByLabel("Tags").fill("summer, water");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".tags li").allInnerTexts()).toEqual(["summer", "water"]);
    await page.getByRole("searchbox", { name: "Filter" }).fill("summer");
    await expect.poll(() => page.locator(".document").count()).toBe(1);
    await close(w);
  });

  it("searches inside, shows both rankings, and opens at the words", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    await page.getByRole("button", { name: "Search inside" }).click();
    await page.getByRole("searchbox", { name: "Search in what the documents say" }).fill("when do honeybees swarm");
    await page.keyboard.press("Enter");
    const first = page.locator(".found-passage").first();
    await first.getByText(/^1st/).first().waitFor();
    expect(await first.locator("dt").allInnerTexts()).toEqual(["By its words", "By its meaning", "Score"]);
    await first.getByRole("button").click();
    const panel = page.getByRole("complementary", { name: "Source" });
    await panel.locator("mark").first().waitFor();
    expect(await panel.locator("mark").first().innerText()).toMatch(/^Honeybees swarm/);
    await expect.poll(() => page.url()).toMatch(/at=\d+-\d+/);
    await close(w);
  });

  it("says how far a document is without being asked, and lets a new version say what it kept", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    const telling = page.waitForResponse((r) => r.url().includes("/v1/documents/events"));
    let asked = 0;
    const count = (by: number) => (r: { url: () => string }) => {
      if (r.url().includes("/v1/documents?")) asked += by;
    };
    page.on("request", count(1));
    page.on("requestfinished", count(-1));
    page.on("requestfailed", count(-1));
    await page.goto(`${ibid.url}/library/new`);
    const pages = Array.from({ length: 12 }, (_, i) => `Chapter ${i}\n\nThis page tells of subject number ${i}, and of nothing else but subject number ${i}.`);
    await telling;
    await page.getByText("No document matches.").waitFor();
    await expect.poll(() => asked).toBe(0);
    // From now on nothing looks at the server by itself: the stream tells of it.
    await page.route("**/v1/documents?*", (route) => route.abort());
    await send(page, { name: "long.pdf", mimeType: "application/pdf", buffer: pdf("Long", pages) }, { folder: "new", source: "/long.pdf" });
    await page.locator(".document[data-status=ready]", { hasText: "Long" }).waitFor();
    await send(page, { name: "long.pdf", mimeType: "application/pdf", buffer: pdf("Long", [...pages, "One more page\n\nwith words that are new to all."]) }, { source: "/long.pdf" });
    await page.getByText(/\d+ of \d+ passages embedded, \d+ kept/).waitFor();
    await close(w);
  });

  it("connects a database from a file, shows its tables, and lets it go with a way back", async () => {
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    await page.getByRole("button", { name: "Databases" }).click();
    await page.getByText("No database is connected.").waitFor();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload a SQLite, CSV or Excel file" }).click();
    await (await chooser).setFiles({ name: "watering.csv", mimeType: "text/csv", buffer: Buffer.from("plant,litres\ntomato,2\nrose,1\n") });
    const card = page.locator(".database", { hasText: "watering" });
    await card.getByText("2 rows").waitFor();
    await card.getByText(/plant.*litres/).waitFor();
    await shot(page, "databases");
    await page.getByLabel("Address of a database").fill("/no/such/file.db");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await card.getByRole("button", { name: /^Disconnect/ }).click();
    await page.getByText("No database is connected.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await card.waitFor();
    expect(await violations(page)).toEqual([]);
    await close(w);
  });

  it("follows a folder of the server until it is told not to, and says so", async () => {
    const dir = mkdtempSync(path.join(tmpdir(), "ibid-followed-"));
    const file = path.join(dir, "moss.md");
    writeFileSync(file, "# Moss\n\nMoss grows in the shade, and wants no soil.\n");
    utimesSync(file, 1_700_000_000, 1_700_000_000); // written long ago: it is read at once
    const w = await open(browser, `${ibid.url}/library`);
    const { page } = w;
    await page.getByRole("button", { name: "Watched folders" }).click();
    await page.getByText("No folder is followed.").waitFor();
    const field = page.getByLabel("Folder on the server’s machine");
    await field.fill("/no/such/folder");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("there is no folder").waitFor();
    await field.fill(dir);
    await page.getByRole("button", { name: "Follow this folder" }).click();
    const card = page.locator(".database", { hasText: path.basename(dir) });
    await card.getByText("Followed", { exact: true }).waitFor();
    await card.getByText("1 file", { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "watched-folders");
    await page.goto(`${ibid.url}/library/${path.basename(dir)}`);
    await page.getByRole("button", { name: "Moss", exact: true }).waitFor();
    await page.goto(`${ibid.url}/watched`);
    await card.getByRole("button", { name: /^Stop following/ }).click();
    await page.getByText("No folder is followed.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await card.waitFor();
    await close(w);
    rmSync(dir, { recursive: true });
  });

  it("looks right at every width and in both themes", async () => {
    await everyLook(browser, ibid.url, "library-page", async (page) => {
      await page.goto(`${ibid.url}/library/garden`);
      await page.locator(".document").nth(1).waitFor();
    });
    await everyLook(browser, ibid.url, "library-search", async (page) => {
      await page.goto(`${ibid.url}/library`);
      await page.getByRole("button", { name: "Search inside" }).click();
      await page.getByRole("searchbox", { name: "Search in what the documents say" }).fill("water for tomatoes");
      await page.keyboard.press("Enter");
      await page.locator(".found-passage").first().waitFor();
    });
  }, looksTimeout);
});
