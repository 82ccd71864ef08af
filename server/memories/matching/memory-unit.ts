/** What the readers of files have in common: the units they find, and how they refuse a file. */
import { TextDecoder } from 'node:util';
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { findPlaceholders } from '../../text/placeholders.ts';
import type { TextSegment, Mark } from '../../text/text-segment.ts';

/** A text with its translations, by language as {@link memoryLanguage} tells it. */
export interface MemoryUnit {
  source: TextSegment;
  targets: ReadonlyMap<LanguageTag, TextSegment>;
}

/** What a reader finds next: a unit, or one that cannot be used. */
export type ReadUnit = MemoryUnit | 'skipped';

/** Languages that a file does not name, or names wrongly. */
export interface GivenLanguages {
  source: LanguageTag | undefined;
  target: LanguageTag | undefined;
  /** What whoever imports calls them, for messages that ask for them: `source_lang`, `target_lang`. */
  named?: LanguageNames | undefined;
}

/** Names of parameters or options. */
export interface LanguageNames {
  source: string;
  target: string;
}

export const PARAMETER_NAMES: LanguageNames = { source: 'source_lang', target: 'target_lang' };

/** A file that is being read: the units as they come, and the language of their sources. */
export interface MemoryReader {
  /** Takes in what comes next. @throws ServiceError invalid_request */
  write(text: string): ReadUnit[];
  /** Nothing follows. @throws ServiceError invalid_request for a file that breaks off */
  end(): ReadUnit[];
  /** Known at the latest when the first unit is. */
  sourceLanguage(): LanguageTag | undefined;
}

/** Longest text of a unit, in UTF-16 units: longer ones are no sentences, and are skipped. */
export const MAX_TEXT_LENGTH = 10_000;
/** Longest stretch of a file without any structure, in UTF-16 units: bounds what is kept of it. */
export const MAX_STRETCH = 1_000_000;

/** Variants that are languages of their own for a translation; others are their base language. */
const VARIANTS = new Set([
  ...['de-CH', 'en-GB', 'en-US', 'es-419', 'fr-CA', 'pt-BR', 'pt-PT', 'zh-Hans', 'zh-Hant'],
]);
const scripts: Readonly<Record<string, LanguageTag>> = {
  'zh-CN': 'zh-Hans',
  'zh-SG': 'zh-Hans',
  'zh-HK': 'zh-Hant',
  'zh-MO': 'zh-Hant',
  'zh-TW': 'zh-Hant',
};

/** The language under which texts are kept: `en-GB`, but `fr` for `fr-BE`; undefined for none. */
export function memoryLanguage(written: string): LanguageTag | undefined {
  const tag = canonicalLanguage(written);
  if (tag === undefined) return undefined;
  const [base, second = ''] = tag.split('-');
  const variant = scripts[tag] ?? (second === '' ? tag : `${base ?? ''}-${second}`);
  return VARIANTS.has(variant) ? variant : baseLanguage(tag);
}

/** Units of a source and those targets that are in another language and not too long. */
export function unitOf(
  source: TextSegment | undefined,
  sourceLanguage: LanguageTag,
  targets: ReadonlyMap<LanguageTag, TextSegment>,
): ReadUnit[] {
  if (source === undefined || !isUsable(source)) return ['skipped'];
  const usable = [...targets].filter(
    ([language, target]) => baseLanguage(language) !== sourceLanguage && isUsable(target),
  );
  return usable.length === 0 ? ['skipped'] : withPlaceholders({ source, targets: new Map(usable) });
}

/**
 * A unit whose placeholders are marks, as those of a text that is translated are: `Hello {name}` is also the
 * memory of `Hello {user}`. As it is, and by itself, with translations that have others than the source.
 */
function withPlaceholders(unit: MemoryUnit): MemoryUnit[] {
  const ids = new Map<string, number>();
  const marked = (segment: TextSegment): TextSegment => {
    const counts = new Map<string, number>();
    return segment.flatMap((part, index): (string | Mark)[] => {
      if (typeof part !== 'string') return [part];
      const parts: (string | Mark)[] = [];
      let from = 0;
      for (const { start, end } of findPlaceholders(part, { follows: index > 0 })) {
        const placeholder = part.slice(start, end);
        const count = (counts.get(placeholder) ?? 0) + 1;
        counts.set(placeholder, count);
        const name = `${count} ${placeholder}`;
        const id = ids.get(name) ?? FIRST_PLACEHOLDER + ids.size;
        ids.set(name, id);
        if (start > from) parts.push(part.slice(from, start));
        parts.push({ mark: 'lone', id });
        from = end;
      }
      if (from < part.length) parts.push(part.slice(from));
      return parts;
    });
  };
  const namesIn = (segment: TextSegment): string =>
    segment
      .flatMap((part) =>
        typeof part !== 'string' && part.id >= FIRST_PLACEHOLDER ? [part.id] : [],
      )
      .sort((one, other) => one - other)
      .join(' ');
  const source = marked(unit.source);
  const wanted = namesIn(source);
  if (wanted === '' || !isUsable(source)) return [unit];
  const same = new Map<LanguageTag, TextSegment>();
  const others = new Map<LanguageTag, TextSegment>();
  for (const [language, target] of unit.targets) {
    const own = marked(target);
    if (namesIn(own) === wanted) same.set(language, own);
    else others.set(language, target);
  }
  const units = [
    { source, targets: same },
    { source: unit.source, targets: others },
  ];
  return units.filter(({ targets }) => targets.size > 0);
}

