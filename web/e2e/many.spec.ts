// A large library and a long thread: what is shown is asked for, and no more.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Doc } from "../src/api/types";
import { Api } from "./api";
import { Ibid, missing } from "./binary";
import { close, documentsReady, launch, open, shot } from "./browser";

const why = missing() ? ` (${missing() ?? ""})` : "";
const many = 100_000;

/** A library that no server holds, as long as one likes; by pages, and by ids. */
async function serveLibrary(page: Page): Promise<string[]> {
  const asked: string[] = [];
  const doc = (i: number): Doc => ({
    id: `d${i}`,
    title: `Report ${i}`,
    name: `report-${i}.txt`,
    format: "text",
    bytes: 100,
    chunks: 1,
    chunks_embedded: 1,
    chunks_kept: 0,
    status: "ready",
    added_at: new Date(1_700_000_000_000 + i * 1000).toISOString(),
    changed_at: new Date(1_700_000_000_000 + i * 1000).toISOString(),
  });
  await page.route(/\/v1\/documents\?/, (route) => {
    const url = new URL(route.request().url());
    const query = url.searchParams;
    asked.push(url.search);
    if (query.has("document")) return route.fulfill({ json: { documents: query.getAll("document").map((id) => doc(Number(id.slice(1)))) } });
    if (query.get("status") === "failed") return route.fulfill({ json: { documents: [] } });
    const limit = Number(query.get("limit"));
    const from = Number(query.get("cursor") ?? many);
    const documents = Array.from({ length: Math.min(limit, from) }, (_, i) => doc(from - 1 - i));
    return route.fulfill({ json: { documents, next: from > limit ? String(from - limit) : undefined, total: many } });
  });
  const folder = { name: "", path: "", documents: many, total: many, folders: [] };
  await page.route(/\/v1\/folders\?/, (route) => route.fulfill({ json: { folder, categories: [], tags: [], documents: many, chunks: many } }));
  return asked;
}

