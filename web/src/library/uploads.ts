// Files on their way to the server: a few at a time, however many were dropped.
// What is shown of them is a handful of lines and counts.

import { ApiError } from "../api/client";
import { feed } from "../api/feed";
import { changed, keys } from "../api/queries";
import type { AddResult, Named, OnSameName } from "../api/types";
import { t } from "../strings";
import { announce } from "../ui/announce";
import { kept } from "../ui/keep";
import { Store } from "../ui/store";
import type { Picked } from "./files";
import { Cut, post, TooMuch } from "./post";
import { countAgain } from "./takeIn";

export interface Line {
  id: number;
  name: string;
  state: "sending" | "added" | "failed" | "skipped";
  note: string;
}

export interface Uploads {
  /** Files that were given, and those that are settled, in whatever way. */
  files: number;
  done: number;
  added: number;
  failed: number;
  /** Waiting or on their way; not those that wait for an answer. */
  left: number;
  bytes: number;
  bytesSent: number;
  /** When the first was begun, in milliseconds. */
  began: number;
  /** The last few, those on their way among them, and the first that failed. */
  lines: readonly Line[];
}

/** A file whose name its folder has already, with other content. */
export interface SameName {
  id: number;
  /** Files that were dropped together. */
  drop: number;
  name: string;
  folder: string;
  other: Named;
}

/** What to do with it. */
export type SameNameAnswer = Exclude<OnSameName, "refuse"> | "skip";

const none: Uploads = { files: 0, done: 0, added: 0, failed: 0, left: 0, bytes: 0, bytesSent: 0, began: 0, lines: [] };

export const uploads = new Store<Uploads>(none);
/** What is to be asked, in the order in which it came up. */
export const sameNames = new Store<readonly SameName[]>([]);
export const categoryKey = "ibid.category";

interface Job {
  id: number;
  drop: Drop;
  file: File;
  folder: string;
  category: string;
  onSameName: OnSameName;
  tries: number;
}

interface Drop {
  id: number;
  answer?: SameNameAnswer;
}

// A browser opens six connections to a server; the stream of changes and an answer need one each.
const atOnce = 3;
/** How often a file is sent whose connection broke or that the server was too busy for. */
const mostTries = 5;
const linesShown = 6;
const failuresShown = 20;

let state: Uploads = none;
let queue: Job[] = [];
let at = 0; // of the next job in the queue
let sending = 0;
let nextId = 1;
const asked = new Map<number, Job>();
const progress = new Map<number, number>(); // bytes sent of each file on its way
let bytesDone = 0;

/** Adds files; those without a folder of their own go into the one given. */
export function addFiles(files: readonly Picked[], into = ""): void {
  if (files.length === 0) return;
  const category = kept(categoryKey) ?? "";
  const drop: Drop = { id: nextId++ };
  if (state.left === 0 && asked.size === 0) {
    // What went well the last time has been seen by now.
    bytesDone = 0;
    const failures = state.lines.filter((line) => line.state === "failed");
    state = { ...none, files: failures.length, done: failures.length, failed: failures.length, began: Date.now(), lines: failures };
  }
  for (const { file, folder } of files) queue.push({ id: nextId++, drop, file, folder: [into, folder].filter(Boolean).join("/"), category, onSameName: "refuse", tries: 0 });
  set({ files: state.files + files.length, left: state.left + files.length, bytes: state.bytes + files.reduce((sum, { file }) => sum + file.size, 0) });
  pump();
}

export function dismissUploads(): void {
  if (state.left === 0 && asked.size === 0) set(none);
}

/** Answers what was asked of one file, or of all of its drop. */
export function answerSameName(id: number, answer: SameNameAnswer, forAll: boolean): void {
  const job = asked.get(id);
  if (!job) return;
  if (forAll) job.drop.answer = answer;
  for (const { id: other } of sameNames.get()) {
    const one = asked.get(other);
    if (one && (other === id || (forAll && one.drop === job.drop))) resume(one, answer);
  }
  pump();
}

