/** Groups lines into paragraphs: decides which lines below each other belong together. */
import { horizontalOverlap } from './geometry.ts';
import { isCentered, isRightAligned, isScattered, spread } from './alignment.ts';
import { isBullet, markerLength, type ReadLine, textOfLine } from './read-line.ts';
import type { Box, Ruling } from './page-model.ts';
import { MAX_CELL_EMS, type RowStarts, rowStarts, UNENDED } from './table-rows.ts';
import { straightened } from './wrapped-lines.ts';

/** Maximum distance of lines that belong together, in ems, however even their distances are. */
const MAX_LEADING_EMS = 2.3;
/** The same where the usual leading is not known. */
const USUAL_LEADING_EMS = 1.6;
/** Minimum length of lines of monospaced prose, in characters. */
const MIN_TYPED_CHARACTERS = 40;
/** Maximum number of lines of an address, and its widest one, in ems; columns of text are wider. */
const MAX_ADDRESS_LINES = 8;
const MAX_ADDRESS_EMS = 16;
/** A house number or a postal code with the name after it: `12 Station Road`, `10115 Berlin`. */
const STREET_OR_TOWN = /^\p{N}+\p{L}?,? \p{Lu}\p{Ll}/u;
/** A line that is an e-mail or web address or a telephone number, with its label: `Tel.: +44 117 496 0123`. */
const CONTACT =
  /^(\p{L}[\p{L}-]*(?::\s*|\.:?\s+))?(?:\S{1,64}@\S{1,200}\.\p{L}{2,20}|(?:https?:\/\/|www\.)\S+|(?=(?:\D*\d){9})[+(0][\d\s()/.-]+)$/u;
/** Number of lines searched for the next one below or beside; rows of tables are shorter. */
const MAX_LOOKED_AT = 300;

/**
 * Groups the lines of one rotation; the lines of a paragraph go from top to bottom.
 * @param signs small drawings, which are list markers where they stand before a line
 * @param obstacles pictures and drawings around which lines may run
 */
export function groupLines(
  lines: readonly ReadLine[],
  {
    rulings,
    signs,
    obstacles,
  }: { rulings: readonly Ruling[]; signs: readonly Box[]; obstacles: readonly Box[] },
): ReadLine[][] {
  const level = rulings.filter(({ isHorizontal }) => isHorizontal);
  const next = followers(lines, level);
  const hasAbove = new Set(next.values());
  const groups: ReadLine[][] = [];
  const beside = neighbours(lines);
  const marked = new Set(lines.filter((line) => hasSignBefore(line, signs)));
  const startsOf = rowStarts({ lines, level, next });
  for (const line of lines) {
    if (hasAbove.has(line)) continue;
    const chain: ReadLine[] = [];
    for (let at: ReadLine | undefined = line; at !== undefined; at = next.get(at)) chain.push(at);
    const straight = straightened(chain, obstacles, 'column');
    for (const group of splitChain(chain, { straight, beside, marked, startsOf })) {
      groups.push(group);
    }
  }
  return groups.sort((a, b) => orderOf(a) - orderOf(b));
}

function orderOf(group: readonly ReadLine[]): number {
  return Math.min(...group.map(({ order }) => order));
}

/** Maps each line to the line below it, where each is the other's nearest. */
function followers(lines: readonly ReadLine[], level: readonly Ruling[]): Map<ReadLine, ReadLine> {
  const sorted = [...lines].sort((a, b) => b.baseline - a.baseline);
  const below = new Map<ReadLine, ReadLine>();
  const above = new Map<ReadLine, ReadLine>();
  for (const [at, line] of sorted.entries()) {
    const end = Math.min(sorted.length, at + MAX_LOOKED_AT);
    for (let other = at + 1; other < end; other += 1) {
      const candidate = sorted[other];
      if (candidate === undefined) break;
      const leading = line.baseline - candidate.baseline;
      if (leading > MAX_LEADING_EMS * line.sizePoints) break;
      if (!liesBelow(line, candidate, leading)) continue;
      if (!below.has(line)) below.set(line, candidate);
      // The list goes downwards, so the last line found above a candidate is usually the nearest.
      above.set(candidate, nearer(candidate, line, above.get(candidate)));
      break;
    }
  }
  const next = new Map<ReadLine, ReadLine>();
  for (const [line, candidate] of below) {
    if (above.get(candidate) !== line) continue;
    if (areAlike(line, candidate) && !areRuledApart(line, candidate, level)) {
      next.set(line, candidate);
    }
  }
  return next;
}

function nearer(to: ReadLine, a: ReadLine, b: ReadLine | undefined): ReadLine {
  if (b === undefined) return a;
  const [first, second] = [a.baseline - to.baseline, b.baseline - to.baseline];
  if (Math.abs(first - second) > 0.1 * to.sizePoints) return first < second ? a : b;
  return horizontalOverlap(a.box, to.box) > horizontalOverlap(b.box, to.box) ? a : b;
}

function liesBelow(line: ReadLine, candidate: ReadLine, leading: number): boolean {
  const size = Math.min(line.sizePoints, candidate.sizePoints);
  return leading > 0.5 * size && horizontalOverlap(line.box, candidate.box) > 0.2 * size;
}

function areAlike(a: ReadLine, b: ReadLine): boolean {
  const ratio = a.sizePoints / b.sizePoints;
  return ratio > 0.93 && ratio < 1.07 && a.isRightToLeft === b.isRightToLeft;
}

/** Tests for a ruling between two lines that extends beyond both, which an underline does not. */
function areRuledApart(a: ReadLine, b: ReadLine, level: readonly Ruling[]): boolean {
  const left = Math.min(a.box.left, b.box.left);
  const right = Math.max(a.box.right, b.box.right);
  return level.some(
    ({ at, from, to }) =>
      at < a.baseline - 0.5 &&
      at > b.baseline + 0.3 * b.sizePoints &&
      from <= left + 1 &&
      to >= right + 1,
  );
}

/** Maps each line to the nearest line to the right of it in its row. */
type Neighbours = ReadonlyMap<ReadLine, ReadLine>;

function neighbours(lines: readonly ReadLine[]): Neighbours {
  const beside = new Map<ReadLine, ReadLine>();
  const sorted = [...lines].sort((a, b) => b.baseline - a.baseline);
  for (const [at, line] of sorted.entries()) {
    const end = Math.min(sorted.length, at + MAX_LOOKED_AT);
    for (let other = at + 1; other < end; other += 1) {
      const next = sorted[other];
      if (next === undefined || line.baseline - next.baseline > 0.25 * line.sizePoints) break;
      const [left, right] = line.box.left < next.box.left ? [line, next] : [next, line];
      const known = beside.get(left);
      if (right.box.left < left.box.right) continue;
      if (known === undefined || right.box.left < known.box.left) beside.set(left, right);
    }
  }
  return beside;
}

/** Tests whether a drawing of the size of a bullet stands right before a line. */
function hasSignBefore(
  { box, baseline, sizePoints, isRightToLeft }: ReadLine,
  signs: readonly Box[],
): boolean {
  return signs.some((sign) => {
    const gap = isRightToLeft ? sign.left - box.right : box.left - sign.right;
    const isLevel = sign.bottom > baseline - 0.2 * sizePoints && sign.top < baseline + sizePoints;
    const isSmall = sign.top - sign.bottom < sizePoints && sign.right - sign.left < sizePoints;
    return isSmall && isLevel && gap > 0.1 * sizePoints && gap < 2.5 * sizePoints;
  });
}

/**
 * Splits a column of lines into paragraphs; `straight` are the same lines as wide as without pictures beside
 * them.
 */
function splitChain(
  chain: readonly ReadLine[],
  {
    straight,
    beside,
    marked,
    startsOf,
  }: {
    straight: readonly ReadLine[];
    beside: Neighbours;
    marked: ReadonlySet<ReadLine>;
    startsOf: RowStarts;
  },
): ReadLine[][] {
  const groups: ReadLine[][] = [];
  const right = Math.max(...straight.map(({ box }) => box.right));
  const left = Math.min(...straight.map(({ box }) => box.left));
  const leading = usualLeading(chain);
  const isRagged = isCentered(straight) || isRightAligned(straight);
  const limit = Math.min(...chain.map((line) => beside.get(line)?.box.left ?? Infinity));
  const isApart = looksLikeCode(chain) || isScattered(straight) || looksLikeAddress(straight);
  const ends = columnEnds(chain, straight, { beside, leading, right });
  const starts = startsOf(chain);
  for (const [at, line] of chain.entries()) {
    const previous = chain[at - 1];
    const group = groups.at(-1);
    const [own = line, before = previous] = [straight[at], straight[at - 1]];
    const isEnd =
      previous === undefined ||
      before === undefined ||
      group === undefined ||
      isTooFar(previous, line, leading) ||
      isOtherStyle(previous, line) ||
      endsWithLeader(previous) ||
      starts.has(at) ||
      areTableRows(previous, line, beside, limit - right) ||
      isApart ||
      isContactApart(previous, line, chain[at + 1]) ||
      marked.has(line) ||
      startsItem(line, previous, group) ||
      (!isRagged && hasRoom({ previous: before, line: own, left, right: ends[at] ?? right })) ||
      (!isRagged && isIndented({ previous: before, line: own, next: straight[at + 1] }));
    if (isEnd && !(group !== undefined && line.isBesideInitial === true)) groups.push([line]);
    else group.push(line);
  }
  return groups;
}

/**
 * Returns how far each line could extend: a block beside another column may be narrower than text around it.
 */
function columnEnds(
  chain: readonly ReadLine[],
  straight: readonly ReadLine[],
  { beside, leading, right }: { beside: Neighbours; leading: number | undefined; right: number },
): number[] {
  const blocks: number[][] = [];
  for (const [at, line] of chain.entries()) {
    const previous = chain[at - 1];
    if (previous === undefined || isTooFar(previous, line, leading)) blocks.push([at]);
    else blocks.at(-1)?.push(at);
  }
  return blocks.flatMap((block) => {
    const limits = block.map((at) => {
      const [line, own] = [chain[at], straight[at]];
      // Text on a picture is not an adjacent column.
      const isWrapped = line?.box.right !== own?.box.right;
      return isWrapped || line === undefined ? Infinity : (beside.get(line)?.box.left ?? Infinity);
    });
    const limit = Math.min(right, ...limits);
    const end = Math.max(limit, ...block.map((at) => straight[at]?.box.right ?? limit));
    return block.map(() => end);
  });
}

/** Returns the median distance of the lines; undefined if there are too few. */
function usualLeading(chain: readonly ReadLine[]): number | undefined {
  if (chain.length < 3) return undefined;
  const distances = chain
    .slice(1)
    .map((line, at) => (chain[at]?.baseline ?? line.baseline) - line.baseline)
    .sort((a, b) => a - b);
  return distances[Math.floor((distances.length - 1) / 2)];
}

function isTooFar(previous: ReadLine, line: ReadLine, leading: number | undefined): boolean {
  // Superscripts and subscripts push lines apart.
  const pushed =
    hasPosition(line, 'superscript') || hasPosition(previous, 'subscript')
      ? 0.5 * line.sizePoints
      : 0;
  const distance = previous.baseline - line.baseline - pushed;
  const usual = USUAL_LEADING_EMS * line.sizePoints;
  if (leading === undefined) return distance > usual;
  return distance > leading * 1.2 + 0.5 || (distance > usual && distance > leading * 1.08);
}

function hasPosition({ characters }: ReadLine, wanted: 'superscript' | 'subscript'): boolean {
  return characters.some(({ position }) => position === wanted);
}

function isOtherStyle(previous: ReadLine, line: ReadLine): boolean {
  const before = previous.characters.at(-1)?.character.look;
  const after = line.characters[0]?.character.look;
  if (before === undefined || after === undefined) return false;
  if (before.isMonospaced !== after.isMonospaced) return true;
  if (before.isBold === after.isBold) return false;
  const isAllBold = (of: ReadLine): boolean =>
    of.characters.every(({ character }) => character.look.isBold);
  return isAllBold(previous) || isAllBold(line);
}

/**
 * Tests for an entry of a table of contents: leader dots up to a page number, which may be a line of its own.
 */
function endsWithLeader(line: ReadLine): boolean {
  return /(?:[.·…_]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})?$/i.test(textOfLine(line));
}

