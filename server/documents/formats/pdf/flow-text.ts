/** Converts a paragraph of a page to one of a flowing document: joins its lines, keeps looks and links. */
import { boxWidth, areNear, boxHeight, union } from './geometry.ts';
import type { PageLink } from './page-links.ts';
import type { TextLook, TextPiece, FlowText } from './flow-model.ts';
import type { Box, TextLine, TextRun, TextStyle, PageParagraph } from './page-model.ts';
import type { PageGraphics } from './flow-graphics.ts';
import { jointOf } from './read-line.ts';

export interface ParagraphPlace {
  pageIndex: number;
  graphics: PageGraphics;
}

const WHITE = 'FFFFFF';
/** Minimum indent, in line heights; less comes from the shape of a letter. */
const MIN_INDENT_EMS = 0.6;
/** Indent of a list item whose marker has no known place. */
const HANG_POINTS = 18;

/** Converts a whole paragraph, or only some lines if a table has the others. */
export function flowText(
  paragraph: PageParagraph,
  { pageIndex, graphics }: ParagraphPlace,
  lines: readonly TextLine[] = paragraph.lines,
): FlowText {
  const isStart = lines[0] === paragraph.lines[0];
  const isWhole = lines.length === paragraph.lines.length;
  const hasMarker = isStart && paragraph.listMarker !== undefined;
  // The first line of a list item begins after its marker; the others show where its text begins.
  const own = hasMarker && lines.length > 1 ? lines.slice(1) : lines;
  const around = union(lines.map((line) => line.box));
  const level = { ...around, left: Math.min(...own.map((line) => line.box.left)) };
  const box = paragraph.rotation === 0 ? level : paragraph.box;
  return {
    kind: 'text',
    pieces: piecesOf(lines, graphics.links),
    box,
    pageIndex,
    align: paragraph.align,
    leading: lines.length > 1 ? paragraph.leading : undefined,
    firstIndent: paragraph.align === 'center' || hasMarker ? 0 : firstIndent(lines),
    headingLevel: isWhole ? paragraph.headingLevel : undefined,
    marker: isStart ? markerOf(paragraph) : undefined,
    isCutOff: isFilled(lines),
    shading: shadingBehind(box, graphics),
  };
}

function markerOf({ listMarker, markerLine, box }: PageParagraph): FlowText['marker'] {
  if (listMarker === undefined) return undefined;
  return { text: listMarker, left: markerLine?.box.left ?? box.left - HANG_POINTS };
}

function firstIndent(lines: readonly TextLine[]): number {
  const [first, ...others] = lines;
  if (first === undefined || others.length === 0) return 0;
  const indent = first.box.left - Math.min(...others.map(({ box }) => box.left));
  return Math.abs(indent) < MIN_INDENT_EMS * boxHeight(first.box) ? 0 : indent;
}

/** Tests whether the last line is as long as the others. */
function isFilled(lines: readonly TextLine[]): boolean {
  const last = lines.at(-1);
  if (last === undefined) return false;
  const widest = Math.max(...lines.map(({ box }) => box.right));
  return widest - last.box.right < 2.5 * boxHeight(last.box);
}

/** Returns the colour of the topmost area behind a paragraph; undefined for white. */
export function shadingBehind(box: FlowText['box'], graphics: PageGraphics): string | undefined {
  const inner = { ...box, left: box.left + 1, right: Math.max(box.left + 2, box.right - 1) };
  const behind = graphics.fills.findLast(
    (fill) =>
      areNear(fill.box, inner, 0) &&
      fill.box.left <= inner.left &&
      fill.box.right >= inner.right &&
      fill.box.bottom <= (box.bottom + box.top) / 2 &&
      fill.box.top >= (box.bottom + box.top) / 2,
  );
  if (behind === undefined || boxWidth(behind.box) < 1) return undefined;
  const color = hexColor(behind.color);
  return color === WHITE ? undefined : color;
}

