// Files on their way to the server: two at a time, each with its own progress
// and its own fate.

import { ApiError, auth, authHeaders, errorOf, noteRefusal } from "../api/client";
import { changed, keys } from "../api/queries";
import type { AddResult } from "../api/types";
import { t } from "../strings";
import { announce } from "../ui/announce";
import { kept } from "../ui/keep";
import { Store } from "../ui/store";
import type { Picked } from "./files";

export interface Upload {
  id: number;
  name: string;
  state: "waiting" | "sending" | "added" | "failed";
  /** 0 to 1. */
  progress: number;
  note: string;
}

export const uploads = new Store<readonly Upload[]>([]);
export const categoryKey = "ibid.category";

const atOnce = 2;
const queue: { id: number; picked: Picked; category: string }[] = [];
let sending = 0;
let nextId = 1;

/** Adds files; those without a folder of their own go into the one given. */
export function addFiles(files: readonly Picked[], into = ""): void {
  if (files.length === 0) return;
  const category = kept(categoryKey) ?? "";
  const fresh = files.map((picked): Upload => {
    const id = nextId++;
    const folder = [into, picked.folder].filter(Boolean).join("/");
    queue.push({ id, picked: { ...picked, folder }, category });
    return { id, name: picked.file.name, state: "waiting", progress: 0, note: "" };
  });
  // What went well the last time has been seen by now.
  uploads.update((list) => [...list.filter((u) => u.state !== "added"), ...fresh]);
  pump();
}

export function dismissUploads(): void {
  uploads.update((list) => list.filter((u) => u.state === "waiting" || u.state === "sending"));
}

function pump(): void {
  while (sending < atOnce) {
    const job = queue.shift();
    if (!job) return;
    sending++;
    void upload(job.id, job.picked, job.category).finally(() => {
      sending--;
      pump();
    });
  }
}

function set(id: number, change: Partial<Upload>): void {
  uploads.update((list) => list.map((u) => (u.id === id ? { ...u, ...change } : u)));
}

async function upload(id: number, { file, folder }: Picked, category: string): Promise<void> {
  set(id, { state: "sending" });
  try {
    const result = await post(form(file, folder, category), (progress) => set(id, { progress }));
    const failed = result.errors?.[0];
    if (failed) set(id, { state: "failed", note: [failed.error, failed.hint].filter(Boolean).join(" ") });
    else set(id, { state: "added", progress: 1, note: result.documents[0]?.unchanged ? t.library.unchanged : "" });
  } catch (err) {
    set(id, { state: "failed", note: err instanceof ApiError ? [err.message, err.hint].filter(Boolean).join(" ") : t.library.cut });
  }
  changed(keys.documents, keys.status);
  const list = uploads.get();
  if (list.every((u) => u.state === "added" || u.state === "failed")) {
    announce(t.library.uploaded(list.filter((u) => u.state === "added").length));
  }
}

function form(file: File, folder: string, category: string): FormData {
  const data = new FormData();
  if (folder || category) data.append("meta", JSON.stringify({ folder, category }));
  data.append("file", file, file.name);
  return data;
}

/** XMLHttpRequest, because fetch does not tell how much has been sent. */
function post(body: FormData, onProgress: (part: number) => void): Promise<AddResult> {
  const { token } = auth.get();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/v1/documents");
    for (const [name, value] of Object.entries(authHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (e) => e.lengthComputable && onProgress(e.loaded / e.total));
    request.addEventListener("error", () => reject(new Error("cut")));
    request.addEventListener("abort", () => reject(new Error("cut")));
    request.addEventListener("load", () => {
      noteRefusal(request.status, request.getResponseHeader("WWW-Authenticate"), token);
      try {
        const result = JSON.parse(request.responseText) as Partial<AddResult>;
        // 422 with a list says for each file why it was refused.
        if (Array.isArray(result.documents)) resolve({ documents: result.documents, errors: result.errors ?? null });
        else reject(errorOf(request.status, request.responseText));
      } catch {
        reject(errorOf(request.status, request.responseText));
      }
    });
    request.send(body);
  });
}
