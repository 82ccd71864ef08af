/** Wishes that requests for texts and for documents have in common, as far as they stand for themselves. */
import { ServiceError } from '../../shared/errors.ts';
import { canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type { TextTranslationRequest } from '../../shared/schemas/text-translation.ts';
import type { Plan } from '../storage/ports.ts';

export interface FormalityWish {
  wish: 'more' | 'less';
  /** Whether the request is refused where nobody can choose. */
  insists: boolean;
}

type ListWishes = Pick<
  TextTranslationRequest,
  'style_id' | 'translation_memory_id' | 'translation_memory_threshold'
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
  const { glossary_id: one, glossary_ids: several = [] } = request;
  if (one !== undefined && several.length > 0) {
    throw invalid("Parameters 'glossary_id' and 'glossary_ids' exclude each other: send one.");
  }
  const ids = one === undefined ? several : [one];
  if (ids.length > 0 && source === undefined) {
    throw invalid('Use of a glossary requires the source_lang parameter to be specified.');
  }
  return [...new Set(ids)];
}

/** Style rules and translation memories: ids are judged, and there is none that could be found. */
export function refuseUnknownLists(request: ListWishes, plan: Plan): void {
  const { style_id, translation_memory_id, translation_memory_threshold: threshold } = request;
  if (threshold !== undefined && !isPercentage(threshold)) {
    throw invalid('Parameter "translation_memory_threshold" must be an integer between 0 and 100');
  }
  if (style_id !== undefined) {
    if (plan === 'free') throw new ServiceError('forbidden', 'Style rules need the plan pro.');
    refuseId('style_id', style_id, 'style rule list');
  }
  if (translation_memory_id !== undefined) {
    refuseId('translation_memory_id', translation_memory_id, 'translation memory');
  }
}

function refuseId(name: string, id: string, kind: string): never {
  if (!UUID.test(id)) throw invalid(`Value for '${name}' not supported: it must be a UUID.`);
  throw new ServiceError('not_found', `There is no ${kind} with this ${name}.`);
}

function isPercentage(value: unknown): boolean {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 100;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
