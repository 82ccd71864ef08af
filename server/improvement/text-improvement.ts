/**
 * Implements `POST /v2/write/rephrase` and `/correct`: checks requests, detects languages, converts variants,
 * counts characters and improves texts.
 */
import { invalid } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag, canonicalLanguage } from '../../shared/language.ts';
import {
  formLanguages,
  writeLanguages,
  type ImprovementResponse,
  type RephrasingRequest,
  writingStyles,
  writingTones,
} from '../../shared/schemas/write.ts';
import type {
  DetectionEngine,
  ImprovementOptions,
  WritingForm,
  WritingStyle,
  WritingTone,
} from '../engines/engine.ts';
import { countCodePoints } from '../text/code-points.ts';
import { inEnglishVariant } from '../text/wording/english-variants.ts';
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { AccountTexts, TextRequestOrigin } from '../translation/account-texts.ts';
import type { Improvement } from './improvement.ts';

export interface TextImprovement {
  /**
   * Improves the texts of a request.
   *
   * @param task `correct` only corrects mistakes; `rephrase` also rewords, if an engine can
   * @throws ServiceError invalid_request, quota_exceeded, engine_unavailable, translation_failed; texts that
   *   were not improved are not billed
   */
  improve(
    task: 'correct' | 'rephrase',
    request: RephrasingRequest,
    origin: TextRequestOrigin,
  ): Promise<ImprovementResponse>;
}

interface TextImprovementOptions {
  improvement: Improvement;
  detector: Pick<DetectionEngine, 'detect' | 'rank' | 'prepare'>;
  texts: AccountTexts;
  usage: UsageMeter;
}

/** A text in process. */
interface Item {
  text: string;
  detected: LanguageTag;
  /** Language stated in the answer. */
  target: LanguageTag;
  /** False for texts without words, and for texts in another language than requested. */
  isImproved: boolean;
}

/**
 * Minimum length, in UTF-16 units, from which a text in another language is left alone: shorter ones may be
 * names or single foreign words.
 */
const TELLING_LENGTH = 24;

export function createTextImprovement(options: TextImprovementOptions): TextImprovement {
  const { improvement, texts, usage } = options;

  const improve = async (
    task: 'correct' | 'rephrase',
    request: RephrasingRequest,
    { caller, reportingTag: tag, abort }: TextRequestOrigin,
  ): Promise<ImprovementResponse> => {
    const checked = checkImprovementRequest(request, task);
    await options.detector.prepare(request.text);
    const { accountId } = caller.account;
    const usual = texts.usualLanguages.of(accountId);
    const items = request.text.map((text) => prepare(text, { checked, usual }, options));
    checkLanguages(items, checked, improvement);
    const counts = items.map(({ text }) => countCodePoints(text));
    const characters = counts.reduce((sum, count) => sum + count, 0);
    const use = { caller, kind: 'write' as const, characters, tag };
    const run = { task, wish: checked.wish, account: accountId, signal: abort.signal };
    const improved = await usage.whileCharged(use, abort, () =>
      improveAll(items, run, improvement),
    );
    return {
      improvements: items.map((item) => ({
        text: improved.get(item) ?? item.text,
        target_language: item.target,
        detected_source_language: item.detected,
      })),
    };
  };

  return {
    improve: (task, request, origin) =>
      texts.during(origin, request.text, () => improve(task, request, origin)),
  };
}

/** Determines the language of a text: the requested one, unless it is certainly another. */
function prepare(
  text: string,
  {
    checked: { target },
    usual,
  }: {
    checked: CheckedImprovementRequest;
    usual: ReadonlyMap<LanguageTag, number> | undefined;
  },
  { detector, improvement }: TextImprovementOptions,
): Item {
  const expected = target === undefined ? undefined : baseLanguage(target);
  const found = detector.detect(text, expected === undefined ? { usual } : { expected });
  const isCertain = found.status === 'success';
  const ranked = detector.rank(text);
  if (target !== undefined && expected !== undefined) {
    const detected = isCertain && text.length >= TELLING_LENGTH ? found.language : expected;
    return { text, detected, target, isImproved: detected === expected && ranked.length > 0 };
  }
  const candidates = found.status === 'insufficient_confidence' ? found.candidates : ranked;
  const known = candidates.find((language) => isWritten(language) && improvement.serves(language));
  const detected = isCertain ? found.language : (known ?? ranked[0] ?? 'en');
  return { text, detected, target: detected, isImproved: ranked.length > 0 };
}

function isWritten(language: LanguageTag): boolean {
  return writeLanguages.some((known) => baseLanguage(known) === language);
}

/** @throws ServiceError invalid_request for languages, styles and tones that no running engine supports */
function checkLanguages(
  items: readonly Item[],
  { target, wish }: CheckedImprovementRequest,
  improvement: Improvement,
): void {
  for (const language of new Set(items.map((item) => item.target))) {
    const isRefused = wish?.insists === true && !canChoose(wish, language, improvement);
    if (isRefused) refuseWish(wish, language, improvement.forms(language));
  }
  if (target !== undefined && !improvement.serves(target)) {
    throw invalid(`Value for 'target_lang' not supported. ${possibleLanguages(improvement)}`);
  }
  const unserved = items.find(
    ({ detected, isImproved }) =>
      isImproved && !(isWritten(detected) && improvement.serves(detected)),
  );
  if (target === undefined && unserved !== undefined) {
    throw invalid(
      `A text is in ${unserved.detected.toUpperCase()}. ${possibleLanguages(improvement)} ` +
        'Set target_lang if that is a mistake.',
    );
  }
}

function possibleLanguages(improvement: Improvement): string {
  const possible = writeLanguages.filter((language) => improvement.serves(language));
  const list = possible.length === 0 ? 'none' : possible.join(', ');
  return `Possible with the running engines: ${list}.`;
}

