/**
 * Sets a translated text into the place of the original: lines, size, position. Letters are drawn and
 * measured by Pango, which shapes every script and falls back between fonts.
 */
import sharp from 'sharp';
import { textDirection, type LanguageTag, baseLanguage } from '../../../../shared/language.ts';
import type { TextRegion } from './regions.ts';

/** A piece of text between whose neighbours a line may end, measured for a size of 1 pixel. */
interface Unit {
  text: string;
  /** Whether a blank stands before it when it is not the first of its line. */
  isSpaced: boolean;
  width: number;
}

const NEEDS_DICTIONARY =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** What must not begin a line: closing punctuation, small kana. */
const STAYS_BEHIND = /^[\p{Pe}\p{Pf}\p{Po}\p{M}ー々ゃゅょっャュョッ]/u;

/** Cuts a text where lines may end. */
export function unitsOf(text: string, language: LanguageTag): Omit<Unit, 'width'>[] {
  const units: Omit<Unit, 'width'>[] = [];
  for (const word of text.split(/[^\S\u00a0\u202f]+/u).filter(Boolean)) {
    const pieces = NEEDS_DICTIONARY.test(word) ? dictionaryPieces(word, language) : [word];
    for (const [index, piece] of pieces.entries()) {
      units.push({ text: piece, isSpaced: index === 0 && units.length > 0 });
    }
  }
  return units;
}

function dictionaryPieces(word: string, language: LanguageTag): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const pieces: string[] = [];
  for (const { segment } of segmenter.segment(word)) {
    const last = pieces.at(-1);
    if (last !== undefined && STAYS_BEHIND.test(segment)) pieces.splice(-1, 1, last + segment);
    else pieces.push(segment);
  }
  return pieces;
}

/** How the original is set. */
export interface Setting {
  sizePx: number;
  /** Of its first line. */
  baselinePx: number;
  /** Width of a blank for a size of 1 pixel. */
  blankWidth: number;
}

/** As small as it is made before it takes room below: paragraphs soon, lines of a button late. */
const SHRUNK_IN_PLACE = { paragraph: 0.88, line: 0.7 };
const SMALLEST = 0.3;
const STEP = 0.04;
/** From line to line where the original has one line only. */
const USUAL_PITCH = 1.2;
/** Share of the size that letters reach below the baseline. */
const DESCENT = 0.24;

/** Sets units into a region: as large as the original, or as much smaller as it takes. */
export function typeset(
  units: readonly Unit[],
  region: TextRegion,
  { setting, language }: { setting: Setting; language: LanguageTag },
): DrawnLine[] {
  const frame = frameOf(region, setting);
  const mayGrowBelow = SHRUNK_IN_PLACE[region.lines.length > 1 ? 'paragraph' : 'line'];
  for (let scale = 1; ; scale -= STEP) {
    const sizePx = setting.sizePx * scale;
    const pitchPx = (region.pitchPx ?? setting.sizePx * USUAL_PITCH) * scale;
    const allowedPx = scale <= mayGrowBelow ? frame.roomHeight : frame.height;
    // A paragraph keeps its shape where it can.
    const tried = [region.box.right - region.box.left, frame.width].map((widthPx) => {
      const rows = brokenInto(units, widthPx / sizePx, setting.blankWidth);
      const heightPx = (rows.length - 1) * pitchPx + sizePx;
      return { rows, fits: widest(rows) * sizePx <= widthPx + 1 && heightPx <= allowedPx + 1 };
    });
    const isLast = scale - STEP < SMALLEST;
    const chosen = tried.find(({ fits }) => fits) ?? (isLast ? tried.at(-1) : undefined);
    if (chosen === undefined) continue;
    return placed(chosen.rows, region, { setting, language, frame, sizePx, pitchPx });
  }
}

interface Frame {
  left: number;
  right: number;
  width: number;
  /** Of the original text. */
  height: number;
  /** With what is free below, or around where the text is centred. */
  roomHeight: number;
}

/** Paragraphs keep their width, as columns do; headings and labels may be longer. */
const LINES_OF_A_COLUMN = 3;

function frameOf(region: TextRegion, { sizePx }: Setting): Frame {
  const { box, room, lines } = region;
  const count = lines.length;
  const height = (count - 1) * (region.pitchPx ?? 0) + sizePx;
  const margin = 0.35 * sizePx;
  const below = Math.max(0, room.bottom - box.bottom - margin);
  const above = Math.max(0, box.top - room.top - margin);
  const roomHeight = height + (isCentredOne(region) ? 2 * Math.min(above, below) : below);
  const isColumn = count >= LINES_OF_A_COLUMN;
  const { left, right } = isColumn ? box : widthOf(region, sizePx);
  return { left, right, width: right - left, height, roomHeight };
}

