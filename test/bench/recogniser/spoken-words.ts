/** Texts as they are spoken, so that "Dr. Miller, room 12" and "Doctor Miller, room twelve" are the same. */
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

const UNITS = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen',
  'sixteen seventeen eighteen nineteen',
]
  .join(' ')
  .split(' ');
const TENS = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const spellings: readonly [RegExp, string][] = [
  [/\bdr\b\.?/g, 'doctor'],
  [/\bprof\b\.?/g, 'professor'],
  [/\b1st\b/g, 'first'],
  [/\b2nd\b/g, 'second'],
  [/\b3rd\b/g, 'third'],
  [/%/g, ' percent'],
  [/\bneighbor/g, 'neighbour'],
  [/\bto-(?=day\b|night\b|morrow\b)/g, 'to'],
  [/(\d),(?=\d{3}\b)/g, '$1'],
  [/(\d):00\b/g, "$1 o'clock"],
];

/** A text in small letters, numbers in words, without marks. */
export function asSpoken(text: string): string {
  let spoken = text.toLowerCase();
  for (const [written, said] of spellings) spoken = spoken.replaceAll(written, said);
  return spoken
    .replaceAll(/\d{1,6}/g, (digits) => ` ${numberInWords(Number(digits))} `)
    .replaceAll(/[^\p{L}\p{N}'\s]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Words misheard, in percent of what was said. */
export function misheardPercent(said: string, heard: string): number {
  return wordErrorRate(asSpoken(said), asSpoken(heard)) * 100;
}

/** The digits in a text, in figures or in words. */
function digitsIn(text: string): string[] {
  const words = text
    .toLowerCase()
    .replaceAll(/\d/g, ' $& ')
    .split(/[^\p{L}\p{N}]+/u);
  return words.flatMap((word) => {
    if (/^\d$/.test(word)) return [word];
    const digit = word === 'oh' || word === 'o' ? 0 : UNITS.slice(0, 10).indexOf(word);
    return digit === -1 ? [] : [`${digit}`];
  });
}

/** Digits that were lost, added or mistaken. */
export function mistakenDigits(said: string, heard: string): number {
  const expected = digitsIn(said);
  const share = wordErrorRate(expected.join(' '), digitsIn(heard).join(' '));
  return Math.round(share * expected.length);
}

function numberInWords(number: number): string {
  if (number < 20) return UNITS[number] ?? '';
  if (number < 100) return joined(TENS[Math.floor(number / 10)] ?? '', number % 10);
  if (number < 1_000) return joined(`${UNITS[Math.floor(number / 100)]} hundred`, number % 100);
  return joined(`${numberInWords(Math.floor(number / 1_000))} thousand`, number % 1_000);
}

function joined(head: string, rest: number): string {
  return rest === 0 ? head : `${head} ${numberInWords(rest)}`;
}
