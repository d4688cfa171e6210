// Files that go with the next question. They are kept in memory only: a draft
// that is found again has its words, not its files.

import { request } from "../api/client";
import type { Attachment, Message } from "../api/types";
import { Store } from "../ui/store";

export interface Attached {
  id: number;
  file: File;
}

/** As many as the server takes with one question. */
export const mostAttached = 10;

let next = 1;

export function attach(list: readonly Attached[], files: readonly File[]): { list: Attached[]; tooMany: boolean } {
  const fresh = files.map((file) => ({ id: next++, file }));
  const all = [...list, ...fresh];
  return { list: all.slice(0, mostAttached), tooMany: all.length > mostAttached };
}

/** Where files go that are dropped onto the question: the ask box that is shown. */
export const attachTarget = new Store<((files: File[]) => void) | undefined>(undefined);

export async function encode({ file }: { file: File }): Promise<Attachment> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    reader.addEventListener("error", () => reject(new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
  return { name: file.name, mime: file.type, data: url.slice(url.indexOf(",") + 1) };
}

/** The files of a question that is asked again: a message names them, the server has them. */
export async function attachmentsOf(message: Message): Promise<Attachment[] | undefined> {
  const files = message.request?.attachments ?? [];
  if (files.length === 0) return undefined;
  return Promise.all(
    files.map(async ({ name, mime }, n) => {
      const blob = await (await request(fileOf(message.id, n))).blob();
      return encode({ file: new File([blob], name, { type: mime }) });
    }),
  );
}

/** Where a message's file is. */
export function fileOf(messageId: string, n: number): string {
  return `/v1/messages/${encodeURIComponent(messageId)}/files/${n}`;
}
