/** Which engines serve which direction. Found by index: engines may have thousands of pairs. */
import {
  baseLanguage,
  type LanguageTag,
  canonicalLanguage,
  languageSpelling,
} from '../../shared/language.ts';
import type {
  LanguagePair,
  TranslationEngine,
  Term,
  TranslationExample,
  TranslationOptions,
} from '../engines/engine.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';
import { type TextSegment, isPlain, plainText } from '../text/text-segment.ts';
import type { CircuitBreakers, Pass } from '../process/index.ts';
import { bindTerms, settleTerms } from '../glossaries/terms/bound-terms.ts';
import type { TermIndex } from '../glossaries/terms/term-index.ts';
import { repairMarks } from '../text/repair.ts';
import { mapWithRests } from '../text/markup/text-layout.ts';

/** An engine, and a direction in its own spelling. */
export interface EngineRoute {
  engine: TranslationEngine;
  pair: LanguagePair;
}

interface EngineRoutes {
  /** Engines that serve a direction, in the order of the list. */
  find(pair: LanguagePair): EngineRoute[];
  /** Languages of the offered directions that lead from somewhere, in order of the alphabet. */
  sources(): LanguageTag[];
  /** Languages that the offered directions lead to, from one or from any. */
  targets(source?: LanguageTag): LanguageTag[];
}

interface Index {
  /** `pairs` of the engines when this was made. */
  pairs: readonly (readonly LanguagePair[])[];
  /** By engine, `source target`. */
  served: readonly ReadonlySet<string>[];
  targets: ReadonlyMap<LanguageTag, ReadonlySet<LanguageTag>>;
}

/** @param isOffered whether a direction of an engine is to be listed; it is found all the same */
export function createEngineRoutes({
  engines,
  isOffered,
}: {
  engines: readonly TranslationEngine[];
  isOffered: (route: EngineRoute) => boolean;
}): EngineRoutes {
  let index = createIndex(engines, isOffered);
  /** Engines elsewhere may gain and lose languages while they run. */
  const current = () => {
    if (engines.some((engine, i) => engine.pairs !== index.pairs[i]))
      index = createIndex(engines, isOffered);
    return index;
  };
  return {
    find(pair) {
      const { served } = current();
      const spelled = [...spellings(pair)];
      return engines.flatMap((engine, i) => {
        const own = spelled.find(({ source, target }) => served[i]?.has(`${source} ${target}`));
        return own === undefined ? [] : [{ engine, pair: own }];
      });
    },
    sources: () => [...current().targets.keys()].sort(),
    targets(source) {
      const { targets } = current();
      const wanted = source === undefined ? [...targets.keys()] : withBase(source);
      return [...new Set(wanted.flatMap((tag) => [...(targets.get(tag) ?? [])]))];
    },
  };
}

function createIndex(
  engines: readonly TranslationEngine[],
  isOffered: (route: EngineRoute) => boolean,
): Index {
  const pairs = engines.map((engine) => engine.pairs);
  const targets = new Map<LanguageTag, Set<LanguageTag>>();
  for (const [i, engine] of engines.entries()) {
    for (const pair of pairs[i] ?? []) {
      if (!isOffered({ engine, pair })) continue;
      const reached = targets.get(pair.source);
      if (reached === undefined) targets.set(pair.source, new Set([pair.target]));
      else reached.add(pair.target);
    }
  }
  const served = pairs.map(
    (own) => new Set(own.map(({ source, target }) => `${source} ${target}`)),
  );
  return { pairs, served, targets };
}

/** A pair as asked for, then with plain base languages: an engine for `pt` serves `pt-PT`. */
function* spellings({ source, target }: LanguagePair): Generator<LanguagePair> {
  for (const to of withBase(target))
    for (const from of withBase(source)) yield { source: from, target: to };
}

/** Traditional Chinese is another script: an engine for `zh` writes the simplified one. */
function withBase(tag: LanguageTag): LanguageTag[] {
  const base = baseLanguage(tag);
  return tag === 'zh-Hant' || tag === base ? [tag] : [tag, base];
}

// The order in which engines are asked, from a setting such as `en/de: chat; *: apertium, chat`: for
// each direction its engines, the preferred one first. A direction that a rule applies to is served by
// the engines of that rule alone.

/** A rule of the setting; undefined stands for any language. */
export interface PreferenceRule {
  source: LanguageTag | undefined;
  target: LanguageTag | undefined;
  engines: readonly string[];
}

/**
 * Reads the setting.
 *
 * @param engines names that may be used
 * @returns the rules, and for people what is wrong with those that are left out
 */
export function readEnginePreference(
  setting: string,
  engines: readonly string[],
): { rules: PreferenceRule[]; problems: string[] } {
  const rules: PreferenceRule[] = [];
  const problems: string[] = [];
  for (const text of setting.split(';').map((each) => each.trim())) {
    if (text === '') continue;
    const rule = readRule(text, engines);
    if (typeof rule === 'string') problems.push(`TRANSLATION_ENGINES: in "${text}" ${rule}`);
    else rules.push(rule);
  }
  return { rules, problems };
}

