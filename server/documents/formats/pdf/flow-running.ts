/** Headers, footers and page numbers: finds lines that recur at the same place on many pages. */
import type { FlowText, RunningLine, RunningLines, TextPiece } from './flow-model.ts';
import { flowText, type ParagraphPlace, append } from './flow-text.ts';
import type { Page, PageParagraph } from './page-model.ts';

/** The headers and footers of the document, and the paragraphs they were taken from. */
interface RunningText {
  header: RunningLines;
  footer: RunningLines;
  /** Page number shown on the first page. */
  firstPageNumber: number;
  paragraphs: ReadonlySet<PageParagraph>;
}

/** Headers and footers stand within this share of the page's height at its edge. */
const EDGE_SHARE = 0.13;
/** Number of paragraphs at an edge that are considered, from the outermost. */
const MAX_AT_EDGE = 6;
const MAX_LINES = 3;
/** Maximum difference of places that count as the same. */
const PLACE_POINTS = 4;
/** Minimum share of the pages with a header or footer, not counting the first page, which often has none. */
const MIN_SHARE = 0.6;

type Edge = 'header' | 'footer';

/** The occurrences of a text at one place; its numbers may differ. */
interface Repetition {
  edge: Edge;
  /** Distance from the edge of the page. */
  distance: number;
  byPage: Map<number, PageParagraph>;
}

/** Finds the headers and footers of the pages; a document of one page has none. */
export function findRunningText(
  pages: readonly Page[],
  places: readonly ParagraphPlace[],
): RunningText {
  const repetitions = pages.length < 2 ? [] : repetitionsOf(pages);
  const paragraphs = new Set<PageParagraph>();
  const chosen = {
    header: choose(repetitions, 'header', pages),
    footer: choose(repetitions, 'footer', pages),
  };
  const linesOf = (edge: Edge): RunningLines => {
    const { everywhere, even } = chosen[edge];
    for (const { byPage } of [...everywhere, ...even]) {
      for (const paragraph of byPage.values()) paragraphs.add(paragraph);
    }
    const first = everywhere.concat(even).some(({ byPage }) => byPage.has(0));
    return {
      default: runningLines(everywhere, { pages, places }),
      even: even.length === 0 ? undefined : runningLines(even, { pages, places }),
      isFirstWithout: !first && everywhere.length > 0,
    };
  };
  const header = linesOf('header');
  const footer = linesOf('footer');
  return { header, footer, firstPageNumber: firstNumber(header, footer), paragraphs };
}

function firstNumber(...running: RunningLines[]): number {
  for (const { default: lines } of running) {
    for (const text of lines.flatMap(({ left, center, right }) => [left, center, right])) {
      const piece = text?.pieces.find(({ look }) => look.field === 'page');
      if (text !== undefined && piece !== undefined) return Number(piece.text) - text.pageIndex;
    }
  }
  return 1;
}

