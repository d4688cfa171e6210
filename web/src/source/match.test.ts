import { describe, expect, it } from "vitest";
import { lettersOf } from "./letters";
import { findAll, findQuote, type Around, type Spot } from "./match";

const shown = (page: string, quote: string, around?: Around) => findQuote(page, quote, { around }).spans.map((s) => page.slice(s.start, s.end));

describe("findQuote", () => {
  it("finds a quote as it stands, with its punctuation", () => {
    expect(shown("It was said: The warranty lasts two years. And so on.", "The warranty lasts two years.")).toEqual(["The warranty lasts two years."]);
    expect(shown("It rose by (5.3 %), they say.", "5.3 %")).toEqual(["5.3 %"]);
    expect(shown("A fee of $ 85 an hour", "$85")).toEqual(["$ 85"]);
  });

  it("overlooks spaces, hyphens at line ends, ligatures, case and accents", () => {
    const page = "the e\ufb03ciency of trace-\nbasedcompi-\n\nlation is naïve";
    expect(findQuote(page, "The efficiency of trace-based compilation is naive").coverage).toBe(1);
    expect(shown(page, "efficiency of trace-based compilation")).toEqual(["e\ufb03ciency of trace-\nbasedcompi-\n\nlation"]);
  });

  it("finds the part of a quote that is on this page", () => {
    const page = "… and the committee then decided to postpone";
    const got = findQuote(page, "the committee then decided to postpone the vote until the following spring meeting");
    expect(got.spans.map((s) => page.slice(s.start, s.end))).toEqual(["the committee then decided to postpone"]);
    expect(got.coverage).toBeGreaterThan(0.4);
    expect(got.coverage).toBeLessThan(0.6);
  });

  it("goes over a word that the other engine read otherwise, and leaves out what was put in between", () => {
    expect(shown("The quick brown fox jumps 0ver the lazy dog and sleeps", "The quick brown fox jumps over the lazy dog and sleeps")).toEqual(["The quick brown fox jumps 0ver the lazy dog and sleeps"]);
    expect(shown("Growth was strong 12 in the year of the merger", "Growth was strong in the year of the merger")).toEqual(["Growth was strong", "in the year of the merger"]);
  });

  it("takes the place where the quote goes on longest", () => {
    const page = "In the beginning there was a list. In the beginning there was light.";
    expect(findQuote(page, "In the beginning there was light").spans).toEqual([{ start: 35, end: 67 }]);
  });

  it("knows the right one of the same words by what stands around them", () => {
    const page = "Berlin\nProfit 12 million euros\nHamburg\nProfit 12 million euros\nMunich\nProfit 12 million euros";
    const at = (place: string, around: Around) => expect(findQuote(page, "Profit 12 million euros", { around }).spans[0]?.start, place).toBe(page.indexOf(place) + place.length + 1);
    at("Berlin", { before: "Berlin ", after: " Hamburg Profit 12 million euros" });
    at("Hamburg", { before: "Berlin Profit 12 million euros Hamburg ", after: " Munich" });
    at("Munich", { before: "euros Munich ", after: "" });
  });

  it("finds short quotes, as words of their own", () => {
    expect(findQuote("In 2015 there were 15 cats", "15").spans).toEqual([{ start: 19, end: 21 }]);
    expect(shown("A or B: B it is", "B", { before: "A or B: ", after: " it is" })).toEqual(["B"]);
    expect(findQuote("A or B: B it is", "B", { around: { before: "A or B: ", after: " it is" } }).spans[0]?.start).toBe(8);
    expect(shown("a — b", "—")).toEqual(["—"]);
  });

  it("finds the cells of a row where the file draws column by column", () => {
    const columns = [
      ["Town", "Bonn", "Trier", "Ulm"],
      ["2019", "1,204", "1,310", "1,204"],
      ["2020", "1,310", "1,204", "1,310"],
    ];
    const page = columns.flat().join("\n");
    // Each column 100 points beside the last, each row 15 below.
    const spots: Spot[] = [];
    columns.forEach((cells, x) => cells.forEach((cell, y) => Array.from(`${cell}\n`).forEach((_, i) => spots.push({ along: x * 100 + i * 5, across: y * 15, size: 10 }))));
    const spans = findQuote(page, "Trier | 1,310 | 1,204", { spot: (at) => spots[at] }).spans;
    expect(spans.map((s) => page.slice(s.start, s.end))).toEqual(["Trier", "1,310", "1,204"]);
    expect(spans.map((s) => spots[s.start]?.across)).toEqual([30, 30, 30]);
  });

  it("finds lines of a column where the file draws across the columns", () => {
    const left = ["The fee is due on the", "first of each month and", "never later."];
    const right = ["Notice must be given in", "writing, three months", "before the end."];
    const page = left.map((l, i) => `${l} ${right[i] ?? ""}`).join("\n");
    const spots: Spot[] = [];
    left.forEach((l, y) => Array.from(`${l} ${right[y] ?? ""}\n`).forEach((_, i) => spots.push({ along: i <= l.length ? i * 5 : 200 + (i - l.length - 1) * 5, across: y * 12, size: 10 })));
    expect(findQuote(page, left.join(" "), { spot: (at) => spots[at] }).spans.map((s) => page.slice(s.start, s.end))).toEqual(["The fee is due on the", "first of each month and", "never later"]);
  });

  it("does not light up words that are not a quote", () => {
    expect(findQuote("nothing of the kind is here", "an entirely different statement")).toEqual({ spans: [], coverage: 0 });
    expect(findQuote("the annual report of the company and its subsidiaries", "members of the company council were elected in secret").spans).toEqual([]);
    expect(findQuote("", "x").spans).toEqual([]);
    expect(findQuote("x", "").coverage).toBe(0);
  });

  it("finds words written without spaces", () => {
    expect(shown("前文。保証期間は購入日から二年間です。後文", "保証期間は購入日から二年間です。")).toEqual(["保証期間は購入日から二年間です。"]);
    expect(shown("前文。保証期間は購人日から二年間です。後文", "保証期間は購入日から二年間です。")).toEqual(["保証期間は購人日から二年間です"]);
  });

  it("is quick on a full page", () => {
    const page = Array.from({ length: 900 }, (_, i) => `word${i % 97} of the ${i}th line`).join(" ");
    const got = findQuote(page, `${page.slice(4_000, 5_000)} and something else ${page.slice(5_000, 6_000)}`);
    expect(got.coverage).toBeGreaterThan(0.9);
  });
});

describe("findAll", () => {
  it("finds every place, whatever its case and hyphens", () => {
    const text = "Warran-\nty, WARRANTY and warranties";
    expect(findAll(lettersOf(text), "warranty").map((s) => text.slice(s.start, s.end))).toEqual(["Warran-\nty", "WARRANTY"]);
    expect(findAll(lettersOf(text), " ")).toEqual([]);
  });
});
