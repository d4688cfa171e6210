// Many PDFs, opened one after the other in one tab.

import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ibid, missing } from "./binary";
import { close, launch, open } from "./browser";
import { pdf } from "./files";
import { addFiles, cited, footnoted } from "./footnoted";
import { question, serveThread } from "./scripted";

const many = 200;

/** An answer of the thread has footnotes in so many of them. */
const perAnswer = 20;

/** Each says something that no other says, on the last of its three pages. */
const sentence = (i: number) => `The archive keeps folder ${i} in room ${i * 7} of the north wing.`;

function archive(i: number): Buffer {
  return pdf(`Folder ${i}`, ["A page before\nthe one that is cited.", "Another page before it.", `Folder ${i}\n\n${sentence(i)}\nNobody has asked for it in years.`]);
}

interface Memory {
  heap: number;
  nodes: number;
  /** The heap of the worker that reads the PDFs. */
  worker: number;
}

/** Tells what a page and its worker hold once all that is garbage is gone. */
class Scales {
  private readonly answers = new Map<number, (result: unknown) => void>();
  private asked = 0;

  private constructor(
    private readonly cdp: CDPSession,
    private readonly worker: string,
  ) {}

  static async of(page: Page): Promise<Scales> {
    const cdp = await page.context().newCDPSession(page);
    const attached = new Promise<string>((resolve) => cdp.on("Target.attachedToTarget", (e) => e.targetInfo.type === "worker" && resolve(e.sessionId)));
    await cdp.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false });
    const scales = new Scales(cdp, await attached);
    cdp.on("Target.receivedMessageFromTarget", ({ message }) => {
      const { id, result } = JSON.parse(message) as { id: number; result: unknown };
      scales.answers.get(id)?.(result);
    });
    return scales;
  }

  private async ofWorker(method: string): Promise<unknown> {
    const id = ++this.asked;
    const answer = new Promise((resolve) => this.answers.set(id, resolve));
    await this.cdp.send("Target.sendMessageToTarget", { sessionId: this.worker, message: JSON.stringify({ id, method, params: {} }) });
    return answer;
  }

  async weigh(): Promise<Memory> {
    for (let i = 0; i < 3; i++) {
      await this.cdp.send("HeapProfiler.collectGarbage");
      await this.ofWorker("HeapProfiler.collectGarbage");
    }
    const used = (usage: unknown) => (usage as { usedSize: number }).usedSize;
    const { nodes } = await this.cdp.send("Memory.getDOMCounters");
    return { heap: used(await this.cdp.send("Runtime.getHeapUsage")), worker: used(await this.ofWorker("Runtime.getHeapUsage")), nodes };
  }
}

describe.skipIf(missing())(`many PDFs${missing() ? ` (${missing() ?? ""})` : ""}`, () => {
  const ibid = new Ibid();
  let browser: Browser;
  let show: (page: Page) => Promise<void>;

  beforeAll(async () => {
    await ibid.start();
    browser = await launch();
    const w = await open(browser, ibid.url);
    const files = Array.from({ length: many }, (_, i) => ({ name: `folder-${i + 1}.pdf`, mimeType: "application/pdf", buffer: archive(i + 1) }));
    const documents = await addFiles(w.page, files);
    const quotes = documents.map((d, i) => cited(1 + (i % perAnswer), sentence(i + 1), { document_id: d.id, version: d.version, title: `Folder ${i + 1}`, pages: [3] }));
    const messages = Array.from({ length: many / perAnswer }, (_, k) => [
      question(`q${k}`, "And where is the next?", k > 0 ? `a${k - 1}` : ""),
      footnoted(`a${k}`, `q${k}`, quotes.slice(k * perAnswer, (k + 1) * perAnswer)),
    ]).flat();
    show = async (page) => {
      await serveThread(page, "t", "Archive", messages);
      await page.goto(`${ibid.url}/t/t`);
      await mark(page, 1).waitFor();
      await mark(page, many).waitFor();
    };
    await close(w);
  });

  afterAll(async () => {
    await ibid.stop();
  });

  /** The footnote in a PDF. */
  function mark(page: Page, n: number): Locator {
    const answer = page.locator(".answer").nth(Math.floor((n - 1) / perAnswer));
    return answer.locator(`.footnote-mark[data-note="${1 + ((n - 1) % perAnswer)}"]`);
  }

  /** Opens a PDF's footnote and waits for its page; says what is marked there, or what is shown instead. */
  async function look(page: Page, n: number): Promise<string> {
    await mark(page, n).evaluate((el: HTMLElement) => el.click());
    const shown = await page.waitForFunction(
      (title) => {
        const panel = document.querySelector(".source-panel");
        if (panel?.querySelector("h2")?.textContent !== title) return undefined;
        if (panel.querySelector('.viewer[data-look="text"]')) return "the text instead of the page";
        if (!panel.querySelector(".pdf-page canvas")) return undefined;
        return panel.querySelector<HTMLElement>(".page-marks[data-marked]")?.dataset["marked"];
      },
      `Folder ${n}`,
      { polling: 20 }, // looking at every frame would have it draw frames
    );
    return (await shown.jsonValue()) ?? "";
  }

  it(`shows ${many} of ${many}, and their memory does not add up`, async () => {
    const w = await open(browser, "about:blank", { alone: true }, ibid.url);
    await show(w.page);
    let scales: Scales | undefined;
    let after10: Memory | undefined;
    for (let n = 1; n <= many; n++) {
      expect(await look(w.page, n), `PDF ${n}`).toBe(sentence(n));
      scales ??= await Scales.of(w.page);
      if (n === 10) after10 = await scales.weigh();
    }
    const afterAll = await scales?.weigh();
    for (const what of ["heap", "worker", "nodes"] as const) {
      expect((afterAll?.[what] ?? Infinity) / (after10?.[what] ?? 0), `${what} ${JSON.stringify([after10, afterAll])}`).toBeLessThan(1.5);
    }
    await close(w);
  });

  it("shows them as fast as somebody can click, and the first one again", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page);
    for (let n = 1; n <= 30; n++) await mark(w.page, n).evaluate((el: HTMLElement) => el.click());
    expect(await look(w.page, 31)).toBe(sentence(31));
    expect(await look(w.page, 1)).toBe(sentence(1));
    await close(w);
  });

  it("opens the next PDF after the worker that reads them has failed", async () => {
    const w = await open(browser, "about:blank", {}, ibid.url);
    await show(w.page);
    expect(await look(w.page, 1)).toBe(sentence(1));
    for (const worker of w.page.workers()) {
      await worker.evaluate(() => void setTimeout(() => {
        throw new Error("as if it had run out of memory");
      }));
    }
    await expect.poll(() => w.page.workers().length).toBe(0);
    expect(await look(w.page, 2)).toBe(sentence(2));
    expect(await look(w.page, 1)).toBe(sentence(1));
    w.problems.splice(0); // the browser reports the failure
    await close(w);
  });
});
