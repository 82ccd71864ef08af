/** Growing text: what of it is worth showing, and how far whoever makes it can be trusted. */
import type { LanguageTag } from '../../../shared/language.ts';
import { captionTokens } from './captions.ts';

/**
 * Steadies growing text: words are passed on once successive hypotheses agree on them
 * (LocalAgreement), and what was passed on stays until as many contradict it.
 */
export interface Steady {
  /**
   * Takes the next hypothesis and answers the words that are worth showing.
   *
   * @param agreement hypotheses that have to agree, this one and those before it; 2 to 4
   */
  next(words: readonly string[], agreement?: number): readonly string[];
  /** Forgets everything: the next hypothesis begins a new utterance. */
  reset(): void;
}

const MOST_AGREEMENT = 4;

export function createSteady(): Steady {
  /** The latest first. */
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

/** The words with which the latest hypotheses all begin; none when there are fewer. */
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

// How often a recogniser takes back what it seemed to be sure of: how far it can be trusted now.

/**
 * More of the words than this taken back is much. Measured with a recogniser that shows all it believes: it
 * took back 0.08 of what it heard well and 0.6 of what it misheard; anything from 0.14 to 0.3 tells them apart.
 */
const MUCH = 0.2;
/** What is expected of the words before there were any: a little less than much. */
const EXPECTED = { revised: 1.5, words: 10 };
/** Words after which what was heard counts half: about six seconds of speech. */
const HALF_LIFE_WORDS = 20;
const LETTER = /[\p{L}\p{N}]/u;

export interface RevisionMeter {
  /** Whether much was taken back of late of what two hypotheses had agreed on. */
  readonly areFrequent: boolean;
  /** Takes the next hypothesis of an utterance. */
  grow(text: string, language: LanguageTag): void;
  /** Takes the final of an utterance. */
  conclude(text: string, language: LanguageTag): void;
  /** What it goes by between two utterances. */
  state: { revised: number; words: number };
}

/** Depends on the texts alone, so that the same hypotheses are always judged the same. */
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

/** Capitals and punctuation come and go with finals; they are no doubt about the words. */
function wordsOf(text: string, language: LanguageTag): string[] {
  return captionTokens(text.toLowerCase(), language).filter((token) => LETTER.test(token));
}
