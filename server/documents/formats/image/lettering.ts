/** Text drawn and measured by Pango, which shapes every script and falls back between fonts. */
import sharp from 'sharp';
import { textDirection, type LanguageTag } from '../../../../shared/language.ts';
import { familiesFor, type Typeface } from './font-families.ts';

/** Text in a size and a language. */
export interface Lettering {
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