function isCentredOne({ align, lines }: TextRegion): boolean {
  return align === 'center' && lines.length === 1;
}

/** The box with the room on the sides to which it may grow, less some distance from what is there. */
function widthOf(
  { box, room, align }: TextRegion,
  sizePx: number,
): { left: number; right: number } {
  const keepAway = (free: number): number => Math.max(0, free - Math.max(0.4 * sizePx, 2));
  const left = keepAway(box.left - room.left);
  const right = keepAway(room.right - box.right);
  if (align === 'left') return { left: box.left, right: box.right + right };
  if (align === 'right') return { left: box.left - left, right: box.right };
  const both = Math.min(left, right);
  return { left: box.left - both, right: box.right + both };
}

interface Row {
  text: string;
  width: number;
}

/** Lines of at most a width, of a size of 1 pixel; a unit that is wider has a line for itself. */
function brokenInto(units: readonly Unit[], width: number, blankWidth: number): Row[] {
  const rows: Row[] = [];
  for (const unit of units) {
    const row = rows.at(-1);
    const blank = unit.isSpaced ? blankWidth : 0;
    if (row === undefined || row.width + blank + unit.width > width) {
      rows.push({ text: unit.text, width: unit.width });
    } else {
      row.text += (unit.isSpaced ? ' ' : '') + unit.text;
      row.width += blank + unit.width;
    }
  }
  return rows;
}

function widest(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ width }) => width));
}

function placed(
  rows: readonly Row[],
  region: TextRegion,
  {
    setting,
    language,
    frame,
    sizePx,
    pitchPx,
  }: { setting: Setting; language: LanguageTag; frame: Frame; sizePx: number; pitchPx: number },
): DrawnLine[] {
  const anchor = anchorOf(region, language);
  const x = {
    left: region.box.left,
    right: region.box.right,
    center: (frame.left + frame.right) / 2,
  };
  return rows.map(({ text }, row) => ({
    text,
    x: x[anchor],
    baseline: firstBaseline(rows.length, region, { setting, sizePx, pitchPx }) + row * pitchPx,
    anchor,
    sizePx,
  }));
}

/**
 * Paragraphs of several lines begin on the side of the language. A single line stays where it is, beside
 * its symbol or bullet: pictures are not mirrored.
 */
function anchorOf({ align, lines }: TextRegion, language: LanguageTag): DrawnLine['anchor'] {
  if (align === 'center' || lines.length === 1) return align;
  const wasRightToLeft = lines[0].isRightToLeft;
  const isRightToLeft = textDirection(language) === 'rtl';
  if (wasRightToLeft === isRightToLeft) return align;
  return align === 'left' ? 'right' : 'left';
}

/** A smaller or longer text stays in the middle of what was one line; others begin at the same height. */
function firstBaseline(
  rows: number,
  region: TextRegion,
  { setting, sizePx, pitchPx }: { setting: Setting; sizePx: number; pitchPx: number },
): number {
  const shrunk = setting.sizePx - sizePx;
  // Half of what the letters lost in height goes below them.
  if (region.lines.length === 1) {
    const extra = isCentredOne(region) ? ((rows - 1) * pitchPx) / 2 : 0;
    return setting.baselinePx - shrunk * (0.5 - DESCENT) - extra;
  }
  return setting.baselinePx - shrunk * (1 - DESCENT) + shrunk * 0.2;
}

/** Text in a size and a language. */
interface Lettering {
  typeface: Typeface;
  language: LanguageTag;
}

/** Size in which widths are measured; they grow in proportion. */
const MEASURED_PX = 64;
/** From line to line of a sheet of measurements; no script needs more. */
const SHEET_PITCH_PX = 256;
/** Pango's unit for lengths. */
const PANGO_SCALE = 1024;
/** A sheet with more lines would be too high for Pango's pixels. */
const LINES_PER_SHEET = 100;

/**
 * Advance widths of texts for a size of 1 pixel. Each stands between two bars on a sheet of its own, as
 * letters alone do not show how far they reach.
 */
export async function measure(texts: readonly string[], lettering: Lettering): Promise<number[]> {
  const widths: number[] = [];
  for (let from = 0; from < texts.length; from += LINES_PER_SHEET) {
    const sheet = texts.slice(from, from + LINES_PER_SHEET);
    // Nothing between the bars of the first: its width is that of the bars alone.
    const [bars = 0, ...measured] = await measureSheet(['', ...sheet], lettering);
    widths.push(...measured.map((width) => (width - bars) / MEASURED_PX));
  }
  return widths;
}

