/** How English words sound that no dictionary has, as flite's letter-to-sound rules tell. Blocks. */
import { spawnSync } from 'node:child_process';

/** A thousand words take 0.2 s of a free core. */
const TIMEOUT_MS = 5_000;
const PAUSE = 'pau';
/** flite has a phone for the weak vowel, which the dictionary writes like the vowel of "but". */
const PHONES_OF_DICTIONARY = new Map([['AX', 'AH']]);

/**
 * Tells the phones of words as the CMU dictionary writes them, `Z AO R B AH T EH K S`. Words are
 * missing from the answer when flite does not know how to say them, all when it is not installed.
 *
 * @param words of letters, digits and apostrophes
 */
export function spell(words: readonly string[]): Map<string, string> {
  const spelt = new Map<string, string>();
  if (words.length === 0) return spelt;
  // A paragraph for each, so that each is answered by a line; what follows the last is not said.
  const input = words.map((word) => `${word}\n\n`).join('');
  const { stdout, status } = spawnSync('flite', ['-voice', 'kal', '-ps', '-o', 'none', '-'], {
    ...{ input, encoding: 'utf8', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
  });
  if (status !== 0) return spelt;
  const lines = stdout.trimEnd().split('\n');
  // One line too few or too many, and every word would sound like its neighbour.
  if (lines.length !== words.length) return words.length === 1 ? spelt : speltOneByOne(words);
  words.forEach((word, index) => {
    const phones = phonesOf(lines[index] ?? '');
    if (phones !== '') spelt.set(word, phones);
  });
  return spelt;
}

function speltOneByOne(words: readonly string[]): Map<string, string> {
  return new Map(words.flatMap((word) => [...spell([word])]));
}

function phonesOf(line: string): string {
  return line
    .split(' ')
    .filter((phone) => phone !== '' && phone !== PAUSE)
    .map((phone) => phone.toUpperCase())
    .map((phone) => PHONES_OF_DICTIONARY.get(phone) ?? phone)
    .join(' ');
}
