import { describe, expect, it } from "vitest";
import type { FolderNode } from "../api/types";
import { crumbsOf, isBelow, pathsOf } from "./folders";

const node = (path: string, total: number, folders: FolderNode[] | null = null): FolderNode => ({ name: path.split("/").at(-1) ?? "", path, documents: 1, total, folders });
const root = node("", 6, [node("art", 1), node("contracts", 3, [node("contracts/2024", 2, [node("contracts/2024/q1", 1)])]), node("contracts2", 1)]);

describe("folders", () => {
  it("are listed with all that are in them", () => {
    expect(pathsOf(root)).toEqual(["art", "contracts", "contracts/2024", "contracts/2024/q1", "contracts2"]);
  });

  it("know what lies below them, and the way to them", () => {
    expect(isBelow("contracts/2024", "contracts")).toBe(true);
    expect(isBelow("contracts2", "contracts")).toBe(false);
    expect(crumbsOf("contracts/2024")).toEqual([
      { name: "contracts", path: "contracts" },
      { name: "2024", path: "contracts/2024" },
    ]);
    expect(crumbsOf("")).toEqual([]);
  });
});
