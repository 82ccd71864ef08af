/**
 * The units of translation memories: shared by the readers of files, with decoding, refusals, and the stored
 * form of segments.
 */
import { TextDecoder } from 'node:util';
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { findPlaceholders } from '../../text/placeholders.ts';
import type { TextSegment, Mark } from '../../text/text-segment.ts';

/** A text with its translations, by language as returned by {@link memoryLanguage}. */
export interface MemoryUnit {
  source: TextSegment;
  targets: ReadonlyMap<LanguageTag, TextSegment>;
}

/** A unit read from a file, or one that cannot be used. */
export type ReadUnit = MemoryUnit | 'skipped';

/** Languages for a file that names none, or names them wrongly. */
export interface GivenLanguages {
  source: LanguageTag | undefined;
  target: LanguageTag | undefined;
  /**
   * What the importing client calls these languages, for messages: `source_lang`, `target_lang` by default.
   */
  named?: LanguageNames | undefined;
}

/** Names of the parameters or options for the two languages. */
export interface LanguageNames {
  source: string;
  target: string;
}

export const PARAMETER_NAMES: LanguageNames = { source: 'source_lang', target: 'target_lang' };

/** A reader of one file, which returns units as the text arrives. */
export interface MemoryReader {
  /** Reads the next piece of text. @throws ServiceError invalid_request */
  write(text: string): ReadUnit[];
  /** Ends the file. @throws ServiceError invalid_request if the file is truncated */
  end(): ReadUnit[];
  /** The source language; known at the latest with the first unit. */
  sourceLanguage(): LanguageTag | undefined;
}

/** Maximum length of a unit's text, in UTF-16 units: longer ones are not sentences, and are skipped. */
export const MAX_TEXT_LENGTH = 10_000;
/** Maximum length of a stretch of a file without structure, in UTF-16 units: bounds the reader's memory. */
export const MAX_STRETCH = 1_000_000;

/** Variants that count as languages of their own; all others are reduced to their base language. */
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
/** Languages of their own here, which Unicode's table of codes counts under another code. */
const OWN: ReadonlySet<LanguageTag> = new Set(['gom', 'kmr', 'prs', 'tl']);

/**
 * Returns the language under which texts are stored: `en-GB` as is, but `fr` for `fr-BE`; undefined if it is
 * none.
 */
export function memoryLanguage(written: string): LanguageTag | undefined {
  const given = canonicalLanguage(written);
  if (given === undefined) return undefined;
  // Codes of three letters (ISO 639-2), and those that Java still writes, count as others: `eng-US`, `ger`, `iw`.
  const [known = given] = OWN.has(baseLanguage(given)) ? [] : Intl.getCanonicalLocales(given);
  const [base, second = ''] = known.split('-');
  const variant = scripts[known] ?? (second === '' ? known : `${base ?? ''}-${second}`);
  if (VARIANTS.has(variant)) return variant;
  // Norwegian without a choice of its form.
  return base === 'no' ? 'nb' : base;
}

/** Whether a language is the wanted one or, for a base language, a variant of it. */
export function isOrVaries(language: LanguageTag, wanted: LanguageTag): boolean {
  if (language === wanted) return true;
  // Traditional Chinese is not a variant of what `zh` means.
  return baseLanguage(language) === wanted && language !== 'zh-Hant';
}

/** Returns the units of a source and those of its targets that are in another language and not too long. */
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
 * Replaces the placeholders of a unit by marks, as is done for texts to be translated, so that `Hello {name}`
 * also matches `Hello {user}`. Translations with other placeholders than the source form a second unit, left
 * as it is.
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

/** First id of a placeholder, above those of a file's own marks. */
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

/** Returns the error for a faulty file, with the reason and the line. */
export function badFile(message: string, line?: number, cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', message, {
    ...(line !== undefined && { detail: `Line ${line}.` }),
    ...(cause !== undefined && { cause }),
  });
}

// Decoding of files: UTF-8, UTF-16, or the encoding of the XML declaration (XML 1.0, appendix F).

/** Maximum extent of an XML declaration, in bytes. */
const HEAD_BYTES = 256;
const DECLARED = /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']/;

/**
 * Decodes a file, without its byte order mark.
 *
 * @throws ServiceError invalid_request for an unknown encoding, and for bytes invalid in it
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

/** @param bytes undefined at the end of the file, where a character may be incomplete */
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
  // UTF-16 is recognised by its byte order mark or, without one, by a leading `<` or letter.
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && head.length > 1)) {
    return 'utf-16le';
  }
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  const declared = DECLARED.exec(head.toString('latin1', 0, HEAD_BYTES))?.[1]?.toLowerCase();
  // The declaration was readable as single bytes, so the encoding cannot be UTF-16, whatever it says.
  return declared === undefined || declared.startsWith('utf') ? 'utf-8' : declared;
}

// Stored form of segments: marks are written between control characters, which stored texts never contain.

const FENCE = '\u0001';
/** Control characters except tab, line feed and carriage return, and unpaired surrogates. */
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;
const kinds = { o: 'open', c: 'close', l: 'lone' } as const;

/** Removes characters that cannot be stored. */
function writable(text: string): string {
  return text.replace(UNWRITABLE, '');
}

/**
 * Writes a segment. Marks are renumbered from 1 in the order of `numbering`, so that a translation's marks
 * refer to those of its source; marks that are not in `numbering` are dropped.
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

/** Reads a segment written by {@link writeSegment}. */
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

/** Replaces the ids of a stored segment's marks by the ids of the marks of `like`, in order. */
export function withMarksOf(segment: TextSegment, like: TextSegment): TextSegment {
  const ids = [...markNumbers(like).keys()];
  return segment.flatMap((part): (string | Mark)[] => {
    if (typeof part === 'string') return [part];
    const id = ids[part.id - 1];
    return id === undefined ? [] : [{ ...part, id }];
  });
}

/** Numbers the ids of marks from 1, in order of appearance. */
function markNumbers(segment: TextSegment): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const part of segment) {
    if (typeof part !== 'string' && !numbers.has(part.id)) numbers.set(part.id, numbers.size + 1);
  }
  return numbers;
}
