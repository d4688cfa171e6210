import { describe, expect, it } from "vitest";
import type { Claim, Support, Verification } from "../api/types";
import type { Footnote } from "../run/view";
import { countDoubts, doubtsOf } from "./doubts";

const claim = (verdict: string, support?: Support, start = 0, end = 5): Claim => ({ claim: "", verdict, support, chunk_ids: [], start, end });
const checked = (...details: Claim[]): Verification => ({
  claims_checked: 9,
  claims_supported: 6,
  claims_partially_supported: 1,
  claims_unsupported: 2,
  confidence: 0.5,
  details,
});

describe("what the sources do not back", () => {
  it("is said in the words of the server, or of its verdict where it is an old one", () => {
    const verification = checked(
      claim("SUPPORTED", "quoted", 0, 5),
      claim("SUPPORTED", "supported", 5, 6),
      claim("UNSUPPORTED", "contradicted", 6, 7),
      claim("UNSUPPORTED", undefined, 7, 8),
      claim("PARTIALLY_SUPPORTED", undefined, 8, 9),
      claim("SUPPORTED", undefined, 9, 10),
      claim("UNSUPPORTED", "not_found", 0, 0),
    );
    expect(doubtsOf({ verification, citations: [] })).toEqual([
      { start: 6, end: 7, support: "contradicted" },
      { start: 7, end: 8, support: "not_found" },
      { start: 8, end: 9, support: "partly" },
    ]);
    // One of them does not stand in the text; it is counted all the same.
    expect(countDoubts(verification)).toEqual([
      ["contradicted", 1],
      ["not_found", 2],
      ["partly", 1],
    ]);
  });

  it("is nothing where all is well", () => {
    expect(countDoubts(checked(claim("SUPPORTED", "quoted")))).toEqual([]);
    expect(countDoubts(undefined)).toEqual([]);
  });

  it("is counted where only the counts were saved", () => {
    expect(countDoubts({ ...checked(), details: null })).toEqual([
      ["not_found", 2],
      ["partly", 1],
    ]);
  });

  it("is known from the footnotes until the answer was checked", () => {
    const citations = [{ statements: [{ start: 0, end: 4, marker: 5, support: "partly" }, { start: 5, end: 9, marker: 10, support: "quoted" }] }] as Footnote[];
    expect(doubtsOf({ verification: undefined, citations })).toEqual([{ start: 0, end: 4, marker: 5, support: "partly" }].map(({ start, end, support }) => ({ start, end, support })));
    expect(doubtsOf({ verification: checked(), citations })).toEqual([]);
  });
});
