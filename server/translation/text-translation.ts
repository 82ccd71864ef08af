/** `POST /v2/translate`: checks, detects, counts, translates. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type {
  TextTranslationRequest,
  TextTranslationResponse,
} from '../../shared/schemas/text-translation.ts';
import type { Caller } from '../http/door.ts';
import type { TermIndex } from '../glossaries/terms/term-index.ts';
import { layOutMarkup } from '../text/markup/markup-layout.ts';
import { layOutPlain } from '../text/markup/plain-layout.ts';
import type { TextLayout } from '../text/markup/text-layout.ts';
import { whileCharged, type UsageMeter } from '../accounts/usage/usage.ts';
import type { SourceDetection } from './detection.ts';
import type { Glossaries } from '../glossaries/glossaries.ts';
import { checkLanguages, checkWishes } from './language-checks.ts';
import type { MemorySearch } from '../memories/memory-search.ts';
import { translateLayouts } from './layout-translation.ts';
import type { StyleRuleLists } from '../style-rules/style-rules.ts';
import { checkStyle, styledTranslation, type TextStyle } from './text-style.ts';
import type { TextBacklog } from './text-backlog.ts';
import { checkTextRequest, type CheckedTextRequest } from './text-translation-request.ts';
import type { Translation } from './translation.ts';
import type { TranslationMemories } from '../memories/translation-memories.ts';
import { rememberedTranslation } from './remembered-translation.ts';

/** Who asks, and how to stop when nobody waits any more. */
export interface TextRequestOrigin {
  caller: Caller;
  /** Custom reporting tag, already checked. */
  reportingTag: string | null;
  /** Aborted when nobody waits for the answer any more; the service ends its own work with it as well. */
  abort: AbortController;
}

export interface TextTranslation {
  /**
   * @throws ServiceError invalid_request, forbidden, not_found, quota_exceeded, engine_unavailable,
   *   translation_failed; what was not translated is not billed
   */
  translate(
    request: TextTranslationRequest,
    origin: TextRequestOrigin,
  ): Promise<TextTranslationResponse>;
  /** Resolves when no request is under way, and what failed has been given back. */
  idle(): Promise<void>;
}

export interface TextTranslationOptions {
  translation: Translation;
  detection: SourceDetection;
  glossaries: Glossaries;
  styleRules: Pick<StyleRuleLists, 'styleFor'>;
  translationMemories: Pick<TranslationMemories, 'searchFor'>;
  /** Of texts of any kind. */
  backlog: TextBacklog;
  usage: UsageMeter;
  /** Target languages that are not billed while they are in beta. */
  isFreeTarget: (target: LanguageTag) => boolean;
  refusesLatencyConflicts: boolean;
}

/** Told where no text of a request has a word; clients take nothing but a code. */
const NO_LANGUAGE: LanguageTag = 'en';

/** A text on its way. */
interface Item {
  source: LanguageTag;
  layout: TextLayout;
  billedCharacters: number;
}

