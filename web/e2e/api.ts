// The server's API, asked without a browser.

import type { AddResult, Accepted, Doc, Extract, Message, Question } from "../src/api/types";
import { isDone } from "../src/api/types";

export class Api {
  constructor(private readonly url: string) {}

  async get<T>(path: string): Promise<T> {
    return this.answer<T>(await fetch(this.url + path));
  }

  private async answer<T>(response: Response): Promise<T> {
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async postFiles<T>(path: string, files: readonly { name: string; mime: string; bytes: Buffer }[], meta?: object): Promise<T> {
    const form = new FormData();
    if (meta) form.append("meta", JSON.stringify(meta));
    for (const f of files) form.append("file", new Blob([new Uint8Array(f.bytes)], { type: f.mime }), f.name);
    return this.answer<T>(await fetch(this.url + path, { method: "POST", body: form }));
  }

  /** Adds files and waits until all that comes out of them is ready. */
  async add(files: readonly { name: string; mime: string; bytes: Buffer }[]): Promise<Doc[]> {
    const { errors } = await this.postFiles<AddResult>("/v1/documents", files);
    if (errors?.length) throw new Error(`not taken in: ${JSON.stringify(errors)}`);
    for (;;) {
      const { documents } = await this.get<{ documents: Doc[] }>("/v1/documents?limit=500");
      const failed = documents.filter((d) => d.status === "failed");
      if (failed.length > 0) throw new Error(`not read: ${JSON.stringify(failed)}`);
      if (documents.every((d) => d.status === "ready")) return documents;
      await pause();
    }
  }

  /** The text that was read from a document. */
  text(documentId: string): Promise<Extract> {
    return this.get<Extract>(`/v1/documents/${documentId}/text`);
  }

  /** Asks in a thread and waits for the answer as it is saved. */
  async ask(threadId: string, question: Question): Promise<Message> {
    const response = await fetch(`${this.url}/v1/threads/${threadId}/user_message`, { method: "POST", body: JSON.stringify(question), headers: { "Content-Type": "application/json" } });
    const { message_id } = await this.answer<Accepted>(response);
    for (;;) {
      const message = await this.get<Message>(`/v1/messages/${message_id}`);
      if (isDone(message.status)) return message;
      await pause();
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
