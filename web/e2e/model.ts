// A scripted language model behind Ollama's API, so that a test decides what is
// thought and said, and when it goes on: plan with some thinking, search once,
// answer with the first passage's handle as footnote. In the direct mode, where
// the search is done for it, it thinks and answers.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface ChatRequest {
  messages: { role: string; content: string }[];
  tools?: unknown[];
  format?: unknown;
}

export interface Script {
  thinking: readonly string[];
  answer: readonly string[];
}

export class ScriptedModel {
  private server: Server | undefined;
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

  async start(): Promise<string> {
    const server = createServer((req, res) => void this.handle(req, res));
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `ollama:scripted@http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.release();
    this.server?.closeAllConnections();
    this.server?.close();
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

  private async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const json = (value: unknown) => res.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
    switch (req.url) {
      case "/api/chat":
        return this.chat(JSON.parse(body) as ChatRequest, res);
      case "/api/show":
        json({ capabilities: ["completion", "tools", "thinking"], model_info: { "general.architecture": "x", "x.context_length": 32768 }, details: {} });
        return;
      case "/api/tags":
        json({ models: [{ name: "scripted:latest", model: "scripted:latest" }] });
        return;
      default:
        res.statusCode = 404;
        json({ error: "not found" });
    }
  }

  private async chat(req: ChatRequest, res: ServerResponse): Promise<void> {
    if (this.refuse) {
      res.statusCode = 400;
      res.end(JSON.stringify({ error: "this model is out of order" }));
      return;
    }
    res.setHeader("Content-Type", "application/x-ndjson");
    res.on("close", () => (this.dropped += res.writableFinished ? 0 : 1));
    const say = (message: Record<string, unknown>) => res.write(line({ message: { role: "assistant", content: "", ...message }, done: false }));
    const last = req.messages.at(-1);
    if (req.format !== undefined) {
      say({ content: "{}" }); // asked to judge, it has no opinion
    } else if (!req.tools || req.tools.length === 0) {
      for (const thinking of this.script.thinking) say({ thinking });
      // In the direct mode the passages stand in the question, and no tool is offered.
      if (!last?.content.includes("<passage id=")) say({ content: "plan" });
      else if (!(await this.answer(say, res))) return;
    } else if (last?.role !== "tool") {
      const question = req.messages.findLast((m) => m.role === "user")?.content ?? "";
      say({ tool_calls: [{ id: "call_a", function: { index: 0, name: "search_knowledge_base", arguments: { query: question.slice(0, 200) } } }] });
    } else if (!(await this.answer(say, res))) {
      return;
    }
    res.end(line({ message: { role: "assistant", content: "" }, done: true, done_reason: "stop", prompt_eval_count: 10, eval_count: 5 }));
  }

  /** False when the connection was broken instead. */
  private async answer(say: (message: Record<string, unknown>) => void, res: ServerResponse): Promise<boolean> {
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

function line(value: unknown): string {
  return `${JSON.stringify({ model: "scripted", created_at: "2026-01-01T00:00:00Z", ...(value as object) })}\n`;
}
