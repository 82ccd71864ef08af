/** German as it is written where there are no umlauts: `fuer`, `moechten`, `heisst`. */

/** No `ue` as in neue, Bauer, Quelle. */
const SPELLED_OUT = /ae|oe|(?<![aeoq])ue|ss/gu;
const letters: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü', ss: 'ß' };
/** Of the places of one word: twice as many spellings for each. */
const MAX_PLACES = 3;

/** Whether a word, in lower case, has what may stand for an umlaut. */
export function hasSpelledOutUmlaut(word: string): boolean {
  return /ae|oe|(?<![aeoq])ue/u.test(word);
}

/** The words that may be meant by one in lower case, those with the most umlauts first. */
export function umlautSpellings(word: string): string[] {
  const places = [...word.matchAll(SPELLED_OUT)].slice(0, MAX_PLACES);
  const spellings: string[] = [];
  for (let choice = (1 << places.length) - 1; choice > 0; choice -= 1) {
    let spelling = '';
    let done = 0;
    for (const [bit, { 0: pair, index }] of places.entries()) {
      if ((choice & (1 << bit)) === 0) continue;
      spelling += word.slice(done, index) + (letters[pair] ?? pair);
      done = index + pair.length;
    }
    spellings.push(spelling + word.slice(done));
  }
  return spellings;
}