/** Tests whether two lines begin rows of a table without rules. */
function areTableRows(
  previous: ReadLine,
  line: ReadLine,
  beside: Neighbours,
  roomPoints: number,
): boolean {
  const [above, below] = [beside.get(previous), beside.get(line)];
  if (above === undefined || below === undefined) return false;
  // The room is far wider than the gap between text columns, so the lines are not broken for lack of width.
  const width = Math.max(previous.box.right - previous.box.left, line.box.right - line.box.left);
  const isShort = width < MAX_CELL_EMS * line.sizePoints;
  return isShort && roomPoints > Math.max(3 * line.sizePoints, 0.5 * width);
}

/** Tests for code: unlike monospaced prose, its lines are short, indented or end in punctuation. */
function looksLikeCode(chain: readonly ReadLine[]): boolean {
  const isTyped = chain.every(({ characters }) =>
    characters.every(({ character }) => character.look.isMonospaced),
  );
  const [first] = chain;
  if (!isTyped || first === undefined || chain.length < 2) return false;
  const longest = Math.max(...chain.map((line) => textOfLine(line).length));
  const isIndented = spread(chain.slice(1).map(({ box }) => box.left)) > first.sizePoints;
  return (
    longest < MIN_TYPED_CHARACTERS ||
    isIndented ||
    chain.some((line) => /[;{}]$/.test(textOfLine(line)))
  );
}