export function createTextTranslation(options: TextTranslationOptions): TextTranslation {
  const { translation, usage, refusesLatencyConflicts } = options;
  const underWay = new Set<Promise<unknown>>();

  const translate = async (
    request: TextTranslationRequest,
    { caller, reportingTag, abort }: TextRequestOrigin,
  ): Promise<TextTranslationResponse> => {
    const { plan, accountId } = caller.account;
    const checked = checkTextRequest(request, { plan, refusesLatencyConflicts });
    checkLanguages(checked, translation);
    const items = await prepare(request.text, checked, {
      ...options,
      ...{ accountId, signal: abort.signal },
    });
    const style = await findStyle(checked, accountId, options.styleRules);
    for (const source of sourcesOf(items)) {
      const place = items.findIndex((item) => item.source === source) + 1;
      const what = items.length > 1 ? `Text ${place} of ${items.length}` : 'The text';
      checkWishes(source, checked, translation, what);
      if (style !== undefined) checkStyle(style, { source, target: checked.target }, translation);
    }
    const glossary = await findGlossary(checked, accountId, options.glossaries);
    const search = await findMemory(checked, accountId, options.translationMemories);
    const charge = () =>
      usage.reserve({
        caller,
        kind: 'text',
        characters: items.reduce((sum, { billedCharacters }) => sum + billedCharacters, 0),
        tag: reportingTag,
      });
    const done = await whileCharged(usage.wasRefused(caller), charge, abort, () => {
      const styled = style === undefined ? translation : styledTranslation(translation, style);
      const remembered = rememberedTranslation(styled, {
        search,
        usesExamples: (pair) => translation.usesExamples(pair),
      });
      const run = { checked, glossary, translation: remembered, accountId, signal: abort.signal };
      return Promise.all(sourcesOf(items).map((source) => translateFrom(source, items, run)));
    });
    return answer(items, new Map(done.flat()), request, checked);
  };

  return {
    async translate(request, origin) {
      const { accountId } = origin.caller.account;
      const work = options.backlog.during(accountId, request.text, () =>
        translate(request, origin),
      );
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

/** Takes the texts apart, finds out their languages and what they cost. */
async function prepare(
  texts: readonly string[],
  { source: given, target, markup, splitting, context }: CheckedTextRequest,
  {
    detection,
    isFreeTarget,
    accountId,
    signal,
  }: TextTranslationOptions & { accountId: string; signal: AbortSignal },
): Promise<Item[]> {
  const isFree = isFreeTarget(target);
  const layouts = texts.map((text) =>
    markup === undefined
      ? layOutPlain(text, { splitting, language: given })
      : layOutMarkup(text, { ...markup, language: given }),
  );
  const segments = layouts.map((layout) => layout.segments);
  if (given !== undefined) detection.usualLanguages.note(accountId, baseLanguage(given));
  const detected =
    given === undefined
      ? await detection.detectSources(segments, { accountId, context, target, signal })
      : [];
  return layouts.map((layout, index) => {
    const source = given ?? detected[index] ?? baseLanguage(target);
    return { source, layout, billedCharacters: isFree ? 0 : layout.characters };
  });
}

function sourcesOf(items: readonly Item[]): LanguageTag[] {
  return [...new Set(items.map(({ source }) => source))];
}

async function findGlossary(
  { glossaryIds: ids, source, target }: CheckedTextRequest,
  accountId: string,
  glossaries: Glossaries,
): Promise<TermIndex | undefined> {
  if (ids.length === 0 || source === undefined) return undefined;
  return glossaries.glossaryFor({ accountId, ids, source, target });
}

async function findStyle(
  { styleId: id, target }: CheckedTextRequest,
  accountId: string,
  styleRules: TextTranslationOptions['styleRules'],
): Promise<TextStyle | undefined> {
  return id === undefined ? undefined : styleRules.styleFor({ accountId, id, target });
}

async function findMemory(
  { memory, source, target }: CheckedTextRequest,
  accountId: string,
  translationMemories: TextTranslationOptions['translationMemories'],
): Promise<MemorySearch | undefined> {
  if (memory === undefined) return undefined;
  return translationMemories.searchFor({ accountId, ...memory, source, target });
}

interface Run {
  checked: CheckedTextRequest;
  glossary: TermIndex | undefined;
  translation: Pick<Translation, 'translateSegments'>;
  accountId: string;
  signal: AbortSignal;
}

/** What became of a text. */
interface Done {
  text: string;
  modelType: ModelType;
}

type ModelType = 'latency_optimized' | 'quality_optimized';

/** Translates all texts of one language in one call, so that engines can batch them. */
async function translateFrom(
  source: LanguageTag,
  items: readonly Item[],
  { checked, glossary, translation, accountId, signal }: Run,
): Promise<[Item, Done][]> {
  const own = items.filter((item) => item.source === source);
  const { target, context, formality, instructions, quality, splitting } = checked;
  const { texts, generation } = await translateLayouts(
    own.map(({ layout }) => layout),
    translation,
    {
      ...{ source, target, signal, account: accountId, instructions },
      ...(context !== undefined && { context }),
      ...(formality !== undefined && { formality: formality.wish }),
      ...(glossary !== undefined && { glossary }),
      ...(quality !== undefined && { quality }),
      sentences: splitting === 'none' ? 'whole' : 'split',
      preservesFormatting: checked.preservesFormatting,
    },
  );
  // Whoever asks for quality gets the preferred engine of the pair: that is the quality there is.
  const isQuality = quality === 'quality' || (quality === undefined && generation === 'next');
  const modelType = isQuality ? 'quality_optimized' : 'latency_optimized';
  return own.map((item, index) => [item, { text: texts[index] ?? '', modelType }]);
}

function answer(
  items: readonly Item[],
  done: ReadonlyMap<Item, Done>,
  request: TextTranslationRequest,
  { source: given, markup }: CheckedTextRequest,
): TextTranslationResponse {
  // A text without a word is in no language: it is told to be in that of the others.
  const others = given ?? items.find(hasWords)?.source ?? NO_LANGUAGE;
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
