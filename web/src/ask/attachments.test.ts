import { expect, it } from "vitest";
import { attach, mostAttached } from "./attachments";

it("takes as many files as the server does, and says when there are more", () => {
  const file = (name: string) => ({ name }) as File;
  const some = attach([], [file("a"), file("b")]);
  expect(some.list.map((a) => a.file.name)).toEqual(["a", "b"]);
  expect(some.tooMany).toBe(false);
  const many = attach(some.list, Array.from({ length: mostAttached }, (_, i) => file(String(i))));
  expect(many.list).toHaveLength(mostAttached);
  expect(many.tooMany).toBe(true);
  expect(new Set(many.list.map((a) => a.id)).size).toBe(mostAttached);
});