/** Tests for an address, or the sender, place and date at the right of a letter, each a line of its own. */
function looksLikeAddress(lines: readonly ReadLine[]): boolean {
  const texts = lines.map(textOfLine);
  if (lines.length < 2 || !texts.every((text) => /^[\p{Lu}\p{N}]/u.test(text))) return false;
  if (lines.length > 2 && isRightAligned(lines)) return true;
  const isNarrow = lines.every(({ box, sizePoints }) => {
    return box.right - box.left < MAX_ADDRESS_EMS * sizePoints;
  });
  if (!isNarrow || lines.length > MAX_ADDRESS_LINES) return false;
  // German prose, too, may have lines that all begin with capitals, but they end within phrases or words.
  const isUnended = texts.slice(0, -1).some((text) => UNENDED.test(text));
  if (lines.length === 2) return !isUnended && texts.some((text) => STREET_OR_TOWN.test(text));
  const withFigures = texts.filter((text) => /\p{N}/u.test(text)).length;
  return withFigures > (isUnended ? lines.length / 2 : 0);
}

/** Tests whether a line, or the one before it, is a contact of its own, not the end of a sentence. */
function isContactApart(previous: ReadLine, line: ReadLine, next: ReadLine | undefined): boolean {
  const [before, own] = [textOfLine(previous), textOfLine(line)];
  const contact = CONTACT.exec(own);
  if (contact === null) return CONTACT.test(before) && /^[\p{Lu}\p{N}]/u.test(own);
  const isLabelled = contact[1] !== undefined;
  const isListed = CONTACT.test(before) || (next !== undefined && CONTACT.test(textOfLine(next)));
  return isLabelled || isListed || !UNENDED.test(before);
}

