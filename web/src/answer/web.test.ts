import { expect, it } from "vitest";
import { webAddress } from "./web";

it.each([
  ["https://example.org/a?b#c", "example.org"],
  ["http://example.org:8080/", "example.org:8080"],
  ["javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["https://bank.example@evil.example/", undefined],
  ["/v1/documents", undefined],
  ["", undefined],
])("opens %j at %j", (url, host) => {
  expect(webAddress(url)?.host).toBe(host);
});