function resume(job: Job, answer: SameNameAnswer): void {
  asked.delete(job.id);
  sameNames.update((list) => list.filter((one) => one.id !== job.id));
  set({ left: state.left + 1 });
  if (answer === "skip") {
    settle(job, "skipped", t.library.skipped);
    return;
  }
  queue.push({ ...job, onSameName: answer, tries: 0 });
}

function pump(): void {
  while (sending < atOnce) {
    const job = queue[at];
    if (!job) {
      queue = [];
      at = 0;
      return;
    }
    at++;
    sending++;
    void upload(job).finally(() => {
      sending--;
      pump();
    });
  }
}

async function upload(job: Job): Promise<void> {
  put({ id: job.id, name: job.file.name, state: "sending", note: "" });
  try {
    take(job, await sendUntilTaken(job));
  } catch (err) {
    settle(job, "failed", err instanceof ApiError ? [err.message, err.hint].filter(Boolean).join(" ") : t.library.cut);
  } finally {
    progress.delete(job.id);
  }
}

async function sendUntilTaken(job: Job): Promise<AddResult> {
  for (;;) {
    try {
      return await post(job, (part) => {
        progress.set(job.id, part * job.file.size);
        show();
      });
    } catch (err) {
      job.tries++;
      if (!(err instanceof TooMuch || err instanceof Cut) || job.tries >= mostTries) throw err;
      await new Promise((resolve) => setTimeout(resolve, err instanceof TooMuch ? err.waitMs : 500 * job.tries ** 2));
    }
  }
}

function take(job: Job, result: AddResult): void {
  const failed = result.errors?.[0];
  if (failed?.code === "CONFLICT" && failed.same_name && job.onSameName === "refuse") ask(job, failed.same_name);
  else if (failed) settle(job, "failed", [failed.error, failed.hint].filter(Boolean).join(" "));
  else settle(job, "added", result.documents[0]?.unchanged ? t.library.unchanged : "");
}

function ask(job: Job, other: Named): void {
  asked.set(job.id, job);
  set({ left: state.left - 1, lines: state.lines.filter((line) => line.id !== job.id) });
  if (job.drop.answer) {
    resume(job, job.drop.answer);
    return;
  }
  showNow(); // what is asked goes by how many are still on their way
  sameNames.update((list) => [...list, { id: job.id, drop: job.drop.id, name: job.file.name, folder: job.folder, other }]);
}

function settle(job: Job, as: "added" | "failed" | "skipped", note: string): void {
  bytesDone += job.file.size;
  put({ id: job.id, name: job.file.name, state: as, note });
  set({ done: state.done + 1, left: state.left - 1, added: state.added + (as === "added" ? 1 : 0), failed: state.failed + (as === "failed" ? 1 : 0) });
  if (as === "added" && !feed.get().connected) countAgain();
  if (state.left > 0 || asked.size > 0) return;
  changed(keys.counts, keys.status);
  announce(t.library.uploaded(state.added));
}

function put(line: Line): void {
  const known = state.lines.some((one) => one.id === line.id);
  const lines = known ? state.lines.map((one) => (one.id === line.id ? line : one)) : [...state.lines, line];
  set({ lines: lines.length > 2 * failuresShown ? fewer(lines) : lines });
}

/** The lines that are worth showing: what is on its way, the first failures, the last of the others. */
export function fewer(lines: readonly Line[]): Line[] {
  const failures = lines.filter((line) => line.state === "failed").slice(0, failuresShown);
  const others = lines.filter((line) => line.state === "added" || line.state === "skipped").slice(-linesShown);
  return lines.filter((line) => line.state === "sending" || failures.includes(line) || others.includes(line));
}

let scheduled: ReturnType<typeof setTimeout> | undefined;

function set(change: Partial<Uploads>): void {
  state = { ...state, ...change };
  show();
}

/** Many files a second must not draw the page as often. */
function show(): void {
  scheduled ??= setTimeout(showNow, 50);
}

function showNow(): void {
  clearTimeout(scheduled);
  scheduled = undefined;
  uploads.set({ ...state, bytesSent: bytesDone + [...progress.values()].reduce((sum, bytes) => sum + bytes, 0) });
}
