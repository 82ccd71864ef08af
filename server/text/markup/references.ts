/** Character references of XML, and how text is written between tags. */
import { NO_REFERENCES, type Reference } from './text-layout.ts';

const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([\p{L}_:][\p{L}\p{N}_:.-]{0,255}));/giu;
const PREDEFINED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The references of `source` from `start` to `end`. Entities of a DTD are not looked up, let alone expanded. */
export function xmlReferences(source: string, start: number, end: number): readonly Reference[] {
  const raw = source.slice(start, end);
  if (!raw.includes('&')) return NO_REFERENCES;
  const references: Reference[] = [];
  for (const { 0: reference, 1: hex, 2: decimal, 3: name, index } of raw.matchAll(REFERENCE)) {
    const at = start + index;
    const text =
      name === undefined
        ? characterOf(Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16))
        : (PREDEFINED.get(name) ?? '');
    references.push({ start: at, end: at + reference.length, text });
  }
  return references;
}

const REFERENCE_OR_BARE = new RegExp(`${REFERENCE.source}|[&<]`, 'giu');

/** As {@link xmlReferences}, and each lone `&` and `<` as a reference to itself, so that it stays one. */
export function lenientReferences(
  source: string,
  start: number,
  end: number,
): readonly Reference[] {
  const proper = new Map(xmlReferences(source, start, end).map((each) => [each.start, each]));
  return [...source.slice(start, end).matchAll(REFERENCE_OR_BARE)].map(({ 0: text, index }) => {
    const at = start + index;
    return proper.get(at) ?? { start: at, end: at + text.length, text };
  });
}

/** What XML 1.0 §2.2 forbids in a document, be it written as a reference, and halves of a character. */
const ILLEGAL = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu;

/** None for a number that stands for no character: its reference stays as it is written. */
function characterOf(codePoint: number): string {
  if (codePoint > 0x10ffff) return '';
  return String.fromCodePoint(codePoint).replace(ILLEGAL, '');
}

const MARKUP = /[&<]|(?<=\]\])>|^>/g;
/** What would not be read as the lone character that it is. */
const READ_AS_MARKUP = new RegExp(`^(?:${REFERENCE.source}|<(?:[\\p{L}_:!?/]|$))`, 'iu');
/** Longer than any reference, in UTF-16 units. */
const LONGEST_REFERENCE = 260;
/** Letters and figures are written plainly, whatever the source did. */
const WRITABLE_AS_REFERENCE = /[^\p{L}\p{M}\p{N} \t\r\n]/gu;

/**
 * Text as it is written between tags. What must be a reference is one; so is what the source wrote as
 * one, `asWritten` telling how (character → reference). Characters no document may hold are left out.
 */
export function writeText(text: string, asWritten: ReadonlyMap<string, string>): string {
  const legal = text.replace(ILLEGAL, '');
  const escape = (character: string, at: number): string => {
    const written = asWritten.get(character);
    const isBare = written === character;
    return written === undefined ||
      (isBare && READ_AS_MARKUP.test(legal.slice(at, at + LONGEST_REFERENCE)))
      ? escaped(character)
      : written;
  };
  if (asWritten.size === 0) return legal.replace(MARKUP, escaped);
  return legal.replace(WRITABLE_AS_REFERENCE, (character, at: number) => {
    if (character !== '>') return escape(character, at);
    const endsData = at === 0 || legal.endsWith(']]', at);
    return asWritten.get('>') ?? (endsData ? '&gt;' : '>');
  });
}

function escaped(character: string): string {
  switch (character) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    default:
      return character;
  }
}