/** Above those of the marks that a file has. */
const FIRST_PLACEHOLDER = 1_000_000;

function isUsable(segment: TextSegment): boolean {
  let length = 0;
  let hasText = false;
  for (const part of segment) {
    if (typeof part !== 'string') continue;
    length += part.length;
    hasText ||= /\S/.test(part);
  }
  return hasText && length <= MAX_TEXT_LENGTH;
}

/** Says what is wrong with a file, and where. */
export function badFile(message: string, line?: number, cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', message, {
    ...(line !== undefined && { detail: `Line ${line}.` }),
    ...(cause !== undefined && { cause }),
  });
}

// The text of a file as its bytes come: UTF-8, UTF-16, or what an XML declaration says (XML 1.0, appendix F).

/** An XML declaration is within as many bytes. */
const HEAD_BYTES = 256;
const DECLARED = /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']/;

/**
 * Decodes a file; a byte order mark is left out.
 *
 * @throws ServiceError invalid_request for an unknown encoding, and for bytes that are none of it
 */
export async function* decodedFile(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  for await (const bytes of file) {
    let next = bytes;
    if (decoder === undefined) {
      head = Buffer.concat([head, bytes]);
      if (head.length < HEAD_BYTES) continue;
      decoder = decoderFor(head);
      next = head;
    }
    yield strictly(decoder, next);
  }
  decoder ??= decoderFor(head);
  if (head.length < HEAD_BYTES) yield strictly(decoder, head);
  yield strictly(decoder);
}

/** @param bytes undefined when nothing follows: a sign may be incomplete */
function strictly(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw badFile(
      'The file has bytes that its encoding does not know: save it as UTF-8.',
      undefined,
      cause,
    );
  }
}

function decoderFor(head: Buffer): TextDecoder {
  try {
    return new TextDecoder(encodingOf(head), { fatal: true });
  } catch (cause) {
    throw badFile(
      'The encoding that the file declares is not known: save it as UTF-8.',
      undefined,
      cause,
    );
  }
}

function encodingOf(head: Buffer): string {
  const [first = 0, second = 0] = head;
  // With its byte order mark, or without it and a `<` or a letter first.
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && head.length > 1)) {
    return 'utf-16le';
  }
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  const declared = DECLARED.exec(head.toString('latin1', 0, HEAD_BYTES))?.[1]?.toLowerCase();
  // One byte a letter was enough to read the declaration: UTF-16 it is not, whatever it says.
  return declared === undefined || declared.startsWith('utf') ? 'utf-8' : declared;
}

// Segments as texts: marks are written between control characters, which texts of memories never have.

const FENCE = '\u0001';
/** Control characters but for tab, line feed and carriage return; and the halves of broken pairs. */
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;
const kinds = { o: 'open', c: 'close', l: 'lone' } as const;

/** A text without what cannot be kept. */
function writable(text: string): string {
  return text.replace(UNWRITABLE, '');
}

/**
 * Writes a segment. Its marks are numbered anew from 1, in the order of `numbering`, so that those of
 * a translation go by those of its source; marks that are not in it are left out.
 */
export function writeSegment(segment: TextSegment, numbering: TextSegment = segment): string {
  const numbers = markNumbers(numbering);
  let text = '';
  for (const part of segment) {
    if (typeof part === 'string') {
      text += writable(part);
      continue;
    }
    const number = numbers.get(part.id);
    if (number !== undefined) text += `${FENCE}${part.mark.charAt(0)}${number}${FENCE}`;
  }
  return text;
}

/** Reads what {@link writeSegment} has written. */
export function readSegment(text: string): TextSegment {
  if (!text.includes(FENCE)) return [text];
  const parts: (string | Mark)[] = [];
  for (const [index, piece] of text.split(FENCE).entries()) {
    if (index % 2 === 0) {
      if (piece !== '') parts.push(piece);
      continue;
    }
    const mark = kinds[piece.charAt(0) as keyof typeof kinds];
    parts.push({ mark, id: Number(piece.slice(1)) });
  }
  return parts;
}

/** Gives the marks of a kept segment the ids that the marks of `like` have, in their order. */
export function withMarksOf(segment: TextSegment, like: TextSegment): TextSegment {
  const ids = [...markNumbers(like).keys()];
  return segment.flatMap((part): (string | Mark)[] => {
    if (typeof part === 'string') return [part];
    const id = ids[part.id - 1];
    return id === undefined ? [] : [{ ...part, id }];
  });
}

/** Ids of marks in the order in which they come, numbered from 1. */
function markNumbers(segment: TextSegment): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const part of segment) {
    if (typeof part !== 'string' && !numbers.has(part.id)) numbers.set(part.id, numbers.size + 1);
  }
  return numbers;
}
