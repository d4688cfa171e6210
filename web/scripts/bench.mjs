// How fast the page is on this machine: node scripts/bench.mjs URL [RUNS].
// Each run is a browser profile of its own, so nothing is cached. Prints one line
// for each figure: its name, the median, and the number of runs, between tabs.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const [url, runs = "5"] = process.argv.slice(2);
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => p && existsSync(p));
if (!url || !executablePath) {
  console.error(url ? "no Chromium: apt-get install chromium, or set CHROMIUM" : "usage: node scripts/bench.mjs URL [RUNS]");
  process.exit(2);
}

// Collected by the page from its very beginning. Blocking time is what tasks
// take beyond 50 ms; an interaction is the time from an input until its effect
// is painted, as the browser measures it for "interaction to next paint".
function observe() {
  const seen = { lcp: 0, tbt: 0, interaction: 0, shift: 0 };
  const watch = (type, take, more = {}) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  watch("largest-contentful-paint", (e) => (seen.lcp = e.startTime));
  watch("longtask", (e) => (seen.tbt += Math.max(0, e.duration - 50)));
  watch("event", (e) => e.interactionId && (seen.interaction = Math.max(seen.interaction, e.duration)), { durationThreshold: 16 });
  watch("layout-shift", (e) => e.hadRecentInput || (seen.shift += e.value));
  window.__seen = seen;
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const figures = [];
for (let i = 0; i < Number(runs); i++) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(observe);
  // The page keeps a stream open, so its network is never idle.
  await page.goto(url);
  await page.getByLabel("Your question").waitFor();
  await page.waitForTimeout(1000);
  const loaded = await page.evaluate(() => ({
    fcp: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    bytes: performance.getEntriesByType("resource").reduce((sum, e) => sum + e.encodedBodySize, 0),
    ...window.__seen,
  }));
  // What people do: write a question, open a menu, go to the library and back.
  await page.getByLabel("Your question").pressSequentially("How much water do tomato plants need in July?", { delay: 15 });
  await page.getByRole("button", { name: "How to answer" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Library" }).click();
  await page.getByRole("heading", { name: "Library" }).waitFor();
  await page.getByRole("link", { name: "New thread" }).click();
  await page.getByLabel("Your question").waitFor();
  const { interaction } = await page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(window.__seen), 300)));
  figures.push({ ...loaded, interaction });
  await context.close();
}
await browser.close();

const median = (key) => figures.map((f) => f[key]).sort((a, b) => a - b)[Math.floor(figures.length / 2)];
const say = (name, figure) => console.log([name, figure, figures.length].join("\t"));
say("page: first contentful paint", `${median("fcp").toFixed(0)} ms`);
say("page: largest contentful paint", `${median("lcp").toFixed(0)} ms`);
say("page: blocking time while it loads", `${median("tbt").toFixed(0)} ms`);
// The browser counts in steps of 8 ms, and leaves out what takes less than 16.
say("page: slowest interaction", median("interaction") === 0 ? "< 16 ms" : `${median("interaction").toFixed(0)} ms`);
say("page: layout shift", median("shift").toFixed(3));
say("page: bytes until it is ready", `${(median("bytes") / 1000).toFixed(0)} kB`);
