import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { drop, toasts } from "./toasts";
import { ApiError } from "../api/client";
import { going, removeLater, removeNow } from "./undo";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const note of toasts.get()) drop(note.id);
  vi.useRealTimers();
});

it("deletes in truth when the way back is gone, and not before", async () => {
  const remove = vi.fn(() => Promise.resolve());
  removeLater("document:a", "gone", remove);
  expect(going.get().has("document:a")).toBe(true);
  vi.advanceTimersByTime(60_000); // the note stands for as long as the pointer is on it
  expect(remove).not.toHaveBeenCalled();
  drop(toasts.get()[0]?.id ?? 0);
  expect(remove).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(going.get().has("document:a")).toBe(false));
});

it("deletes nothing that was had back", () => {
  const remove = vi.fn(() => Promise.resolve());
  removeLater("document:a", "gone", remove);
  const note = toasts.get()[0];
  note?.undo?.();
  drop(note?.id ?? 0);
  expect(remove).not.toHaveBeenCalled();
  expect(going.get().size).toBe(0);
});

it("deletes what more notes have pushed away", () => {
  const removed: string[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) removeLater(name, name, () => Promise.resolve(void removed.push(name)));
  expect(toasts.get().map((n) => n.text)).toEqual(["b", "c", "d", "e"]);
  expect(removed).toEqual(["a"]);
});

it("deletes now, and asks for it back", async () => {
  const done: string[] = [];
  const final = vi.fn();
  removeNow("document:a", "gone", () => Promise.resolve(void done.push("removed")), () => Promise.resolve(void done.push("restored")), final);
  expect(done).toEqual(["removed"]);
  expect(going.get().has("document:a")).toBe(true);
  await vi.waitFor(() => expect(going.get().size).toBe(0));
  const note = toasts.get()[0];
  note?.undo?.();
  drop(note?.id ?? 0);
  await vi.waitFor(() => expect(done).toEqual(["removed", "restored"]));
  expect(final).not.toHaveBeenCalled();
});

it("waits with the way back until it is deleted, and is final when the way back has gone", async () => {
  let removed: () => void = () => undefined;
  const restore = vi.fn(() => Promise.resolve());
  removeNow("thread:a", "gone", () => new Promise((resolve) => (removed = resolve)), restore);
  toasts.get()[0]?.undo?.();
  await Promise.resolve();
  expect(restore).not.toHaveBeenCalled();
  removed();
  await vi.waitFor(() => expect(restore).toHaveBeenCalledOnce());
  const final = vi.fn();
  removeNow("thread:b", "gone", () => Promise.resolve(), restore, final);
  drop(toasts.get().at(-1)?.id ?? 0);
  expect(final).toHaveBeenCalledOnce();
});

it("says what could not be deleted, and shows it again; what is gone already is deleted", async () => {
  removeNow("document:a", "Deleted a", () => Promise.reject(new ApiError(500, "INTERNAL", "the disk is full", "", {})), () => Promise.resolve());
  await vi.waitFor(() => expect(going.get().size).toBe(0));
  expect(toasts.get().map((n) => n.text)).toEqual(["the disk is full"]);
  removeNow("document:b", "Deleted b", () => Promise.reject(new ApiError(404, "NOT_FOUND", "no", "", {})), () => Promise.resolve());
  await vi.waitFor(() => expect(going.get().size).toBe(0));
  expect(toasts.get().map((n) => n.text)).toEqual(["the disk is full", "Deleted b"]);
});
