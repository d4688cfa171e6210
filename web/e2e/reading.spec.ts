// Reading an answer: all that an answer may hold, whoever wrote it.

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claim, Message, Support } from "../src/api/types";
import { everyLook, looksTimeout } from "./axe";
import { Ibid, missing } from "./binary";
import { close, documentsReady, drop, launch, open, shot } from "./browser";
import { handbook, tomatoes } from "./files";
import { answer, cite, question, serveThread, statement } from "./scripted";

const sql = "SELECT plant, litres FROM watering WHERE month = 'July' ORDER BY litres DESC";
const text = `Tomatoes need **two litres** a day in July [c1], and the table agrees [c2]. They grow best under a full moon. One page even gives a formula [c3]: $w = \\frac{2\\,V}{d^2}$, or

$$\\int_0^{31} w(t)\\,dt = 62$$

At $2 a bottle and $3 a can, that is cheap.

| plant | litres |
|:--|--:|
| tomato | 2 |
| rose | 1 |

\`\`\`python
print(sum(w for w in weeks))
\`\`\`
`;

/** The verdict on a sentence of the text, as bytes of it. */
function verdict(sentence: string, verdict: string, support?: Support): Claim {
  const start = new TextEncoder().encode(text.slice(0, text.indexOf(sentence))).length;
  return { claim: sentence, verdict, support, chunk_ids: [], start, end: start + new TextEncoder().encode(sentence).length };
}

function conversation(documentId: string, version: string): Message[] {
  const passages = [
    cite(1, {
      document_id: documentId,
      version,
      title: "Garden Handbook",
      path: ["handbook.pdf"],
      pages: [3],
      quote: tomatoes,
      match: { lexical_rank: 1, lexical_score: 7.31, vector_rank: 4, vector_score: 0.62, fused_score: 0.91 },
    }),
    cite(2, { kind: "query", title: "garden", query: sql, quote: sql, text: "plant | litres\ntomato | 2.0\n<b>rose</b> | 1.0" }),
    cite(3, { kind: "web", title: "Watering, explained", url: "https://garden.example/water?x=1", quote: "w = 2V/d²", text: "It is known that w = 2V/d² holds." }),
  ];
  return [
    question("q1", "How much water do tomatoes need?"),
    answer("a1", "q1", text, {
      analysis: { query: "water tomatoes", complexity: "moderate", mode: "agentic", decomposed: true, sub_queries: ["tomato water", "formula"] },
      reasoning: "I should **look** at the handbook.",
      citations: [
        cite(1, { ...passages[0], found: 1, statements: [statement(text, "Tomatoes need **two litres** a day in July", "c1")] }),
        cite(2, { ...passages[1], found: 2, quote: "tomato | 2.0", statements: [statement(text, "and the table agrees", "c2", "supported")] }),
        cite(3, { ...passages[2], found: 3, statements: [statement(text, "One page even gives a formula", "c3")] }),
      ],
      found: [...passages, cite(4, { title: "Garden Handbook", document_id: documentId, version, pages: [2], heading: "Compost" })],
      grades: [{ chunk_id: "c1", score: 0.93, classification: "CORRECT" }],
      steps: [
        { call_id: "s", tool: "search_knowledge_base", detail: "tomato water", iteration: 1, done: true, ok: true, duration_ms: 12, summary: "3 passages from 1 document" },
        {
          call_id: "d",
          tool: "query_database",
          detail: sql,
          iteration: 1,
          done: true,
          ok: true,
          duration_ms: 8,
          table: { query: sql, columns: ["plant", "litres"], rows: [["tomato", "2.0"], ["<b>rose</b>", "1.0"]], truncated: true },
        },
      ],
      verification: {
        claims_checked: 4,
        claims_supported: 2,
        claims_partially_supported: 1,
        claims_unsupported: 1,
        confidence: 0.7,
        details: [verdict("Tomatoes need **two litres** a day in July", "SUPPORTED", "quoted"), verdict("They grow best under a full moon.", "UNSUPPORTED", "contradicted"), verdict("that is cheap", "PARTIALLY_SUPPORTED")],
      },
      memory: { used_chars: 12_000, budget_chars: 48_000, pairs: 1, dropped_pairs: 0 },
    }),
    question("q2", "And again?", "a1"),
    answer("a2", "q2", "Two litres.", { memory: { used_chars: 12_000, budget_chars: 48_000, pairs: 2, dropped_pairs: 1 }, cache: { hit: true, similarity: 0.98, original_query: "How much water?", cached_at: new Date(Date.now() - 3_600_000).toISOString() } }),
  ];
}

