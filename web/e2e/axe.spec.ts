// What a machine can find of WCAG 2.2 AA, on every page, in both themes.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { Ibid, missing } from "./binary";
import { ask, close, dismissTray, documentsReady, drop, focused, launch, open, shot } from "./browser";
import { handbook, notes } from "./files";
import { ScriptedModel } from "./model";

// Everything a model may write, and what it must not be able to do with it.
const markdown = `## A table

| plant | water | note |
|:--|--:|---|
| tomato | 2 l | never on the leaves |
| rose | 1 l | in the morning |

1. First **bold**, then *italic*, then \`code\`.
2. A link to [elsewhere](https://example.org/) [c1].
   - nested

- [x] done
- [ ] not yet

> Quoted words [c1].

\`\`\`go
func main() { fmt.Println("[c1]") }
\`\`\`

<img src="https://example.org/raw.png" onerror="window.hacked = 1"><script>window.hacked = 2</script>

![a picture](https://example.org/picture.png) [bad](javascript:window.hacked=3)
`;

describe.skipIf(missing())(`accessibility${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const model = new ScriptedModel();
  let ibid: Ibid;
  let browser: Browser;

  beforeAll(async () => {
    ibid = new Ibid(["--model", await model.start()]);
    await ibid.start();
    browser = await launch();
  });

  afterAll(async () => {
    model.stop();
    await ibid.stop();
  });

  it("finds nothing on the first screen", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const w = await open(browser, ibid.url, { colorScheme });
      await w.page.getByRole("heading", { name: "Ask your own documents" }).waitFor();
      expect(await violations(w.page)).toEqual([]);
      await close(w);
    }
  });

  it("finds nothing in an answer with all that Markdown has, beside its source", async () => {
    model.script = { ...model.script, answer: [markdown] };
    const w = await open(browser, ibid.url);
    const { page } = w;
    await drop(page, [handbook, notes]);
    await documentsReady(page, 2);
    await ask(page, "How much water do tomato plants need?");
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.locator(".prose table").waitFor();
    await dismissTray(page);
    expect(await violations(page)).toEqual([]);
    await shot(page, "markdown");

    // Nothing of it ran, and nothing was fetched from elsewhere (close() sees to that).
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(await page.locator(".prose img, .prose script, .prose a[href^=javascript]").count()).toBe(0);
    expect((await page.locator(".prose pre").innerText()).trim()).toBe('func main() { fmt.Println("[c1]") }');

    await page.locator(".footnote-mark").first().click();
    await page.locator(".page-mark").first().waitFor();
    await page.getByText("Why this passage").click();
    expect(await violations(page)).toEqual([]);
    const url = page.url();
    await close(w);

    const dark = await open(browser, url, { colorScheme: "dark" });
    await dark.page.locator(".page-mark").first().waitFor();
    expect(await violations(dark.page)).toEqual([]);
    await shot(dark.page, "footnote-dark");
    await close(dark);
  });

  it("finds nothing in the library, its menus and dialogs", async () => {
    for (const viewport of [
      { width: 380, height: 780 },
      { width: 1280, height: 800 },
    ]) {
      const w = await open(browser, `${ibid.url}/library`, { viewport });
      const { page } = w;
      await page.locator(".document").first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name: "Options for Garden Handbook" }).click();
      await page.getByRole("menu").waitFor();
      expect(await violations(page, "[role=menu]")).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
      await page.keyboard.press("Control+/");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
      expect(await violations(page, "[role=dialog]")).toEqual([]);
      await close(w);
    }
  });

  it("can be used with the keyboard alone", async () => {
    model.script = { ...model.script, answer: ["Two litres [c1] a day."] };
    const w = await open(browser, ibid.url);
    const { page } = w;
    await focused(page, "#question");
    await page.keyboard.type("How much water do tomato plants need?");
    await page.keyboard.press("Enter");
    await page.locator(".answer[data-status=completed]").waitFor();
    await page.locator(".footnote-mark").first().press("Enter");
    const panel = page.getByRole("complementary", { name: "Source" });
    await panel.locator(".page-mark").first().waitFor();
    await expect.poll(() => panel.evaluate((el) => el.contains(document.activeElement))).toBe(true);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await focused(page, ".footnote-mark");
    await page.keyboard.press("Control+Shift+O");
    await page.waitForURL(`${ibid.url}/`);
    await focused(page, "#question");
    await page.keyboard.press("Control+K");
    await page.getByRole("combobox", { name: "Find a thread, a document or a page" }).waitFor();
    await page.getByRole("option", { name: /Garden Handbook/ }).waitFor();
    expect(await violations(page, "[role=dialog]")).toEqual([]);
    await focused(page, "[role=combobox]");
    await page.keyboard.type("much water tomato");
    await page.getByRole("option", { name: /Garden Handbook/ }).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.waitForURL("**/t/*");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await close(w);
  });
});