function startsItem(line: ReadLine, previous: ReadLine, group: readonly ReadLine[]): boolean {
  if (isNextNote(line, group)) return true;
  const marker = markerLength(line);
  if (marker === 0) return false;
  const word = textOfLine({ characters: line.characters.slice(0, marker) });
  if (isBullet(word) && word !== '-' && word !== '–' && word !== '—') return true;
  const first = group[0];
  const isListed = first !== undefined && markerLength(first) > 0;
  const hangs = line.box.left < previous.box.left - 0.5 * line.sizePoints;
  const gap = gapAfter(line, marker);
  return isListed || hangs || gap > 0.45 * line.sizePoints;
}

/** Tests whether a line begins the next footnote: its label comes after that of the group's first line. */
function isNextNote(line: ReadLine, [first]: readonly ReadLine[]): boolean {
  const [before, own] = [first && noteLabel(first), noteLabel(line)];
  if (before === undefined || own === undefined) return false;
  if (/\d/.test(own)) return Number(own) === Number(before) + 1;
  return !/\d/.test(before) && own !== before;
}

/** Returns the number or sign before a possible footnote, as a superscript or as a word of its own. */
function noteLabel({ characters }: ReadLine): string | undefined {
  const isRaised = characters[0]?.position === 'superscript';
  const end = characters.findIndex(({ hasSpaceBefore, position }, at) =>
    isRaised ? position !== 'superscript' : at > 0 && hasSpaceBefore,
  );
  const label = textOfLine({ characters: characters.slice(0, Math.max(0, end)) });
  return /^(?:\d{1,3}|\*{1,3}|[†‡§¶]{1,2})$/.test(label) ? label : undefined;
}