async function measureSheet(texts: readonly string[], lettering: Lettering): Promise<number[]> {
  const { typeface, language } = lettering;
  const style = [typeface.isBold ? 'Bold' : '', typeface.isItalic ? 'Italic' : ''].join(' ');
  const font = `${familiesFor(typeface, language).join(',')}, ${style} ${MEASURED_PX}`;
  const lines = texts.map((text) => `|${escaped(text)}|`).join('\n');
  const markup = `<span lang="${language}" line_height="${SHEET_PITCH_PX * PANGO_SCALE}">${lines}</span>`;
  const { data, info } = await sharp({ text: { text: markup, font, dpi: 72 } })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return inkWidths(data, info);
}

/** Bars are higher than this; dots and marks above or below them are not. */
const BAR_ROWS = 30;

/**
 * How wide the ink of each line of a sheet is. Lines are found by the blank rows between their bars: fonts
 * that were fallen back to may move them a little.
 */
function inkWidths(
  data: Uint8Array,
  { width, height }: { width: number; height: number },
): number[] {
  const widths: number[] = [];
  let line = { left: width, right: 0, rows: 0 };
  for (let y = 0; y <= height; y++) {
    const row = data.subarray(y * width, (y + 1) * width);
    const left = row.findIndex(isInk);
    if (left >= 0) {
      const right = 1 + row.findLastIndex(isInk);
      line = {
        left: Math.min(line.left, left),
        right: Math.max(line.right, right),
        rows: line.rows + 1,
      };
      continue;
    }
    if (line.rows > BAR_ROWS) widths.push(line.right - line.left);
    line = { left: width, right: 0, rows: 0 };
  }
  return widths;
}

function isInk(value: number): boolean {
  return value > 127;
}

/** A line to be drawn; lengths in pixels of the drawing. */
export interface DrawnLine {
  text: string;
  x: number;
  baseline: number;
  /** Which point of the line is at `x`. */
  anchor: 'left' | 'center' | 'right';
  sizePx: number;
}

/** A drawing of text, from 0 (nothing) to 255 (ink) for each pixel. */
export async function drawLines(
  lines: readonly DrawnLine[],
  {
    typeface,
    language,
    width,
    height,
    slope = 0,
  }: Lettering & { width: number; height: number; slope?: number },
): Promise<Uint8Array> {
  const families = familiesFor(typeface, language).map((family) => `'${family}'`);
  const isRightToLeft = textDirection(language) === 'rtl';
  const texts = lines.map(({ text, x, baseline, anchor, sizePx }) => {
    // Start and end are sides of the writing direction.
    const side =
      anchor === 'center' ? 'middle' : (anchor === 'left') !== isRightToLeft ? 'start' : 'end';
    const turn = slope === 0 ? '' : ` transform="rotate(${degrees(slope)} ${x} ${baseline})"`;
    return `<text x="${x}" y="${baseline}" font-size="${sizePx}" text-anchor="${side}"${turn}>${escaped(text)}</text>`;
  });
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<g fill="#fff" font-family="${families.join(',')}" xml:lang="${language}"`,
    ` font-weight="${typeface.isBold ? 700 : 400}" font-style="${typeface.isItalic ? 'italic' : 'normal'}"`,
    ` direction="${isRightToLeft ? 'rtl' : 'ltr'}">${texts.join('')}</g></svg>`,
  ].join('');
  return sharp(Buffer.from(svg)).extractChannel('alpha').raw().toBuffer();
}

function degrees(slope: number): number {
  return (Math.atan(slope) * 180) / Math.PI;
}

/** For XML: what cannot be in it is left out. */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\uFFFE\uFFFF]+/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** What letters look like. */
export interface Typeface {
  family: 'sans' | 'serif' | 'mono';
  isBold: boolean;
  isItalic: boolean;
}

const latin: Record<Typeface['family'], readonly string[]> = {
  sans: ['Liberation Sans', 'Noto Sans'],
  serif: ['Liberation Serif', 'Noto Serif'],
  mono: ['Liberation Mono', 'Noto Sans Mono'],
};

const arabic = { sans: 'Noto Sans Arabic', serif: 'Noto Naskh Arabic', mono: 'Noto Sans Arabic' };

/** Chinese characters look different by country: the family decides, not the text. */
const cjkRegions: Record<string, string> = { ja: 'JP', ko: 'KR', zh: 'SC' };
const cjkTags: Record<string, string> = {
  'zh-Hant': 'TC',
  'zh-TW': 'TC',
  'zh-HK': 'HK',
  'zh-MO': 'HK',
};

/**
 * The families to set a text in, the first that has a character is taken for it; what none has, the
 * system finds by itself.
 */
function familiesFor({ family }: Typeface, language: LanguageTag): string[] {
  const region = cjkTags[language] ?? cjkRegions[baseLanguage(language)] ?? 'SC';
  const cjk = family === 'serif' ? `Noto Serif CJK ${region}` : `Noto Sans CJK ${region}`;
  return [...latin[family], arabic[family], cjk];
}
