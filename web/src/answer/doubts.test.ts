import { describe, expect, it } from "vitest";
import type { Claim, Verification } from "../api/types";
import { markDoubts } from "./doubts";

const bytes = (s: string) => new TextEncoder().encode(s).length;

/** A verdict on the words of text between « and ». */
function judge(marked: string, verdict = "UNSUPPORTED"): [string, Verification] {
  const details: Claim[] = [];
  let text = "";
  for (const piece of marked.split(/(?=[«»])/)) {
    if (piece.startsWith("«")) details.push({ claim: "", verdict, chunk_ids: [], start: bytes(text) });
    if (piece.startsWith("»")) Object.assign(details.at(-1) ?? {}, { end: bytes(text) });
    text += piece.replace(/[«»]/, "");
  }
  return [text, { claims_checked: 1, claims_supported: 0, claims_partially_supported: 0, claims_unsupported: 1, confidence: 0, details }];
}

const shown = (s: string) => s.replaceAll("\ue002", "⟨").replaceAll("\ue006", "‹").replaceAll("\ue003", "⟩");

describe("markDoubts", () => {
  it.each([
    ["True. «Not so.» True.", "True. ⟨Not so.⟩ True."],
    ["日本 “naïve” «größer» x", "日本 “naïve” ⟨größer⟩ x"],
    ["- «one\n- two»\n", "- ⟨one⟩\n- ⟨two⟩\n"],
    ["a\n\n«**Bold words.**» b", "a\n\n**⟨Bold words.⟩** b"],
    ["«1. first\n\n   > second»", "1. ⟨first⟩\n\n   > ⟨second⟩"],
    ["«## Head\n\n| a | b |\n|:--|--:|\n| 1 | 2 |»", "## ⟨Head⟩\n\n| ⟨a | b⟩ |\n|:--|--:|\n| ⟨1 | 2⟩ |"],
    ["«so:\n```go\n```\n»", "⟨so:⟩\n```go\n```\n"],
    ["x «with [c1].» y", "x ⟨with [c1].⟩ y"],
    ["| a | «b |\n| c» | d |", "| a | ⟨b⟩ |\n| ⟨c⟩ | d |"],
  ])("marks %j", (marked, want) => {
    expect(shown(markDoubts(...judge(marked)))).toBe(want);
  });

  it("tells what is backed in part from what is not, and marks nothing that is backed", () => {
    expect(shown(markDoubts(...judge("a «b» c", "PARTIALLY_SUPPORTED")))).toBe("a ‹b⟩ c");
    expect(markDoubts(...judge("a «b» c", "SUPPORTED"))).toBe("a b c");
  });

  it("takes away marks that a model wrote itself, without losing its place", () => {
    expect(shown(markDoubts(...judge("\ue002a\ue003 «b» c")))).toBe("a ⟨b⟩ c");
    expect(markDoubts("\ue000x\ue005", undefined)).toBe("x");
  });

  it("believes no verdict that lies outside the text or over another", () => {
    const [text, v] = judge("ab «cd» ef");
    v.details?.push({ claim: "", verdict: "UNSUPPORTED", chunk_ids: [], start: 0, end: 4 }, { claim: "", verdict: "UNSUPPORTED", chunk_ids: [], start: 90, end: 99 });
    expect(markDoubts(text, v).replace(/[\ue002\ue003]/g, "")).toBe(text);
  });
});
