import { describe, expect, it } from "vitest";
import { extend, join, keepMessages, prepend, takeNewest, type MessagePage, type MessageWindow } from "./messages";
import type { Message } from "./types";

const m = (n: number, more: Partial<Message> = {}) => ({ id: `m${n}`, parent_id: n > 1 ? `m${n - 1}` : undefined, role: n % 2 ? "user" : "assistant", text: `${n}`, status: "completed", created_at: "", ...more }) as Message;
const page = (from: number, to: number, more: Partial<MessagePage> = {}): MessagePage => ({
  messages: Array.from({ length: to - from + 1 }, (_, i) => m(from + i)),
  next: from > 1 ? `before ${from}` : undefined,
  ...more,
});
const ids = (w: MessageWindow) => w.messages.map((x) => x.id).join(" ");
const many = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `m${from + i}`).join(" ");

describe("a window of a thread", () => {
  it("grows upwards, and takes no page twice", () => {
    const last = join(undefined, page(7, 9));
    expect(last).toMatchObject({ older: "before 7", newer: undefined });
    const more = prepend(last, "before 7", page(4, 7));
    expect(ids(more)).toBe(many(4, 9));
    expect(more.older).toBe("before 4");
    expect(prepend(more, "before 7", page(1, 3))).toBe(more);
    expect(prepend(more, "before 4", page(1, 3)).older).toBeUndefined();
  });

  it("keeps what was loaded when the newest are asked for again", () => {
    const long = prepend(join(undefined, page(7, 9)), "before 7", page(4, 6));
    expect(ids(takeNewest(long, page(8, 11)))).toBe(many(4, 11));
    expect(ids(takeNewest(long, page(10, 12)))).toBe(many(4, 12)); // follows at once
    expect(takeNewest(long, page(8, 11)).older).toBe("before 4");
    // Too much has come since: there would be a gap.
    expect(takeNewest(long, page(20, 22))).toEqual(join(undefined, page(20, 22)));
    // Messages were deleted: what followed is gone.
    expect(ids(takeNewest(long, page(5, 7)))).toBe(many(4, 7));
  });

  it("changes to another branch below the message where it begins", () => {
    const shown = join(undefined, page(1, 9));
    const other = [m(5, { id: "n5", parent_id: "m4" }), m(6, { id: "n6", parent_id: "n5" })];
    expect(ids(join(shown, { messages: other }))).toBe("m1 m2 m3 m4 n5 n6");
  });

  it("stays in the middle while the thread goes on at its end", () => {
    const middle = join(undefined, page(20, 24, { newer: "after 24" }));
    expect(takeNewest(middle, page(95, 99))).toBe(middle);
    const further = extend(middle, "after 24", page(25, 28, { newer: "after 28" }));
    expect(ids(further)).toBe(many(20, 28));
    expect(extend(further, "after 24", page(25, 28))).toBe(further);
    const end = extend(further, "after 28", page(29, 30));
    expect(end.newer).toBeUndefined();
    // Where the two meet, the window has no gap to the end any more.
    const met = takeNewest(further, page(27, 31));
    expect([ids(met), met.newer]).toEqual([many(20, 31), undefined]);
  });
});

describe("messages asked for again", () => {
  it("stay the same objects where nothing has changed", () => {
    const old = [m(1), m(2), m(3, { status: "running" }), m(5)];
    const now = keepMessages(old, [m(1), m(2, { text: "other" }), m(3, { status: "running" }), m(5, { siblings: ["m5", "n5"] })]);
    expect(now.map((x, i) => x === old[i])).toEqual([true, false, false, false]);
    expect(keepMessages(now, [m(5, { siblings: ["m5", "n5"] })])[0]).toBe(now[3]);
  });
});
