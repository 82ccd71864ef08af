/**
 * Steadies growing text: words are passed on once two successive hypotheses agree on them
 * (LocalAgreement-2), and what was passed on stays until two successive hypotheses contradict it.
 */
export interface Steady {
  /** Takes the next hypothesis and answers the words that are worth showing. */
  next(words: readonly string[]): readonly string[];
  /** Forgets everything: the next hypothesis begins a new utterance. */
  reset(): void;
}

export function createSteady(): Steady {
  let previous: readonly string[] = [];
  let shown: readonly string[] = [];
  return {
    next(words) {
      const agreed = words.slice(0, commonPrefix(previous, words));
      previous = words;
      const common = commonPrefix(agreed, shown);
      const contradicted = common < shown.length && common < agreed.length;
      if (contradicted || agreed.length > shown.length) shown = agreed;
      return shown;
    },
    reset() {
      previous = [];
      shown = [];
    },
  };
}

function commonPrefix(a: readonly string[], b: readonly string[]): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length += 1;
  return length;
}
