// A scripted model that quotes. For each question it has an answer written, with
// places for footnotes and the sentence that each is for. It searches, reads the
// passages that it is shown, and writes down the handle of the one that holds the
// sentence: so its footnotes are right in whatever order passages are found.

import type { ServerResponse } from "node:http";
import { OllamaServer, type ChatRequest, type Say } from "./ollama";
import { words } from "./words";

export interface Footnote {
  /** What the passage says whose handle is written. */
  of: string;
  /** The handle of another passage is written instead. */
  wrong?: boolean;
}

export interface Answer {
  /** With "{}" where a footnote comes. */
  text: string;
  /** For each "{}" in turn. */
  footnotes: readonly Footnote[];
  /** Asked of a database, before anything is searched for. */
  sql?: readonly string[];
}

interface Shown {
  handle: string;
  words: string;
}

export class QuotingModel extends OllamaServer {
  /** By question. */
  readonly answers = new Map<string, Answer>();
  /** Sentences for which no passage was ever shown. */
  readonly notShown: string[] = [];

  // eslint-disable-next-line @typescript-eslint/require-await -- a model's way to answer
  protected override async chat(req: ChatRequest, say: Say, res: ServerResponse): Promise<boolean> {
    res.setHeader("Content-Type", "application/x-ndjson");
    if (req.format !== undefined) {
      say({ content: "{}" }); // asked to judge, it has no opinion
      return true;
    }
    const [question, answer] = this.answerTo(req);
    const shown = passagesIn(req);
    const offered = (req.tools ?? []).length > 0;
    const missing = unique(answer.footnotes.map((f) => f.of).filter((s) => !holding(shown, s)));
    const rounds = req.messages.filter((m) => m.role === "assistant").length;
    if (req.messages.at(-1)?.content.includes("Do not answer the question now") || (!offered && shown.length === 0)) {
      say({ content: "Each statement needs a sentence that bears it out." }); // asked to plan
    } else if (offered && rounds === 0 && answer.sql) {
      call(say, "query_database", answer.sql.map((sql) => ({ sql })));
    } else if (offered && rounds === 0 && missing.length > 0) {
      call(say, "search_knowledge_base", [{ query: question }]);
    } else if (offered && rounds === 1 && missing.length > 0) {
      call(say, "search_knowledge_base", missing.slice(0, 16).map((query) => ({ query })));
    } else {
      this.notShown.push(...missing);
      for (const piece of written(answer, shown).match(/[^]{1,9}/gu) ?? []) say({ content: piece });
    }
    return true;
  }

  private answerTo(req: ChatRequest): [question: string, answer: Answer] {
    const asked = req.messages.filter((m) => m.role === "user").map((m) => m.content);
    for (const [question, answer] of this.answers) if (asked.some((a) => a.includes(question))) return [question, answer];
    throw new Error(`no answer is written for ${asked.join("\n")}`);
  }
}

function call(say: Say, name: string, calls: readonly object[]): void {
  say({ tool_calls: calls.map((args, index) => ({ id: `call_${name}_${index}`, function: { index, name, arguments: args } })) });
}

/** The passages that the model has been shown, as ibid fences them. */
function passagesIn(req: ChatRequest): Shown[] {
  const text = req.messages.filter((m) => m.role !== "system").map((m) => m.content);
  return [...text.join("\n").matchAll(/<passage id="([^"]+)"[^>]*>\n([^]*?)\n<\/passage>/g)].map((m) => ({ handle: m[1] ?? "", words: words(m[2] ?? "") }));
}

/** The passage that holds a sentence, or the longer part of one that goes over the end of a page. */
function holding(shown: readonly Shown[], sentence: string): Shown | undefined {
  const wanted = words(sentence);
  const half = Math.ceil(wanted.length / 2);
  return (
    shown.find((p) => p.words.includes(wanted)) ?? shown.find((p) => p.words.includes(wanted.slice(0, half)) || p.words.includes(wanted.slice(-half)))
  );
}

/** An answer with handles in the places of its footnotes. */
function written(answer: Answer, shown: readonly Shown[]): string {
  const footnotes = [...answer.footnotes];
  return answer.text.replace(/\{\}/g, () => {
    const note = footnotes.shift();
    const right = note && holding(shown, note.of);
    const other = note?.wrong ? shown.find((p) => p.handle !== right?.handle && !p.words.includes(words(note.of))) : undefined;
    const handle = (other ?? right)?.handle;
    return handle ? `[${handle}]` : "";
  });
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
