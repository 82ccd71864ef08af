/** Footnotes: paragraphs at the foot of a page that begin with a label its text refers to. */
import type { Rule } from './flow-graphics.ts';
import type { FlowText, PageItem, TextPiece } from './flow-model.ts';

/** A page without its footnotes, and these by the number they have in the whole document. */
interface NotedItems {
  items: PageItem[];
  notes: { number: number; text: FlowText }[];
}

const LABEL = /^(?:\d{1,3}|[*†‡§]{1,3})$/;
const LABEL_BEFORE_TEXT = /^(\d{1,3}|[*†‡§]{1,3})\s*(?=[\p{L}"'“‘«(\[])/u;
/** The line above footnotes is shorter than this share of the page. */
const MAX_SEPARATOR_SHARE = 0.5;

/**
 * Takes the footnotes out of a page whose references are found on it.
 *
 * @param firstNumber of the next footnote of the document
 */
export function takeNotes({
  items,
  page,
  rules,
  firstNumber,
}: {
  items: readonly PageItem[];
  page: { width: number; height: number };
  rules: readonly Rule[];
  firstNumber: number;
}): NotedItems {
  const labels = new Set(items.flatMap(referencesIn));
  const size = bodySize(items);
  const foot = separatorHeight(rules, page);
  const rest: PageItem[] = [];
  const notes: NotedItems['notes'] = [];
  const numbers = new Map<string, number>();
  for (const item of items) {
    const label = item.kind === 'text' ? noteLabel(item, size, foot) : undefined;
    if (item.kind === 'text' && label !== undefined && labels.has(label) && !numbers.has(label)) {
      const number = firstNumber + notes.length;
      numbers.set(label, number);
      notes.push({ number, text: withoutLabel(item) });
    } else {
      rest.push(item);
    }
  }
  if (notes.length === 0) return { items: rest, notes };
  return { items: rest.map((item) => withReferences(item, numbers)), notes };
}

function referencesIn(item: PageItem): string[] {
  if (item.kind !== 'text') return [];
  return item.pieces
    .slice(1)
    .filter(isReference)
    .map(({ text }) => text.trim());
}

function isReference({ text, look }: TextPiece): boolean {
  return look.position === 'superscript' && LABEL.test(text.trim());
}

/** In half points: the size that most characters have. */
function bodySize(items: readonly PageItem[]): number {
  const counts = new Map<number, number>();
  for (const item of items) {
    if (item.kind !== 'text') continue;
    for (const { text, look } of item.pieces) {
      counts.set(look.size, (counts.get(look.size) ?? 0) + text.length);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

/** The number that a footnote begins with; undefined for other paragraphs. */
function noteLabel(
  { pieces, marker, box }: FlowText,
  size: number,
  foot: number,
): string | undefined {
  const [first, second] = pieces;
  if (first === undefined) return undefined;
  if (isReference(first)) return second === undefined ? undefined : first.text.trim();
  if (first.look.size >= size && box.top > foot) return undefined;
  const label = LABEL_BEFORE_TEXT.exec(first.text)?.[1] ?? marker?.text.replace(/[.)]$/, '');
  return label ?? (LABEL.test(first.text.trim()) ? first.text.trim() : undefined);
}

/** Where the lowest line above footnotes stands; 0 without one. */
function separatorHeight(
  rules: readonly Rule[],
  { width, height }: { width: number; height: number },
): number {
  const separators = rules.filter(
    ({ direction, from, to, at }) =>
      direction === 'horizontal' &&
      to - from > 20 &&
      to - from < MAX_SEPARATOR_SHARE * width &&
      at < height / 2,
  );
  return Math.max(0, ...separators.map(({ at }) => at));
}

function withoutLabel(text: FlowText): FlowText {
  const [first, ...others] = text.pieces;
  if (first === undefined) return text;
  const isLabel = isReference(first) || LABEL.test(first.text.trim());
  const kept = isLabel
    ? others
    : [{ ...first, text: first.text.replace(LABEL_BEFORE_TEXT, '') }, ...others];
  const [start, ...rest] = kept;
  const pieces = start === undefined ? [] : [{ ...start, text: start.text.trimStart() }, ...rest];
  return { ...text, pieces, marker: undefined, headingLevel: undefined, firstIndent: 0 };
}

function withReferences(item: PageItem, numbers: ReadonlyMap<string, number>): PageItem {
  if (item.kind !== 'text') return item;
  const pieces = item.pieces.map((piece, index): TextPiece => {
    const number = index > 0 && isReference(piece) ? numbers.get(piece.text.trim()) : undefined;
    return number === undefined ? piece : { ...piece, look: { ...piece.look, note: number } };
  });
  return { ...item, pieces };
}
