/** Steadies growing text: which words are worth showing, and how reliable the recogniser currently is. */
import type { LanguageTag } from '../../../shared/language.ts';
import { captionTokens } from './captions.ts';

/**
 * Steadies growing text by LocalAgreement: shows words once successive hypotheses agree on them, and
 * keeps them until equally many hypotheses contradict them.
 */
export interface Steady {
  /**
   * Takes the next hypothesis; returns the words worth showing.
   *
   * @param agreement number of hypotheses, including this one, that must agree; 2 to 4
   */
  next(words: readonly string[], agreement?: number): readonly string[];
  /** Resets the state: the next hypothesis begins a new utterance. */
  reset(): void;
}

const MOST_AGREEMENT = 4;

export function createSteady(): Steady {
  /** Latest first. */
  let latest: (readonly string[])[] = [];
  let shown: readonly string[] = [];
  return {
    next(words, agreement = 2) {
      latest = [words, ...latest.slice(0, MOST_AGREEMENT - 1)];
      const agreed = agreedBy(latest, agreement);
      const common = commonPrefix(agreed, shown);
      const contradicted = common < shown.length && common < agreed.length;
      if (contradicted || agreed.length > shown.length) shown = agreed;
      return shown;
    },
    reset() {
      latest = [];
      shown = [];
    },
  };
}

/** Returns the common leading words of the latest hypotheses; none while there are too few. */
function agreedBy(latest: readonly (readonly string[])[], agreement: number): readonly string[] {
  const [newest = [], ...others] = latest.slice(0, agreement);
  if (others.length + 1 < agreement) return [];
  const length = others.reduce(
    (least, other) => Math.min(least, commonPrefix(newest, other)),
    newest.length,
  );
  return newest.slice(0, length);
}

function commonPrefix(a: readonly string[], b: readonly string[]): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length += 1;
  return length;
}

// Revisions: how often a recogniser changes words it seemed sure of.

/**
 * Share of revised words above which revisions count as frequent. Measured with a recogniser that reports
 * all its hypotheses: it revised 0.08 of well-heard and 0.6 of misheard words; any value from 0.14 to 0.3
 * separates them.
 */
const MUCH = 0.2;
/** Initial estimate, a little below the threshold. */
const EXPECTED = { revised: 1.5, words: 10 };
/** Number of words after which older words count half: about six seconds of speech. */
const HALF_LIFE_WORDS = 20;
const LETTER = /[\p{L}\p{N}]/u;

export interface RevisionMeter {
  /** Whether the recogniser has recently revised many words that two hypotheses had agreed on. */
  readonly areFrequent: boolean;
  /** Takes the next hypothesis of an utterance. */
  grow(text: string, language: LanguageTag): void;
  /** Takes the final of an utterance. */
  conclude(text: string, language: LanguageTag): void;
  /** State between utterances. */
  state: { revised: number; words: number };
}

/** Creates a meter. Depends on the texts alone: the same hypotheses always give the same result. */
export function createRevisionMeter(): RevisionMeter {
  const steady = createSteady();
  let { revised, words } = EXPECTED;
  let agreed: readonly string[] = [];

  function replace(next: readonly string[]): void {
    let kept = 0;
    while (kept < agreed.length && agreed[kept] === next[kept]) kept += 1;
    revised += agreed.length - kept;
    agreed = next;
  }

  return {
    get state() {
      return { revised, words };
    },
    set state(state) {
      ({ revised, words } = state);
    },
    get areFrequent() {
      return revised > MUCH * (words + agreed.length);
    },
    grow(text, language) {
      replace(steady.next(wordsOf(text, language)));
    },
    conclude(text, language) {
      const said = wordsOf(text, language);
      replace(said);
      words += said.length;
      const kept = 0.5 ** (said.length / HALF_LIFE_WORDS);
      revised *= kept;
      words *= kept;
      agreed = [];
      steady.reset();
    },
  };
}

/** Capitals and punctuation change with finals and say nothing about the words, so they are ignored. */
function wordsOf(text: string, language: LanguageTag): string[] {
  return captionTokens(text.toLowerCase(), language).filter((token) => LETTER.test(token));
}
