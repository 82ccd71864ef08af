/** Orders the parts of a line from left to right and writes their glyphs as operators (ISO 32000-1, 9.4). */
import type { ShapedGlyph, OpenFont } from '../fonts/shaped-text.ts';
import { type EmbeddedFont, utf16Hex } from './embedded-font.ts';
import { apply, type Matrix } from './geometry.ts';
import type { TextStyle, Box } from './page-model.ts';
import { type LaidOutLine, type MeasuredUnit, spaceWidth, type TextPart } from './laid-out-text.ts';

/** Collects the operators of a page's new text. */
interface TextOperators {
  /** Returns the operators of all parts added so far. */
  text(): string;
  /** Returns the opacity of each graphics state in use, by name. */
  states(): ReadonlyMap<string, number>;
  add(part: LinePart, how: Writing): void;
}

/** The settings with which a part is written. */
interface Writing {
  font: Pick<EmbeddedFont, 'name' | 'encode'>;
  /** Matrix from level coordinates to those of the file. */
  level: Matrix;
  /** Whether to draw the line under or through the text, if it has one. */
  drawsRules: boolean;
}

/** Height of such lines above the baseline and their thickness, in ems, as word processors draw them. */
const RULE_EMS = { underline: -0.12, strike: 0.26 } as const;
const RULE_THICKNESS_EMS = 0.06;

/** Creates an empty collection of operators. */
export function writeOperators(): TextOperators {
  const parts: string[] = [];
  const rules: string[] = [];
  const states = new Map<string, number>();
  let state = stateFor(undefined);
  let color = '';
  let font = '';
  let turned: Matrix | undefined;
  let turn = '';
  return {
    text: () => (parts.length === 0 ? '' : `BT\n${parts.join('')}ET\n${rules.join('')}`),
    states: () => states,
    add(part, { font: embedded, level, drawsRules }) {
      const { style, actualText } = part;
      const wishedState = stateFor(style.opacity);
      const wishedColor = `${style.color.map((channel) => number(channel / 255)).join(' ')} rg\n`;
      const wishedFont = `/${embedded.name} ${number(part.sizePoints)} Tf\n`;
      if (wishedState !== state) {
        states.set(wishedState, style.opacity ?? 1);
        parts.push(`/${(state = wishedState)} gs\n`);
      }
      if (wishedColor !== color) parts.push((color = wishedColor));
      if (wishedFont !== font) parts.push((font = wishedFont));
      const start = apply(level, part);
      // The same for all parts of a paragraph.
      if (level !== turned) turn = level.slice(0, 4).map(number).join(' ');
      turned = level;
      const matrix = `${turn} ${number(start.x)} ${number(start.y)}`;
      const shown = `${matrix} Tm\n${showGlyphs(part, embedded.encode)}`;
      if (actualText === undefined) parts.push(shown);
      else parts.push(`/Span <</ActualText <FEFF${utf16Hex(actualText)}>>> BDC\n${shown}EMC\n`);
      const rule = drawsRules ? ruleOf(part, level) : '';
      if (rule === '') return;
      if (style.opacity !== undefined) states.set(wishedState, style.opacity);
      const withState = style.opacity === undefined ? '' : `/${wishedState} gs\n`;
      rules.push(`q\n${withState}${wishedColor}${rule}Q\n`);
    },
  };
}

function stateFor(opacity = 1): string {
  return `DgAlpha${Math.round(opacity * 100)}`;
}

/** Returns the line under or through a run; the empty string if it has none. */
function ruleOf({ style, sizePoints, x, y, widthPoints }: LinePart, level: Matrix): string {
  if (style.decoration === undefined) return '';
  const middle = RULE_EMS[style.decoration] * sizePoints;
  const thickness = RULE_THICKNESS_EMS * sizePoints;
  const box = [x, y + middle - thickness / 2, widthPoints, thickness].map(number).join(' ');
  return `${level.map(number).join(' ')} cm\n${box} re f\n`;
}

function showGlyphs(
  { glyphs, sizePoints }: LinePart,
  encode: (glyph: ShapedGlyph) => string,
): string {
  let operators = '';
  let array = '';
  let codes = '';
  let rise = 0;
  // The wanted pen position, and the position of the viewer's pen, in thousandths of the size.
  let pen = 0;
  let cursor = 0;
  const endCodes = (): void => {
    if (codes !== '') array += `<${codes}>`;
    codes = '';
  };
  const endArray = (): void => {
    endCodes();
    if (array !== '') operators += `[${array}] TJ\n`;
    array = '';
  };
  for (const glyph of glyphs) {
    if (Math.abs(glyph.yOffset - rise) > 0.5) {
      endArray();
      rise = glyph.yOffset;
      operators += `${number((rise * sizePoints) / 1000)} Ts\n`;
    }
    const wanted = pen + glyph.xOffset;
    if (Math.abs(wanted - cursor) > 0.5) {
      endCodes();
      array += number(cursor - wanted);
      cursor = wanted;
    }
    codes += encode(glyph);
    cursor += glyph.width;
    pen += glyph.advance;
  }
  endArray();
  return rise === 0 ? operators : `${operators}0 Ts\n`;
}

