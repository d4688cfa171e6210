import { describe, expect, it } from "vitest";
import { findQuote } from "./match";

const shown = (page: string, quote: string) => findQuote(page, quote).spans.map((s) => page.slice(s.start, s.end));

describe("findQuote", () => {
  it("finds a quote as it stands", () => {
    expect(shown("It was said: The warranty lasts two years. And so on.", "The warranty lasts two years.")).toEqual(["The warranty lasts two years"]);
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

  it("finds pieces around a word that the other engine read otherwise", () => {
    const page = "The quick brown fox jumps 0ver the lazy dog and sleeps";
    expect(shown(page, "The quick brown fox jumps over the lazy dog and sleeps")).toEqual(["The quick brown fox jumps", "ver the lazy dog and sleeps"]);
  });

  it("takes the place where the quote goes on longest", () => {
    const page = "In the beginning there was a list. In the beginning there was light.";
    const at = findQuote(page, "In the beginning there was light").spans;
    expect(at).toEqual([{ start: 35, end: 67 }]);
  });

  it("does not light up words that are not a quote", () => {
    expect(findQuote("nothing of the kind is here", "an entirely different statement")).toEqual({ spans: [], coverage: 0 });
    expect(findQuote("", "x").spans).toEqual([]);
    expect(findQuote("x", "").coverage).toBe(0);
  });

  it("finds words written without spaces", () => {
    expect(shown("前文。保証期間は購入日から二年間です。後文", "保証期間は購入日から二年間です。")).toEqual(["保証期間は購入日から二年間です"]);
  });
});
