/**
 * What a caller wishes of translations (languages, glossary, style, memory, formality, instructions): read
 * from a request, checked against what runs, looked up once, and put to work.
 */
import { ServiceError } from '../../shared/errors.ts';
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
import { mapWithRests, type TextLayout } from '../text/markup/text-layout.ts';
import type { TextSegment } from '../text/text-segment.ts';
import type { UsualLanguages } from './account-texts.ts';
import type { DetectionOrigin, SourceDetection } from './detection.ts';
import type { SegmentTranslation, SegmentTranslationOptions, Translation } from './translation.ts';

/** The wishes of a request, as far as they stand for themselves; plain data. */
export interface Wishes {
  /** Undefined: to be detected. */
  source?: LanguageTag | undefined;
  target: LanguageTag;
  formality?: FormalityWish | undefined;
  glossaryIds: readonly string[];
  /** Style rule list. */
  styleId?: string | undefined;
  memory?: MemoryWish | undefined;
  /** Wishes in plain words. */
  instructions?: readonly string[];
}

interface FormalityWish {
  wish: 'more' | 'less';
  /** Whether the request is refused where nobody can choose. */
  insists: boolean;
}

/** Translates segments as it is wished for. */
export type Translator = Pick<Translation, 'translateSegments'>;

export interface WishResolver {
  /**
   * The languages that texts are translated from, order kept: the one that is wished for, or what they
   * are in.
   *
   * @param texts the segments of each, in order
   */
  sourcesOf(
    texts: readonly (readonly TextSegment[])[],
    wishes: Pick<Wishes, 'source' | 'target'>,
    origin: DetectionOrigin,
  ): Promise<LanguageTag[]>;
  /**
   * Looks up what the wishes name, and checks that the engines that run can do it.
   *
   * @param options.sources languages of the texts; none while that is not known
   * @param options.nameOf a text in one of them, as the beginning of a sentence
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

// Reading: what can be judged without looking at texts, engines or the database.

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

/** @throws ServiceError invalid_request; forbidden by plan */
export function readWishes(request: WishFields, plan: Plan): Wishes {
  const source = optionalSource(request.source_lang);
  const target = canonicalLanguage(request.target_lang);
  if (target === undefined) throw invalid("Value for 'target_lang' not supported.");
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

/** The source language of a request; undefined: to be detected. @throws ServiceError invalid_request */
function optionalSource(requested: string | undefined): LanguageTag | undefined {
  if (requested === undefined || requested.trim() === '') return undefined;
  const tag = canonicalLanguage(requested);
  if (tag === undefined) throw invalid("Value for 'source_lang' not supported.");
  return tag;
}

/** What a value of `formality` wishes; undefined for the default. */
function formalityWish(value: WishFields['formality']): FormalityWish | undefined {
  if (value === undefined || value === 'default') return undefined;
  return { wish: value.endsWith('more') ? 'more' : 'less', insists: !value.startsWith('prefer_') };
}

/** The glossaries of a request, each once. @throws ServiceError invalid_request */
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
 * The style rule list of a request; whether there is one with this id is not known yet.
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
 * The translation memory of a request; whether there is one with this id is not known yet.
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

// Checking: whether the running engines do it.

/** @throws ServiceError invalid_request, with the languages that the running engines serve */
export function checkLanguages(
  { source, target }: Pick<Wishes, 'source' | 'target'>,
  translation: Pick<Translation, 'serves' | 'sources' | 'targets'>,
): void {
  // What nearly every request asks for is spared the lists below.
  const isToAnother = source !== undefined && baseLanguage(source) !== baseLanguage(target);
  if (isToAnother && translation.serves({ source, target })) return;
  const sources = translation.sources();
  const isSource = source === undefined || withBase(source).some((tag) => sources.includes(tag));
  if (!isSource) throw unsupported('source_lang', sources);
  const targets = translation.targets(source);
  // A variant of a source language can always be reached: from that language itself.
  const isTarget =
    source === undefined
      ? withBase(target).some((tag) => targets.includes(tag) || sources.includes(tag))
      : translation.serves({ source, target });
  if (!isTarget) throw unsupported('target_lang', targets, source);
}

/**
 * @param what the text whose language is `source`, as the beginning of a sentence
 * @throws ServiceError invalid_request for what no engine does for this pair
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
    `Value for '${name}' not supported. Possible ${from}with the running engines: ${list}.`,
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

// Putting to work.

/**
 * Translation in a style: engines that follow instructions get every rule and come first where
 * they are needed; whoever has translated, the mechanical rules are applied to it.
 */
export function styledTranslation(translation: Translator, style: TextStyle): Translator {
  return {
    async translateSegments(segments, options) {
      // One's own language is left as it is written, and variants of it are.
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

function isSameLanguage({ source, target }: { source: LanguageTag; target: LanguageTag }) {
  return baseLanguage(source) === baseLanguage(target);
}

interface LayoutTranslationOptions extends SegmentTranslationOptions {
  /** Whether each segment keeps the outer shape it has in the source. */
  preservesFormatting?: boolean;
}

/**
 * Translates all texts in one call, so that engines can batch them.
 *
 * @returns the texts in their order, and who translated them
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
    ? result.segments.map((segment, index) => preserved(segments[index], segment))
    : result.segments;
  let start = 0;
  const texts = layouts.map((layout) => {
    const end = start + layout.segments.length;
    const text = layout.render(translated.slice(start, end));
    start = end;
    return text;
  });
  return { texts, generation: result.generation };
}

function preserved(source: TextSegment | undefined, translated: TextSegment): TextSegment {
  return source === undefined ? translated : preserveFormatting(source, translated);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

// A translation memory: what is the same comes from it, what is alike is of use.

/** Segments with examples that are asked for together: as many as a chat model gets in one request. */
const SEGMENTS_PER_CALL = 24;
const PARALLEL_CALLS = 4;

/** A segment, and what the memory has for it. */
interface Asked {
  index: number;
  segment: TextSegment;
  matches: readonly MemoryMatch[];
}

/**
 * Puts a memory before translation. A segment that is in the memory gets the translation it has
 * there. One that is alike is translated with the examples by engines that use such; where there is
 * none, or another had to step in, it gets the translation of what it is most like if numbers and
 * marks agree. All else is translated as without a memory.
 */
function rememberedTranslation(
  translation: Translator,
  { search, usesExamples }: { search: MemorySearch; usesExamples: (pair: LanguagePair) => boolean },
): Translator {
  return {
    async translateSegments(segments, options) {
      const { source, target, signal } = options;
      const isOther = baseLanguage(source) !== search.sourceLang;
      if (isOther || baseLanguage(source) === baseLanguage(target)) {
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
 * What stands for a translation: of the best match alone, for one that is less alike has less to say
 * where that one does not fit. A similar one as well where nobody could make a better one of it.
 */
function remembered(
  [best]: readonly MemoryMatch[],
  { alsoSimilar }: { alsoSimilar: boolean },
): TextSegment | undefined {
  return best !== undefined && (alsoSimilar || best.score === 100) ? best.translation : undefined;
}

/** All segments without examples in one call; the others in calls that carry no more than their own. */
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

/** Each pair once, the best ones of all segments before the second-best. */
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
