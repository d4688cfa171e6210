import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { drop, toasts } from "./toasts";
import { going, removeLater } from "./undo";

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
