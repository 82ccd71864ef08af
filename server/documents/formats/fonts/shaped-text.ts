/** Shapes text into glyphs with an open font (ligatures, marks, joining letters). */
import * as fontkit from '@cantoo/fontkit';
import bidiModule from 'bidi-js';
import { readFileSync } from 'node:fs';
import { DocumentError } from '../format.ts';
import type { InstalledFont } from './font-choice.ts';

/** A glyph with its position; lengths in thousandths of the font size. */
export interface ShapedGlyph {
  id: number;
  /** The characters it stands for; empty for the further glyphs of one character. */
  codePoints: readonly number[];
  /** Its advance width in the font. */
  width: number;
  /** Distance to the next glyph. */
  advance: number;
  xOffset: number;
  yOffset: number;
}

/** Glyphs from left to right. */
export interface ShapedText {
  glyphs: readonly ShapedGlyph[];
  /** In thousandths of the font size. */
  advance: number;
}

/** A font loaded into memory. */
export interface OpenFont {
  readonly installed: InstalledFont;
  readonly font: fontkit.Font;
  /** Shapes a text of one direction; results are cached. */
  shape(text: string, isRightToLeft: boolean): ShapedText;
}

/** Maximum number of texts cached per font; documents repeat their words. */
const MAX_REMEMBERED = 20_000;

/**
 * Opens a font.
 * @param files cache of font files by path: a collection holds several fonts
 * @throws DocumentError for a damaged font file
 */
export function openFont(installed: InstalledFont, files: Map<string, Uint8Array>): OpenFont {
  const font = load(installed, files);
  const remembered = new Map<string, ShapedText>();
  const perThousand = 1000 / font.unitsPerEm;
  return {
    installed,
    font,
    shape(text, isRightToLeft) {
      const key = isRightToLeft ? `<${text}` : text;
      let shaped = remembered.get(key);
      if (shaped === undefined) {
        shaped = shape({ font, text, isRightToLeft, perThousand });
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(key, shaped);
      }
      return shaped;
    },
  };
}

function load(
  { path, postscriptName }: InstalledFont,
  files: Map<string, Uint8Array>,
): fontkit.Font {
  let file = files.get(path);
  if (file === undefined) files.set(path, (file = readFileSync(path)));
  const opened = /\.[to]tc$/i.test(path)
    ? fontkit.create(file, postscriptName)
    : fontkit.create(file);
  if (opened === null || 'fonts' in opened) {
    throw new DocumentError(`The font ${postscriptName} of this server cannot be read.`);
  }
  return opened;
}

function shape({
  font,
  text,
  isRightToLeft,
  perThousand,
}: {
  font: fontkit.Font;
  text: string;
  isRightToLeft: boolean;
  perThousand: number;
}): ShapedText {
  const direction = isRightToLeft ? 'rtl' : 'ltr';
  const run = font.layout(text, undefined, undefined, undefined, direction);
  let advance = 0;
  const glyphs = run.glyphs.map((glyph, at): ShapedGlyph => {
    const position = run.positions?.[at];
    const shaped = {
      id: glyph.id,
      codePoints: glyph.codePoints,
      width: glyph.advanceWidth * perThousand,
      advance: (position?.xAdvance ?? glyph.advanceWidth) * perThousand,
      xOffset: (position?.xOffset ?? 0) * perThousand,
      yOffset: (position?.yOffset ?? 0) * perThousand,
    };
    advance += shaped.advance;
    return shaped;
  });
  return { glyphs, advance };
}

type Factory = typeof bidiModule.default;

/** The bidirectional algorithm: embedding levels, mirrored characters and visual order. */
const bidi = (bidiModule as unknown as Factory)();

/** Latin, Greek and Cyrillic letters, figures and punctuation. */
const leftToRight = /^[\0-\u058f\u2010-\u2027\u2030-\u205e]*$/;

/**
 * Returns the level of the bidirectional algorithm of each UTF-16 unit, odd from right to left, and the
 * characters that are drawn mirrored, by place. Most texts need no algorithm.
 */
export function embeddingLevels(
  text: string,
  direction: 'ltr' | 'rtl',
): { levels: Uint8Array; mirrored: Map<number, string> } {
  if (direction === 'ltr' && leftToRight.test(text)) {
    return { levels: new Uint8Array(text.length), mirrored: new Map() };
  }
  const { levels } = bidi.getEmbeddingLevels(text, direction);
  return { levels, mirrored: bidi.getMirroredCharactersMap(text, levels) };
}
