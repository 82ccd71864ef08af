/** Where a line may end: after blanks and hyphens, between ideographs, between Thai words. */

/** Signs that must not begin a line (JIS X 4051, GB/T 15834 and plain sense). */
const noStart =
  /[、。，．：；？！」』）〕］｝〉》】〙〗’”»%‰℃・ー々ゝゞぁぃぅぇぉっゃゅょァィゥェォッャュョ…‥)\]}!?,.:;]/u;
/** Signs that must not end one. */
const noEnd = /[「『（〔［｛〈《【〘〖‘“«([{¥￥$＄#]/u;
const ideographic =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uff65]/u;
/** Scripts whose words are found by a dictionary. */
const wordless = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** `Intl.Segmenter` takes quadratic time for very long texts. */
const MAX_WORD_SEARCH = 2_000;

/** A stretch that is not divided unless nothing else helps. */
export interface Unit {
  from: number;
  /** Its end, without blanks. */
  to: number;
  /** Whether blanks follow. */
  hasSpaceAfter: boolean;
}

/** The units of a text whose blanks are single ones. */
export function unitsOf(text: string, language: string): Unit[] {
  const breaks = wordBreaks(text, language);
  const units: Unit[] = [];
  let from = 0;
  let before = '';
  for (const { segment, index } of graphemes.segment(text)) {
    if (index > from && mayBreak({ before, after: segment, index, breaks, text })) {
      addUnit(units, text, from, index);
      from = index;
    }
    before = segment;
  }
  addUnit(units, text, from, text.length);
  return units;
}

/** A unit cut into its letters. */
export function lettersOf(text: string, { from, to, hasSpaceAfter }: Unit): Unit[] {
  const letters = [...graphemes.segment(text.slice(from, to))].map(({ segment, index }) => ({
    from: from + index,
    to: from + index + segment.length,
    hasSpaceAfter: false,
  }));
  const last = letters.at(-1);
  if (last !== undefined) last.hasSpaceAfter = hasSpaceAfter;
  return letters;
}

function addUnit(units: Unit[], text: string, from: number, end: number): void {
  let to = end;
  while (to > from && isBlank(text.charAt(to - 1))) to -= 1;
  const last = units.at(-1);
  if (to === from) {
    if (last !== undefined && end > from) last.hasSpaceAfter = true;
    return;
  }
  units.push({ from, to, hasSpaceAfter: to < end });
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\u200b';
}

function mayBreak({
  before,
  after,
  index,
  breaks,
  text,
}: {
  before: string;
  after: string;
  index: number;
  breaks: ReadonlySet<number>;
  text: string;
}): boolean {
  if (isBlank(before)) return !isBlank(after);
  if (isBlank(after)) return false;
  if (ideographic.test(before) || ideographic.test(after)) {
    return !noStart.test(after) && !noEnd.test(before) && before !== '\u00a0' && after !== '\u00a0';
  }
  if (breaks.has(index)) return true;
  const isHyphen = before === '-' || before === '\u2010' || before === '–' || before === '—';
  return isHyphen && /\p{L}/u.test(after) && /\p{L}/u.test(text.charAt(index - 2));
}

/** Ends of words in scripts without blanks. */
function wordBreaks(text: string, language: string): ReadonlySet<number> {
  const breaks = new Set<number>();
  if (!wordless.test(text)) return breaks;
  const words = new Intl.Segmenter(language, { granularity: 'word' });
  for (let from = 0; from < text.length; from += MAX_WORD_SEARCH) {
    for (const { index, segment } of words.segment(text.slice(from, from + MAX_WORD_SEARCH))) {
      if (wordless.test(segment)) breaks.add(from + index);
    }
  }
  return breaks;
}
