// Ollama's API, for scripted models to stand behind.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ChatRequest {
  messages: { role: string; content: string }[];
  tools?: unknown[];
  format?: unknown;
}

/** A piece of what a model says. */
export type Say = (message: Record<string, unknown>) => void;

export abstract class OllamaServer {
  private server: Server | undefined;

  /** Answers a request, or ends without an answer and returns false. */
  protected abstract chat(req: ChatRequest, say: Say, res: ServerResponse): Promise<boolean>;

  /** Starts it, and returns what names it in ibid's settings. */
  async start(name = "scripted"): Promise<string> {
    const server = createServer((req, res) => void this.handle(req, res));
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `ollama:${name}@http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const json = (value: unknown) => res.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
    switch (req.url) {
      case "/api/chat": {
        const say: Say = (message) => res.write(line({ message: { role: "assistant", content: "", ...message }, done: false }));
        if (!(await this.chat(JSON.parse(body) as ChatRequest, say, res))) return;
        res.end(line({ message: { role: "assistant", content: "" }, done: true, done_reason: "stop", prompt_eval_count: 10, eval_count: 5 }));
        return;
      }
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
}

function line(value: unknown): string {
  return `${JSON.stringify({ model: "scripted", created_at: "2026-01-01T00:00:00Z", ...(value as object) })}\n`;
}
