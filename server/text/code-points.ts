/**
 * How many Unicode code points a text has; a lone surrogate counts as one. What is billed is counted
 * so, and a request may bring 128 KiB of it: no list of characters is made.
 */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    const isPair =
      isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1));
    if (isPair) count -= 1;
  }
  return count;
}

/** What no name, term or caption has: control characters, line and paragraph separator, halves of characters. */
export const FORBIDDEN_CHARACTER = /[\p{Cc}\u2028\u2029\p{Surrogate}]/u;

function isHighSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xd800;
}

function isLowSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xdc00;
}
