import { describe, expect, it } from "vitest";
import { askedFor, documentsFound, findIn, threadsFound, type Found } from "./found";
import type { Doc, Thread } from "../api/types";

const thread = (id: string, title: string) => ({ id, title }) as Thread;
const doc = (id: string, title: string, name: string, folder = "") => ({ id, title, name, folder }) as Doc;
const opened: string[] = [];
const open = (id: string) => void opened.push(id);
const all: Found[] = [
  ...threadsFound([thread("t1", "How much water?"), thread("t2", ""), thread("t3", "Water and light")], "Untitled", open),
  ...documentsFound([doc("d1", "Garden Handbook", "handbook.pdf", "garden/books"), doc("d2", "", "water.csv")], open),
  { key: "new", group: "places", name: "New thread", about: "", act: () => open("new") },
];
const names = (words: string) => findIn(all, words).map((f) => f.name);

describe("the finder", () => {
  it("offers everything when nothing is typed, group by group", () => {
    expect(names(" ")).toEqual(["How much water?", "Untitled", "Water and light", "Garden Handbook", "water.csv", "New thread"]);
  });

  it("wants all words, anywhere, and puts first what begins with them", () => {
    expect(names("water")).toEqual(["Water and light", "How much water?", "water.csv"]);
    expect(names("books HAND")).toEqual(["Garden Handbook"]);
    expect(names("nothing like it")).toEqual([]);
  });

  it("asks the server for the word that says most", () => {
    expect(askedFor(" books handbook HAND ")).toBe("handbook");
    expect(askedFor("  ")).toBe("");
  });

  it("shows a few of each group", () => {
    const many = threadsFound(Array.from({ length: 50 }, (_, i) => thread(`${i}`, `thread ${i}`)), "", open);
    expect(findIn(many, "thread").length).toBe(7);
  });

  it("opens what was found", () => {
    findIn(all, "handbook")[0]?.act();
    expect(opened).toEqual(["d1"]);
  });
});
