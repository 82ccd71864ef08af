/** The JPEG and PNG formats: recognises the text of a picture, erases it, and draws the translation there. */
import type { LanguageTag } from '../../../../shared/language.ts';
import { plainText, type TextSegment } from '../../../text/text-segment.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import {
  DocumentError,
  type DocumentFormat,
  type OpenedDocument,
  type OpenOptions,
} from '../format.ts';
import { decodePicture, encodePicture, type Picture } from './picture.ts';
import { readPictureFile, type PictureFile } from './picture-file.ts';
import { readText } from './read-text.ts';
import { median } from './rules.ts';
import { findRegions, type TextRegion, type SeenLine } from './regions.ts';
import { erase, type Colour } from './appearance.ts';
import {
  type Typeface,
  drawLines,
  measure,
  type DrawnLine,
  typeset,
  unitsOf,
  type Setting,
} from './typesetting.ts';
import type { PixelBox } from './ocr.ts';
import { matchTypeface } from './typeface.ts';

/** JPEG: the result keeps size, quality and orientation. */
export const jpeg: DocumentFormat = { open: (file, options) => open('jpeg', file, options) };

/** PNG: the result keeps size and transparency. */
export const png: DocumentFormat = { open: (file, options) => open('png', file, options) };

async function open(
  format: 'jpeg' | 'png',
  file: Uint8Array,
  { source, maxCharacters }: OpenOptions,
): Promise<OpenedDocument> {
  const header = readPictureFile(format, file);
  const picture = await decodePicture(file, header);
  const regions = findRegions(picture, await readText(picture, { language: source }));
  const characters = regions.reduce((sum, { text }) => sum + countCodePoints(text), 0);
  if (characters > maxCharacters) {
    throw new DocumentError(
      `The picture has ${characters} characters; at most ${maxCharacters} are translated.`,
    );
  }
  return {
    blocks: regions.map(({ text }) => ({ segment: [text], kind: 'paragraph' })),
    characters,
    write: (translated, languages) => write({ file, header, regions }, translated, languages),
  };
}

/** Decodes the file a second time, so that no pixels are held in memory while the text is translated. */
async function write(
  { file, header, regions }: { file: Uint8Array; header: PictureFile; regions: TextRegion[] },
  translated: readonly TextSegment[],
  languages: { source: LanguageTag; target: LanguageTag },
): Promise<Uint8Array> {
  const replacements = regions
    .map((region, index) => ({
      region,
      text: plainText(translated[index] ?? [region.text]).trim(),
    }))
    .filter(({ region, text }) => text !== region.text);
  // An unchanged file is returned as it is, without loss.
  if (replacements.length === 0) return file;
  const picture = await decodePicture(file, header);
  await replaceTexts(picture, replacements, languages);
  return encodePicture(picture, header);
}

/** The text that replaces that of a region. */
export interface Replacement {
  region: TextRegion;
  text: string;
}

/** Slope below which lines are drawn level: otherwise the eye would only see the steps. */
const LEVEL = 0.02;

/** Erases the texts of regions and draws their replacements. */
export async function replaceTexts(
  picture: Picture,
  replacements: readonly Replacement[],
  { source, target }: { source: LanguageTag; target: LanguageTag },
): Promise<void> {
  for (const { region } of replacements) {
    for (const { appearance } of region.lines) erase(picture, appearance);
  }
  for (const { region, text } of replacements) {
    const look = await lookOf(region, source);
    const { typeface } = look;
    const units = unitsOf(text, target);
    if (units.length === 0) continue;
    const texts = units.map((unit) => unit.text);
    const [blanked = 0, plain = 0, ...widths] = await measure(['n n', 'nn', ...texts], {
      typeface,
      language: target,
    });
    const measured = units.map((unit, index) => ({ ...unit, width: widths[index] ?? 0 }));
    const setting = { ...look, blankWidth: blanked - plain };
    const lines = typeset(measured, region, { setting, language: target });
    const slope = median(region.lines.map((line) => line.slope));
    const lettering = {
      typeface,
      language: target,
      slope: Math.abs(slope) < LEVEL ? 0 : slope,
      colour: inkOf(region),
    };
    for (const some of drawnTogether(lines, picture.width)) await draw(picture, some, lettering);
  }
}

type Look = Omit<Setting, 'blankWidth'> & { typeface: Typeface };

