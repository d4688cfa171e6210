import { describe, expect, it } from "vitest";
import { EventParser } from "./sse";

const stream =
  ": hello\nretry: 1500\n\nid: 7\nevent: text_delta\ndata: {\"a\":1}\n\ndata: one\ndata:two\r\n\r\nid: 8\rdata\r\r: beat\n\nevent: lost\n\ndata: last\n\n";
const want = [
  { event: "text_delta", data: '{"a":1}', id: "7" },
  { event: "message", data: "one\ntwo", id: undefined },
  { event: "message", data: "", id: "8" },
  { event: "message", data: "last", id: undefined },
];

describe("EventParser", () => {
  it("reads fields, comments, retry and all three line ends", () => {
    const p = new EventParser();
    expect(p.push(stream)).toEqual(want);
    expect(p.retry).toBe(1500);
  });

  it("reads the same however the stream is cut", () => {
    for (let size = 1; size < 12; size++) {
      const p = new EventParser();
      const got = [];
      for (let i = 0; i < stream.length; i += size) got.push(...p.push(stream.slice(i, i + size)));
      expect(got, `pieces of ${size}`).toEqual(want);
    }
  });

  it("gives nothing for an event that has not ended", () => {
    expect(new EventParser().push("data: half\n")).toEqual([]);
  });
});
