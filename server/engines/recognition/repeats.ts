/** Who shows words once several hypotheses agree on them counts equal ones as well: more are no news. */
const MOST_AGREEMENT = 4;

/**
 * Makes a function that answers whether the hypotheses of an utterance, one after the other, are worth
 * telling: those that differ from the one before, and the same up to four times.
 */
export function createRepeats(): (text: string) => boolean {
  let last = '';
  let times = MOST_AGREEMENT;
  return (text) => {
    times = text === last ? times + 1 : 1;
    last = text;
    return times <= MOST_AGREEMENT;
  };
}
