// Server-sent events, read from a fetch body instead of EventSource, so that a
// token can be sent, a position given, and the connection cut by us.

export interface ServerEvent {
  event: string;
  data: string;
  /** Only when this very event carried one. */
  id?: string;
}

/** Takes the text of a stream in pieces of any size and gives whole events. */
export class EventParser {
  private held = "";
  private event = "";
  private data: string[] = [];
  private id: string | undefined;
  /** Reconnection delay the server asked for, in milliseconds. */
  retry: number | undefined;

  push(text: string): ServerEvent[] {
    const out: ServerEvent[] = [];
    this.held += text;
    let from = 0;
    while (true) {
      const end = lineEnd(this.held, from);
      if (end === undefined) break;
      const done = this.line(this.held.slice(from, end.at));
      if (done) out.push(done);
      from = end.next;
    }
    this.held = this.held.slice(from);
    return out;
  }

  private line(line: string): ServerEvent | undefined {
    if (line === "") {
      const done = this.data.length > 0 ? { event: this.event || "message", data: this.data.join("\n"), id: this.id } : undefined;
      this.event = "";
      this.data = [];
      this.id = undefined;
      return done;
    }
    if (line.startsWith(":")) return undefined;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    switch (field) {
      case "event":
        this.event = value;
        break;
      case "data":
        this.data.push(value);
        break;
      case "id":
        this.id = value;
        break;
      case "retry":
        if (/^\d+$/.test(value)) this.retry = Number(value);
        break;
    }
    return undefined;
  }
}

/**
 * The end of the line that begins at from: LF, CRLF or CR. A CR at the very
 * end of what has arrived may be half of a CRLF, so it waits for the next piece.
 */
function lineEnd(text: string, from: number): { at: number; next: number } | undefined {
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (c === "\n") return { at: i, next: i + 1 };
    if (c === "\r") {
      if (i + 1 === text.length) return undefined;
      return { at: i, next: text[i + 1] === "\n" ? i + 2 : i + 1 };
    }
  }
  return undefined;
}
