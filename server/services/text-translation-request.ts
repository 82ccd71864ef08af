/** What of a `POST /v2/translate` can be judged without looking at texts or engines. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type { TextTranslationRequest } from '../../shared/schemas/text-translation.ts';
import type { Plan } from '../storage/ports.ts';
import type { MarkupOptions } from '../text/markup/markup-layout.ts';
import type { SentenceSplitting } from '../text/markup/text-layout.ts';

/** A request whose parts fit together; languages are well-formed, not yet known to be served. */
export interface CheckedTextRequest {
  /** Undefined: to be detected. */
  source: LanguageTag | undefined;
  target: LanguageTag;
  quality: 'latency' | 'quality' | undefined;
  splitting: SentenceSplitting;
  /** Undefined for plain text. */
  markup: MarkupOptions | undefined;
  formality: { wish: 'more' | 'less'; insists: boolean } | undefined;
  glossaryIds: readonly string[];
  instructions: readonly string[];
  context: string | undefined;
  preservesFormatting: boolean;
}

export interface TextRequestRules {
  plan: Plan;
  /** Whether `latency_optimized` is refused beside what only models can do. */
  refusesLatencyConflicts: boolean;
}

/** Target languages that wishes in plain words may be given for. */
const instructedTargets = new Set(['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'zh']);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws ServiceError invalid_request; not_found for lists nobody has; forbidden by plan */
export function checkTextRequest(
  request: TextTranslationRequest,
  { plan, refusesLatencyConflicts }: TextRequestRules,
): CheckedTextRequest {
  const source = optionalLanguage(request.source_lang);
  const target = canonicalLanguage(request.target_lang);
  if (target === undefined) throw invalid("Value for 'target_lang' not supported.");
  if (refusesLatencyConflicts) refuseLatencyConflicts(request);
  refuseUnknownLists(request, plan);
  return {
    source,
    target,
    quality: quality(request.model_type),
    splitting: splitting(request),
    markup: markupOptions(request),
    formality: formality(request.formality),
    glossaryIds: glossaryIds(request, source),
    instructions: instructions(request.custom_instructions ?? [], target),
    context: request.context === '' ? undefined : request.context,
    preservesFormatting: request.preserve_formatting ?? false,
  };
}

function optionalLanguage(requested: string | undefined): LanguageTag | undefined {
  if (requested === undefined || requested.trim() === '') return undefined;
  const tag = canonicalLanguage(requested);
  if (tag === undefined) throw invalid("Value for 'source_lang' not supported.");
  return tag;
}

function quality(modelType: TextTranslationRequest['model_type']) {
  if (modelType === undefined) return undefined;
  return modelType === 'latency_optimized' ? 'latency' : 'quality';
}

function splitting({ split_sentences, tag_handling }: TextTranslationRequest): SentenceSplitting {
  const wish = split_sentences ?? (tag_handling === 'html' ? 'nonewlines' : '1');
  if (wish === '0') return 'none';
  return wish === '1' ? 'lines-and-sentences' : 'sentences';
}

function markupOptions(request: TextTranslationRequest): MarkupOptions | undefined {
  if (request.tag_handling === undefined) return undefined;
  return {
    handling: request.tag_handling,
    version: tagHandlingVersion(request),
    outlineDetection: request.outline_detection ?? true,
    splittingTags: request.splitting_tags ?? [],
    nonSplittingTags: request.non_splitting_tags ?? [],
    ignoreTags: request.ignore_tags ?? [],
    splitting: splitting(request),
  };
}

/** Whoever asks for the quickest engine without naming a version gets the one that goes with it. */
function tagHandlingVersion(request: TextTranslationRequest): 'v1' | 'v2' {
  const fitting = request.model_type === 'latency_optimized' ? 'v1' : 'v2';
  return request.tag_handling_version ?? fitting;
}

function formality(value: TextTranslationRequest['formality']): CheckedTextRequest['formality'] {
  if (value === undefined || value === 'default') return undefined;
  return { wish: value.endsWith('more') ? 'more' : 'less', insists: !value.startsWith('prefer_') };
}

function glossaryIds(request: TextTranslationRequest, source: LanguageTag | undefined): string[] {
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

function instructions(wishes: readonly string[], target: LanguageTag): readonly string[] {
  if (wishes.length === 0 || instructedTargets.has(baseLanguage(target))) return wishes;
  throw invalid(
    `Target language '${target.toUpperCase()}' doesn't support custom_instructions. ` +
      `Possible: ${[...instructedTargets].join(', ').toUpperCase()}.`,
  );
}

function refuseLatencyConflicts(request: TextTranslationRequest): void {
  if (request.model_type !== 'latency_optimized') return;
  const conflicts = [
    request.tag_handling_version === 'v2' && "tag_handling_version 'v2'",
    request.style_id !== undefined && 'style_id',
    (request.custom_instructions ?? []).length > 0 && 'custom_instructions',
    request.translation_memory_id !== undefined && 'translation_memory_id',
  ].filter((conflict) => conflict !== false);
  if (conflicts.length === 0) return;
  throw invalid(
    `model_type 'latency_optimized' cannot be combined with ${conflicts.join(', ')}. ` +
      "Leave model_type out or use 'quality_optimized'.",
  );
}

/** Style rules and translation memories: ids are judged, and there is none that could be found. */
function refuseUnknownLists(request: TextTranslationRequest, plan: Plan): void {
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
