/** Writes glyphs as operators of a content stream (ISO 32000-1, 9.4). */
import type { ShapedGlyph } from '../fonts/shaped-text.ts';
import { utf16Hex } from './embedded-font.ts';
import { apply, type Matrix } from './geometry.ts';
import type { TextStyle } from './page-model.ts';

/** How far from the baseline lines run, and how thick they are, as text programs draw them. */
const RULE_EMS = { underline: -0.12, strike: 0.26 } as const;
const RULE_THICKNESS_EMS = 0.06;

/** Glyphs of one font that stand side by side. */
export interface GlyphRun {
  glyphs: readonly ShapedGlyph[];
  /** The font's name in the resources. */
  fontName: string;
  encode: (glyph: ShapedGlyph) => string;
  /** What they say, where it does not follow from their order (ISO 32000-1, 14.9.4). */
  actualText: string | undefined;
  sizePoints: number;
  style: TextStyle;
  widthPoints: number;
  /** Whether the line under or through it, if any, is written. */
  drawsRules: boolean;
  /** Where the first glyph begins, in level coordinates. */
  x: number;
  y: number;
}

/** Collects the operators of a page's new text. */
export interface TextOperators {
  /** What was added since the beginning. */
  text(): string;
  /** Names of the graphics states that are used, with the opacity of each. */
  states(): ReadonlyMap<string, number>;
  /** @param level from level coordinates to those of the file */
  add(run: GlyphRun, level: Matrix): void;
}

/** Starts with no text. */
export function writeOperators(): TextOperators {
  const parts: string[] = [];
  const rules: string[] = [];
  const states = new Map<string, number>();
  let state = stateFor(undefined);
  let color = '';
  let font = '';
  return {
    text: () => (parts.length === 0 ? '' : `BT\n${parts.join('')}ET\n${rules.join('')}`),
    states: () => states,
    add(run, level) {
      const wishedState = stateFor(run.style.opacity);
      const wishedColor = `${run.style.color.map((channel) => number(channel / 255)).join(' ')} rg\n`;
      const wishedFont = `/${run.fontName} ${number(run.sizePoints)} Tf\n`;
      if (wishedState !== state) {
        states.set(wishedState, run.style.opacity ?? 1);
        parts.push(`/${(state = wishedState)} gs\n`);
      }
      if (wishedColor !== color) parts.push((color = wishedColor));
      if (wishedFont !== font) parts.push((font = wishedFont));
      const start = apply(level, { x: run.x, y: run.y });
      const [a, b, c, d] = level;
      const matrix = [a, b, c, d, start.x, start.y].map(number).join(' ');
      const shown = `${matrix} Tm\n${showGlyphs(run)}`;
      if (run.actualText === undefined) parts.push(shown);
      else parts.push(`/Span <</ActualText <FEFF${utf16Hex(run.actualText)}>>> BDC\n${shown}EMC\n`);
      const rule = ruleOf(run, level);
      if (rule === '') return;
      if (run.style.opacity !== undefined) states.set(wishedState, run.style.opacity);
      const withState = run.style.opacity === undefined ? '' : `/${wishedState} gs\n`;
      rules.push(`q\n${withState}${wishedColor}${rule}Q\n`);
    },
  };
}

function stateFor(opacity = 1): string {
  return `DgAlpha${Math.round(opacity * 100)}`;
}

/** The line under or through a run; nothing for one that has none. */
function ruleOf(
  { style, sizePoints, x, y, widthPoints, drawsRules }: GlyphRun,
  level: Matrix,
): string {
  if (style.decoration === undefined || !drawsRules) return '';
  const middle = RULE_EMS[style.decoration] * sizePoints;
  const thickness = RULE_THICKNESS_EMS * sizePoints;
  const box = [x, y + middle - thickness / 2, widthPoints, thickness].map(number).join(' ');
  return `${level.map(number).join(' ')} cm\n${box} re f\n`;
}

function showGlyphs({ glyphs, encode, sizePoints }: GlyphRun): string {
  let operators = '';
  let array = '';
  let codes = '';
  let rise = 0;
  // Where the pen should be, and where a reader's pen is; thousandths of the size.
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

/** At most four digits after the point, and no exponent. */
function number(value: number): string {
  return String(Math.round(value * 10_000) / 10_000).includes('e')
    ? value.toFixed(4)
    : String(Math.round(value * 10_000) / 10_000);
}
