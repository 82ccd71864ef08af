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
