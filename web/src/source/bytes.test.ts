import { describe, expect, it } from "vitest";
import { Utf8Text } from "./bytes";

describe("Utf8Text", () => {
  const t = new Utf8Text("aé日😀z");

  it("cuts by bytes", () => {
    expect(t.length).toBe(11);
    expect(t.slice(0, 3)).toBe("aé");
    expect(t.slice(3, 10)).toBe("日😀");
  });

  it("never cuts a character in two, and bears offsets that are out of range", () => {
    expect(t.slice(2, 5)).toBe("é");
    expect(t.slice(-4, 99)).toBe("aé日😀z");
  });
});
