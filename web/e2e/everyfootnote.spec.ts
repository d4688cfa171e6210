// Every footnote of many answers, over every format, is opened, and the words
// that it marks are compared with the words that it stands behind.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Attachment, Citation, Doc, Question } from "../src/api/types";
import { Api } from "./api";
import { Ibid, missing } from "./binary";
import { close, launch, open, shot } from "./browser";
import { Checker, type Asked } from "./checker";
import { attachments, database, documents, noScans, scanned, type Fixture } from "./formats/documents";
import { quotable } from "./formats/prose";
import { attachedQuestions, databaseQuestions, readerQuestions, tables } from "./questions";
import { QuotingModel } from "./quoting";
import { answersFrom, answersFromRows, asItStands, said, type Said } from "./statements";
import { words } from "./words";

/** After so many problems the rest is left unopened. */
const enough = 40;

const scans = noScans();
const notes = [missing(), scans && `without scans: ${scans}`].filter(Boolean).join("; ");

describe.skipIf(missing())(`every footnote${notes && ` (${notes})`}`, () => {
  const model = new QuotingModel();
  let ibid: Ibid;
  let browser: Browser;
  let api: Api;
  let library: Fixture[];
  let docs: Doc[];
  const asked: Asked[] = [];

  beforeAll(async () => {
    ibid = new Ibid(["--model", "reader"], { IBID_MODELS: await model.start() });
    await ibid.start();
    browser = await launch();
    api = new Api(ibid.url);
    library = documents();
    if (!scans) library.push(await scanned(browser));
  });

  afterAll(async () => {
    await ibid.stop();
    model.stop();
  });

  it("has documents in every format, and every sentence of them is read", async () => {
    docs = await api.add(library);
    await api.postFiles("/v1/databases", [{ name: database.file, mime: "text/csv", bytes: database.bytes }], { name: database.name });
    const lost: string[] = [];
    for (const f of library) {
      const doc = docs.find((d) => d.name === f.name);
      const text = doc ? words((await api.text(doc.id)).text) : "";
      const { sentences, items, rows } = quotable(f.text);
      for (const s of [...sentences, ...items, ...rows.map((row) => row.join(" "))]) if (!text.includes(words(s))) lost.push(`${f.name}: ${s}`);
    }
    expect(lost).toEqual([]);
  });

  it("answers the questions", async () => {
    const reader = async (thread: string, question: string, more: Partial<Question> = {}) => {
      asked.push({ thread, message: await api.ask(thread, { input_text: question, model: "reader", ...more }) });
    };
    const scripted = async (thread: string, question: string, { answer, statements }: Said, more: Partial<Question> = {}) => {
      model.answers.set(question, answer);
      asked.push({ thread, statements, message: await api.ask(thread, { input_text: question, model: "ollama/scripted", mode: "agentic", ...more }) });
    };
    const measured = { scope: { databases: [database.name] } };
    for (const [i, question] of readerQuestions.entries()) await reader(`reader-${i}`, question);
    for (const [i, question] of databaseQuestions.entries()) await reader(`table-${i}`, question, measured);

    // Everything is stated twice, each time in another way. At first a document alone is asked, then the library.
    const again = ["please", "once more"] as const;
    for (const [turn, word] of again.entries()) {
      for (const [i, f] of library.entries()) {
        const scope = turn === 0 ? { documents: docs.filter((d) => d.name === f.name).map((d) => d.id) } : undefined;
        for (const [k, answer] of answersFrom(f.text, i * 3 + turn * 7).entries()) {
          await scripted(`quoting-${i}-${turn}-${k}`, `What stands in part ${k + 1} of ${f.text.title}, ${word}?`, answer, { scope });
        }
      }
      for (const [i, { sql, rows }] of tables.entries()) {
        for (const { answer, statements } of answersFromRows(rows, i + turn)) {
          await scripted(`rows-${i}-${turn}`, `List what query ${i + 1} of the measurements gives, ${word}.`, { answer: { ...answer, sql: [sql] }, statements }, measured);
        }
      }
      for (const [i, f] of attachments.entries()) {
        for (const [k, answer] of answersFrom(f.text, i + turn * 5).entries()) {
          await scripted(`attached-${i}-${turn}-${k}`, `What does part ${k + 1} of the attached ${f.name} say, ${word}?`, answer, { attachments: [attached(f)] });
        }
      }
    }
    for (const [i, f] of attachments.entries()) {
      for (const [k, question] of (attachedQuestions[i] ?? []).entries()) await reader(`letter-${i}-${k}`, question, { attachments: [attached(f)] });
    }
    // Answers from many documents at once.
    for (const [k, word] of ["first", "second", "third", "fourth"].entries()) {
      const some = library.filter((_, i) => (i + k) % 4 !== 0).flatMap((f) => quotable(f.text).sentences.slice(3 * k, 3 * k + 1));
      await scripted(`many-${k}`, `What do the documents say, ${word} of all?`, said(some.map(asItStands)));
    }
    expect(model.notShown, "sentences that no search found").toEqual([]);
    expect(asked.filter((a) => a.message.status !== "completed").map((a) => a.message.error)).toEqual([]);
  });

  it("names the very bytes of what it quotes", async () => {
    const texts = new Map<string, Promise<{ text: string }>>();
    const textOf = (c: Citation): Promise<{ text: string }> => {
      const [message, n] = c.document_id.split(":");
      const path = c.kind === "attachment" ? `/v1/messages/${message ?? ""}/files/${n ?? ""}/text` : `/v1/documents/${c.document_id}/text?version=${c.version}`;
      const text = texts.get(path) ?? api.get<{ text: string }>(path);
      texts.set(path, text);
      return text;
    };
    const wrong: string[] = [];
    for (const { thread, message } of asked) {
      for (const c of message.citations ?? []) {
        const text = c.kind === "query" || c.kind === "tool" ? (c.text ?? "") : (await textOf(c)).text;
        const there = Buffer.from(text).subarray(c.start, c.end).toString();
        if (there !== c.quote) wrong.push(`${thread}: footnote ${c.n} quotes “${c.quote}”, but “${there}” stands there`);
        for (const s of c.statements ?? []) {
          const marker = Buffer.from(message.text).subarray(s.marker).toString();
          if (!marker.startsWith(`[${c.chunk_id}]`)) wrong.push(`${thread}: footnote ${c.n} has no marker at ${s.marker}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("opens each footnote with exactly its words marked", async () => {
    const w = await open(browser, ibid.url, { viewport: { width: 1440, height: 900 } });
    const checker = new Checker(w.page, ibid.url, new Map(docs.map((d) => [d.id, library.find((f) => f.name === d.name)?.kind ?? "mail"])));
    for (const [i, a] of asked.entries()) {
      try {
        await checker.walk(a, i % 3 === 0 ? "keys" : "clicks");
      } catch (err) {
        checker.problems.push(`${a.thread}: ${err instanceof Error ? err.message : String(err)}`);
        await shot(w.page, `everyfootnote-${a.thread}`);
      }
      if (checker.problems.length >= enough) break;
    }
    console.log(checker.table());
    expect(checker.problems).toEqual([]);
    expect(checker.answers).toBeGreaterThanOrEqual(50);
    expect(checker.statements).toBeGreaterThanOrEqual(500);
    await close(w);
  }, 1_200_000);
});

/** A file as it comes with a question. */
function attached(f: Fixture): Attachment {
  return { name: f.name, mime: f.mime, data: f.bytes.toString("base64") };
}
