/**
 * A caller's translation options (its wishes): languages, glossary, style, translation memory,
 * formality and instructions. They are read from a request, checked against the running engines,
 * looked up once, and applied to translations.
 */
import { ServiceError, invalid } from '../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type { TextTranslationRequest } from '../../shared/schemas/text-translation.ts';
import { checkedUuid } from '../../shared/uuid.ts';
import type { LanguagePair, TranslationExample } from '../engines/engine.ts';
import type { Glossaries } from '../glossaries/glossaries.ts';
import type { Plan } from '../http/door.ts';
import type { MemoryMatch, MemorySearch } from '../memories/memory-search.ts';
import type { MemoryWish, TranslationMemories } from '../memories/translation-memories.ts';
import type { StyleRuleLists } from '../style-rules/style-rules.ts';
import type { TextStyle } from '../style-rules/text-style.ts';
import { preserveFormatting } from '../text/formatting.ts';
import {
  mapWithRests,
  type Steps,
  type TextLayout,
  withRests,
} from '../text/markup/text-layout.ts';
import type { TextSegment } from '../text/text-segment.ts';
import type { UsualLanguages } from './account-texts.ts';
import type { DetectionOrigin, SourceDetection } from './detection.ts';
import {
  isSameLanguage,
  type SegmentTranslation,
  type SegmentTranslationOptions,
  type Translation,
} from './translation.ts';

/** The options of a request, before anything is looked up; plain data. */
export interface Wishes {
  /** Undefined requests detection. */
  source?: LanguageTag | undefined;
  target: LanguageTag;
  formality?: FormalityWish | undefined;
  glossaryIds: readonly string[];
  /** Id of a style rule list. */
  styleId?: string | undefined;
  memory?: MemoryWish | undefined;
  /** Instructions in natural language. */
  instructions?: readonly string[];
}

interface FormalityWish {
  wish: 'more' | 'less';
  /** Whether to refuse the request when no engine can choose the formality. */
  insists: boolean;
}

/** Translates segments with a caller's options applied. */
export type Translator = Pick<Translation, 'translateSegments'>;

export interface WishResolver {
  /**
   * Returns the source language of each text, in order: the requested one, or the detected one.
   *
   * @param texts the segments of each text, in order
   */
  sourcesOf(
    texts: readonly (readonly TextSegment[])[],
    wishes: Pick<Wishes, 'source' | 'target'>,
    origin: DetectionOrigin,
  ): Promise<LanguageTag[]>;
  /**
   * Loads what the options refer to, and checks that the running engines support them.
   *
   * @param options.sources languages of the texts; empty while they are unknown
   * @param options.nameOf names a text in a language, as the beginning of an error message
   * @throws ServiceError not_found, invalid_request
   */
  settle(
    wishes: Wishes,
    options: {
      accountId: string;
      sources: readonly LanguageTag[];
      nameOf?: (source: LanguageTag) => string;
    },
  ): Promise<Translator>;
}

export interface WishResolverOptions {
  translation: Translation;
  detection: SourceDetection;
  usualLanguages: UsualLanguages;
  glossaries: Pick<Glossaries, 'glossaryFor'>;
  styleRules: Pick<StyleRuleLists, 'styleFor'>;
  translationMemories: Pick<TranslationMemories, 'searchFor'>;
}

export function createWishResolver({
  translation,
  detection,
  usualLanguages,
  glossaries,
  styleRules,
  translationMemories,
}: WishResolverOptions): WishResolver {
  return {
    async sourcesOf(texts, { source, target }, origin) {
      if (source === undefined) return detection.detectSources(texts, { ...origin, target });
      usualLanguages.note(origin.accountId, baseLanguage(source));
      return texts.map(() => source);
    },

    async settle(wishes, { accountId, sources, nameOf = () => 'A text' }) {
      const { source, target, glossaryIds: ids, styleId: id, memory } = wishes;
      const style =
        id === undefined ? undefined : await styleRules.styleFor({ accountId, id, target });
      for (const each of sources) {
        checkWishes(each, wishes, translation, nameOf(each));
        if (style !== undefined) checkStyle(style, { source: each, target }, translation);
      }
      const glossary =
        ids.length === 0 || source === undefined
          ? undefined
          : await glossaries.glossaryFor({ accountId, ids, source, target });
      const search =
        memory === undefined
          ? undefined
          : await translationMemories.searchFor({ accountId, ...memory, source, target });
      const styled = style === undefined ? translation : styledTranslation(translation, style);
      const usesExamples = (pair: LanguagePair) => translation.usesExamples(pair);
      const translator =
        search === undefined ? styled : rememberedTranslation(styled, { search, usesExamples });
      const formality = wishes.formality?.wish;
      const instructions = wishes.instructions ?? [];
      return {
        translateSegments: (segments, options) =>
          translator.translateSegments(segments, {
            ...options,
            account: accountId,
            formality,
            glossary,
            instructions,
          }),
      };
    },
  };
}

