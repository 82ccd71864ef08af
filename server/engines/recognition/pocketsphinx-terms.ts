/**
 * Spoken terms for PocketSphinx: each becomes an entry of its dictionary, a phrase as a whole, and is
 * made likelier in the language model than a word nobody has named.
 */
import type { SphinxDecoder } from './pocketsphinx-library.ts';
import { spell } from './pronunciation.ts';
import type { TermWords } from './segments.ts';

/** A name of the dictionary that no word has. */
const termName = (number: number): string => `~${number}`;
/** More would make the search slow; lists are told in the order of their importance. */
const MAX_TERMS = 1_000;
const WORD = /[\p{L}\p{N}'’]+/gu;

/**
 * Teaches terms to a decoder that hears nothing at the moment; words that nobody can pronounce are
 * left out. Takes about 0.2 s, and nothing without terms.
 *
 * @returns what the new names in its dictionary stand for
 */
export function learnTerms(decoder: SphinxDecoder, spokenTerms: readonly string[]): TermWords {
  const terms = [...new Set(spokenTerms)].slice(0, MAX_TERMS).map(termOf).filter(isNotEmpty);
  const unknown = new Set<string>();
  for (const { sounds } of terms) {
    for (const word of sounds) if (decoder.pronunciation(word) === undefined) unknown.add(word);
  }
  const spelt = spell([...unknown]);
  const names = new Map<string, readonly string[]>();
  const pronunciations = new Map<string, string>();
  for (const { words, sounds } of terms) {
    const phones = sounds.map((word) => decoder.pronunciation(word) ?? spelt.get(word));
    if (phones.some((each) => each === undefined)) continue;
    const name = termName(names.size);
    names.set(name, words);
    pronunciations.set(name, phones.join(' '));
  }
  if (pronunciations.size > 0) decoder.addWords(pronunciations);
  return names;
}

interface SpokenTerm {
  /** As it is written. */
  words: string[];
  /** As the dictionary writes it. */
  sounds: string[];
}

function termOf(term: string): SpokenTerm {
  const words = term.split(/\s+/).filter((word) => word.match(WORD) !== null);
  const sounds = term.toLowerCase().replaceAll('’', "'").match(WORD) ?? [];
  return { words, sounds };
}

function isNotEmpty({ words }: SpokenTerm): boolean {
  return words.length > 0;
}
