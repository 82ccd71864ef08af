/** `POST /v2/translate`: validates the request, detects languages, charges the account and translates. */
import { invalid } from '../../shared/errors.ts';
import {
  baseLanguage,
  betaLanguages,
  styleLanguages,
  type LanguageTag,
} from '../../shared/language.ts';
import type {
  TextTranslationRequest,
  TextTranslationResponse,
} from '../../shared/schemas/text-translation.ts';
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Plan } from '../http/door.ts';
import {
  type MarkupOptions,
  type SentenceSplitting,
  type Steps,
  type TextLayout,
  withRests,
} from '../text/markup/text-layout.ts';
import { markupLayout } from '../text/markup/markup-layout.ts';
import { plainLayout } from '../text/markup/segment-layout.ts';
import { type AccountTexts, lengthOf, type TextRequestOrigin } from './account-texts.ts';
import type { Translation } from './translation.ts';
import {
  checkLanguages,
  readWishes,
  translateLayouts,
  type Translator,
  type WishResolver,
  type Wishes,
} from './wishes.ts';

export interface TextTranslation {
  /**
   * @throws ServiceError invalid_request, forbidden, not_found, quota_exceeded, engine_unavailable,
   *   translation_failed; untranslated text is not billed
   */
  translate(
    request: TextTranslationRequest,
    origin: TextRequestOrigin,
  ): Promise<TextTranslationResponse>;
}

export interface TextTranslationOptions {
  translation: Pick<Translation, 'serves' | 'sources' | 'targets'>;
  wishes: WishResolver;
  texts: AccountTexts;
  usage: UsageMeter;
  refusesLatencyConflicts: boolean;
}

/** Reported language when no text of a request has a word; clients require a code. */
const NO_LANGUAGE: LanguageTag = 'en';

/** A text in progress. */
interface Item {
  source: LanguageTag;
  layout: TextLayout;
  billedCharacters: number;
}

export function createTextTranslation(options: TextTranslationOptions): TextTranslation {
  const { translation, wishes, texts, usage, refusesLatencyConflicts } = options;

  const translate = async (
    request: TextTranslationRequest,
    { caller, reportingTag, abort }: TextRequestOrigin,
  ): Promise<TextTranslationResponse> => {
    const { plan, accountId } = caller.account;
    const { signal } = abort;
    const checked = checkTextRequest(request, { plan, refusesLatencyConflicts });
    checkLanguages(checked.wishes, translation);
    const items = await takeApart(request.text, checked, wishes, { accountId, signal });
    const sources = [...new Set(items.map(({ source }) => source))];
    const translator = await wishes.settle(checked.wishes, {
      accountId,
      sources,
      nameOf: (source) => nameOf(items, source),
    });
    const use = {
      caller,
      kind: 'text' as const,
      characters: items.reduce((sum, { billedCharacters }) => sum + billedCharacters, 0),
      tag: reportingTag,
    };
    const done = await usage.whileCharged(use, abort, () =>
      Promise.all(
        sources.map((source) => translateFrom(source, items, { checked, translator, signal })),
      ),
    );
    return answer(items, new Map(done.flat()), request, checked);
  };

  return {
    translate: (request, origin) =>
      texts.during(origin, request.text, () => translate(request, origin)),
  };
}

/** Splits the texts into segments, detects their languages and computes their cost. */
async function takeApart(
  texts: readonly string[],
  request: CheckedTextRequest,
  resolver: WishResolver,
  origin: { accountId: string; signal: AbortSignal },
): Promise<Item[]> {
  const { wishes, context } = request;
  const isFree = betaLanguages.includes(wishes.target);
  const layouts = await withRests(layoutsOf(texts, request), lengthOf(texts));
  const segments = layouts.map((layout) => layout.segments);
  const sources = await resolver.sourcesOf(segments, wishes, { ...origin, context });
  return layouts.map((layout, index) => {
    const source = sources[index] ?? baseLanguage(wishes.target);
    return { source, layout, billedCharacters: isFree ? 0 : layout.characters };
  });
}

function* layoutsOf(
  texts: readonly string[],
  { wishes: { source: language }, markup, splitting }: CheckedTextRequest,
): Steps<TextLayout[]> {
  const layouts: TextLayout[] = [];
  for (const text of texts) {
    const layout =
      markup === undefined
        ? plainLayout(text, { splitting, language })
        : markupLayout(text, { ...markup, language });
    layouts.push(yield* layout);
  }
  return layouts;
}

/** Names the first text of a language, as the beginning of an error message. */
function nameOf(items: readonly Item[], source: LanguageTag): string {
  if (items.length === 1) return 'The text';
  return `Text ${items.findIndex((item) => item.source === source) + 1} of ${items.length}`;
}

/** The result for a text. */
interface Done {
  text: string;
  modelType: 'latency_optimized' | 'quality_optimized';
}

