/**
 * Rules for the phrases of a glossary: the server enforces them, and the console reports violations
 * beforehand.
 */

/** Longest phrase, in bytes of UTF-8. */
export const MAX_PHRASE_BYTES = 1024;

/**
 * UTF-16 length up to which any text fits into {@link MAX_PHRASE_BYTES}: each unit takes at most
 * three bytes.
 */
const SURELY_SHORT = Math.floor(MAX_PHRASE_BYTES / 3);

/** C0 and C1 control characters, line and paragraph separators, unpaired surrogates. */
const FORBIDDEN = /[\u0000-\u001f\u0080-\u009f\u2028\u2029\p{Surrogate}]/u;
const BLANK_AT_START = /^\p{White_Space}/u;
const BLANK_AT_END = /\p{White_Space}$/u;

const encoder = new TextEncoder();

/** Returns the fault of a phrase, as the predicate of a sentence; undefined for a valid phrase. */
export function phraseFault(phrase: string): string | undefined {
  if (phrase === '') return 'is empty';
  const forbidden = FORBIDDEN.exec(phrase);
  if (forbidden !== null) return `contains the character ${codePointName(forbidden[0])}`;
  if (mayBeBlank(phrase.charCodeAt(0)) && BLANK_AT_START.test(phrase)) {
    return 'starts with white space';
  }
  if (mayBeBlank(phrase.charCodeAt(phrase.length - 1)) && BLANK_AT_END.test(phrase)) {
    return 'ends with white space';
  }
  if (phrase.length > SURELY_SHORT && encoder.encode(phrase).length > MAX_PHRASE_BYTES) {
    return `is longer than ${MAX_PHRASE_BYTES} bytes`;
  }
  return undefined;
}

/** Fast check that spares nearly every phrase the two searches for white space. */
function mayBeBlank(unit: number): boolean {
  return unit <= 0x20 || unit >= 0x85;
}

function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
