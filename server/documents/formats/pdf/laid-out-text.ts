/**
 * Measures a paragraph's text: splits it into units and breaks these into lines of a given width. Lines may
 * break after spaces and hyphens, between ideographs and between Thai words.
 */
import { graphemesOf } from '../../../text/code-points.ts';
import { embeddingLevels, type OpenFont, type ShapedText } from '../fonts/shaped-text.ts';
import type { FontChoice, InstalledFont } from '../fonts/font-choice.ts';
import type { LookRun, RunLook } from './paragraph-segments.ts';

/** Size of superscripts and subscripts, as a share of the text size. */
const SMALL_SHARE = 0.65;

/** Text of one look, font and direction within a unit. */
export interface TextPart {
  /** Its text, in reading order. */
  text: string;
  shaped: ShapedText;
  font: OpenFont;
  look: RunLook;
  /** Its size as a share of the paragraph's. */
  share: number;
  /** Level of the bidirectional algorithm; odd levels run from right to left. */
  level: number;
}

/** A unit with its parts; widths are shares of the paragraph's size. */
export interface MeasuredUnit {
  parts: TextPart[];
  width: number;
  /** The space after it; undefined without one. */
  space: TextPart | undefined;
  unit: Unit;
}

/** A line: a sequence of units. */
export interface LaidOutLine {
  units: readonly MeasuredUnit[];
  /** As a share of the paragraph's size. */
  width: number;
}

/** A paragraph's text with its measures. */
export interface MeasuredText {
  readonly isRightToLeft: boolean;
  /**
   * Breaks the text into lines; `widthOf` returns the width of a line (from 0), as a multiple of the size.
   */
  lines(widthOf: (line: number) => number, dividesWords: boolean): LaidOutLine[];
}

/** Opens each font once per document. */
export type OpenFonts = (font: InstalledFont) => OpenFont;

/** Measures runs of text. */
export function measureText({
  runs,
  sizePoints,
  language,
  isTargetRightToLeft,
  fonts,
  openFont,
}: {
  runs: readonly LookRun[];
  /** The paragraph's size, to which the sizes of the runs relate. */
  sizePoints: number;
  language: string;
  isTargetRightToLeft: boolean;
  fonts: FontChoice;
  openFont: OpenFonts;
}): MeasuredText {
  const cleaned = cleanedRuns(runs, fonts);
  const text = cleaned.map((run) => run.text).join('');
  const isRightToLeft = isTargetRightToLeft && hasRightToLeft(text);
  const { levels, mirrored } = embeddingLevels(text, isRightToLeft ? 'rtl' : 'ltr');
  const stretches = stretchesOf({ runs: cleaned, fonts, levels });
  const partsOf = (from: number, to: number): TextPart[] =>
    stretches
      .filter((stretch) => stretch.from < to && stretch.to > from)
      .map((stretch): TextPart => {
        const start = Math.max(from, stretch.from);
        const end = Math.min(to, stretch.to);
        const font = openFont(stretch.font);
        const isReversed = stretch.level % 2 === 1;
        const letters = isReversed ? mirror(text, start, end, mirrored) : text.slice(start, end);
        const { look, level } = stretch;
        const share = shareOf(look, sizePoints);
        const shaped = font.shape(letters, isReversed);
        return { text: text.slice(start, end), shaped, font, look, share, level };
      });
  const measure = (unit: Unit): MeasuredUnit => {
    const parts = partsOf(unit.from, unit.to);
    const hasBlank = unit.hasSpaceAfter && text.charAt(unit.to) === ' ';
    const space = hasBlank ? partsOf(unit.to, unit.to + 1)[0] : undefined;
    return { parts, width: widthOf(parts), space, unit };
  };
  const units = unitsOf(text, language).map(measure);
  const letters = (unit: MeasuredUnit): MeasuredUnit[] => lettersOf(text, unit.unit).map(measure);
  return {
    isRightToLeft,
    lines: (widthOf, dividesWords) =>
      breakLines({ units, widthOf, divide: dividesWords ? letters : undefined }),
  };
}

/** Collapses spaces, trims both ends, and removes characters that no font can draw. */
function cleanedRuns(runs: readonly LookRun[], fonts: FontChoice): LookRun[] {
  const cleaned: LookRun[] = [];
  let before = ' ';
  for (const run of runs) {
    let text = run.text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u00ad\ufeff]/gu, '');
    text = fonts.drawable(text);
    text = text.replaceAll(/ +/g, ' ');
    if (before === ' ') text = text.replace(/^ /, '');
    if (text === '') continue;
    before = text.slice(-1);
    cleaned.push({ ...run, text });
  }
  const last = cleaned.at(-1);
  if (last !== undefined) last.text = last.text.trimEnd();
  return cleaned;
}