// Reading: everything that can be checked without texts, engines or the database.

const CODES = 'GET /v2/languages lists the codes.';

type WishFields = Pick<
  TextTranslationRequest,
  | 'source_lang'
  | 'target_lang'
  | 'formality'
  | 'glossary_id'
  | 'glossary_ids'
  | 'style_id'
  | 'translation_memory_id'
  | 'translation_memory_threshold'
>;

/** @throws ServiceError invalid_request; forbidden if the plan does not include an option */
export function readWishes(request: WishFields, plan: Plan): Wishes {
  const source = optionalSource(request.source_lang);
  const target = canonicalLanguage(request.target_lang);
  if (target === undefined) throw invalid(`Value for 'target_lang' not supported. ${CODES}`);
  const memory = memoryWish(request);
  const styleId = styleIdOf(request, plan);
  return {
    source,
    target,
    formality: formalityWish(request.formality),
    glossaryIds: glossaryIds(request, source),
    styleId,
    memory,
  };
}

/**
 * Returns the source language of a request; undefined requests detection.
 *
 * @throws ServiceError invalid_request
 */
function optionalSource(requested: string | undefined): LanguageTag | undefined {
  if (requested === undefined || requested.trim() === '') return undefined;
  const tag = canonicalLanguage(requested);
  if (tag === undefined) throw invalid(`Value for 'source_lang' not supported. ${CODES}`);
  return tag;
}

/** Parses `formality`; undefined for the default. */
function formalityWish(value: WishFields['formality']): FormalityWish | undefined {
  if (value === undefined || value === 'default') return undefined;
  return { wish: value.endsWith('more') ? 'more' : 'less', insists: !value.startsWith('prefer_') };
}

