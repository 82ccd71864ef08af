/** Longest phrase of a glossary and longest name, in bytes of UTF-8. */
export const MAX_PHRASE_BYTES = 1024;

/** C0 and C1 control characters, line and paragraph separator, halves of characters. */
const FORBIDDEN = /[\u0000-\u001f\u0080-\u009f\u2028\u2029\p{Surrogate}]/u;
const OUTER_BLANK = /^\p{White_Space}|\p{White_Space}$/u;
const bytes = new TextEncoder();

/**
 * What is wrong with a phrase, as the predicate of a sentence; undefined when nothing is. The server
 * judges by the same rules and has the last word: here they spare people the way there.
 */
export function phraseFault(phrase: string): string | undefined {
  if (phrase === '') return 'is empty';
  if (FORBIDDEN.test(phrase)) return 'contains a tab, a line break or a control character';
  if (OUTER_BLANK.test(phrase)) return 'starts or ends with a blank';
  // Three bytes a UTF-16 unit are the most, so that nearly no phrase has to be encoded.
  if (phrase.length * 3 > MAX_PHRASE_BYTES && bytes.encode(phrase).length > MAX_PHRASE_BYTES) {
    return `is longer than ${MAX_PHRASE_BYTES} bytes`;
  }
  return undefined;
}
