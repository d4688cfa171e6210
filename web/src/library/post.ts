// One file on its way to the server.

import { ApiError, auth, authHeaders, errorOf, noteRefusal } from "../api/client";
import type { AddResult, OnSameName } from "../api/types";

export interface Sent {
  file: File;
  folder: string;
  category: string;
  onSameName: OnSameName;
}

/** The server takes no more for a while. */
export class TooMuch extends Error {
  constructor(readonly waitMs: number) {
    super("busy");
  }
}

/** The connection broke; the same file may be sent again, it is taken in once. */
export class Cut extends Error {}

function form({ file, folder, category, onSameName }: Sent): FormData {
  const data = new FormData();
  data.append("meta", JSON.stringify({ folder, category, on_same_name: onSameName }));
  data.append("file", file, file.name);
  return data;
}

/** XMLHttpRequest, because fetch does not tell how much has been sent. */
export function post(sent: Sent, onProgress: (part: number) => void): Promise<AddResult> {
  const { token } = auth.get();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/v1/documents");
    for (const [name, value] of Object.entries(authHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (e) => e.lengthComputable && onProgress(e.loaded / e.total));
    request.addEventListener("error", () => reject(new Cut()));
    request.addEventListener("abort", () => reject(new Cut()));
    request.addEventListener("load", () => {
      noteRefusal(request.status, request.getResponseHeader("WWW-Authenticate"), token);
      if (request.status === 429) reject(new TooMuch(waitOf(request.getResponseHeader("Retry-After"))));
      else
        try {
          resolve(read(request.status, request.responseText));
        } catch (err) {
          reject(err instanceof ApiError ? err : errorOf(request.status, request.responseText));
        }
    });
    request.send(form(sent));
  });
}

/** A header in seconds, as milliseconds within bounds. */
function waitOf(header: string | null): number {
  const seconds = Number(header);
  return Math.min(Math.max(Number.isFinite(seconds) ? seconds : 1, 1), 30) * 1000;
}

/** 422 with a list says for each file why it was refused. */
function read(status: number, text: string): AddResult {
  const result = JSON.parse(text) as Partial<AddResult>;
  if (!Array.isArray(result.documents)) throw errorOf(status, text);
  return { documents: result.documents, errors: result.errors ?? null };
}