/** Height of letters with ascenders and descenders, as a share of the em. */
const LETTER_SHARE = 0.93;

/**
 * Determines the typeface, size and first baseline of a region, from its longest line where that is level,
 * otherwise from the heights of all lines.
 */
async function lookOf(region: TextRegion, language: LanguageTag): Promise<Look> {
  const longest = region.lines.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  const matched = await matchTypeface(longest.text, longest.appearance, language, longest.words);
  const [first] = region.lines;
  if (matched === undefined || Math.abs(longest.slope) >= LEVEL) {
    const sizePx = median(region.lines.map((line) => line.letterHeightPx)) / LETTER_SHARE;
    const typeface: Typeface = { family: 'sans', isBold: false, isItalic: false };
    return { typeface: matched?.typeface ?? typeface, sizePx, baselinePx: lowerEdge(first) };
  }
  const { typeface, sizePx, baselineOffsetPx } = matched;
  const baseline = longest.appearance.inkBox.bottom + baselineOffsetPx;
  const linesAbove = region.lines.indexOf(longest);
  return { typeface, sizePx, baselinePx: baseline - linesAbove * (region.pitchPx ?? 0) };
}

/** Returns the baseline of a sloping line at its left edge: above the descenders. */
function lowerEdge({ box, letterHeightPx, slope }: SeenLine): number {
  const fallPx = slope * (box.right - box.left);
  return slope > 0 ? box.bottom - fallPx - 0.2 * letterHeightPx : box.bottom - 0.2 * letterHeightPx;
}

function inkOf({ lines }: TextRegion): Colour {
  const channel = (index: number): number =>
    median(lines.map(({ appearance }) => appearance.ink[index] ?? 0));
  return [channel(0), channel(1), channel(2), channel(3)];
}

/** How far a line extends above and below its baseline, as a multiple of its size. */
const REACH = 1.5;

/**
 * Maximum number of pixels drawn at once, at four bytes each: long and high lines are drawn in small groups.
 */
const MOST_DRAWN_PIXELS = 4_000_000;

function drawnTogether(lines: readonly DrawnLine[], width: number): DrawnLine[][] {
  const sizePx = Math.max(1, lines[0]?.sizePx ?? 1);
  const count = Math.max(1, Math.floor(MOST_DRAWN_PIXELS / (width * 1.2 * sizePx)));
  const groups: DrawnLine[][] = [];
  for (let from = 0; from < lines.length; from += count) {
    groups.push(lines.slice(from, from + count));
  }
  return groups;
}

async function draw(
  picture: Picture,
  lines: readonly DrawnLine[],
  {
    colour,
    ...lettering
  }: { typeface: Typeface; language: LanguageTag; slope: number; colour: Colour },
): Promise<void> {
  const baselines = lines.map(({ baseline }) => baseline);
  const sizePx = lines[0]?.sizePx ?? 0;
  const fall = Math.abs(lettering.slope) * picture.width;
  // The full width, so that text which is too long is cut off only at the picture's edge.
  const box: PixelBox = {
    left: 0,
    right: picture.width,
    top: Math.max(0, Math.floor(Math.min(...baselines) - REACH * sizePx - fall)),
    bottom: Math.min(picture.height, Math.ceil(Math.max(...baselines) + REACH * sizePx + fall)),
  };
  const moved = lines.map((line) => ({ ...line, baseline: line.baseline - box.top }));
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  if (height <= 0) return;
  const ink = await drawLines(moved, { ...lettering, width, height });
  layOver(picture, box, ink, colour);
}

/** Composites ink of a colour over pixels ("source over"). */
function layOver(picture: Picture, box: PixelBox, ink: Uint8Array, colour: Colour): void {
  const { data, channels } = picture;
  for (let at = 0, to = box.top * picture.width * channels; at < ink.length; at++, to += channels) {
    const drawn = ink[at] ?? 0;
    if (drawn === 0) continue;
    const over = (drawn / 255) * (colour[3] / 255);
    const under = channels === 4 ? (data[to + 3] ?? 255) / 255 : 1;
    const alpha = over + under * (1 - over);
    for (let channel = 0; channel < 3; channel++) {
      const below = (data[to + channel] ?? 0) * under * (1 - over);
      data[to + channel] = Math.round(((colour[channel] ?? 0) * over + below) / alpha);
    }
    if (channels === 4) data[to + 3] = Math.round(alpha * 255);
  }
}
