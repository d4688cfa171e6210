import { describe, expect, it } from "vitest";
import { formulaMark, markFormulas, readFormula, sourceOf } from "./math";

const formulas = (text: string) => [...markFormulas(text).matchAll(formulaMark)].map((m) => sourceOf(m[1] ?? ""));
const restored = (text: string) => markFormulas(text).replace(formulaMark, (_, hex: string) => sourceOf(hex));

describe("markFormulas", () => {
  it.each([
    ["a $x_1^2$ b", ["$x_1^2$"]],
    ["$$\n\\int_0^1 x\\,dx\n$$", ["$$\n\\int_0^1 x\\,dx\n$$"]],
    ["with \\(a*b*c\\) and \\[ y \\]", ["\\(a*b*c\\)", "\\[ y \\]"]],
    ["it costs $5 and $10", []],
    ["$5–$10 or $ 3 $", []],
    ["`$x$` and ``a ` $y$``", []],
    ["```\n$x$\n```\n$y$", ["$y$"]],
    ["~~~tex\n\\[z\\]\n~~~", []],
    ["an escaped \\$x\\$ stays", []],
    ["half written $$x", []],
    ["größer $\\alpha ≤ β$", ["$\\alpha ≤ β$"]],
  ])("finds the formulas of %j", (text, want) => {
    expect(formulas(text)).toEqual(want);
    expect(restored(text)).toBe(text);
  });

  it("leaves nothing in a mark that Markdown could read", () => {
    expect(markFormulas("$a_b*c*$")).toMatch(/^\ue004[0-9a-f]+\ue005$/);
  });

  it("takes its time in proportion to the text", () => {
    const odd = "$a `b \\( \\[ $$ ".repeat(20_000);
    expect(restored(odd)).toBe(odd);
  });
});

describe("readFormula", () => {
  it("knows a formula on its own line from one in the text", () => {
    expect(readFormula("$x$")).toEqual({ tex: "x", display: false });
    expect(readFormula("$$ x $$")).toEqual({ tex: "x", display: true });
    expect(readFormula("\\(x\\)")).toEqual({ tex: "x", display: false });
    expect(readFormula("\\[x\\]")).toEqual({ tex: "x", display: true });
  });
});