/** Formats a colour as `1F3864`. */
export function hexColor(color: readonly [number, number, number]): string {
  return color
    .map((channel) => channel.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

/** Joins the text of lines; a divided word becomes whole again. */
function piecesOf(lines: readonly TextLine[], links: readonly PageLink[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let isDivided = true;
  for (const line of lines) {
    const linked = links.filter(({ box }) => isOn(line.box, box));
    const runs = linked.length === 0 ? line.runs.map(unlinked) : linkedRuns(line, linked);
    for (const [index, { text, look }] of runs.entries()) {
      const joint = index === 0 && !isDivided ? jointOf(pieces.at(-1)?.text ?? '', text) : '';
      append(pieces, joint + text, look);
    }
    isDivided = line.endsInHyphen;
  }
  return trimmed(pieces);
}

function trimmed(pieces: TextPiece[]): TextPiece[] {
  const [first] = pieces;
  if (first !== undefined) pieces[0] = { ...first, text: first.text.trimStart() };
  const last = pieces.at(-1);
  if (last !== undefined) pieces[pieces.length - 1] = { ...last, text: last.text.trimEnd() };
  return pieces.filter(({ text }) => text !== '');
}

function unlinked({ text, style }: TextRun): TextPiece {
  return { text, look: lookOf(style, undefined) };
}

function isOn(line: Box, link: Box): boolean {
  const middle = (line.bottom + line.top) / 2;
  return (
    middle > link.bottom && middle < link.top && link.right > line.left && link.left < line.right
  );
}

/** Splits runs where a link begins and ends, estimating positions from typical letter widths. */
function linkedRuns(line: TextLine, links: readonly PageLink[]): TextPiece[] {
  const total = line.runs.reduce((sum, { text }) => sum + widthOf(text), 0);
  const scale = boxWidth(line.box) / Math.max(1, total);
  const pieces: TextPiece[] = [];
  let at = line.box.left;
  for (const { text, style } of line.runs) {
    for (const word of text.match(/\s+|\S+/gu) ?? []) {
      const width = widthOf(word) * scale;
      const middle = at + width / 2;
      const link = links.find(({ box }) => middle > box.left && middle < box.right);
      append(pieces, word, lookOf(style, link?.target));
      at += width;
    }
  }
  return pieces;
}

/** In an arbitrary unit. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/[iljtfrI.,;:'|()\s]/.test(character)) width += 0.3;
    else if (/[mwMW\p{Script=Han}]/u.test(character)) width += 0.85;
    else width += /\p{Lu}/u.test(character) ? 0.68 : 0.5;
  }
  return width;
}

/** Appends text: a piece of equal look grows, and white space takes the look of the piece before it. */
export function append(pieces: TextPiece[], text: string, look: TextLook): void {
  const last = pieces.at(-1);
  const isText = last?.look.field === undefined && last?.look.note === undefined;
  const isBlank = isText && text.trim() === '';
  if (last !== undefined && (sameLook(last.look, look) || isBlank)) {
    pieces[pieces.length - 1] = { ...last, text: last.text + text };
  } else if (text !== '') {
    pieces.push({ text, look });
  }
}

/** Tests whether pieces of both looks can form one piece. */
export function sameLook(a: TextLook, b: TextLook): boolean {
  return (
    a.font === b.font &&
    a.size === b.size &&
    a.isBold === b.isBold &&
    a.isItalic === b.isItalic &&
    a.color === b.color &&
    a.shading === b.shading &&
    a.position === b.position &&
    a.note === b.note &&
    a.field === b.field &&
    JSON.stringify(a.link) === JSON.stringify(b.link)
  );
}

/** Fonts of word processors that are known by the start of their PDF name. */
const FAMILIES: readonly [RegExp, string][] = [
  [/^times|^nimbusrom/i, 'Times New Roman'],
  [/^arial|^helvetica|^nimbussan/i, 'Arial'],
  [/^courier|^nimbusmon/i, 'Courier New'],
  [/^dejavusansmono/i, 'DejaVu Sans Mono'],
  [/^dejavu(sans|serif)/i, 'DejaVu $1'],
];
const STYLE_WORDS =
  /[-,_ ]?(bold|semibold|demi|black|heavy|medium|light|thin|book|regular|roman|italic|ital|oblique|obl|it|psmt|ps|mt|std|pro)(?=[-,_ A-Z]|$)/gi;

/** Returns the look of a run. */
function lookOf(style: TextStyle, link: PageLink['target'] | undefined): TextLook {
  return {
    font: fontFamily(style),
    size: Math.max(2, Math.round(style.sizePoints * 2)),
    isBold: style.isBold,
    isItalic: style.isItalic,
    color: hexColor(style.color),
    shading: undefined,
    position: style.position,
    link,
    note: undefined,
    field: undefined,
  };
}

/** Returns the family name of a font: `BCDEEE+LiberationSerif-Bold` becomes `Liberation Serif`. */
function fontFamily({ fontName, isMonospaced, isSerif }: TextStyle): string {
  const name = fontName.replace(/^[A-Z]{6}\+/, '');
  const known = FAMILIES.find(([pattern]) => pattern.test(name));
  if (known !== undefined) {
    const match = known[0].exec(name);
    return known[1].replace('$1', match?.[1] ?? '').trim();
  }
  // TeX's names contain design sizes; some programs name fonts by a number.
  const isNamed = /^[A-Za-z][A-Za-z ,_-]{3,}$/.test(name) && !/^(cm|lm|sf)[a-z]{1,5}$/i.test(name);
  const family = isNamed ? name.replace(STYLE_WORDS, '').replace(/[-,_]+$/, '') : '';
  if (family.length >= 4) return family.replace(/([a-z])([A-Z])/g, '$1 $2');
  if (isMonospaced) return 'Courier New';
  return isSerif ? 'Times New Roman' : 'Arial';
}
