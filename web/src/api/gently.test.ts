import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { gently } from "./gently";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("works at once, then once for many calls, a second apart at least", async () => {
  const work = vi.fn(() => Promise.resolve());
  const call = gently(work);
  call();
  expect(work).toHaveBeenCalledTimes(1);
  for (let i = 0; i < 50; i++) call();
  await vi.advanceTimersByTimeAsync(900);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(work).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(work).toHaveBeenCalledTimes(2);
  call();
  expect(work).toHaveBeenCalledTimes(3);
});

it("waits ten times as long as the work takes, and goes on when it fails", async () => {
  const work = vi.fn(() => new Promise<void>((_, reject) => setTimeout(() => reject(new Error("away")), 500)));
  const call = gently(work);
  call();
  await vi.advanceTimersByTimeAsync(500);
  call();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(work).toHaveBeenCalledTimes(2);
});
