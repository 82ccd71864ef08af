/** What of a text tells its language: words, without markup, addresses and codes. */

/** Enough to skip a page's head of markup; more would only cost time. UTF-16 units. */
const CONSIDERED_LENGTH = 4096;
/** The detectors are sure long before. UTF-16 units. */
const READABLE_LENGTH = 512;

/** What cutting leaves of a character of two UTF-16 units. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

const NOISE = new RegExp(
  [
    /<[^<>]*>/u, // markup
    /&#?[a-z0-9]{1,32};/iu, // its entities
    /(?:https?:\/\/|www\.)\S+/iu, // addresses
    /[\w.+-]{1,64}@[\w.-]{1,128}/u,
    /(?<![a-z])[a-z]*[0-9_][a-z0-9_]*/iu, // numbers, codes and names of variables
    // whatever is no letter; joiners are part of Persian words, a dot between two l of Catalan ones
    /(?:(?!(?<=l)·l)[^\p{L}\p{M}'’\u200c\u200d-])+/u,
  ]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'giu',
);

/**
 * The words at the beginning of a text, with single blanks between them; empty when there are none.
 * Lone surrogates and NULs, which the detectors cannot take, are gone.
 */
export function readableText(text: string): string {
  const words = text.slice(0, CONSIDERED_LENGTH).replace(NOISE, ' ').trim();
  return words.slice(0, READABLE_LENGTH).replace(HALF_CHARACTER, '');
}

/**
 * The words in small letters, single blanks between them: every language writes the names of others.
 *
 * @param readable from {@link readableText}
 */
export function ownWords(readable: string): string {
  return readable
    .split(' ')
    .filter((word) => /^\p{Ll}/u.test(word))
    .join(' ');
}
