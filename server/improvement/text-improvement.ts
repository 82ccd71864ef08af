/** `POST /v2/write/rephrase` and `/correct`: checks, detects, converts variants, counts, improves. */
import { ServiceError } from '../../shared/errors.ts';
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
import { whileCharged, type UsageMeter } from '../accounts/usage/usage.ts';
import type { AccountTexts, TextRequestOrigin } from '../translation/account-texts.ts';
import type { Improvement } from './improvement.ts';

export interface TextImprovement {
  /**
   * @param task `correct` mends mistakes alone; `rephrase` rewords as well, where an engine does
   * @throws ServiceError invalid_request, quota_exceeded, engine_unavailable, translation_failed;
   *   what was not improved is not billed
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

/** A text on its way. */
interface Item {
  text: string;
  detected: LanguageTag;
  /** What is answered as its language. */
  target: LanguageTag;
  /** False for texts without words, and for those in another language than they should be. */
  isImproved: boolean;
}

/** Names and single words of other languages are no reason to leave a shorter text, in UTF-16 units. */
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
    const charge = () => usage.reserve({ caller, kind: 'write', characters, tag });
    const run = { task, wish: checked.wish, account: accountId, signal: abort.signal };
    const improved = await whileCharged(usage.wasRefused(caller), charge, abort, () =>
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
      texts.during(origin.caller.account.accountId, request.text, () =>
        improve(task, request, origin),
      ),
  };
}

/** Finds out the language of a text: the one it should be in, unless it surely is in another. */
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

/** @throws ServiceError invalid_request for languages, styles and tones that no running engine knows */
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
      // A model may know a variant less well than a list of its words does.
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

/** A text in the spelling of a country, where lists of words tell how words are spelled there. */
function inVariant(text: string, language: LanguageTag): string {
  return language === 'en-GB' || language === 'en-US' ? inEnglishVariant(text, language) : text;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

// What of a request for improvement can be judged without looking at its texts.

/** A style or a tone that is wished for. */
interface WritingWish {
  name: 'writing_style' | 'tone';
  writingStyle?: WritingStyle;
  tone?: WritingTone;
  /** Whether the request is refused where it cannot be chosen. */
  insists: boolean;
}

interface CheckedImprovementRequest {
  /** As it is answered: a variant for English and Portuguese; undefined: each text's own language. */
  target: LanguageTag | undefined;
  wish: WritingWish | undefined;
}

/** Whether a style or a tone can be chosen in a language, if an engine knows it. */
function takesWishes(language: LanguageTag): boolean {
  return formLanguages.includes(usualVariants[language] ?? language);
}

/** The variant that stands for a language without one. */
const usualVariants: Readonly<Record<LanguageTag, LanguageTag>> = { en: 'en-US', pt: 'pt-PT' };

/** @throws ServiceError invalid_request */
function checkImprovementRequest(
  { target_lang, writing_style, tone }: RephrasingRequest,
  task: 'correct' | 'rephrase',
): CheckedImprovementRequest {
  const target = checkedTarget(target_lang);
  // Mistakes are mended alike in every style.
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

/** @throws ServiceError invalid_request, for a wish that cannot be fulfilled in a language */
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