describe.skipIf(missing())(`reading an answer${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;
  let messages: Message[];

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    await drop(w.page, [handbook]);
    await documentsReady(w.page, 1);
    const { documents } = (await (await w.page.request.get(`${ibid.url}/v1/documents`)).json()) as { documents: { id: string; version: string }[] };
    messages = conversation(documents[0]?.id ?? "", documents[0]?.version ?? "");
    await close(w);
  });

  afterAll(async () => {
    await ibid.stop();
  });

  const show = async (page: Page, to = "/t/t") => {
    await serveThread(page, "t", "Water", messages);
    await page.goto(ibid.url + to);
    await page.locator(".answer .prose").first().waitFor();
  };

  it("shows tables, code, formulas, and money as money", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page);
    const prose = w.page.locator(".answer .prose").first();
    await prose.locator("math mfrac").first().waitFor();
    await expect.poll(() => prose.locator("math").count()).toBe(2);
    await expect.poll(() => prose.locator(".formula[data-display=true] math").count()).toBe(1);
    expect(await prose.innerText()).toContain("At $2 a bottle and $3 a can");
    expect(await prose.locator("table tr").count()).toBe(3);
    expect(await prose.locator(".code").getByRole("button", { name: "Copy" }).count()).toBe(1);
    await close(w);
  });

  it("shows a footnote's quote to whoever points at it, and copies the answer with its footnotes", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await page.addInitScript(() => {
      const copied = (text: string) => Promise.resolve(void (document.title = text));
      Object.defineProperty(navigator, "clipboard", { value: { writeText: copied } });
    });
    await show(page);
    await page.locator(".footnote-mark").first().hover();
    await page.locator(".hover-card").getByText(tomatoes).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: "Copy with footnotes" }).first().click();
    await expect.poll(() => page.title()).toContain("[1] Garden Handbook, p. 3: “Tomato plants need two litres");
    expect(await page.title()).toContain("two litres** a day in July [1], and the table agrees [2].");
    expect(await page.title()).toContain("1 statement is contradicted by the sources");
    await close(w);
  });

  it("says that a thread is long only once it is", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page);
    expect(await w.page.getByText("This thread is getting long").count()).toBe(0);
    const last = messages.length - 1;
    const long = (dropped_pairs: number) => messages.map((m, i) => (i === last ? { ...m, memory: { used_chars: 40_000, budget_chars: 48_000, pairs: 9, dropped_pairs } } : m));
    await serveThread(w.page, "t", "Water", long(0));
    await w.page.reload();
    await expect.poll(() => w.page.locator(".foot").innerText()).toBe("This thread is getting long");
    await serveThread(w.page, "t", "Water", long(3));
    await w.page.reload();
    await expect.poll(() => w.page.locator(".foot").innerText()).toBe("This thread is getting long; the oldest part is no longer read");
    await close(w);
  });

  it("marks what the sources do not back, says how much that is, and nothing where all is well", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page);
    const doubts = w.page.locator(".doubt");
    await expect.poll(() => doubts.allInnerTexts()).toEqual(["They grow best under a full moon.", "that is cheap"]);
    expect(await doubts.evaluateAll((all) => all.map((el) => el.getAttribute("title")))).toEqual(["Contradicted by the sources", "Backed only in part"]);
    await expect.poll(() => w.page.locator(".doubt-mark").allInnerTexts()).toEqual(["(Contradicted by the sources)", "(Backed only in part)"]);
    await expect.poll(() => w.page.locator(".doubts li").allInnerTexts()).toEqual(["1 statement is contradicted by the sources", "1 statement is backed only in part"]);
    expect(await w.page.locator(".doubts").count()).toBe(1); // the second answer has nothing to say of
    expect(await w.page.locator("#root").innerText()).not.toMatch(/confidence|0 of|72 %/i);
    await close(w);
  });

  it("says why a passage was found", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, "/t/t?note=a1.1");
    await w.page.locator(".page-mark").first().waitFor();
    await w.page.getByText("Why this passage").click();
    const why = w.page.locator(".why");
    await why.getByText("1st (7.31)").waitFor();
    await why.getByText("4th (0.62)").waitFor();
    await why.getByText("fits the question (0.93)").waitFor();
    await close(w);
  });

  it("leads to a web page by a link that tells it nothing, and shows its host", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, "/t/t?note=a1.3");
    const link = w.page.getByRole("link", { name: "Open at garden.example" });
    expect(await link.getAttribute("href")).toBe("https://garden.example/water?x=1");
    expect(await link.getAttribute("rel")).toContain("noopener");
    expect(await link.getAttribute("rel")).toContain("noreferrer");
    expect(await w.page.locator(".note-body mark").innerText()).toBe("w = 2V/d²");
    await close(w);
  });

  it("shows the query and the table behind a number, as text", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page, "/t/t?note=a1.2");
    const note = w.page.locator(".note-body");
    expect((await note.locator("pre").innerText()).trim()).toBe(sql);
    await expect.poll(() => note.locator("td").allInnerTexts()).toEqual(["tomato", "2.0", "<b>rose</b>", "1.0"]);
    await note.getByText("The first 2 rows; there are more.").waitFor();
    await w.page.locator(".work .fold").first().click();
    await w.page.getByText("Understood the question").waitFor();
    await w.page.locator(".thinking-text", { hasText: "I should look at the handbook." }).waitFor();
    await w.page.getByRole("button", { name: "Queried the database", exact: true }).click();
    await expect.poll(() => w.page.locator(".step-detail-box td").count()).toBe(4);
    await close(w);
  });

  it("says that an answer is an earlier one, and offers a new one", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page);
    await w.page.getByText("This is an earlier answer (1 hour ago), to the question “How much water?”.").waitFor();
    await w.page.getByRole("button", { name: "Answer anew" }).waitFor();
    await close(w);
  });

  it("is taken away as Markdown, as one HTML file, and on paper", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    const { page } = w;
    await page.addInitScript(() => {
      window.print = () => (document.title = `printed ${document.querySelector(".printed")?.querySelectorAll("h2, math").length}`);
    });
    await show(page);
    const choose = async (what: string) => {
      await page.locator(".thread-item").hover();
      await page.getByRole("button", { name: "Options for “Water”" }).click();
      await page.getByRole("menuitem", { name: what }).click();
    };
    const saved = async (what: string) => {
      const [download] = await Promise.all([page.waitForEvent("download"), choose(what)]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
    };
    const md = await saved("Save as Markdown");
    expect(md.name).toBe("Water.md");
    expect(md.text).toContain("# Water\n\n## How much water do tomatoes need?\n\nTomatoes need **two litres** a day in July[^2-1]");
    expect(md.text).toContain("[^2-1]: Garden Handbook, p. 3: “Tomato plants need two litres");
    expect(md.text).toContain("[^2-3]: Watering, explained, https://garden.example/water?x=1: “w = 2V/d²”");

    const html = await saved("Save as HTML");
    expect(html.name).toBe("Water.html");
    // It needs nothing: no script, nothing fetched from anywhere.
    expect(html.text).toContain("default-src 'none'");
    expect(html.text).not.toMatch(/<script|<img|<link|\bsrc=|url\(/);
    const alone = await open(browser, "about:blank");
    await alone.page.setContent(html.text);
    expect(await alone.page.locator("math").count()).toBe(2);
    expect(await alone.page.locator("h2").allInnerTexts()).toEqual(["How much water do tomatoes need?", "And again?"]);
    expect(await alone.page.locator(".notes li").count()).toBe(3);
    // The quote stands behind its footnote, and anchors lead there and back.
    expect(await alone.page.locator(".notes blockquote").allInnerTexts()).toEqual([tomatoes, "tomato | 2.0", "w = 2V/d²"]);
    await alone.page.locator(".notes li", { hasText: `garden, ${sql}` }).waitFor();
    for (const n of ["1", "3"]) {
      const mark = alone.page.locator("sup a", { hasText: n });
      const note = alone.page.locator((await mark.getAttribute("href")) ?? "none");
      expect(await note.evaluate((el) => (el as HTMLLIElement).value)).toBe(Number(n));
      expect(await note.locator("a.back").getAttribute("href")).toBe(`#${await mark.getAttribute("id")}`);
    }
    expect(await alone.page.locator(".doubts").allInnerTexts()).toEqual(["1 statement is contradicted by the sources", "1 statement is backed only in part"]);
    await shot(alone.page, "export-html");
    await close(alone);

    await choose("Print, or save as PDF");
    await expect.poll(() => page.title()).toBe("printed 4");
    await page.emulateMedia({ media: "print" });
    await page.locator("#root").waitFor({ state: "hidden" });
    await page.locator(".printed h2").first().waitFor();
    await shot(page, "export-print");
    await close(w);
  });

  it("looks right at every width and in both themes", async () => {
    await everyLook(browser, ibid.url, "rich-answer", async (page) => {
      await show(page);
      await page.locator(".answer .prose").first().locator("math").first().waitFor();
      await page.locator(".question").first().scrollIntoViewIfNeeded();
    });
    await everyLook(browser, ibid.url, "rich-source", async (page) => {
      await show(page, "/t/t?note=a1.1");
      await page.locator(".page-mark").first().waitFor();
      await page.getByText("Why this passage").click();
    });
    await everyLook(browser, ibid.url, "rich-query", async (page) => {
      await show(page, "/t/t?note=a1.2");
      await page.locator(".note-body table").waitFor();
    });
  }, looksTimeout);
});