function readRule(text: string, known: readonly string[]): PreferenceRule | string {
  const [direction = '', list, ...more] = text.split(':').map((part) => part.trim());
  if (list === undefined || more.length > 0) {
    return 'one colon is expected, as in "en/de: chat, apertium".';
  }
  const ends = direction === '*' ? ['*', '*'] : direction.split('/').map((end) => end.trim());
  const languages = ends.map((end) => (end === '*' ? undefined : languageSpelling(end)));
  const wrong = languages.find((tag) => tag !== undefined && canonicalLanguage(tag) === undefined);
  if (languages.length !== 2 || wrong !== undefined) {
    return `"${direction}" is no direction: write "en/de", "en/*", "*/de" or "*".`;
  }
  const [source, target] = languages;
  if (source !== undefined && source === target) return `"${direction}" has one language twice.`;
  const engines = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = engines.filter((name) => !known.includes(name));
  if (engines.length > 0 && unknown.length === 0) return { source, target, engines };
  const problem =
    engines.length === 0 ? 'no engine is named' : `${unknown.join(', ')} is no engine`;
  return `${problem}. Possible: ${known.join(', ')}.`;
}

/**
 * The engines for a direction by name, the preferred first; undefined where no rule applies. The most
 * specific rule applies, and of those the first.
 */
export function preferredEngines(
  rules: readonly PreferenceRule[],
  pair: LanguagePair,
): readonly string[] | undefined {
  let best: PreferenceRule | undefined;
  let bestScore = 0;
  for (const rule of rules) {
    const score = fit(rule.source, pair.source) * fit(rule.target, pair.target);
    if (score <= bestScore) continue;
    best = rule;
    bestScore = score;
  }
  return best?.engines;
}

/** The language itself before its base language before any language; 0 for another one. */
function fit(wanted: LanguageTag | undefined, tag: LanguageTag): number {
  if (wanted === undefined) return 1;
  if (wanted === tag) return 4;
  return wanted === baseLanguage(tag) ? 3 : 0;
}

export interface EngineFallback {
  /**
   * Translates with the first of the routes that can.
   *
   * @throws ServiceError engine_unavailable when nobody can be reached; what the first engine threw
   *   when all have failed; what is the caller's own fault; the signal's reason when aborted
   */
  translate(
    routes: readonly EngineRoute[],
    segments: readonly TextSegment[],
    wishes: LanguagePair & TranslationWishes,
  ): Promise<{ translated: TextSegment[]; engine: TranslationEngine }>;
}

export function createEngineFallback({
  breakers,
  log,
}: {
  breakers: CircuitBreakers;
  log: Logger;
}): EngineFallback {
  /** Leave to try each route when it is its turn; those that have refused texts come last. */
  function* attempts(
    routes: readonly EngineRoute[],
  ): Generator<{ route: EngineRoute; pass: Pass }> {
    const doubtful: EngineRoute[] = [];
    for (const route of routes) {
      const pass = breakers.enter(breakerName(route));
      if (pass !== undefined) yield { route, pass };
      else if (breakers.isDoubtful(breakerName(route))) doubtful.push(route);
    }
    for (const route of doubtful) {
      yield { route, pass: breakers.enterDoubtful(breakerName(route)) };
    }
  }

  function logFailure({ engine, pair }: EngineRoute, error: unknown): void {
    const fields = { engine: engine.name, ...pair };
    if (error instanceof ServiceError)
      log.warn({ ...fields, code: error.code }, 'translator failed');
    else log.error({ ...fields, err: error }, 'translator failed unexpectedly');
  }

  return {
    async translate(routes, segments, wishes) {
      let failure: ServiceError | undefined;
      for (const { route, pass } of attempts(routes)) {
        try {
          const translated = await translateWith(route, segments, wishes);
          pass.succeed();
          return { translated, engine: route.engine };
        } catch (error) {
          if (wishes.signal.aborted || isCallersFault(error)) {
            pass.abandon();
            throw error;
          }
          pass.fail(isOutage(error) ? 'outage' : 'refusal');
          logFailure(route, error);
          failure ??= asServiceError(error);
        }
      }
      throw failure ?? outOfOrder(wishes);
    },
  };
}

function breakerName({ engine, pair }: EngineRoute): string {
  return engine.outage === 'engine' ? engine.name : `${engine.name} ${pair.source} ${pair.target}`;
}

function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'engine_unavailable';
}

/** Another engine would say the same. */
function isCallersFault(error: unknown): boolean {
  return error instanceof ServiceError && error.status < 500;
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = 'The translator failed. Please try again.';
  return new ServiceError('translation_failed', message, { cause: error });
}

function outOfOrder({ source, target }: LanguagePair): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    `The translators for ${source} to ${target} are out of order at the moment. ` +
      'Please try again in a few seconds.',
  );
}

// One engine's translation of segments: each gets what it understands, and its marks are mended.