/** Tests for letters of right-to-left scripts. */
function hasRightToLeft(text: string): boolean {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(
    text,
  );
}

interface Stretch {
  from: number;
  to: number;
  look: RunLook;
  font: InstalledFont;
  level: number;
}

/** Splits the text where the look, font or direction changes. */
function stretchesOf({
  runs,
  fonts,
  levels,
}: {
  runs: readonly LookRun[];
  fonts: FontChoice;
  levels: Uint8Array;
}): Stretch[] {
  const stretches: Stretch[] = [];
  let at = 0;
  for (const { text, style, link } of runs) {
    for (const { text: part, font } of fonts.runs(text, style)) {
      const end = at + part.length;
      while (at < end) {
        const level = levels[at] ?? 0;
        let to = at + 1;
        while (to < end && levels[to] === level) to += 1;
        stretches.push({ from: at, to, look: { style, link }, font, level });
        at = to;
      }
    }
  }
  return stretches;
}

function mirror(text: string, from: number, to: number, mirrored: Map<number, string>): string {
  if (mirrored.size === 0) return text.slice(from, to);
  let result = '';
  for (let at = from; at < to; at += 1) result += mirrored.get(at) ?? text.charAt(at);
  return result;
}

function shareOf({ style: { position, sizePoints } }: RunLook, size: number): number {
  const share = sizePoints / size;
  return position === 'normal' ? share : share * SMALL_SHARE;
}

function widthOf(parts: readonly TextPart[]): number {
  return parts.reduce((sum, { shaped, share }) => sum + (shaped.advance * share) / 1000, 0);
}

/** Returns the width of the space after a unit. */
export function spaceWidth({ space }: MeasuredUnit): number {
  return space === undefined ? 0 : (space.shaped.advance * space.share) / 1000;
}

function breakLines({
  units,
  widthOf,
  divide,
}: {
  units: readonly MeasuredUnit[];
  widthOf: (line: number) => number;
  divide: ((unit: MeasuredUnit) => MeasuredUnit[]) | undefined;
}): LaidOutLine[] {
  const lines: LaidOutLine[] = [];
  let line: MeasuredUnit[] = [];
  let lineWidth = 0;
  let pendingSpace = 0;
  const end = (): void => {
    if (line.length > 0) lines.push({ units: line, width: lineWidth });
    line = [];
    lineWidth = 0;
    pendingSpace = 0;
  };
  const add = (unit: MeasuredUnit): void => {
    const most = widthOf(lines.length);
    if (line.length > 0 && lineWidth + pendingSpace + unit.width > most + 0.01) end();
    line.push(unit);
    lineWidth += pendingSpace + unit.width;
    pendingSpace = spaceWidth(unit);
  };
  for (const unit of units) {
    if (divide !== undefined && unit.width > widthOf(lines.length)) divide(unit).forEach(add);
    else add(unit);
  }
  end();
  return lines;
}

/** Characters that must not begin a line (JIS X 4051, GB/T 15834 and common sense). */
const noStart =
  /[、。，．：；？！」』）〕］｝〉》】〙〗’”»%‰℃・ー々ゝゞぁぃぅぇぉっゃゅょァィゥェォッャュョ…‥)\]}!?,.:;]/u;
/** Characters that must not end a line. */
const noEnd = /[「『（〔［｛〈《【〘〖‘“«([{¥￥$＄#]/u;
const ideographic =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uff65]/u;
/** Scripts whose words need a dictionary to be separated. */
const wordless = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Maximum number of characters segmented at once: `Intl.Segmenter` takes quadratic time for very long texts.
 */
const MAX_WORD_SEARCH = 2_000;

/** A stretch of text that is divided only if it does not fit a line. */
interface Unit {
  from: number;
  /** Its end, without spaces. */
  to: number;
  /** Whether spaces follow. */
  hasSpaceAfter: boolean;
}

/** Splits a text with single spaces into units. */
function unitsOf(text: string, language: string): Unit[] {
  const breaks = wordBreaks(text, language);
  const units: Unit[] = [];
  let from = 0;
  let before = '';
  for (const { segment, index } of graphemesOf(text)) {
    if (index > from && mayBreak({ before, after: segment, index, breaks, text })) {
      addUnit(units, text, from, index);
      from = index;
    }
    before = segment;
  }
  addUnit(units, text, from, text.length);
  return units;
}

/** Splits a unit into its letters. */
function lettersOf(text: string, { from, to, hasSpaceAfter }: Unit): Unit[] {
  const letters = Array.from(graphemesOf(text.slice(from, to)), ({ segment, index }) => ({
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

/** Returns the ends of words in scripts without spaces. */
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