/** A library of 20,000 folders and 5,000 tags that no server holds; answers what was asked. */
async function serveLabels(page: Page): Promise<string[]> {
  const asked: string[] = [];
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${String(i).padStart(String(count - 1).length, "0")}`);
  const lists = { folders: names("folder", 20_000), categories: ["letters"], tags: names("tag", 5_000) };
  await page.route(/\/v1\/(folders|categories|tags)\?/, (route) => {
    const url = new URL(route.request().url());
    asked.push(url.pathname + url.search);
    const kind = url.pathname.slice("/v1/".length) as keyof typeof lists;
    const fit = lists[kind].filter((name) => name.includes(url.searchParams.get("q") ?? ""));
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const to = from + Number(url.searchParams.get("limit"));
    const part = fit.slice(from, to).map((name) => ({ name, path: name, documents: 1, total: 1, folders: [] }));
    const next = to < fit.length ? String(to) : undefined;
    if (kind !== "folders") return route.fulfill({ json: { [kind]: part, next } });
    const folder = { name: "", path: "", documents: 0, total: 20_000, folders: part };
    return route.fulfill({ json: { folder, next, documents: 20_000, chunks: 20_000 } });
  });
  return asked;
}

describe.skipIf(missing())(`what has grown${why}`, () => {
  const ibid = new Ibid();
  let api: Api;
  let browser: Browser;

  beforeAll(async () => {
    await ibid.start();
    api = new Api(ibid.url);
    browser = await launch();
  });

  afterAll(async () => {
    await ibid.stop();
  });

  const rows = (page: Page) => page.locator(".rows");
  const shown = (page: Page) => page.locator(".document-title").allInnerTexts();
  const toEnd = (page: Page) => rows(page).evaluate((el) => el.scrollTo(0, el.scrollHeight));

  it("is scrolled page by page, and lets go of what is far away", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    const asked = await serveLibrary(page);
    await page.goto(`${ibid.url}/library`);
    await page.getByText("100,000 documents").first().waitFor();
    await page.getByRole("button", { name: `Report ${many - 1}`, exact: true }).waitFor();
    const pages = () => asked.filter((q) => q.includes("in_folder") && q.includes("cursor")).length;
    expect(pages()).toBe(0);
    // Further down than what is held.
    for (let at = 1; at <= 24; at++) {
      await expect
        .poll(async () => {
          await toEnd(page);
          return pages();
        })
        .toBeGreaterThanOrEqual(at);
    }
    await expect.poll(async () => Number(/\d+/.exec((await shown(page))[0] ?? "")?.[0])).toBeLessThan(many - 2_300);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(2_500);
    // At the beginning again: what was let go of is asked for by its ids.
    const before = asked.length;
    await rows(page).evaluate((el) => el.scrollTo(0, 0));
    await page.getByRole("button", { name: `Report ${many - 1}`, exact: true }).waitFor();
    await page.getByRole("button", { name: `Report ${many - 9}`, exact: true }).waitFor();
    const back = asked.slice(before);
    expect(back.some((q) => q.includes("document="))).toBe(true);
    expect(back.filter((q) => q.includes("in_folder") && !q.includes("cursor"))).toEqual([]); // the list does not begin anew
    await shot(page, "large-library");
    await close(w);
  });

  it("has folders and tags that are shown and found a part at a time", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    const asked = await serveLabels(page);
    await page.goto(`${ibid.url}/library`);
    const folders = () => page.locator(".document.folder .document-body").allInnerTexts();
    await expect.poll(async () => (await folders()).slice(0, 2)).toEqual(["folder-00000", "folder-00001"]);
    const pages = () => asked.filter((q) => q.startsWith("/v1/folders?in=&") && q.includes("cursor")).length;
    expect(pages()).toBe(0);
    for (let at = 1; at <= 3; at++) {
      await expect
        .poll(async () => {
          await toEnd(page);
          return pages();
        })
        .toBeGreaterThanOrEqual(at);
    }
    await expect.poll(async () => Number((await folders()).at(-1)?.slice(-5))).toBeGreaterThan(500);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(2_500);

    // Where documents are chosen, a part of a name is looked for by the server.
    await page.goto(ibid.url);
    await page.getByRole("button", { name: "Choose documents to search" }).click();
    const picker = page.getByRole("dialog");
    await picker.getByText("tag-0000", { exact: true }).waitFor();
    expect(await picker.getByRole("checkbox").count()).toBeLessThan(200);
    await picker.getByRole("searchbox").fill("4711");
    await picker.getByText("folder-14711", { exact: true }).waitFor();
    await picker.getByText("folder-04711", { exact: true }).waitFor();
    await expect.poll(() => picker.getByText("tag-4711", { exact: true }).count()).toBe(1);
    await expect.poll(() => picker.getByText("tag-0000", { exact: true }).count()).toBe(0);
    await picker.getByText("tag-4711", { exact: true }).click();
    await picker.getByText("folder-14711", { exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByText("tag-4711", { exact: true }).first().waitFor();
    await page.getByText("folder-14711", { exact: true }).first().waitFor();
    await close(w);
  });

  it("is found by name, and follows what changes without asking for its list", async () => {
    const w = await open(browser, `${ibid.url}/library/notes`);
    const { page } = w;
    const count = 130;
    const add = (names: string[]) => {
      const form = new FormData();
      for (const name of names) {
        form.append("meta", JSON.stringify({ folder: "notes" }));
        form.append("file", new Blob([`The note ${name} tells of ${name}.\n`]), `${name}.txt`);
      }
      return fetch(`${ibid.url}/v1/documents`, { method: "POST", body: form });
    };
    await page.getByText("No documents yet.").waitFor();
    const lists: string[] = [];
    page.on("request", (r) => /\/v1\/documents\?.*(in_folder|document=)/.test(r.url()) && lists.push(r.url()));
    let counts = 0;
    page.on("request", (r) => {
      if (/\/v1\/folders\?in=/.test(r.url())) counts++;
    });
    const began = Date.now();
    await add(Array.from({ length: count }, (_, i) => `note-${i}`));
    await page.getByText(`${count} documents`, { exact: true }).waitFor();
    await documentsReady(page, count);
    await expect.poll(() => page.locator(".document[data-status=ready]").count()).toBeGreaterThan(5);
    await expect.poll(() => page.locator(".document:not([data-status=ready])").count()).toBe(0);
    expect(await shown(page)).toContain(`note-${count - 1}.txt`);
    expect(lists).toEqual([]);
    expect(counts).toBeLessThanOrEqual((Date.now() - began) / 1000 + 2); // about once a second

    // One comes, one goes, one moves: rows change where they are.
    const { documents } = await api.get<{ documents: Doc[] }>("/v1/documents?name=note-128.txt");
    await fetch(`${ibid.url}/v1/documents/${documents[0]?.id}`, { method: "DELETE" });
    await page.getByRole("button", { name: "note-128.txt", exact: true }).waitFor({ state: "detached" });
    const { documents: moved } = await api.get<{ documents: Doc[] }>("/v1/documents?name=note-127.txt");
    await fetch(`${ibid.url}/v1/documents/${moved[0]?.id}`, { method: "PATCH", body: JSON.stringify({ folder: "elsewhere" }), headers: { "Content-Type": "application/json" } });
    await page.getByRole("button", { name: "note-127.txt", exact: true }).waitFor({ state: "detached" });
    await add(["newest"]);
    await expect.poll(async () => (await shown(page)).slice(0, 3)).toEqual(["newest.txt", "note-129.txt", "note-126.txt"]);
    expect(lists).toEqual([]);

    // To the end, then by name: the second that is found too.
    await page.reload();
    await page.getByRole("button", { name: "newest.txt", exact: true }).waitFor();
    await expect
      .poll(async () => {
        await toEnd(page);
        return (await shown(page)).at(-1);
      })
      .toBe("note-0.txt");
    await page.getByRole("searchbox", { name: "Filter" }).fill("NOTE-11");
    await expect.poll(async () => (await shown(page)).sort()).toEqual(["note-11.txt", ...Array.from({ length: 10 }, (_, i) => `note-11${i}.txt`)].sort());
    await page.getByRole("button", { name: "note-113.txt", exact: true }).click();
    await page.getByRole("complementary", { name: "Source" }).getByText("The note note-113 tells").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("note-42");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Source" }).getByText("The note note-42 tells").waitFor();
    await close(w);
  });

  it("opens a long thread with one window of it, and shows another branch where one reads", async () => {
    const questions = 110;
    let twentieth = "";
    for (let i = 0; i < questions; i++) {
      const { id, parent_id } = await api.ask("long", { input_text: `Question number ${i}?` });
      if (i === 20) twentieth = parent_id ?? "";
      expect(id).not.toBe("");
    }
    await api.ask("long", { input_text: "Question number 20, in other words?", edit_message_id: twentieth });
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    const asked: string[] = [];
    page.on("request", (r) => r.url().includes("/messages?") && asked.push(new URL(r.url()).search));
    const asksFor = (text: string) => page.locator(".question-text").getByText(text, { exact: true });
    await page.goto(`${ibid.url}/t/long`);
    await asksFor("Question number 20, in other words?").waitFor();
    expect(asked).toEqual(["?limit=50"]);

    // The first version has all the other questions below it; its place in the window stays.
    const top = (text: string) => asksFor(text).evaluate((el) => Math.round(el.getBoundingClientRect().top));
    const before = await top("Question number 20, in other words?");
    await page.getByRole("button", { name: "Earlier version" }).click();
    await asksFor("Question number 20?").waitFor();
    await expect.poll(async () => Math.abs((await top("Question number 20?")) - before)).toBeLessThan(5);
    expect(asked.length).toBeLessThan(5);
    await page.getByRole("button", { name: "To the end" }).click();
    await asksFor(`Question number ${questions - 1}?`).waitFor();

    // Opened anew it shows that branch, at its end; upwards the rest comes, to the very first.
    await page.reload();
    await asksFor(`Question number ${questions - 1}?`).waitFor();
    asked.length = 0;
    await expect
      .poll(async () => {
        await page.locator(".scroller").evaluate((el) => el.scrollTo(0, 0));
        return asksFor("Question number 0?").count();
      })
      .toBe(1);
    expect(asked.length).toBeLessThanOrEqual(Math.ceil((questions * 2) / 50));
    await page.getByRole("button", { name: "Earlier messages" }).waitFor({ state: "detached" });

    // And the other version, from the middle of what is here.
    await expect
      .poll(async () => {
        await page.locator(".scroller").evaluate((el) => el.scrollBy(0, 300));
        return page.getByRole("button", { name: "Later version" }).count();
      })
      .toBe(1);
    await page.getByRole("button", { name: "Later version" }).click();
    await asksFor("Question number 20, in other words?").waitFor();
    await asksFor("Question number 19?").waitFor();
    await close(w);
  });
});
