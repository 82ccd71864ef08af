/** Detects which paragraphs form lists, and how their numbers are written. */
import type { PlacedItem } from './flow-model.ts';

/** The list and level of an item. */
interface ListPlace {
  list: number;
  /** From 0. */
  level: number;
}

export interface ListLevel {
  format: 'bullet' | 'decimal' | 'lowerLetter' | 'upperLetter' | 'lowerRoman' | 'upperRoman';
  /** `%1.` for the first level, or the bullet. */
  text: string;
  start: number;
  /** Indent of its text from the edge of the column, in points. */
  indent: number;
  /** Distance from the marker to the text, in points; 0 where the following lines start below the marker. */
  hang: number;
}

/** The lists of a document: the place of each item, and the levels of each list. */
export interface Lists {
  places: ReadonlyMap<PlacedItem, ListPlace>;
  /** By list; levels without an item are undefined. */
  levels: readonly (readonly ListLevel[])[];
}

interface OpenLevel {
  left: number;
  format: ListLevel['format'];
  template: string;
  next: number;
}

/** Maximum difference between the left edges of one level. */
const SAME_LEVEL_POINTS = 6;
const MAX_LEVELS = 9;
/** Largest hanging indent of an item. */
const MAX_HANG_POINTS = 60;

/** Reads the markers of paragraphs in document order. */
export function findLists(items: readonly PlacedItem[]): Lists {
  const places = new Map<PlacedItem, ListPlace>();
  const levels: ListLevel[][] = [];
  let open: OpenLevel[] = [];
  for (const placed of items) {
    const { item, frame } = placed;
    if (item.kind !== 'text' || item.marker === undefined) continue;
    const left = Math.max(0, item.marker.left - frame.left);
    const indent = Math.max(0, item.box.left - frame.left);
    open = open.filter((level) => level.left < left + SAME_LEVEL_POINTS);
    const own = open.at(-1);
    const isKnown = own !== undefined && Math.abs(own.left - left) < SAME_LEVEL_POINTS;
    const marker = readMarker(item.marker.text, isKnown ? own : undefined);
    if (isKnown && marker.format === own.format && marker.template === own.template) {
      const isNext = marker.format === 'bullet' || marker.value === own.next;
      if (isNext) {
        own.next += 1;
        places.set(placed, { list: levels.length - 1, level: open.length - 1 });
        continue;
      }
    }
    if (isKnown) open.pop();
    if (open.length === 0 || isKnown || open.length >= MAX_LEVELS) {
      // Another kind of marker or number at a known level starts a new list.
      open = [];
      levels.push([]);
    }
    const level = open.length;
    open.push({ left, format: marker.format, template: marker.template, next: marker.value + 1 });
    const list = levels.at(-1);
    if (list !== undefined) {
      const text = marker.template.replace('%', `%${level + 1}`);
      const hang = Math.max(0, Math.min(MAX_HANG_POINTS, indent - left));
      list[level] = { format: marker.format, text, start: marker.value, indent, hang };
    }
    places.set(placed, { list: levels.length - 1, level });
  }
  return { places, levels };
}

interface Marker {
  format: ListLevel['format'];
  /** With `%` for the number. */
  template: string;
  value: number;
}

function readMarker(marker: string, expected: OpenLevel | undefined): Marker {
  const match = /^(\(?)(\d{1,3}|[A-Za-z]{1,5})([.)])$/.exec(marker.trim());
  if (match === null) {
    return { format: 'bullet', template: bulletOf(marker.trim()), value: 1 };
  }
  const [, before = '', number = '', after = ''] = match;
  const template = `${before}%${after}`;
  if (/^\d/.test(number)) return { format: 'decimal', template, value: Number(number) };
  const isUpper = number === number.toUpperCase();
  const roman = romanValue(number);
  const letter = number.toLowerCase().charCodeAt(0) - 96;
  const isLetter = number.length === 1 && (expected?.next === letter || roman !== 1);
  const isRoman = roman !== undefined && !(isLetter && expected?.next !== roman);
  if (isRoman) return { format: isUpper ? 'upperRoman' : 'lowerRoman', template, value: roman };
  return { format: isUpper ? 'upperLetter' : 'lowerLetter', template, value: letter };
}

/** Replaces bullets from the private use area of symbol fonts, which other fonts lack. */
function bulletOf(sign: string): string {
  return /^[\u{E000}-\u{F8FF}]$/u.test(sign) || sign === '' ? '•' : sign;
}

const ROMAN = new Map([
  ['i', 1],
  ['v', 5],
  ['x', 10],
]);

function romanValue(number: string): number | undefined {
  let total = 0;
  const values = Array.from(number.toLowerCase()).map((letter) => ROMAN.get(letter));
  for (const [at, value] of values.entries()) {
    if (value === undefined) return undefined;
    total += value < (values[at + 1] ?? 0) ? -value : value;
  }
  return total;
}
