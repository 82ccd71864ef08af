/** Line breaking of plain text: possible places for breaks, and the display width of text. */

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const ZERO = /\p{M}|\p{Cf}/u;

/**
 * Returns the columns that a text occupies in a monospaced font: two for each East Asian character,
 * none for combining marks.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (character <= '\u02ff') width += 1;
    else if (WIDE.test(character)) width += 2;
    else if (!ZERO.test(character)) width += 1;
  }
  return width;
}

/**
 * A possible line break: the line ends at `end`, the next begins at `next`, and characters in
 * between are dropped; UTF-16 offsets.
 */
export interface LineBreak {
  end: number;
  next: number;
}

/** Scripts that break between any two characters, and scripts whose words only a dictionary can find. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
const BY_DICTIONARY = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/**
 * Characters that must not begin a line, among them marks of the letter before them, and characters
 * that must not end one.
 */
const CLOSING =
  /[\p{M}\p{Cf}\p{Pe}\p{Pf}!?,.:;%、。，．！？：；・ー…～々〉》」』】〕ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const OPENING = /[\p{Ps}\p{Pi}]/u;
/** The running time of `Intl.Segmenter` grows with the square of the length. */
const MAX_DICTIONARY_LENGTH = 2_000;

/** Length of a letter with its marks that is looked at, in UTF-16 units. */
const MAX_LETTER_LENGTH = 8;

/** Whether two lines are joined without a blank, as their script has none. */
export function joinsUnspaced(left: string, right: string): boolean {
  // A letter may have two UTF-16 units, and marks after it.
  const [last = ''] = /[^\p{M}]\p{M}*$/u.exec(left.slice(-MAX_LETTER_LENGTH)) ?? [];
  return UNSPACED.test(last) && UNSPACED.test(String.fromCodePoint(right.codePointAt(0) ?? 0));
}

/** Returns the possible line breaks, in reading order. */
function lineBreaks(text: string): LineBreak[] {
  const breaks: LineBreak[] = [];
  for (const { 0: blanks, index } of text.matchAll(/[ \t]+/g)) {
    const next = index + blanks.length;
    if (index > 0 && next < text.length) breaks.push({ end: index, next });
  }
  if (UNSPACED.test(text)) addUnspaced(breaks, text);
  if (BY_DICTIONARY.test(text) && text.length <= MAX_DICTIONARY_LENGTH) addWords(breaks, text);
  return breaks.sort((a, b) => a.end - b.end);
}

function addUnspaced(breaks: LineBreak[], text: string): void {
  let at = 0;
  let before = '';
  for (const character of text) {
    const isBetween = UNSPACED.test(before) || (before !== '' && UNSPACED.test(character));
    const isApart = /\s/.test(before) || /\s/.test(character);
    if (isBetween && !isApart && !CLOSING.test(character) && !OPENING.test(before)) {
      breaks.push({ end: at, next: at });
    }
    before = character;
    at += character.length;
  }
}

function addWords(breaks: LineBreak[], text: string): void {
  for (const { index, segment } of new Intl.Segmenter('th', { granularity: 'word' }).segment(
    text,
  )) {
    const isWithin = index > 0 && BY_DICTIONARY.test(segment) && !/\s/.test(text.charAt(index - 1));
    if (isWithin && !OPENING.test(text.charAt(index - 1))) breaks.push({ end: index, next: index });
  }
}

/** Returns breaks for lines of at most `width` columns, where possible. */
export function breaksWithin(text: string, width: number): LineBreak[] {
  const chosen: LineBreak[] = [];
  let start = 0;
  let last: LineBreak | undefined;
  for (const place of [...lineBreaks(text), { end: text.length, next: text.length }]) {
    if (last !== undefined && displayWidth(text.slice(start, place.end)) > width) {
      chosen.push(last);
      start = last.next;
    }
    last = place;
  }
  return chosen;
}

/** Distance from the ideal place, in columns, that a break accepts for following punctuation. */
const PUNCTUATION_PULL = 6;

/** Returns breaks for `count` lines of about the same width; fewer if the text has too few words. */
export function balancedBreaks(text: string, count: number): LineBreak[] {
  const shares = Array.from({ length: count - 1 }, (_, index) => (index + 1) / count);
  return breaksAtShares(text, shares).filter((place) => place !== undefined);
}

/**
 * Returns the best break near each share of the total width. Shares ascend between 0 and 1, and
 * each break comes after the previous one; undefined where no place is left.
 *
 * @param isPossible whether a place may be used at all
 */
export function breaksAtShares(
  text: string,
  shares: readonly number[],
  isPossible: (place: LineBreak) => boolean = () => true,
): (LineBreak | undefined)[] {
  const places = lineBreaks(text).filter(isPossible);
  const widths = widthsBefore(text, places);
  const whole = displayWidth(text);
  let from = 0;
  return shares.map((share, index) => {
    const wanted = share * whole;
    // Reserves a place for each of the following breaks.
    const to = places.length - (shares.length - 1 - index);
    // Among places far before the ideal one, only the last can be the best.
    while (from + 1 < to && (widths[from + 1] ?? 0) < wanted - PUNCTUATION_PULL) from += 1;
    let best = -1;
    let bestCost = Infinity;
    for (let at = from; at < to; at += 1) {
      const away = Math.abs((widths[at] ?? 0) - wanted);
      if (away - PUNCTUATION_PULL > bestCost && at > best + 1) break;
      const before = text.charAt((places[at]?.end ?? 0) - 1);
      const cost = away - (/\p{P}/u.test(before) ? PUNCTUATION_PULL : 0);
      if (cost < bestCost) [best, bestCost] = [at, cost];
    }
    if (best === -1) return undefined;
    from = best + 1;
    return places[best];
  });
}

/** Returns the columns of the text before each place. */
function widthsBefore(text: string, places: readonly LineBreak[]): number[] {
  let width = 0;
  let at = 0;
  return places.map(({ end }) => {
    width += displayWidth(text.slice(at, end));
    at = end;
    return width;
  });
}