/** Returns the distinct glossary ids of a request. @throws ServiceError invalid_request */
function glossaryIds(
  request: Pick<WishFields, 'glossary_id' | 'glossary_ids'>,
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
 * Returns the style rule list id of a request; whether the list exists is not checked.
 *
 * @throws ServiceError forbidden on the free plan, invalid_request
 */
function styleIdOf({ style_id }: Pick<WishFields, 'style_id'>, plan: Plan): string | undefined {
  const id = given(style_id);
  if (id === undefined) return undefined;
  if (plan === 'free') throw new ServiceError('forbidden', 'Style rules need the plan pro.');
  checkedUuid(id, 'style_id');
  return id;
}

const DEFAULT_MEMORY_THRESHOLD = 75;

/**
 * Returns the translation memory of a request; whether it exists is not checked.
 *
 * @throws ServiceError invalid_request, also for a threshold without a memory
 */
function memoryWish({
  translation_memory_id,
  translation_memory_threshold: least,
}: Pick<WishFields, 'translation_memory_id' | 'translation_memory_threshold'>):
  | MemoryWish
  | undefined {
  const id = given(translation_memory_id);
  const threshold = least === undefined ? DEFAULT_MEMORY_THRESHOLD : percentage(least);
  if (threshold === undefined) {
    throw invalid('Parameter "translation_memory_threshold" must be an integer between 0 and 100');
  }
  if (id === undefined) return undefined;
  return { id: checkedUuid(id, 'translation_memory_id'), threshold };
}

/** Forms send omitted fields as empty texts. */
function given(id: string | undefined): string | undefined {
  return id === '' ? undefined : id;
}

/** @returns undefined unless the value is a whole number from 0 to 100, as a number or in digits */
function percentage(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isOne = typeof number === 'number' && Number.isInteger(number);
  return isOne && number >= 0 && number <= 100 ? number : undefined;
}

// Checking: whether the running engines support the options.

/** @throws ServiceError invalid_request, listing the languages that the running engines serve */
export function checkLanguages(
  { source, target }: Pick<Wishes, 'source' | 'target'>,
  translation: Pick<Translation, 'serves' | 'sources' | 'targets'>,
): void {
  // Fast path: most requests need none of the lists below.
  const isToAnother = source !== undefined && baseLanguage(source) !== baseLanguage(target);
  if (isToAnother && translation.serves({ source, target })) return;
  const sources = translation.sources();
  const isSource = source === undefined || withBase(source).some((tag) => sources.includes(tag));
  if (!isSource) throw unsupported('source_lang', sources);
  const targets = translation.targets(source);
  // A variant of a source language can always be reached from that language itself.
  const isTarget =
    source === undefined
      ? withBase(target).some((tag) => targets.includes(tag) || sources.includes(tag))
      : translation.serves({ source, target });
  if (!isTarget) throw unsupported('target_lang', targets, source);
}

/**
 * @param what names the text in `source`, as the beginning of an error message
 * @throws ServiceError invalid_request for options that no engine supports for this pair
 */
function checkWishes(
  source: LanguageTag,
  { source: given, target, formality, instructions = [] }: Wishes,
  translation: Pick<Translation, 'serves' | 'choosesFormality' | 'followsInstructions'>,
  what: string,
): void {
  const pair = { source, target };
  if (given === undefined && !translation.serves(pair)) {
    throw invalid(
      `${what} is in ${source.toUpperCase()}: no running engine translates that to ${target.toUpperCase()}. ` +
        'Set source_lang if that is a mistake.',
    );
  }
  if (formality?.insists === true && !translation.choosesFormality(pair)) {
    throw invalid(
      `Target language '${target.toUpperCase()}' doesn't support formality with the running engines. ` +
        'Use prefer_more or prefer_less to go on without.',
    );
  }
  if (instructions.length > 0 && !translation.followsInstructions(pair)) {
    throw invalid(
      'custom_instructions: no running engine can follow them. Connect one that does, such as CHAT_URL or DEEPL_URL, or leave them out.',
    );
  }
}

function withBase(tag: LanguageTag): LanguageTag[] {
  return [tag, baseLanguage(tag)];
}

function unsupported(name: string, possible: readonly LanguageTag[], source?: LanguageTag) {
  const from = source === undefined ? '' : `from ${source.toUpperCase()} `;
  const list = possible.length === 0 ? 'none' : possible.join(', ').toUpperCase();
  return invalid(
    `Value for '${name}' not supported. Possible ${from}with the running engines: ${list}. Connect a translator that does more (CHAT_URL), or install a model: npm run dragoman -- models available`,
  );
}

/** @throws ServiceError invalid_request for instructions that no running engine can follow */
function checkStyle(
  style: TextStyle,
  pair: { source: LanguageTag; target: LanguageTag },
  translation: Pick<Translation, 'followsInstructions'>,
): void {
  if (isSameLanguage(pair) || style.instructions(pair.source).length === 0) return;
  if (translation.followsInstructions(pair)) return;
  throw new ServiceError(
    'invalid_request',
    `style_id: the list has custom_instructions, and no running engine can follow them from ${pair.source.toUpperCase()} to ${pair.target.toUpperCase()}. ` +
      'Connect one that does, such as CHAT_URL or DEEPL_URL, or name a list without.',
  );
}

// Application of the options.

/**
 * Adds a style to translation. Engines that follow instructions receive every rule and are
 * preferred where a rule needs them; the mechanical rules are applied to the result of any engine.
 */
export function styledTranslation(translation: Translator, style: TextStyle): Translator {
  return {
    async translateSegments(segments, options) {
      // Text already in the target language stays as it is, variants included.
      if (isSameLanguage(options)) return translation.translateSegments(segments, options);
      const instructions = [...(options.instructions ?? []), ...style.instructions(options.source)];
      const result = await translation.translateSegments(segments, {
        ...options,
        instructions,
        styleRules: style.rules,
        prefersFollower: style.needsEngine,
      });
      const styled = await mapWithRests(result.segments, (segment) => style.apply(segment));
      return { ...result, segments: styled };
    },
  };
}

interface LayoutTranslationOptions extends SegmentTranslationOptions {
  /** Whether each segment keeps the outer formatting of its source. */
  preservesFormatting?: boolean;
}

/**
 * Translates all texts in one call, so that engines can batch them.
 *
 * @returns the texts in order, and the generation of the engine
 * @throws ServiceError as {@link Translator}
 */
export async function translateLayouts(
  layouts: readonly TextLayout[],
  translation: Translator,
  { preservesFormatting = false, ...options }: LayoutTranslationOptions,
): Promise<{ texts: string[] } & Pick<SegmentTranslation, 'generation'>> {
  const segments = layouts.flatMap((layout) => layout.segments);
  const result = await translation.translateSegments(segments, options);
  const translated = preservesFormatting
    ? result.segments.map((segment, index) => preserved(segments[index], segment, options.target))
    : result.segments;
  const length = layouts.reduce((sum, { characters }) => sum + characters, 0);
  const texts = await withRests(rendered(layouts, translated), length);
  return { texts, generation: result.generation };
}

function* rendered(
  layouts: readonly TextLayout[],
  translated: readonly TextSegment[],
): Steps<string[]> {
  const texts: string[] = [];
  let start = 0;
  for (const layout of layouts) {
    const end = start + layout.segments.length;
    texts.push(yield* layout.render(translated.slice(start, end)));
    start = end;
  }
  return texts;
}

function preserved(
  source: TextSegment | undefined,
  translated: TextSegment,
  target: LanguageTag,
): TextSegment {
  return source === undefined ? translated : preserveFormatting(source, translated, target);
}

// Translation memory: exact matches replace translation, similar ones support it.

/** Number of segments with examples per call: what a chat model gets in one request. */
const SEGMENTS_PER_CALL = 24;
const PARALLEL_CALLS = 4;

/** A segment and its matches in the translation memory. */
interface Asked {
  index: number;
  segment: TextSegment;
  matches: readonly MemoryMatch[];
}

/**
 * Consults a translation memory before translating. An exact match is used as it is. For a similar
 * match, engines that use examples translate with it; if none does, or another engine had to step
 * in, the memory's translation is adapted, provided that numbers and marks agree. Everything else
 * is translated as usual.
 */
function rememberedTranslation(
  translation: Translator,
  { search, usesExamples }: { search: MemorySearch; usesExamples: (pair: LanguagePair) => boolean },
): Translator {
  return {
    async translateSegments(segments, options) {
      const { source, signal } = options;
      const isOther = baseLanguage(source) !== search.sourceLang;
      if (isOther || isSameLanguage(options)) {
        return translation.translateSegments(segments, options);
      }
      const found = await search.find(segments, signal);
      signal.throwIfAborted();
      const asked = segments.map((segment, index) => {
        return { index, segment, matches: found[index] ?? [] };
      });
      return translateRest(asked, options, { translation, asExamples: usesExamples(options) });
    },
  };
}

async function translateRest(
  asked: readonly Asked[],
  options: SegmentTranslationOptions,
  { translation, asExamples }: { translation: Translator; asExamples: boolean },
): Promise<SegmentTranslation> {
  const segments: (TextSegment | undefined)[] = asked.map(({ matches }) =>
    remembered(matches, { alsoSimilar: !asExamples }),
  );
  const open = asked.filter(({ index }) => segments[index] === undefined);
  const calls = callsFor(open, asExamples);
  const results: SegmentTranslation[] = [];
  let next = 0;

  async function callNext(): Promise<void> {
    for (let call = calls[next]; call !== undefined; call = calls[next]) {
      next += 1;
      const examples = examplesOf(call);
      const result = await translation.translateSegments(
        call.map(({ segment }) => segment),
        { ...options, ...(examples.length > 0 && { examples }) },
      );
      results.push(result);
      for (const [place, { index, matches }] of call.entries()) {
        const similar =
          result.tookExamples === true ? undefined : remembered(matches, { alsoSimilar: true });
        segments[index] = similar ?? result.segments[place];
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_CALLS }, callNext));
  return {
    segments: asked.map(({ index, segment }) => segments[index] ?? segment),
    engine: results[0]?.engine,
    generation: results.some(({ generation }) => generation === 'next') ? 'next' : 'classic',
  };
}

/**
 * Returns the memory's translation for a segment. Only the best match counts: if it does not fit, a
 * less similar one fits even less. Similar matches count only where no engine can improve on them.
 */
function remembered(
  [best]: readonly MemoryMatch[],
  { alsoSimilar }: { alsoSimilar: boolean },
): TextSegment | undefined {
  return best !== undefined && (alsoSimilar || best.score === 100) ? best.translation : undefined;
}

/**
 * Groups the segments: those without examples into one call, the others into calls that carry only
 * their own examples.
 */
function callsFor(open: readonly Asked[], asExamples: boolean): Asked[][] {
  const withExamples = asExamples ? open.filter(({ matches }) => matches.length > 0) : [];
  const others = asExamples ? open.filter(({ matches }) => matches.length === 0) : [...open];
  const calls: Asked[][] =
    others.length === 0 ? [] : [others.map((each) => ({ ...each, matches: [] }))];
  for (let start = 0; start < withExamples.length; start += SEGMENTS_PER_CALL) {
    calls.push(withExamples.slice(start, start + SEGMENTS_PER_CALL));
  }
  return calls;
}

/** Collects distinct examples; the best matches of all segments come before the second-best. */
function examplesOf(call: readonly Asked[]): TranslationExample[] {
  const examples = new Map<string, TranslationExample>();
  for (const { source, target } of [
    ...call.flatMap(({ matches }) => matches.slice(0, 1)),
    ...call.flatMap(({ matches }) => matches.slice(1)),
  ]) {
    examples.set(`${source}\0${target}`, { source, target });
  }
  return [...examples.values()];
}