/** Translates all texts of one language in a single call, so that engines can batch them. */
async function translateFrom(
  source: LanguageTag,
  items: readonly Item[],
  {
    checked,
    translator,
    signal,
  }: { checked: CheckedTextRequest; translator: Translator; signal: AbortSignal },
): Promise<[Item, Done][]> {
  const own = items.filter((item) => item.source === source);
  const { wishes, context, quality, splitting, preservesFormatting } = checked;
  const { texts, generation } = await translateLayouts(
    own.map(({ layout }) => layout),
    translator,
    {
      source,
      target: wishes.target,
      signal,
      context,
      quality,
      sentences: splitting === 'none' ? 'whole' : 'split',
      preservesFormatting,
    },
  );
  // A request for quality uses the preferred engine of the pair, which is the best available.
  const isQuality = quality === 'quality' || (quality === undefined && generation === 'next');
  const modelType = isQuality ? 'quality_optimized' : 'latency_optimized';
  return own.map((item, index) => [item, { text: texts[index] ?? '', modelType }]);
}

function answer(
  items: readonly Item[],
  done: ReadonlyMap<Item, Done>,
  request: TextTranslationRequest,
  { wishes, markup }: CheckedTextRequest,
): TextTranslationResponse {
  // A text without words has no language of its own; it is reported in the language of the others.
  const others = wishes.source ?? items.find(hasWords)?.source ?? NO_LANGUAGE;
  return {
    translations: items.map((item) => {
      const { text, modelType } = found(done, item);
      return {
        detected_source_language: baseLanguage(hasWords(item) ? item.source : others).toUpperCase(),
        text,
        ...(request.show_billed_characters === true && {
          billed_characters: item.billedCharacters,
        }),
        ...(request.model_type !== undefined && { model_type_used: modelType }),
        ...(markup !== undefined && { tag_handling_version: markup.version }),
      };
    }),
  };
}

function hasWords({ layout }: Item): boolean {
  return layout.segments.length > 0;
}

function found(done: ReadonlyMap<Item, Done>, item: Item): Done {
  const result = done.get(item);
  if (result === undefined) throw new Error('A text was translated from no language.');
  return result;
}

// Validation: everything that can be checked without texts or engines.

/** A consistent request. Its languages are well-formed, but not yet known to be served. */
interface CheckedTextRequest {
  wishes: Wishes;
  quality: 'latency' | 'quality' | undefined;
  splitting: SentenceSplitting;
  /** Undefined for plain text. */
  markup: MarkupOptions | undefined;
  context: string | undefined;
  preservesFormatting: boolean;
}

interface TextRequestRules {
  plan: Plan;
  /** Whether `latency_optimized` is refused together with options that only models support. */
  refusesLatencyConflicts: boolean;
}

/** @throws ServiceError invalid_request; forbidden if the plan does not include an option */
function checkTextRequest(
  request: TextTranslationRequest,
  { plan, refusesLatencyConflicts }: TextRequestRules,
): CheckedTextRequest {
  const wishes = readWishes(request, plan);
  if (refusesLatencyConflicts) refuseLatencyConflicts(request);
  const { target, styleId, memory } = wishes;
  return {
    wishes: { ...wishes, instructions: instructions(request.custom_instructions ?? [], target) },
    // A style or a translation memory implies the best quality.
    quality:
      styleId === undefined && memory === undefined ? quality(request.model_type) : 'quality',
    splitting: splitting(request),
    markup: markupOptions(request),
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

/** Without an explicit version, `latency_optimized` gets v1, the version that it can be combined with. */
function tagHandlingVersion(request: TextTranslationRequest): 'v1' | 'v2' {
  const fitting = request.model_type === 'latency_optimized' ? 'v1' : 'v2';
  return request.tag_handling_version ?? fitting;
}

/** Custom instructions are accepted only for the languages of style rules. */
function instructions(wishes: readonly string[], target: LanguageTag): readonly string[] {
  if (wishes.length === 0 || styleLanguages.some((each) => each === baseLanguage(target)))
    return wishes;
  throw invalid(
    `Target language '${target.toUpperCase()}' doesn't support custom_instructions. ` +
      `Possible: ${styleLanguages.join(', ').toUpperCase()}.`,
  );
}

function refuseLatencyConflicts(request: TextTranslationRequest): void {
  if (request.model_type !== 'latency_optimized') return;
  const conflicts = [
    request.tag_handling_version === 'v2' && "tag_handling_version 'v2'",
    isGiven(request.style_id) && 'style_id',
    (request.custom_instructions ?? []).length > 0 && 'custom_instructions',
    isGiven(request.translation_memory_id) && 'translation_memory_id',
  ].filter((conflict) => conflict !== false);
  if (conflicts.length === 0) return;
  throw invalid(
    `model_type 'latency_optimized' cannot be combined with ${conflicts.join(', ')}. ` +
      "Leave model_type out or use 'quality_optimized'.",
  );
}

/** Forms send omitted fields as empty texts. */
function isGiven(id: string | undefined): boolean {
  return id !== undefined && id !== '';
}
