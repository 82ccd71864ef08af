/** Wishes that requests for texts and for documents have in common, as far as they stand for themselves. */
import { ServiceError } from '../../shared/errors.ts';
import { canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type { TextTranslationRequest } from '../../shared/schemas/text-translation.ts';
import type { Plan } from '../http/door.ts';

export interface FormalityWish {
  wish: 'more' | 'less';
  /** Whether the request is refused where nobody can choose. */
  insists: boolean;
}

type MemoryFields = Pick<
  TextTranslationRequest,
  'translation_memory_id' | 'translation_memory_threshold'
>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The source language of a request; undefined: to be detected. @throws ServiceError invalid_request */
export function optionalSource(requested: string | undefined): LanguageTag | undefined {
  if (requested === undefined || requested.trim() === '') return undefined;
  const tag = canonicalLanguage(requested);
  if (tag === undefined) throw invalid("Value for 'source_lang' not supported.");
  return tag;
}

/** What a value of `formality` wishes; undefined for the default. */
export function formalityWish(
  value: TextTranslationRequest['formality'],
): FormalityWish | undefined {
  if (value === undefined || value === 'default') return undefined;
  return { wish: value.endsWith('more') ? 'more' : 'less', insists: !value.startsWith('prefer_') };
}

/** The glossaries of a request, each once. @throws ServiceError invalid_request */
export function glossaryIds(
  request: Pick<TextTranslationRequest, 'glossary_id' | 'glossary_ids'>,
  source: LanguageTag | undefined,
): string[] {
  const { glossary_ids: several = [] } = request;
  const one = given(request.glossary_id);
  if (one !== undefined && several.length > 0) {
    throw invalid("Parameters 'glossary_id' and 'glossary_ids' exclude each other: send one.");
  }
  const ids = one === undefined ? several : [one];
  if (ids.length > 0 && source === undefined) {
    throw invalid('Use of a glossary requires the source_lang parameter to be specified.');
  }
  return [...new Set(ids)];
}

/**
 * The style rule list of a request; whether there is one with this id is not known yet.
 *
 * @throws ServiceError forbidden on the free plan, invalid_request
 */
export function styleIdOf(
  { style_id }: Pick<TextTranslationRequest, 'style_id'>,
  plan: Plan,
): string | undefined {
  const id = given(style_id);
  if (id === undefined) return undefined;
  if (plan === 'free') throw new ServiceError('forbidden', 'Style rules need the plan pro.');
  if (!UUID.test(id)) throw invalid("Value for 'style_id' not supported: it must be a UUID.");
  return id;
}

/** A translation memory, and how much alike a text must at least be, in percent. */
export interface MemoryWish {
  id: string;
  threshold: number;
}

const DEFAULT_MEMORY_THRESHOLD = 75;

/**
 * The translation memory of a request; whether there is one with this id is not known yet.
 *
 * @throws ServiceError invalid_request, also for a threshold without a memory
 */
export function memoryWish({
  translation_memory_id,
  translation_memory_threshold: least,
}: MemoryFields): MemoryWish | undefined {
  const id = given(translation_memory_id);
  const threshold = least === undefined ? DEFAULT_MEMORY_THRESHOLD : percentage(least);
  if (threshold === undefined) {
    throw invalid('Parameter "translation_memory_threshold" must be an integer between 0 and 100');
  }
  if (id === undefined) return undefined;
  if (!UUID.test(id)) {
    throw invalid("Value for 'translation_memory_id' not supported: it must be a UUID.");
  }
  return { id: id.toLowerCase(), threshold };
}

/** Forms send what is left out as an empty text. */
function given(id: string | undefined): string | undefined {
  return id === '' ? undefined : id;
}

/** @returns undefined for anything but a whole number from 0 to 100, digits included */
function percentage(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isOne = typeof number === 'number' && Number.isInteger(number);
  return isOne && number >= 0 && number <= 100 ? number : undefined;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