function gapAfter({ characters }: ReadLine, count: number): number {
  const before = characters[count - 1]?.character.box;
  const after = characters[count]?.character.box;
  return before === undefined || after === undefined ? 0 : -horizontalOverlap(before, after);
}

/** Tests whether the next line's first word would have fitted, so that the paragraph ended here. */
function hasRoom({
  previous,
  line,
  left,
  right,
}: {
  previous: ReadLine;
  line: ReadLine;
  left: number;
  right: number;
}): boolean {
  const last = previous.characters.at(-1)?.character.text ?? '';
  if (/[-\u00AD\u2010]$/.test(last)) return false;
  const end = line.characters.findIndex(({ hasSpaceBefore }, at) => at > 0 && hasSpaceBefore);
  const word = line.characters.slice(0, end < 0 ? undefined : end);
  const first = word[0]?.character.box;
  const final = word.at(-1)?.character.box;
  if (first === undefined || final === undefined) return false;
  const width = Math.max(first.right, final.right) - Math.min(first.left, final.left);
  const room = line.isRightToLeft ? previous.box.left - left : right - previous.box.right;
  return room > width + 0.6 * line.sizePoints;
}

/** Tests whether a line is indented against both the one before and the one after. */
function isIndented({
  previous,
  line,
  next,
}: {
  previous: ReadLine;
  line: ReadLine;
  next: ReadLine | undefined;
}): boolean {
  const start = (of: ReadLine): number => (of.isRightToLeft ? -of.box.right : textLeft(of));
  const indent = start(line) - start(previous);
  if (indent < 0.8 * line.sizePoints) return false;
  const isEnded = /[.!?:;。！？؟।]["'”’»)\]]*$/u.test(textOfLine(previous));
  return next === undefined ? isEnded : start(line) - start(next) > 0.8 * line.sizePoints;
}

/** Returns where the text of a line begins, after its list marker if it has one. */
function textLeft(line: ReadLine): number {
  const [first, text] = [line.characters[0], line.characters[markerLength(line)]];
  const before = (text?.character.box.left ?? 0) - (first?.character.box.left ?? 0);
  return line.box.left + Math.max(0, before);
}
