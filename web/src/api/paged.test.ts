import { describe, expect, it } from "vitest";
import { append, change, fill, held, letGo, refresh, type Order, type Rows } from "./paged";

interface Item {
  id: string;
  at: number;
  text?: string;
}

const order: Order<Item> = { id: (i) => i.id, at: (i) => i.at };
const item = (at: number, text?: string): Item => ({ id: `i${at}`, at, text });
const page = (ats: number[], next?: string) => ({ items: ats.map((at) => item(at)), next });
const list = (ats: number[], next?: string): Rows<Item> => refresh(undefined, page(ats, next), order);
const ats = (l: Rows<Item>) => l.rows.map((r) => r.at);

describe("a list that comes page by page", () => {
  it("grows at its end, and takes no page twice", () => {
    const one = list([9, 8], "c1");
    const two = append(one, "c1", page([8, 7, 6], "c2"), order);
    expect(ats(two)).toEqual([9, 8, 7, 6]);
    expect(two.next).toBe("c2");
    expect(append(two, "c1", page([5]), order)).toBe(two);
    expect(append(two, "c2", page([5]), order).next).toBeUndefined();
  });

  it("keeps what stood behind its first page when that is asked for anew", () => {
    const long = append(list([9, 8, 7], "c1"), "c1", page([6, 5], "c2"), order);
    const now = refresh(long, page([11, 10, 9], "c3"), order);
    expect(ats(now)).toEqual([11, 10, 9, 8, 7, 6, 5]);
    expect(now.next).toBe("c2");
    // 8 is gone: it would stand between 9 and 7.
    expect(ats(refresh(long, page([9, 7, 6], "c3"), order))).toEqual([9, 7, 6, 5]);
  });

  it("begins anew where there may be a gap, or where the first page is all", () => {
    const long = list([9, 8, 7], "c1");
    expect(refresh(long, page([30, 29, 28], "c3"), order)).toEqual(list([30, 29, 28], "c3"));
    expect(refresh(long, page([9, 8]), order)).toEqual(list([9, 8]));
    expect(refresh(long, page([]), order)).toEqual(list([]));
  });

  it("puts changes in their place", () => {
    const l = list([9, 7, 5], "c1");
    const now = change(l, new Map([["i7", item(7, "changed")], ["i9", undefined], ["i8", item(8)], ["i12", item(12)], ["i1", item(1)], ["nobody", undefined]]), order);
    expect(ats(now)).toEqual([12, 8, 7, 5]); // 1 comes with a later page
    expect(now.rows[2]?.item?.text).toBe("changed");
    expect(ats(change(list([9, 7]), new Map([["i1", item(1)]]), order))).toEqual([9, 7, 1]);
    expect(change(l, new Map([["nobody", undefined]]), order)).toBe(l);
  });

  it("holds what is near, and asks for the rest again", () => {
    const far = letGo(list([9, 8, 7, 6, 5], "c1"), (i) => i >= 1 && i < 3);
    expect(ats(far)).toEqual([9, 8, 7, 6, 5]);
    expect(held(far)).toBe(2);
    const back = fill(far, ["i6", "i5"], [item(5, "again")], order);
    expect(ats(back)).toEqual([9, 8, 7, 5]); // 6 is no more
    expect(back.rows[3]?.item?.text).toBe("again");
    expect(held(back)).toBe(3);
  });
});
