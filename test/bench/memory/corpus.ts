/**
 * Sentences as translation memories hold them, made by a recipe: words of a long-tailed vocabulary
 * (Zipf) in phrases that come back, here and there a number. The same ones every time.
 */

const WORDS = 40_000;
const PHRASES = 60_000;
const SYLLABLES = [
  ...['ba', 'co', 'di', 'fen', 'gar', 'hu', 'jo', 'kal', 'li', 'mor', 'ne', 'pu', 'qui', 'ros'],
  ...['se', 'tam', 'ul', 've', 'wyn', 'zo'],
];

export interface Corpus {
  /** A sentence of 3 to some 25 words. */
  sentence(): string;
  /** The sentence with some words changed, added or left out: a share of them, at least one. */
  changed(sentence: string, share: number): string;
  /** A whole number from 0 up to, and without, a bound. */
  below(bound: number): number;
}

/** Makes sentences; a seed makes the same ones. */
export function createCorpus(seed: number): Corpus {
  const random = createRandom(1);
  const words = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
  const phrases = Array.from({ length: PHRASES }, () =>
    Array.from(
      { length: 1 + Math.floor(random() * 4) },
      () => words[zipf(random, WORDS)] ?? '',
    ).join(' '),
  );
  const own = createRandom(seed);
  const below = (bound: number) => Math.floor(own() * bound);

  function sentence(): string {
    const parts = Array.from({ length: 2 + below(6) }, () =>
      own() < 0.08 ? String(below(5_000)) : (phrases[zipf(own, PHRASES)] ?? ''),
    );
    const text = parts.join(own() < 0.2 ? ', ' : ' ');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }

  return {
    below,
    sentence,
    changed(given, share) {
      const parts = given.split(' ');
      const count = Math.max(1, Math.floor(parts.length * share));
      for (let edit = 0; edit < count; edit += 1) {
        const at = below(parts.length);
        const word = words[zipf(own, WORDS)] ?? '';
        const kind = below(4);
        if (kind === 0) parts.splice(at, 0, word);
        else if (kind === 1 && parts.length > 1) parts.splice(at, 1);
        else parts[at] = word;
      }
      return parts.join(' ');
    },
  };
}

/** Common words are short. */
function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length] ?? '';
  }
  return word;
}

/** A rank: the first is met as often as the second and the third together, and so on. */
function zipf(random: () => number, count: number): number {
  return Math.min(count - 1, Math.floor(Math.exp(random() * Math.log(count + 1))) - 1);
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
