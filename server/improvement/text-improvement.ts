/** `POST /v2/write/rephrase` and `/correct`: checks, detects, converts variants, counts, improves. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import {
  writeLanguages,
  type ImprovementResponse,
  type RephrasingRequest,
} from '../../shared/schemas/write.ts';
import type { DetectionEngine, ImprovementOptions } from '../engines/engine.ts';
import { countCodePoints } from '../text/code-points.ts';
import { inEnglishVariant } from '../text/variants/english-variants.ts';
import { whileCharged, type UsageMeter } from '../accounts/usage/usage.ts';
import type { SourceDetection } from '../translation/detection.ts';
import type { Improvement } from './improvement.ts';
import {
  checkImprovementRequest,
  refuseWish,
  takesWishes,
  type CheckedImprovementRequest,
  type WritingWish,
} from './text-improvement-request.ts';
import type { TextBacklog } from '../translation/text-backlog.ts';
import type { TextRequestOrigin } from '../translation/text-translation.ts';

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
  /** Resolves when no request is under way, and what failed has been given back. */
  idle(): Promise<void>;
}

export interface TextImprovementOptions {
  improvement: Improvement;
  detector: Pick<DetectionEngine, 'detect' | 'rank' | 'prepare'>;
  detection: Pick<SourceDetection, 'usualLanguages'>;
  /** Of texts of any kind. */
  backlog: TextBacklog;
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
  const { improvement, usage } = options;
  const underWay = new Set<Promise<unknown>>();

  const improve = async (
    task: 'correct' | 'rephrase',
    request: RephrasingRequest,
    { caller, reportingTag: tag, abort }: TextRequestOrigin,
  ): Promise<ImprovementResponse> => {
    const checked = checkImprovementRequest(request, task);
    await options.detector.prepare(request.text);
    const { accountId } = caller.account;
    const usual = options.detection.usualLanguages.of(accountId);
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
    async improve(task, request, origin) {
      const { accountId } = origin.caller.account;
      const work = options.backlog.during(accountId, request.text, () =>
        improve(task, request, origin),
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
    ...{ language, ...common },
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