function repetitionsOf(pages: readonly Page[]): Repetition[] {
  const found = new Map<string, Repetition[]>();
  for (const page of pages) {
    for (const { paragraph, edge, distance } of edgeParagraphs(page)) {
      const key = `${edge}|${textOf(paragraph).replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;
      const same = found.get(key) ?? [];
      const known = same.find((other) => Math.abs(other.distance - distance) < PLACE_POINTS);
      if (known !== undefined) known.byPage.set(page.index, paragraph);
      else same.push({ edge, distance, byPage: new Map([[page.index, paragraph]]) });
      found.set(key, same);
    }
  }
  return [...found.values()].flat();
}

function edgeParagraphs(page: Page): { paragraph: PageParagraph; edge: Edge; distance: number }[] {
  const level = page.paragraphs.filter(
    ({ rotation, lines }) => rotation === 0 && lines.length <= MAX_LINES,
  );
  const baseline = ({ lines }: PageParagraph): number => lines[0]?.baseline ?? 0;
  const top = level
    .filter(({ box }) => box.bottom > page.height * (1 - EDGE_SHARE))
    .sort((a, b) => b.box.top - a.box.top)
    .slice(0, MAX_AT_EDGE)
    .map((paragraph) => ({
      paragraph,
      edge: 'header' as const,
      distance: page.height - baseline(paragraph),
    }));
  const bottom = level
    .filter(({ box }) => box.top < page.height * EDGE_SHARE)
    .sort((a, b) => a.box.bottom - b.box.bottom)
    .slice(0, MAX_AT_EDGE)
    .map((paragraph) => ({
      paragraph,
      edge: 'footer' as const,
      distance: baseline(paragraph),
    }));
  return [...top, ...bottom];
}

function textOf({ lines }: PageParagraph): string {
  return lines
    .flatMap(({ runs }) => runs)
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** Chooses the texts on most pages; if even and odd pages each have their own, returns both sets. */
function choose(
  all: readonly Repetition[],
  edge: Edge,
  pages: readonly Page[],
): { everywhere: Repetition[]; even: Repetition[] } {
  const of = all.filter((repetition) => repetition.edge === edge && repetition.byPage.size > 1);
  const everywhere = of.filter(
    ({ byPage }) => byPage.size >= Math.max(2, MIN_SHARE * (pages.length - 1)),
  );
  // Page numbers count from 1: index 1 is an even page.
  const isOn =
    (parity: number) =>
    ({ byPage }: Repetition): boolean => {
      const possible = pages.filter(({ index }) => index > 0 && index % 2 === parity).length;
      const own = [...byPage.keys()].filter((index) => index % 2 === parity).length;
      return own === byPage.size && own >= Math.max(2, MIN_SHARE * possible);
    };
  const even = of.filter((one) => isOn(1)(one) && !everywhere.includes(one));
  const odd = of.filter((one) => isOn(0)(one) && !everywhere.includes(one));
  if (even.length === 0 || odd.length === 0) return { everywhere, even: [] };
  return { everywhere: [...everywhere, ...odd], even: [...everywhere, ...even] };
}

interface Source {
  pages: readonly Page[];
  places: readonly ParagraphPlace[];
}

/** Arranges texts in lines from top to bottom, each with a left, centre and right part. */
function runningLines(repetitions: readonly Repetition[], source: Source): RunningLine[] {
  const sorted = [...repetitions].sort((a, b) =>
    a.edge === 'header' ? a.distance - b.distance : b.distance - a.distance,
  );
  const lines: { distance: number; line: RunningLine }[] = [];
  for (const repetition of sorted) {
    const text = runningText(repetition, source);
    const page = source.pages[text.pageIndex];
    if (page === undefined) continue;
    const side = sideOf(text, page);
    const last = lines.at(-1);
    const isBeside =
      last !== undefined &&
      Math.abs(last.distance - repetition.distance) < PLACE_POINTS &&
      last.line[side] === undefined;
    if (isBeside) last.line[side] = text;
    else {
      const line: RunningLine = { left: undefined, center: undefined, right: undefined };
      line[side] = text;
      lines.push({ distance: repetition.distance, line });
    }
  }
  return lines.map(({ line }) => line);
}

function sideOf({ box }: FlowText, { width }: Page): keyof RunningLine {
  const middle = (box.left + box.right) / 2;
  if (Math.abs(middle - width / 2) < 0.08 * width) return 'center';
  return middle < width / 2 ? 'left' : 'right';
}

/** Returns the text of the first occurrence, with page numbers as fields. */
function runningText({ byPage }: Repetition, { pages, places }: Source): FlowText {
  const entries = [...byPage.entries()].sort(([a], [b]) => a - b);
  const [[index, paragraph]] = entries as [[number, PageParagraph], ...typeof entries];
  const place = places[index];
  if (place === undefined) throw new RangeError(`There is no page ${index}.`);
  const text = flowText(paragraph, place);
  const numbers = entries.map(([at, one]) => ({ at, numbers: numbersIn(textOf(one)) }));
  return {
    ...text,
    headingLevel: undefined,
    pieces: withFields(text.pieces, (position, value) => {
      const all = numbers.map((one) => ({ at: one.at, value: one.numbers[position] }));
      const counts = all.every((one) => one.value === value + one.at - index);
      if (counts) return 'page';
      const isTotal = value === pages.length && all.every((one) => one.value === value);
      return isTotal ? 'pages' : undefined;
    }),
  };
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function withFields(
  pieces: readonly TextPiece[],
  fieldOf: (position: number, value: number) => 'page' | 'pages' | undefined,
): TextPiece[] {
  const found: TextPiece[] = [];
  let position = 0;
  for (const { text, look } of pieces) {
    for (const part of text.match(/\d+|\D+/g) ?? []) {
      const isNumber = /^\d/.test(part);
      const field = isNumber ? fieldOf(position, Number(part)) : undefined;
      if (isNumber) position += 1;
      append(found, part, { ...look, field });
    }
  }
  return found;
}
