/** What of a request for improvement can be judged without looking at its texts. */
import { ServiceError } from '../../shared/errors.ts';
import { canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import {
  writeLanguages,
  writingStyles,
  writingTones,
  type RephrasingRequest,
} from '../../shared/schemas/write.ts';
import type { WritingForm, WritingStyle, WritingTone } from '../engines/engine.ts';

/** A style or a tone that is wished for. */
export interface WritingWish {
  name: 'writing_style' | 'tone';
  writingStyle?: WritingStyle;
  tone?: WritingTone;
  /** Whether the request is refused where it cannot be chosen. */
  insists: boolean;
}

export interface CheckedImprovementRequest {
  /** As it is answered: a variant for English and Portuguese; undefined: each text's own language. */
  target: LanguageTag | undefined;
  wish: WritingWish | undefined;
}

/** Languages whose texts may be given a style or a tone. */
const wishLanguages = new Set(['de', 'en-GB', 'en-US', 'es', 'fr', 'it', 'pt-BR', 'pt-PT']);

/** Whether a style or a tone can be chosen in a language, if an engine knows it. */
export function takesWishes(language: LanguageTag): boolean {
  return wishLanguages.has(usualVariants[language] ?? language);
}

/** The variant that stands for a language without one. */
const usualVariants: Readonly<Record<LanguageTag, LanguageTag>> = { en: 'en-US', pt: 'pt-PT' };

/** @throws ServiceError invalid_request */
export function checkImprovementRequest(
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
export function refuseWish(
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

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
