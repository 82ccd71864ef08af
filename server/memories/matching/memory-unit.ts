/** What the readers of files have in common: the units they find, and how they refuse a file. */
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { TextSegment } from '../../text/text-segment.ts';

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

/** A unit of a source and those targets that are in another language and not too long. */
export function unitOf(
  source: TextSegment | undefined,
  sourceLanguage: LanguageTag,
  targets: ReadonlyMap<LanguageTag, TextSegment>,
): ReadUnit {
  if (source === undefined || !isUsable(source)) return 'skipped';
  const usable = [...targets].filter(
    ([language, target]) => baseLanguage(language) !== sourceLanguage && isUsable(target),
  );
  return usable.length === 0 ? 'skipped' : { source, targets: new Map(usable) };
}

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
