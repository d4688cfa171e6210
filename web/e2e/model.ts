// A scripted language model behind Ollama's API, so that a test decides what is
// thought and said, and when it goes on: plan with some thinking, search once,
// answer with the first passage's handle as footnote. In the direct mode, where
// the search is done for it, it thinks and answers.

import type { ServerResponse } from "node:http";
import { OllamaServer, type ChatRequest, type Say } from "./ollama";

export interface Script {
  thinking: readonly string[];
  answer: readonly string[];
}

export class ScriptedModel extends OllamaServer {
  private open: (() => void) | undefined;
  private gate: Promise<void> = Promise.resolve();
  script: Script = { thinking: ["I shall look ", "into the documents."], answer: ["Two ", "litres ", "[c1]", " a ", "day."] };
  /** Pieces of the answer that are said before it waits to be told to go on. */
  holdAfter = Infinity;
  /** Breaks the connection once after this many pieces of an answer; if it waits there, when it is released. */
  breakAfter = Infinity;
  /** Answers every request with an error instead. */
  refuse = false;
  /** Connections that the other side closed while they were answered. */
  dropped = 0;

  override stop(): void {
    this.release();
    super.stop();
  }

  /** From now on answers stop after so many pieces until they are released. */
  hold(after: number): void {
    this.holdAfter = after;
    this.gate = new Promise((resolve) => (this.open = resolve));
  }

  /** Lets those who wait go on to a later piece. */
  holdAt(after: number): void {
    const goOn = this.open;
    this.hold(after);
    goOn?.();
  }

  release(): void {
    this.holdAfter = Infinity;
    this.open?.();
  }

  protected override async chat(req: ChatRequest, say: Say, res: ServerResponse): Promise<boolean> {
    if (this.refuse) {
      res.statusCode = 400;
      res.end(JSON.stringify({ error: "this model is out of order" }));
      return false;
    }
    res.setHeader("Content-Type", "application/x-ndjson");
    res.on("close", () => (this.dropped += res.writableFinished ? 0 : 1));
    const last = req.messages.at(-1);
    if (req.format !== undefined) {
      say({ content: "{}" }); // asked to judge, it has no opinion
    } else if (!req.tools || req.tools.length === 0) {
      for (const thinking of this.script.thinking) say({ thinking });
      // In the direct mode the passages stand in the question, and no tool is offered.
      if (!last?.content.includes("<passage id=")) say({ content: "plan" });
      else return this.answer(say, res);
    } else if (last?.role !== "tool") {
      const question = req.messages.findLast((m) => m.role === "user")?.content ?? "";
      say({ tool_calls: [{ id: "call_a", function: { index: 0, name: "search_knowledge_base", arguments: { query: question.slice(0, 200) } } }] });
    } else {
      return this.answer(say, res);
    }
    return true;
  }

  /** False when the connection was broken instead. */
  private async answer(say: Say, res: ServerResponse): Promise<boolean> {
    for (const [i, content] of this.script.answer.entries()) {
      while (i >= this.holdAfter) await this.gate;
      if (i === this.breakAfter) {
        this.breakAfter = Infinity;
        res.destroy();
        return false;
      }
      if (res.destroyed) return false;
      say({ content });
    }
    return true;
  }
}
