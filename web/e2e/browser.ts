// A browser for the tests, and what every test wants of it.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type CDPSession, type Page } from "playwright-core";
import { expect } from "vitest";
import { noteMs, trayMs, undoMs } from "../src/ui/times";
import { chromiumPath } from "./binary";

const out = path.resolve(process.env["IBID_OUT"] ?? "../.ci/out");

let running: Browser | undefined;

/** The browser of all spec files that this process runs; it ends with the process. */
export async function launch(): Promise<Browser> {
  if (!running?.isConnected()) {
    // One process draws all pages of a context: the next page finds the code compiled.
    const args = ["--no-sandbox", "--force-prefers-reduced-motion", "--renderer-process-limit=1"];
    running = await chromium.launch({ executablePath: chromiumPath() ?? "", args, timeout: 120_000 });
  }
  return running;
}

export interface Watched {
  page: Page;
  /** What went wrong in the page that no one caught, and requests to other hosts. */
  problems: string[];
  leave: () => Promise<void>;
}

/** What goes away by itself stays, so that no test has to be quicker than it. */
function letNothingPass(times: readonly number[]): void {
  const real = window.setTimeout.bind(window);
  const slow = (handler: TimerHandler, ms?: number, ...args: unknown[]) => (times.includes(ms ?? 0) ? 0 : real(handler, ms, ...args));
  window.setTimeout = slow as typeof window.setTimeout;
}

/**
 * What one page after the other is opened in, as by one visitor after the other:
 * files that the browser fetched and code that it compiled are still there, which
 * saves most of what opening a page costs. All else is as in a new browser.
 */
interface Home {
  context: BrowserContext;
  /** Clears what a page kept. */
  storage: CDPSession;
  taken: boolean;
}

const homes = new WeakMap<Browser, Promise<Home>>();

async function makeHome(browser: Browser, url: string): Promise<Home> {
  const context = await browser.newContext({ viewport: usual, reducedMotion: "reduce" });
  // A page that stays, so that the process that draws them does too.
  const stays = await context.newPage();
  await stays.goto(new URL("/icon.svg", url).href);
  return { context, storage: await context.newCDPSession(stays), taken: false };
}

export interface PageOptions extends Pick<BrowserContextOptions, "viewport" | "colorScheme" | "hasTouch"> {
  /** In a process that has drawn no other page. */
  alone?: boolean;
}

/** The shared home where it is free and does for what is wanted; otherwise the page gets a context of its own. */
async function homeFor(browser: Browser, { hasTouch, alone }: PageOptions, url: string): Promise<Home | undefined> {
  if (hasTouch || alone || !url.startsWith("http")) return undefined;
  const made = homes.get(browser) ?? makeHome(browser, url);
  homes.set(browser, made);
  made.catch(() => homes.delete(browser)); // the next page tries again
  const home = await made;
  if (home.taken) return undefined;
  home.taken = true;
  return home;
}

const usual = { width: 1280, height: 800 };

/** A page whose errors are kept; a test ends with none. home is the only host that may be asked for anything. */
export async function open(browser: Browser, url: string, options: PageOptions = {}, home = url): Promise<Watched> {
  const { viewport = usual, colorScheme = "light", hasTouch } = options;
  const shared = await homeFor(browser, options, home);
  const context = shared?.context ?? (await browser.newContext({ viewport, colorScheme, hasTouch, reducedMotion: "reduce" }));
  const page = await context.newPage();
  if (shared) {
    if (viewport) await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
  }
  page.setDefaultTimeout(60_000);
  await page.addInitScript(letNothingPass, [undoMs, noteMs, trayMs]);
  const problems: string[] = [];
  page.on("pageerror", (err) => problems.push(`error: ${err.message}`));
  page.on("console", (m) => {
    // A refused or cut request is reported by the browser as an error; the page deals with it.
    if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) problems.push(`console: ${m.text()}`);
  });
  page.on("request", (r) => {
    const { protocol, origin } = new URL(r.url());
    if (protocol.startsWith("http") && origin !== new URL(home).origin) problems.push(`request to another host: ${r.url()}`);
  });
  await page.goto(url);
  return { page, problems, leave: () => leave(page, shared, home) };
}

async function leave(page: Page, shared: Home | undefined, url: string): Promise<void> {
  if (!shared) return page.context().close();
  await page.close();
  await shared.storage.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
  shared.taken = false;
}

export async function close({ leave, problems }: Watched): Promise<void> {
  await leave();
  expect(problems).toEqual([]);
}

export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(out, { recursive: true });
  await page.screenshot({ path: path.join(out, `${name}.png`) });
}

/** Drops files onto the page, as from a file manager. */
export async function drop(page: Page, files: readonly { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  const data = await page.evaluateHandle(
    (list) => {
      const transfer = new DataTransfer();
      for (const f of list) {
        const bytes = Uint8Array.from(atob(f.base64), (c) => c.charCodeAt(0));
        transfer.items.add(new File([bytes], f.name, { type: f.type }));
      }
      return transfer;
    },
    files.map((f) => ({ name: f.name, type: f.mimeType, base64: f.buffer.toString("base64") })),
  );
  await page.locator(".shell").waitFor(); // it is the page that takes them, not the browser
  for (const event of ["dragover", "drop"]) await page.dispatchEvent("body", event, { dataTransfer: data });
}

/** Puts away the list of what was added, which would lie over other things. */
export async function dismissTray(page: Page): Promise<void> {
  await page.locator(".tray").getByRole("button", { name: "Dismiss" }).click();
  await page.locator(".tray").waitFor({ state: "detached" });
}

/** Waits until the library holds so many documents, all of them ready. */
export async function documentsReady(page: Page, count: number): Promise<void> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const response = await page.request.get(new URL("/v1/documents?limit=500", page.url()).href);
    const { documents } = (await response.json()) as { documents: { status: string; name: string; error?: string }[] };
    if (documents.filter((d) => d.status === "ready").length === count) return;
    const failed = documents.find((d) => d.status === "failed");
    if (failed || Date.now() > deadline) throw new Error(`the documents are not ready: ${JSON.stringify(documents)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function ask(page: Page, question: string): Promise<void> {
  const field = page.getByLabel("Your question");
  await field.fill(question);
  await field.press("Enter");
}

/** Waits until the focus is where it is wanted. */
export async function focused(page: Page, selector: string): Promise<void> {
  await page.locator(`${selector}:focus`).waitFor();
}

/** The titles of all that was found for the last answer, cited or not. */
export async function titlesFound(page: Page): Promise<string[]> {
  const sources = page.locator(".sources").last();
  await sources.waitFor();
  const more = sources.locator(".more[aria-expanded=false]");
  if ((await more.count()) > 0) await more.click();
  await expect.poll(() => sources.locator(".more[aria-expanded=false]").count()).toBe(0);
  return sources.locator(".card-title, .passage-title").allInnerTexts();
}

/** The words of the last answer, without the numbers of its footnotes. */
export function answerText(page: Page): Promise<string> {
  return page
    .locator(".answer > .prose")
    .last()
    .evaluate((prose) => {
      const copy = prose.cloneNode(true) as HTMLElement;
      for (const mark of copy.querySelectorAll(".footnote-mark, .doubt-mark")) mark.remove();
      // A copy that is not in the page has no lines: its paragraphs are put apart here.
      return [...copy.children].map((block) => block.textContent).join(" ").replace(/\s+/g, " ").trim();
    });
}
