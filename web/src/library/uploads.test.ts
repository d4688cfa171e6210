import { expect, it } from "vitest";
import { fewer, type Line } from "./uploads";

const line = (id: number, state: Line["state"]): Line => ({ id, name: `${id}`, state, note: "" });

it("shows what is on its way, what failed first, and the last that went well", () => {
  const lines = [
    ...Array.from({ length: 30 }, (_, i) => line(i, "failed")),
    line(100, "sending"),
    ...Array.from({ length: 30 }, (_, i) => line(200 + i, i % 2 ? "added" : "skipped")),
    line(300, "sending"),
  ];
  expect(fewer(lines).map((l) => l.id)).toEqual([...Array.from({ length: 20 }, (_, i) => i), 100, 224, 225, 226, 227, 228, 229, 300]);
});
