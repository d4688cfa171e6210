// What a machine can find of WCAG 2.2 AA.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { close, open, shot } from "./browser";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Found {
  id: string;
  nodes: { target: string[]; failureSummary?: string }[];
}

/** An open menu or dialog is looked at by itself: the page behind it is closed off. */
export async function violations(page: Page, part = "html"): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const found = await page.evaluate(async (part) => {
    const run = (window as unknown as { axe: { run: (part: string, options: unknown) => Promise<{ violations: Found[] }> } }).axe.run;
    const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    return (await run(part, { runOnly, resultTypes: ["violations"] })).violations; // of all else one example will do
  }, part);
  return found.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.failureSummary ?? ""}`));
}

type Size = readonly [width: number, height: number];

const usual: readonly Size[] = [
  [380, 780],
  [1024, 768],
  [2560, 1440],
];

/** Several times six looks take their time on a busy machine. */
export const looksTimeout = 900_000;

/**
 * Brings a page at three widths to the state that is meant, and wants of each look,
 * in both themes: nothing that axe finds, nothing wider than the window.
 * Screenshots are left as NAME-WIDTH-THEME.png.
 */
export async function everyLook(browser: Browser, url: string, name: string, prepare: (page: Page) => Promise<void>, sizes = usual): Promise<void> {
  const w = await open(browser, "about:blank", {}, url);
  const { page } = w;
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: "light" });
    await prepare(page);
    for (const colorScheme of ["light", "dark"] as const) {
      const look = `${name}-${width}-${colorScheme}`;
      await page.emulateMedia({ colorScheme });
      await shot(page, look);
      expect(await violations(page), look).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), `${look} is wider than the window`).toBe(false);
    }
    await page.unrouteAll();
    await page.evaluate(() => {
      // The next one comes as if for the first time.
      localStorage.clear();
      sessionStorage.clear();
    });
  }
  await close(w);
}
