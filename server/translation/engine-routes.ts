/**
 * Routing of translations: which engines serve a direction, in which order they are tried, and the
 * fallback when one fails. Routes are looked up in an index, because engines may have thousands of
 * pairs.
 */
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
import { repairInSteps } from '../text/repair.ts';
import { mapWithRests, type Steps, withRests } from '../text/markup/text-layout.ts';

/** An engine and a direction, with the language tags as the engine spells them. */
export interface EngineRoute {
  engine: TranslationEngine;
  pair: LanguagePair;
}

interface EngineRoutes {
  /** Returns the engines that serve a direction, in configured order. */
  find(pair: LanguagePair): readonly EngineRoute[];
  /** Source languages of the offered directions, sorted. */
  sources(): LanguageTag[];
  /** Target languages of the offered directions, from one source or from any. */
  targets(source?: LanguageTag): LanguageTag[];
}

interface Index {
  /** The engines' `pairs` at the time the index was built. */
  pairs: readonly (readonly LanguagePair[])[];
  /** The directions of each engine, as `source target`. */
  served: readonly ReadonlySet<string>[];
  /** Routes of the directions that were asked for, as `source target`. */
  found: Map<string, readonly EngineRoute[]>;
  targets: ReadonlyMap<LanguageTag, ReadonlySet<LanguageTag>>;
}

/** @param isOffered whether a direction of an engine is listed; unlisted directions are still found */
export function createEngineRoutes({
  engines,
  isOffered,
}: {
  engines: readonly TranslationEngine[];
  isOffered: (route: EngineRoute) => boolean;
}): EngineRoutes {
  let index = createIndex(engines, isOffered);
  /** Rebuilds the index when the languages of a remote engine change at run time. */
  const current = () => {
    if (engines.some((engine, i) => engine.pairs !== index.pairs[i]))
      index = createIndex(engines, isOffered);
    return index;
  };
  return {
    find(pair) {
      const { served, found } = current();
      const direction = `${pair.source} ${pair.target}`;
      const known = found.get(direction);
      if (known !== undefined) return known;
      const spelled = [...spellings(pair)];
      const routes = engines.flatMap((engine, i) => {
        const own = spelled.find(({ source, target }) => served[i]?.has(`${source} ${target}`));
        return own === undefined ? [] : [{ engine, pair: own }];
      });
      if (routes.length > 0) found.set(direction, routes);
      return routes;
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
  return { pairs, served, found: new Map(), targets };
}

/** Yields a pair as requested, then with base languages: an engine for `pt` serves `pt-PT`. */
function* spellings({ source, target }: LanguagePair): Generator<LanguagePair> {
  for (const to of withBase(target))
    for (const from of withBase(source)) yield { source: from, target: to };
}

/** `zh-Hant` has no base here: it is another script, and engines for `zh` write simplified Chinese. */
function withBase(tag: LanguageTag): LanguageTag[] {
  const base = baseLanguage(tag);
  return tag === 'zh-Hant' || tag === base ? [tag] : [tag, base];
}

// Engine preference, from a setting such as `en/de: chat; *: apertium, chat`: lists the engines of
// each direction, preferred first. A direction that matches a rule is served only by the engines of
// that rule.

/** A rule of the setting; undefined stands for any language. */
export interface PreferenceRule {
  source: LanguageTag | undefined;
  target: LanguageTag | undefined;
  engines: readonly string[];
}

/**
 * Parses the setting.
 *
 * @param engines known engine names
 * @returns the rules, and for each invalid rule a message for people
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
 * Returns the engine names for a direction, preferred first; undefined where no rule matches. The
 * most specific rule applies, the first one among equals.
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

/** Scores a match: exact language, then base language, then any language; 0 for no match. */
function fit(wanted: LanguageTag | undefined, tag: LanguageTag): number {
  if (wanted === undefined) return 1;
  if (wanted === tag) return 4;
  return wanted === baseLanguage(tag) ? 3 : 0;
}

export interface EngineFallback {
  /**
   * Translates with the first route that succeeds.
   *
   * @throws ServiceError engine_unavailable when no engine can be reached; the error of the first
   *   engine when all have failed; an error caused by the request itself; the signal's reason when
   *   aborted
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
  /**
   * Yields the routes whose breaker permits an attempt, in order, then those whose breaker opened
   * because of refused texts.
   */
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
      yield { route, pass: breakers.enterDespiteRefusals(breakerName(route)) };
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

/** Whether the request itself is at fault, so that another engine would refuse it, too. */
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

// Translation of segments by one engine: adapts the options to the engine's abilities and repairs marks.

/** Options of a translation; each engine applies those that it supports. */
export interface TranslationWishes {
  signal: AbortSignal;
  /** The account the texts belong to. */
  account?: string | undefined;
  /** Text around the segments. */
  context?: string | undefined;
  formality?: 'more' | 'less' | undefined;
  glossary?: TermIndex | undefined;
  /** Instructions in natural language; only engines that follow them are used. */
  instructions?: readonly string[];
  /** Style rules in natural language, for engines that follow instructions. */
  styleRules?: readonly string[];
  /** Similar earlier translations; engines that use examples are preferred, others ignore them. */
  examples?: readonly TranslationExample[];
  /** `whole` treats a segment as one sentence. */
  sentences?: 'split' | 'whole';
}

/**
 * Translates segments with one engine. Every translated segment has the marks of its source.
 *
 * @throws ServiceError translation_failed, also for an answer with too few segments; the error of
 *   the engine; the signal's reason
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
  // A model may miss a term. Such segments are translated again with the terms bound as marks,
  // which cannot fail.
  const missed = segments.filter((_, index) => isMissed[index]);
  const again = (await translateBound(route, missed, wishes, glossary)).values();
  return translated.map((segment, index) =>
    isMissed[index] === true ? (again.next().value ?? segment) : segment,
  );
}

/** Translates with terms replaced by marks, and inserts their targets afterwards. */
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
    return terms === undefined || terms.size === 0
      ? segment
      : settleTerms(segment, terms, route.pair.target);
  });
}

/** Whether a translation lacks the stem of a required term; its ending may be inflected. */
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
  const parts = translated.reduce((sum, segment) => sum + segment.length, 0);
  return withRests(repaired(segments, translated), parts);
}

function* repaired(
  sources: readonly TextSegment[],
  translated: readonly TextSegment[],
): Steps<TextSegment[]> {
  const segments: TextSegment[] = [];
  for (const [index, segment] of translated.entries()) {
    const source = sources[index] ?? [];
    if (isPlain(source) && isPlain(segment)) segments.push(segment);
    else segments.push(yield* repairInSteps(source, segment));
  }
  return segments;
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

/** Whether an engine can choose the formality in the target language. */
export function canChooseFormality({ engine, pair }: EngineRoute): boolean {
  return engine.abilities.formality.includes(pair.target);
}

/** Whether an engine follows natural-language instructions in the target language. */
export function canFollow({ engine, pair }: EngineRoute): boolean {
  const { followsInstructions: follows } = engine.abilities;
  return typeof follows === 'boolean' ? follows : follows.includes(pair.target);
}

/** Removes duplicates. */
function distinct(matches: readonly Term[]): Term[] {
  const terms = new Map<string, Term>();
  for (const { source, target } of matches) terms.set(`${source}\0${target}`, { source, target });
  return [...terms.values()];
}
