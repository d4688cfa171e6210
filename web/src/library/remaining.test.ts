import { describe, expect, it } from "vitest";
import { remaining, type Sending } from "./remaining";

const half: Sending = { seconds: 10, files: 100, filesDone: 50, bytes: 1000, bytesSent: 500 };

describe("the time that is left", () => {
  it("is not known at first", () => {
    expect(remaining({ ...half, seconds: 2 }, undefined)).toBeUndefined();
    expect(remaining({ ...half, filesDone: 0 }, undefined)).toBeUndefined();
  });

  it("goes by files or bytes, whichever is further behind", () => {
    expect(remaining(half, undefined)).toBe(10);
    expect(remaining({ ...half, bytesSent: 100 }, undefined)).toBe(90);
    expect(remaining({ ...half, bytes: 0, bytesSent: 0 }, undefined)).toBe(10);
  });

  it("counts files that the server has not seen as long as those that it has", () => {
    // 10 of those that it has take 30 s; 50 more are not sent.
    expect(remaining(half, { waiting: 9, processing: 1, done: 40, eta_seconds: 30 })).toBe(180);
    expect(remaining({ ...half, filesDone: 100, bytesSent: 1000 }, { waiting: 9, processing: 1, done: 40, eta_seconds: 30 })).toBe(30);
    expect(remaining(half, { waiting: 9, processing: 1, done: 0 })).toBe(10);
  });
});
