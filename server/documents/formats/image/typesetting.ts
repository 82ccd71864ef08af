/**
 * Sets a translated text in the place of the original: lines, size and position. Pango draws and measures the
 * letters; it shapes every script and substitutes fonts.
 */
import sharp from 'sharp';
import { textDirection, type LanguageTag, baseLanguage } from '../../../../shared/language.ts';
import type { TextRegion } from './regions.ts';

/** A piece of text before and after which a line may break, measured at a size of 1 pixel. */
interface Unit {
  text: string;
  /** Whether a space precedes it unless it begins a line. */
  isSpaced: boolean;
  width: number;
}

const NEEDS_DICTIONARY =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** Characters that must not begin a line: closing punctuation, small kana. */
const STAYS_BEHIND = /^[\p{Pe}\p{Pf}\p{Po}\p{M}ー々ゃゅょっャュョッ]/u;

/** Splits a text where lines may break. */
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

/** The setting of the original. */
export interface Setting {
  sizePx: number;
  /** Baseline of its first line. */
  baselinePx: number;
  /** Width of a space at a size of 1 pixel. */
  blankWidth: number;
}

/**
 * Scale down to which text shrinks before it uses the room below: higher for paragraphs than for single
 * lines, such as buttons.
 */
const SHRUNK_IN_PLACE = { paragraph: 0.88, line: 0.7 };
const SMALLEST = 0.3;
const STEP = 0.04;
/** Pitch, as a multiple of the size, if the original has only one line. */
const USUAL_PITCH = 1.2;
/** Depth of descenders below the baseline, as a share of the size. */
const DESCENT = 0.24;

/** Sets units in a region: as large as the original, or as much smaller as needed. */
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
    // A paragraph keeps its width if it fits.
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
  /** Height of the original text. */
  height: number;
  /** Height including the free space below, or above and below if the text is centred. */
  roomHeight: number;
}

/**
 * Number of lines from which a region counts as a column and keeps its width; headings and labels may become
 * longer.
 */
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

/** Returns the box extended to the sides on which it may grow, at a distance from what stands there. */
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

/** Breaks units into lines of at most a width, at a size of 1 pixel; a wider unit has a line of its own. */
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
 * Returns the anchor of the lines. Paragraphs of several lines begin on the side of the language; a single
 * line stays where it is, beside its symbol or bullet, since pictures are not mirrored.
 */
function anchorOf({ align, lines }: TextRegion, language: LanguageTag): DrawnLine['anchor'] {
  if (align === 'center' || lines.length === 1) return align;
  const wasRightToLeft = lines[0].isRightToLeft;
  const isRightToLeft = textDirection(language) === 'rtl';
  if (wasRightToLeft === isRightToLeft) return align;
  return align === 'left' ? 'right' : 'left';
}

/**
 * Returns the first baseline. A smaller or longer text stays centred on an original of one line; other texts
 * begin at the same height.
 */
function firstBaseline(
  rows: number,
  region: TextRegion,
  { setting, sizePx, pitchPx }: { setting: Setting; sizePx: number; pitchPx: number },
): number {
  const shrunk = setting.sizePx - sizePx;
  // Half of the height that the letters lost goes below them.
  if (region.lines.length === 1) {
    const extra = isCentredOne(region) ? ((rows - 1) * pitchPx) / 2 : 0;
    return setting.baselinePx - shrunk * (0.5 - DESCENT) - extra;
  }
  return setting.baselinePx - shrunk * (1 - DESCENT) + shrunk * 0.2;
}

/** Typeface and language of a text. */
interface Lettering {
  typeface: Typeface;
  language: LanguageTag;
}

/** Size at which widths are measured; they scale proportionally. */
const MEASURED_PX = 64;
/** Pitch of a measuring sheet; no script needs more. */
const SHEET_PITCH_PX = 256;
/** Pango's unit for lengths. */
const PANGO_SCALE = 1024;
/** Maximum number of lines of a sheet; more would exceed Pango's height in pixels. */
const LINES_PER_SHEET = 100;

/**
 * Returns the advance widths of texts at a size of 1 pixel. Each is drawn between two bars on a line of a
 * sheet, since the ink of letters alone does not show their advance.
 */
export async function measure(texts: readonly string[], lettering: Lettering): Promise<number[]> {
  const widths: number[] = [];
  for (let from = 0; from < texts.length; from += LINES_PER_SHEET) {
    const sheet = texts.slice(from, from + LINES_PER_SHEET);
    // The first line has nothing between its bars, so it measures the bars alone.
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

/** Minimum height of a bar; dots and marks above or below it are lower. */
const BAR_ROWS = 30;

/**
 * Returns the ink width of each line of a sheet. Lines are found by the blank rows between their bars, since
 * fallback fonts may shift them a little.
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

/** A line to draw; lengths in pixels of the drawing. */
export interface DrawnLine {
  text: string;
  x: number;
  baseline: number;
  /** Which point of the line is at `x`. */
  anchor: 'left' | 'center' | 'right';
  sizePx: number;
}

/** Draws text; returns a value from 0 (nothing) to 255 (ink) for each pixel. */
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
    // Start and end depend on the writing direction.
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

/** Escapes text for XML, and drops what XML cannot contain. */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\uFFFE\uFFFF]+/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** The style of letters. */
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

/** Regional variants of Chinese characters, which the font family selects. */
const cjkRegions: Record<string, string> = { ja: 'JP', ko: 'KR', zh: 'SC' };
const cjkTags: Record<string, string> = {
  'zh-Hant': 'TC',
  'zh-TW': 'TC',
  'zh-HK': 'HK',
  'zh-MO': 'HK',
};

/**
 * Returns the font families for a text, in order of preference; the system substitutes missing characters.
 */
function familiesFor({ family }: Typeface, language: LanguageTag): string[] {
  const region = cjkTags[language] ?? cjkRegions[baseLanguage(language)] ?? 'SC';
  const cjk = family === 'serif' ? `Noto Serif CJK ${region}` : `Noto Sans CJK ${region}`;
  return [...latin[family], arabic[family], cjk];
}
