/** How often a recogniser takes back what it seemed to be sure of: how far it can be trusted now. */
import type { LanguageTag } from '../../../shared/language.ts';
import { captionTokens } from './caption-units.ts';
import { createSteady } from './steady.ts';

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
