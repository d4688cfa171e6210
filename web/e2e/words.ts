// Words as they are compared: what is set on a page, read from it, quoted in an
// answer and marked differs in case, white space, hyphens and the marks around.

/**
 * The letters and digits of a text, without case, spaces, hyphens and other
 * marks; a point or comma between two digits stays, so that 1.5 is not 15.
 */
export function words(s: string): string {
  return s
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<!\d)[.,]|[.,](?!\d)/g, "")
    .replace(/[^\p{L}\p{N}.,]/gu, "");
}
