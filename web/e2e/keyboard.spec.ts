// Every page by keyboard alone, and every page as a machine checks it, at three
// widths in both themes.

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyLook, looksTimeout } from "./axe";
import { Ibid, missing } from "./binary";
import { ask, close, dismissTray, documentsReady, drop, launch, open } from "./browser";
import { handbook } from "./files";

const why = missing() ? ` (${missing() ?? ""})` : "";

/** Goes through a page with Tab until it leaves it; says what was passed, and what of the page was not. */
async function walk(page: Page): Promise<{ passed: string[]; left: string[]; unseen: string[] }> {
  await page.evaluate(() => {
    // From the very beginning of the page, wherever its cursor stands.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
  });
  const passed: string[] = [];
  const unseen: string[] = [];
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const el = document.activeElement;
      if (!(el instanceof HTMLElement) || el === document.body || el.dataset["walked"]) return undefined;
      el.dataset["walked"] = "yes";
      const ringed = (e: Element | null) => e !== null && (getComputedStyle(e).outlineStyle !== "none" || getComputedStyle(e).boxShadow !== "none");
      const box = el.getBoundingClientRect();
      const seen = box.bottom > 0 && box.top < innerHeight && (ringed(el) || ringed(el.closest(".ask-box")));
      return { name: el.getAttribute("aria-label") ?? el.textContent, seen };
    });
    if (!at) break;
    passed.push(at.name.trim());
    if (!at.seen) unseen.push(at.name.trim());
  }
  const left = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary, [tabindex='0']")]
      .filter((el) => el.tabIndex >= 0 && !el.matches(":disabled") && !el.closest("[inert]") && el.checkVisibility({ visibilityProperty: true }) && !el.dataset["walked"])
      .map((el) => el.getAttribute("aria-label") ?? el.textContent),
  );
  return { passed, left, unseen };
}

/** What is there once a page has all that it shows. */
function whole(page: Page, path: string): Locator {
  switch (path) {
    case "/":
      return page.locator(".welcome");
    case "/library":
      return page.locator(".document");
    case "/databases":
      return page.getByText("No database is connected.");
    case "/watched":
      return page.getByText("No folder is followed.");
    case "/settings":
      return page.getByRole("button", { name: "Test this: Answers" });
    default:
      return page.locator(".footnote-mark");
  }
}

describe.skipIf(missing())(`every page${why}`, () => {
  const ibid = new Ibid();
  const withToken = new Ibid([], { IBID_TOKEN: "a-token-for-this-test" });
  let browser: Browser;
  let thread = "";

  beforeAll(async () => {
    await Promise.all([ibid.start(), withToken.start()]);
    browser = await launch();
  });

  afterAll(async () => {
    await Promise.all([ibid.stop(), withToken.stop()]);
  });

  it("is clean when it is first seen, without an address, and before it has a token", async () => {
    await everyLook(browser, ibid.url, "first-run", async (page) => {
      await page.goto(ibid.url);
      await page.getByRole("heading", { name: "Ask your own documents" }).waitFor();
    });
    await everyLook(browser, withToken.url, "token", async (page) => {
      await page.goto(withToken.url);
      await page.getByRole("heading", { name: "This server needs its token" }).waitFor();
    });
    await everyLook(browser, ibid.url, "not-found", async (page) => {
      await page.goto(`${ibid.url}/no/such/place`);
      await page.getByText("There is nothing at this address.").waitFor();
    });
  }, looksTimeout);

  it("is clean: settings, databases, watched folders", async () => {
    await everyLook(browser, ibid.url, "settings-page", async (page) => {
      await page.goto(`${ibid.url}/settings`);
      await page.getByRole("button", { name: "Test this: Answers" }).waitFor();
    });
    await everyLook(browser, ibid.url, "databases-page", async (page) => {
      await page.goto(`${ibid.url}/databases`);
      await page.getByText("No database is connected.").waitFor();
    });
    await everyLook(browser, ibid.url, "watched-page", async (page) => {
      await page.goto(`${ibid.url}/watched`);
      await page.getByText("No folder is followed.").waitFor();
    });
  }, looksTimeout);

  it("can be walked through with Tab, each stop in sight and ringed", async () => {
    const w = await open(browser, ibid.url);
    const { page } = w;
    await drop(page, [handbook]);
    await documentsReady(page, 1);
    await dismissTray(page);
    await ask(page, "How much water do tomato plants need?");
    await page.locator(".answer[data-status=completed]").waitFor();
    thread = page.url();
    for (const path of [new URL(thread).pathname, "/library", "/databases", "/watched", "/settings", "/"]) {
      await page.goto(ibid.url + path);
      // All that is stopped at is there before the walk begins.
      await whole(page, path).first().waitFor();
      await page.locator(".thread-item").waitFor();
      await page.locator(".model-name", { hasText: "reader" }).waitFor();
      const { passed, left, unseen } = await walk(page);
      expect(passed[0], path).toBe("Skip to the content");
      expect(left, `${path}: not reached with Tab`).toEqual([]);
      expect(unseen, `${path}: reached, but not seen to be`).toEqual([]);
      if (path.startsWith("/t/")) expect(passed.some((name) => name.startsWith("Footnote 1"))).toBe(true);
    }
    await close(w);
  });
});