/** Whether texts in a language can be given this style or tone. */
function canChoose(
  { writingStyle, tone }: WritingWish,
  language: LanguageTag,
  improvement: Improvement,
): boolean {
  const form = writingStyle ?? tone;
  return form !== undefined && takesWishes(language) && improvement.forms(language).has(form);
}

interface Run extends Pick<ImprovementOptions, 'task' | 'signal' | 'account'> {
  wish: WritingWish | undefined;
}

/** Improves all texts of one language in one call, so that engines can batch them. */
async function improveAll(
  items: readonly Item[],
  run: Run,
  improvement: Improvement,
): Promise<ReadonlyMap<Item, string>> {
  const wanted = items.filter(({ isImproved }) => isImproved);
  const languages = [...new Set(wanted.map(({ target }) => target))];
  const improved = await Promise.all(
    languages.map(async (language) => {
      const own = wanted.filter(({ target }) => target === language);
      const texts = own.map(({ text }) => inVariant(text, language));
      const answers = await improvement.improve(texts, optionsFor(language, run, improvement));
      // Converted again, as a model may know a variant less well than the word lists do.
      return own.map((item, index): [Item, string] => {
        return [item, inVariant(answers[index] ?? item.text, language)];
      });
    }),
  );
  return new Map(improved.flat());
}

function optionsFor(
  language: LanguageTag,
  { wish, ...common }: Run,
  improvement: Improvement,
): ImprovementOptions {
  if (wish === undefined || !canChoose(wish, language, improvement)) return { language, ...common };
  const { writingStyle, tone } = wish;
  return {
    language,
    ...common,
    ...(writingStyle !== undefined && { writingStyle }),
    ...(tone !== undefined && { tone }),
  };
}

/** Converts a text to the spelling of a country, if there are word lists for it. */
function inVariant(text: string, language: LanguageTag): string {
  return language === 'en-GB' || language === 'en-US' ? inEnglishVariant(text, language) : text;
}

// Checks of a request that do not depend on its texts.

/** A wished style or tone. */
interface WritingWish {
  name: 'writing_style' | 'tone';
  writingStyle?: WritingStyle;
  tone?: WritingTone;
  /** Whether the request is refused if the form is not available. */
  insists: boolean;
}

interface CheckedImprovementRequest {
  /** As answered: a variant for English and Portuguese; undefined: each text's own language. */
  target: LanguageTag | undefined;
  wish: WritingWish | undefined;
}

/** Whether a language can have styles or tones, provided an engine supports them. */
function takesWishes(language: LanguageTag): boolean {
  return formLanguages.includes(usualVariants[language] ?? language);
}

/** Default variants of languages. */
const usualVariants: Readonly<Record<LanguageTag, LanguageTag>> = { en: 'en-US', pt: 'pt-PT' };

/** @throws ServiceError invalid_request */
function checkImprovementRequest(
  { target_lang, writing_style, tone }: RephrasingRequest,
  task: 'correct' | 'rephrase',
): CheckedImprovementRequest {
  const target = checkedTarget(target_lang);
  // Corrections are the same in every style.
  if (task === 'correct') return { target, wish: undefined };
  const style = checkedWish('writing_style', writing_style, writingStyles);
  const toneWish = checkedWish('tone', tone, writingTones);
  if (style !== undefined && toneWish !== undefined) {
    throw invalid(
      'Bad request. Reason: Both writing_style and tone defined. ' +
        'Currently only style OR tone can be chosen for a single request.',
    );
  }
  if (style !== undefined) {
    const { value, insists } = style;
    return { target, wish: { name: 'writing_style', writingStyle: value, insists } };
  }
  if (toneWish === undefined) return { target, wish: undefined };
  const { value, insists } = toneWish;
  return { target, wish: { name: 'tone', tone: value, insists } };
}

/** @throws ServiceError invalid_request for a form that is not available in a language */
function refuseWish(
  { name }: WritingWish,
  language: LanguageTag,
  forms: ReadonlySet<WritingForm>,
): never {
  const all: readonly WritingForm[] = name === 'tone' ? writingTones : writingStyles;
  const possible = takesWishes(language) ? all.filter((form) => forms.has(form)) : [];
  const what = name === 'tone' ? 'a tone' : 'a writing style';
  const reason =
    possible.length === 0
      ? `Language ${language} does not support setting ${what}.`
      : `Value for '${name}' not supported in ${language} by the running engines. Possible: ${possible.join(', ')}.`;
  throw invalid(
    `${reason} Use a value with prefer_ to go on without, or connect an engine that rewords, such as CHAT_URL or DEEPL_URL.`,
  );
}

function checkedTarget(requested: string | undefined): LanguageTag | undefined {
  if (requested === undefined || requested.trim() === '') return undefined;
  const tag = canonicalLanguage(requested);
  const isKnown = writeLanguages.some((language) => language === tag);
  if (tag === undefined || !isKnown) {
    throw invalid(`Value for 'target_lang' not supported. Possible: ${writeLanguages.join(', ')}.`);
  }
  return usualVariants[tag] ?? tag;
}

function checkedWish<Value extends string>(
  name: string,
  requested: string | undefined,
  values: readonly Value[],
): { value: Value; insists: boolean } | undefined {
  const wish = requested?.trim().toLowerCase() ?? '';
  const plain = wish.replace(/^prefer_/, '');
  if (plain === '' || plain === 'default') return undefined;
  const value = values.find((each) => each === plain);
  if (value === undefined) {
    const possible = ['default', ...values, ...values.map((each) => `prefer_${each}`)];
    throw invalid(`Value for '${name}' not supported. Possible: ${possible.join(', ')}.`);
  }
  return { value, insists: plain === wish };
}
