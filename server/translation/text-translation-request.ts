/** What of a `POST /v2/translate` can be judged without looking at texts or engines. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type { TextTranslationRequest } from '../../shared/schemas/text-translation.ts';
import type { Plan } from '../http/door.ts';
import type { MarkupOptions } from '../text/markup/flow.ts';
import type { SentenceSplitting } from '../text/markup/text-layout.ts';
import {
  formalityWish,
  glossaryIds,
  optionalSource,
  memoryWish,
  styleIdOf,
  type FormalityWish,
  type MemoryWish,
} from './request-wishes.ts';

/** A request whose parts fit together; languages are well-formed, not yet known to be served. */
export interface CheckedTextRequest {
  /** Undefined: to be detected. */
  source: LanguageTag | undefined;
  target: LanguageTag;
  quality: 'latency' | 'quality' | undefined;
  splitting: SentenceSplitting;
  /** Undefined for plain text. */
  markup: MarkupOptions | undefined;
  formality: FormalityWish | undefined;
  glossaryIds: readonly string[];
  /** Style rule list. */
  styleId: string | undefined;
  memory: MemoryWish | undefined;
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

/** @throws ServiceError invalid_request; not_found for lists nobody has; forbidden by plan */
export function checkTextRequest(
  request: TextTranslationRequest,
  { plan, refusesLatencyConflicts }: TextRequestRules,
): CheckedTextRequest {
  const source = optionalSource(request.source_lang);
  const target = canonicalLanguage(request.target_lang);
  if (target === undefined) throw invalid("Value for 'target_lang' not supported.");
  if (refusesLatencyConflicts) refuseLatencyConflicts(request);
  const memory = memoryWish(request);
  const styleId = styleIdOf(request, plan);
  return {
    source,
    target,
    // A style and a memory ask for the best there is.
    quality:
      styleId === undefined && memory === undefined ? quality(request.model_type) : 'quality',
    splitting: splitting(request),
    markup: markupOptions(request),
    formality: formalityWish(request.formality),
    glossaryIds: glossaryIds(request, source),
    styleId,
    memory,
    instructions: instructions(request.custom_instructions ?? [], target),
    context: request.context === '' ? undefined : request.context,
    preservesFormatting: request.preserve_formatting ?? false,
  };
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

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