/** What callers may wish for; engines do of it what they can. */
export interface TranslationWishes {
  signal: AbortSignal;
  /** Whose texts these are. */
  account?: string | undefined;
  /** Text around the segments. */
  context?: string | undefined;
  formality?: 'more' | 'less' | undefined;
  glossary?: TermIndex | undefined;
  /** Wishes in plain words; with them only engines that follow them are asked. */
  instructions?: readonly string[];
  /** Rules of style in plain words; engines that follow instructions get them. */
  styleRules?: readonly string[];
  /** Earlier translations that are alike; engines that use them are asked first, others go without. */
  examples?: readonly TranslationExample[];
  /** `whole` takes a segment as one sentence. */
  sentences?: 'split' | 'whole';
}

/**
 * Translates segments with one engine. Every segment of the answer has the marks of its source.
 *
 * @throws ServiceError translation_failed, also for an answer with too few segments; what the engine
 *   throws; the signal's reason
 */
export async function translateWith(
  route: EngineRoute,
  segments: readonly TextSegment[],
  wishes: TranslationWishes,
): Promise<TextSegment[]> {
  const { glossary } = wishes;
  if (glossary === undefined) {
    return translateMarked(route, segments, optionsFor(route, wishes, []));
  }
  if (!route.engine.abilities.usesTerms) return translateBound(route, segments, wishes, glossary);
  const matches = segments.map((segment) => glossary.find(plainText(segment)));
  const terms = distinct(matches.flat());
  const translated = await translateMarked(route, segments, optionsFor(route, wishes, terms));
  const isMissed = translated.map((segment, index) => missesTerm(segment, matches[index] ?? []));
  if (!isMissed.includes(true)) return translated;
  // A model may overlook a term: such segments get theirs in the way that cannot fail.
  const missed = segments.filter((_, index) => isMissed[index]);
  const again = (await translateBound(route, missed, wishes, glossary)).values();
  return translated.map((segment, index) =>
    isMissed[index] === true ? (again.next().value ?? segment) : segment,
  );
}

/** Translates with the terms bound as marks, and puts their targets in afterwards. */
async function translateBound(
  route: EngineRoute,
  segments: readonly TextSegment[],
  wishes: TranslationWishes,
  glossary: TermIndex,
): Promise<TextSegment[]> {
  const bound = await mapWithRests(segments, (segment) => bindTerms(segment, glossary));
  const translated = await translateMarked(
    route,
    bound.map(({ segment }) => segment),
    optionsFor(route, wishes, []),
  );
  return mapWithRests(translated, (segment, index) => {
    const terms = bound[index]?.terms;
    return terms === undefined || terms.size === 0 ? segment : settleTerms(segment, terms);
  });
}

/** Whether a translation lacks the beginning of a target; its end may be inflected. */
function missesTerm(translated: TextSegment, terms: readonly Term[]): boolean {
  if (terms.length === 0) return false;
  const text = plainText(translated).toLowerCase();
  return terms.some(({ target }) => {
    const stemLength = Math.ceil(target.length * 0.7);
    return !text.includes(target.toLowerCase().slice(0, stemLength));
  });
}

async function translateMarked(
  { engine }: EngineRoute,
  segments: readonly TextSegment[],
  options: TranslationOptions,
): Promise<TextSegment[]> {
  const translated = await engine.translate(segments, options);
  if (translated.length !== segments.length) {
    throw new ServiceError(
      'translation_failed',
      `The translator ${engine.name} lost a text. Please try again.`,
    );
  }
  return translated.map((segment, index) => {
    const source = segments[index] ?? [];
    return isPlain(source) && isPlain(segment) ? segment : repairMarks(source, segment);
  });
}

function optionsFor(
  { engine, pair }: EngineRoute,
  {
    signal,
    account,
    context,
    formality,
    instructions = [],
    styleRules = [],
    examples = [],
    sentences,
  }: TranslationWishes,
  terms: readonly Term[],
): TranslationOptions {
  const { abilities } = engine;
  const choosesFormality = formality !== undefined && canChooseFormality({ engine, pair });
  const follows = canFollow({ engine, pair });
  return {
    ...pair,
    signal,
    account,
    ...(context !== undefined && context !== '' && abilities.usesContext && { context }),
    ...(choosesFormality && { formality }),
    ...(terms.length > 0 && { terms }),
    ...(instructions.length > 0 && follows && { instructions }),
    ...(styleRules.length > 0 && follows && { styleRules }),
    ...(examples.length > 0 && abilities.usesExamples && { examples }),
    ...(sentences !== undefined && { sentences }),
  };
}

/** Whether an engine can choose the formality in the language it writes. */
export function canChooseFormality({ engine, pair }: EngineRoute): boolean {
  return engine.abilities.formality.includes(pair.target);
}

/** Whether an engine follows wishes in plain words in the language it writes. */
export function canFollow({ engine, pair }: EngineRoute): boolean {
  const { followsInstructions: follows } = engine.abilities;
  return typeof follows === 'boolean' ? follows : follows.includes(pair.target);
}

/** Each entry once. */
function distinct(matches: readonly Term[]): Term[] {
  const terms = new Map<string, Term>();
  for (const { source, target } of matches) terms.set(`${source}\0${target}`, { source, target });
  return [...terms.values()];
}
