import { describe, expect, it } from "vitest";
import { follow, type Connection, type World } from "./follow";
import { reduce } from "./reducer";
import { messageId, script, wire } from "./script";
import { emptyRun, type RunView } from "./view";

/** A server whose nth connection breaks after cuts[n] bytes, and its one reader. */
function scene(cuts: number[], answer?: (n: number, after: number) => Response | Error | undefined) {
  let view: RunView = emptyRun(messageId, "t1");
  let calls = 0;
  const asked: number[] = [];
  const states: Connection[] = [];
  const abort = new AbortController();
  const world: World = {
    silenceMs: 60_000,
    sleep: () => Promise.resolve(),
    fetch: (path) => {
      const n = calls++;
      const after = Number(new URL(path, "http://x").searchParams.get("last_entry_id"));
      asked.push(after);
      const own = answer?.(n, after);
      if (own instanceof Error) return Promise.reject(own);
      if (own) return Promise.resolve(own);
      const bytes = new TextEncoder().encode(wire(script, after));
      const cut = cuts[n] ?? bytes.length;
      return Promise.resolve(new Response(bytes.slice(0, cut)));
    },
  };
  const run = () =>
    follow(
      {
        threadId: "t1",
        messageId,
        position: () => view.position,
        onFrame: (f) => (view = reduce(view, f)),
        onConnection: (s) => states.push(s),
        signal: abort.signal,
      },
      world,
    );
  return { run, view: () => view, asked, states, abort, world };
}

async function uncut(): Promise<RunView> {
  const s = scene([]);
  expect(await s.run()).toBe("done");
  return s.view();
}

describe("follow", () => {
  it("reads a run to its end", async () => {
    const s = scene([]);
    expect(await s.run()).toBe("done");
    expect(s.view().text).toBe("Two years, “naïve” 日本 [c-a1].");
    expect(s.asked).toEqual([0]);
    expect(s.states).toEqual(["connecting", "open"]);
  });

  it("ends with the uncut state wherever the connection breaks", async () => {
    const want = await uncut();
    const length = new TextEncoder().encode(wire(script)).length;
    for (let cut = 0; cut < length; cut += 7) {
      const s = scene([cut]);
      expect(await s.run()).toBe("done");
      expect(s.view(), `cut after ${cut} bytes`).toEqual(want);
    }
  });

  it("ends with the uncut state after fifty cuts", async () => {
    const want = await uncut();
    const s = scene(Array.from({ length: 50 }, (_, i) => 40 + ((i * 97) % 400)));
    expect(await s.run()).toBe("done");
    expect(s.view()).toEqual(want);
  });

  it("outlives a server that is away, refuses or answers with an error", async () => {
    const want = await uncut();
    const s = scene([], (n) => {
      if (n === 0) return new TypeError("failed to fetch");
      if (n === 1) return new Response("", { status: 503 });
      if (n === 2) return new Response("", { status: 502 });
      return undefined;
    });
    expect(await s.run()).toBe("done");
    expect(s.view()).toEqual(want);
    expect(s.states.filter((x) => x === "waiting")).toHaveLength(3);
  });

  it("says when the run no longer streams, or is gone", async () => {
    const body = `data: {"type":"message_not_streaming","message_id":"${messageId}"}\n\n`;
    expect(await scene([], () => new Response(body)).run()).toBe("not_streaming");
    expect(await scene([], () => new Response("", { status: 404 })).run()).toBe("gone");
    expect(await scene([], () => new Response("", { status: 400 })).run()).toBe("gone");
  });

  it("drops a connection that has gone silent, and attaches again", async () => {
    const s = scene([], (n) => (n === 0 ? new Response(new ReadableStream({})) : undefined));
    s.world.silenceMs = 5;
    const slow = s.world.fetch;
    s.world.fetch = (path, init) =>
      slow(path, init).then((r) => {
        if (s.asked.length > 1) return r;
        // What fetch does with a body when its signal is aborted.
        const body = new ReadableStream({ start: (c) => init.signal.addEventListener("abort", () => c.error(new Error("aborted"))) });
        return new Response(body);
      });
    expect(await s.run()).toBe("done");
    expect(s.asked.length).toBe(2);
  });

  it("stops when it is told to", async () => {
    const s = scene([], () => {
      s.abort.abort();
      return new TypeError("aborted");
    });
    expect(await s.run()).toBe("aborted");
  });
});
