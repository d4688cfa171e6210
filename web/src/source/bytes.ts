// Offsets into extracted text are bytes of its UTF-8; a browser counts UTF-16
// units. The text is encoded once and cut as bytes.

const decoder = new TextDecoder();

export class Utf8Text {
  private readonly bytes: Uint8Array;

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** The text from byte start to byte end; an offset inside a character moves back to its beginning. */
  slice(start: number, end: number): string {
    return decoder.decode(this.bytes.subarray(this.boundary(start), this.boundary(end)));
  }

  /** Where byte at stands in the text, as a script counts: in UTF-16 units. */
  unit(at: number): number {
    return this.slice(0, at).length;
  }

  /** Where the line that holds byte at ends, its newline included; limit at most. */
  lineEnd(at: number, limit: number): number {
    const newline = this.bytes.indexOf(0x0a, at);
    return newline < 0 || newline + 1 > limit ? this.boundary(limit) : newline + 1;
  }

  private boundary(at: number): number {
    let i = Math.min(Math.max(at, 0), this.bytes.length);
    while (i > 0 && i < this.bytes.length && ((this.bytes[i] ?? 0) & 0xc0) === 0x80) i--;
    return i;
  }
}