/** Formats a number with at most four decimals and no exponent. */
function number(value: number): string {
  const rounded = String(Math.round(value * 10_000) / 10_000);
  return rounded.includes('e') ? value.toFixed(4) : rounded;
}

/** Text of one font, size and colour at its place, in level coordinates. */
export interface LinePart {
  font: OpenFont;
  glyphs: readonly ShapedGlyph[];
  /** The text of the glyphs where their order does not imply it (ISO 32000-1, 14.9.4). */
  actualText: string | undefined;
  sizePoints: number;
  style: TextStyle;
  /** Width up to the next part, including the stretch of justified spaces. */
  widthPoints: number;
  link: number | undefined;
  /** Origin of the first glyph, in level coordinates. */
  x: number;
  y: number;
  box: Box;
}

/** Maximum stretch of a space, as a multiple of the size; beyond that, the line stays ragged. */
const MAX_STRETCH = 1.5;
/** The same between ideographs, which have no spaces. */
const MAX_LETTER_STRETCH = 0.25;
/** Height of superscript and subscript above the baseline, as shares of the size. */
const RISE = { normal: 0, superscript: 0.33, subscript: -0.14 } as const;

interface Piece {
  part: TextPart;
  /** Whether justification may widen the space after the piece. */
  isGap: boolean;
}

/** Places the parts of a line; its spaces share `stretch` points. */
export function visualParts({
  line,
  size,
  stretch,
  isRightToLeft,
  x,
  y,
}: {
  line: LaidOutLine;
  size: number;
  stretch: number;
  isRightToLeft: boolean;
  x: number;
  y: number;
}): LinePart[] {
  const pieces = reordered(piecesOf(line.units), isRightToLeft);
  const gaps = pieces.filter(({ isGap }) => isGap).length;
  const most = line.units.some(({ space }) => space !== undefined)
    ? MAX_STRETCH
    : MAX_LETTER_STRETCH;
  const isStretched = gaps > 0 && stretch / gaps <= most * size;
  const extra = isStretched ? stretch / gaps : 0;
  // Stretch that is not distributed stays at the end of the line.
  let at = isRightToLeft && !isStretched ? x + stretch : x;
  return pieces.map(({ part, isGap }) => {
    const partSize = part.share * size;
    const width = (part.shaped.advance * partSize) / 1000;
    const { style, link } = part.look;
    const baseline = y + RISE[style.position] * size;
    const placed: LinePart = {
      font: part.font,
      glyphs: part.shaped.glyphs,
      actualText: actualText(part),
      sizePoints: partSize,
      style,
      widthPoints: width + (isGap ? extra : 0),
      link,
      x: at,
      y: baseline,
      box: { left: at, right: at + width, bottom: y - size * 0.22, top: y + size * 0.78 },
    };
    at += width + (isGap ? extra : 0);
    return placed;
  });
}

/**
 * Returns the text of a part if its glyphs do not spell it: Indic vowel signs are drawn before the letter
 * that they follow in reading order, and viewers assign zero-width marks to the next syllable.
 */
function actualText({ text, shaped, level }: TextPart): string | undefined {
  if (level % 2 === 1) return undefined;
  let shown = '';
  let hasMarks = false;
  for (const { codePoints, advance } of shaped.glyphs) {
    shown += String.fromCodePoint(...codePoints);
    if (advance === 0) hasMarks = true;
  }
  return shown === text && !hasMarks ? undefined : text;
}

function piecesOf(units: readonly MeasuredUnit[]): Piece[] {
  const hasSpaces = units.some((unit) => spaceWidth(unit) > 0);
  const pieces: Piece[] = [];
  for (const [at, { parts, space }] of units.entries()) {
    const isLast = at === units.length - 1;
    for (const [index, part] of parts.entries()) {
      const isUnitEnd = index === parts.length - 1;
      pieces.push({ part, isGap: !hasSpaces && isUnitEnd && !isLast });
    }
    if (space !== undefined && !isLast) pieces.push({ part: space, isGap: true });
  }
  return pieces;
}

/** Reverses runs from the highest level down: rule L2 of the bidirectional algorithm (UAX #9). */
function reordered(pieces: Piece[], isRightToLeft: boolean): Piece[] {
  const base = isRightToLeft ? 1 : 0;
  const highest = Math.max(base, ...pieces.map(({ part }) => part.level));
  for (let level = highest; level > 0; level -= 1) {
    let from = 0;
    while (from < pieces.length) {
      let to = from;
      while (to < pieces.length && (pieces[to]?.part.level ?? 0) >= level) to += 1;
      if (to > from + 1) pieces.splice(from, to - from, ...pieces.slice(from, to).reverse());
      from = to + 1;
    }
  }
  return pieces;
}
