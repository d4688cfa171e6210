import { describe, expect, it } from "vitest";
import type { Citation, Message } from "../api/types";
import { fileName, threadAsMarkdown } from "./markdown";

const turn = (m: Partial<Message>) => ({ thread_id: "t", status: "completed", created_at: "", text: "", ...m }) as Message;
const citation = { n: 1, chunk_id: "c1", title: "Handbook", pages: [3], heading: "Water", quote: "two\n litres" } as unknown as Citation;

describe("a thread as Markdown", () => {
  it("has each question as a heading and each answer with its own footnotes", () => {
    const text = threadAsMarkdown("Water", [
      turn({ id: "q", role: "user", text: "How\nmuch?" }),
      turn({ id: "a", role: "assistant", text: "Two litres [c1]. `[c9]`", citations: [citation] }),
      turn({ id: "q2", role: "user", text: "Sure?" }),
      turn({ id: "a2", role: "assistant", text: "Yes [c1].", citations: [citation], sources: [{ title: "Page", url: "https://x.example/" }] }),
    ]);
    expect(text).toBe(
      "# Water\n\n## How much?\n\nTwo litres[^2-1]. `[c9]`\n\n[^2-1]: Handbook, p. 3, Water: “two litres”\n\n## Sure?\n\nYes[^4-1].\n\n" +
        "[^4-1]: Handbook, p. 3, Water: “two litres”\n\n- Page: <https://x.example/>\n",
    );
  });

  it("is named so that every file system takes it", () => {
    expect(fileName("What/is: “this”? ü", "md")).toBe("What is this ü.md");
    expect(fileName("../..", "html")).toBe("thread.html");
  });
});
