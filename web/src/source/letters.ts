// Text reduced to what two engines that read the same page agree on: its letters
// and digits, without case, accents, ligatures, spaces, hyphens and punctuation.

export interface Letters {
  text: string;
  /** Letter i comes from the source's UTF-16 units from[i] to to[i]. */
  from: number[];
  to: number[];
}

const letter = /[\p{L}\p{N}]/u;
const visible = /[^\s\p{M}\p{C}]/u;

export function isLetter(char: string | undefined): boolean {
  return char !== undefined && letter.test(char);
}

export function lettersOf(source: string): Letters {
  return reduce(source, letter);
}

/** All that can be seen: for a quote without any letter, such as "—" or "±". */
export function visibleOf(source: string): Letters {
  return reduce(source, visible);
}

const plain = /[a-z0-9]/;

function reduce(source: string, keep: RegExp): Letters {
  let text = "";
  const from: number[] = [];
  const to: number[] = [];
  let i = 0;
  for (const char of source) {
    const next = i + char.length;
    // Most characters need no normalising, which is slow.
    const parts = plain.test(char) ? char : char.normalize("NFKD").toLowerCase();
    for (const c of parts) {
      if (!keep.test(c)) continue;
      text += c;
      for (let k = 0; k < c.length; k++) {
        from.push(i);
        to.push(next);
      }
    }
    i = next;
  }
  return { text, from, to };
}

/** A word of a text as a span of its letters. */
export interface Word {
  start: number;
  end: number;
  text: string;
  /** Begins the next cell of a row: a tab or a bar stands before it. */
  cell: boolean;
  /** Part of a text without spaces: it stands nowhere as a word of its own. */
  unspaced: boolean;
}

/** What stands between two cells of a row. */
export const cellBorder = /\t| \| /;

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;

const longestWord = 16;
const shortPart = 8;

/**
 * The words of a text, as spaces part them: a date or a hyphenated word is one. Scripts that put no spaces between words are cut into
 * pairs of letters, and very long words (addresses, sequences) into eights, so
 * that one letter that was read otherwise does not lose all of them.
 */
export function wordsOf(source: string, letters: Letters): Word[] {
  const words: Word[] = [];
  const { text, from, to } = letters;
  for (let start = 0; start < text.length; ) {
    let end = start + 1;
    while (end < text.length && !/\s/.test(source.slice(to[end - 1], from[end]))) end++;
    const whole = text.slice(start, end);
    const joined = unspaced.test(whole);
    const size = joined ? 2 : end - start > longestWord ? shortPart : end - start;
    const cell = start > 0 && cellBorder.test(source.slice(to[start - 1], from[start]));
    for (let at = 0; at < whole.length; at += size) {
      const part = whole.slice(at, at + size);
      words.push({ start: start + at, end: start + at + part.length, text: part, cell: cell && at === 0, unspaced: joined });
    }
    start = end;
  }
  return words;
}
