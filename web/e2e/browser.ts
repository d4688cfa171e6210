// A browser for the tests, and what every test wants of it.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { expect } from "vitest";
import { noteMs, trayMs, undoMs } from "../src/ui/times";
import { chromiumPath } from "./binary";

const out = path.resolve(process.env["IBID_OUT"] ?? "../.ci/out");

export async function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath() ?? "", args: ["--no-sandbox", "--force-prefers-reduced-motion"], timeout: 120_000 });
}

export interface Watched {
  page: Page;
  /** What went wrong in the page that no one caught, and requests to other hosts. */
  problems: string[];
}

/** What goes away by itself stays, so that no test has to be quicker than it. */
function letNothingPass(times: readonly number[]): void {
  const real = window.setTimeout.bind(window);
  const slow = (handler: TimerHandler, ms?: number, ...args: unknown[]) => (times.includes(ms ?? 0) ? 0 : real(handler, ms, ...args));
  window.setTimeout = slow as typeof window.setTimeout;
}

/** A page whose errors are kept; a test ends with none. home is the only host that may be asked for anything. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}, home = url): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
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
  return { page, problems };
}

export async function close({ page, problems }: Watched): Promise<void> {
  await page.context().close();
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
