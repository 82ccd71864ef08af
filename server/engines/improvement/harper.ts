/** English spelling and grammar with Harper: WebAssembly in a child process that starts on demand. */
import { ServiceError } from '../../../shared/errors.ts';
import type { LanguageTag } from '../../../shared/language.ts';
import type { Logger } from '../../process/log.ts';
import { FairPlaces, type Turn } from '../../process/concurrency.ts';
import {
  createWorkerPool,
  type PoolWorker,
  type WorkerPool,
  startWorkerProcess,
} from '../../process/index.ts';
import type { Span } from '../../text/placeholders.ts';
import {
  applyEdits,
  type Edit,
  quotedSpans,
  touchesAny,
  untouchableSpans,
} from '../../text/wording/edits.ts';
import { inRegister, ruledForms } from '../../text/wording/register.ts';
import {
  safeGrammar,
  isAccepted,
  clearSuggestion,
  inCaseOf,
  spellingWords,
} from '../../text/wording/sure-corrections.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import { englishVariantOf } from '../../text/wording/english-variants.ts';
import { declareEngine } from '../declaration.ts';
import type { ImprovementEngine, ImprovementOptions, WritingForm } from '../engine.ts';
import type { HarperAnswer, HarperRequest, Lint } from './harper-protocol.ts';

interface HarperOptions {
  log: Logger;
  /** Longest wait for a request, in ms; after it, the worker is considered hung on a text. */
  watchdogMs?: number;
  /** Idle time after which a worker is ended to free its memory, some 250 MB, in ms. */
  idleMs?: number;
  startWorker?: () => PoolWorker;
}

const NAME = 'harper';
/** Number of passages per request to the worker: about a second of work on a slow machine. */
const PASSAGES_A_TURN = 8;
/** Maximum number of requests in flight to the single worker; further ones queue. */
const MAX_UNDER_WAY = 2;

/** The Harper engine, which comes with the server as a package. */
export const harper = declareEngine({
  settings: {},
  start: ({ log }) => createHarper({ log }),
});

/** Starts no worker yet. */
export async function createHarper(options: HarperOptions): Promise<ImprovementEngine> {
  return new Harper(options);
}

type Pool = WorkerPool<HarperRequest, HarperAnswer>;

class Harper implements ImprovementEngine {
  readonly name = NAME;
  readonly languages: readonly LanguageTag[] = ['en', 'en-GB', 'en-US'];
  readonly #options: HarperOptions;
  readonly #places = new FairPlaces(MAX_UNDER_WAY);
  /**
   * Texts lost with a worker are retried one at a time, since one of them may crash the next worker as well.
   */
  readonly #secondTries = new FairPlaces(1);
  #pool: Pool | undefined;
  #asked = 0;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #mayStay = () => false;

  constructor(options: HarperOptions) {
    this.#options = options;
  }

  forms(): readonly WritingForm[] {
    return ruledForms;
  }

  async improve(
    texts: readonly string[],
    { language, signal, account, writingStyle, tone }: ImprovementOptions,
  ): Promise<string[]> {
    signal.throwIfAborted();
    if (this.#isClosed) throw unavailable('is shutting down');
    const pool = (this.#pool ??= createPool(this.#options));
    this.#asked += 1;
    clearTimeout(this.#idleTimer);
    const form = ruledForms.find((each) => each === (writingStyle ?? tone));
    const turn: Turn = { account };
    const giveUp = () => {
      this.#places.abandon(turn, signal.reason);
      this.#secondTries.abandon(turn, signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    const inTurn: InTurn = (work) => this.#places.hold(turn, work);
    const alone: InTurn = (work) => this.#secondTries.hold(turn, work);
    try {
      const passages = texts.map((text) => passagesOf(text, language));
      const corrections = new Map<string, string>();
      for (const variant of ['en-GB', 'en-US'] as const) {
        const asked = passages.flatMap((each) => (each.variant === variant ? each.readable : []));
        await correctInto(corrections, asked, { variant, pool, signal, inTurn, alone });
      }
      return passages.map(({ all }) => {
        const corrected = all.map((passage) => corrections.get(passage) ?? passage);
        const mended = safeGrammar(corrected.join(''), 'en');
        return form === undefined ? mended : inRegister(mended, form);
      });
    } finally {
      signal.removeEventListener('abort', giveUp);
      this.#asked -= 1;
      if (this.#asked === 0) this.#endWhenIdle();
    }
  }

  async prepare(mayStay: () => boolean): Promise<void> {
    this.#mayStay = mayStay;
    // A first mistake loads the suggestions for short and long words, so that later texts do not wait for
    // them.
    const { signal } = new AbortController();
    await this.improve(['Thiss is a hous of Zwickelmanns.'], {
      language: 'en',
      task: 'correct',
      signal,
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#pool?.close();
  }

  #endWhenIdle(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#idleTimer);
    const { idleMs = 30 * 60_000 } = this.#options;
    this.#idleTimer = setTimeout(() => {
      if (this.#mayStay()) {
        this.#endWhenIdle();
        return;
      }
      void this.#pool?.close();
      this.#pool = undefined;
    }, idleMs).unref();
  }
}

/**
 * Length of a passage, in UTF-16 units. Harper's time grows with the square of the input, so it gets single
 * sentences, or several short ones together.
 */
const PASSAGE_LENGTH = 400;
/** Longest text that counts as a sentence, in UTF-16 units. */
const MAX_SENTENCE_LENGTH = 1_500;
/** Harper fails at words of thousands of letters. */
const OVERLONG_WORD = /\S{100}/u;

interface Passages {
  variant: 'en-GB' | 'en-US';
  /** All passages; joined they are the text. */
  all: readonly string[];
  /** Passages that Harper is to check. */
  readable: readonly string[];
}

function passagesOf(text: string, language: LanguageTag): Passages {
  const all: string[] = [];
  let start = 0;
  let last = 0;
  for (const end of sentenceEnds(text, { language: 'en', atLineBreaks: true })) {
    if (end - start > PASSAGE_LENGTH && last > start) {
      all.push(text.slice(start, last));
      start = last;
    }
    last = end;
  }
  all.push(text.slice(start));
  const isReadable = (passage: string) =>
    passage.length <= MAX_SENTENCE_LENGTH && /\p{L}/u.test(passage) && !OVERLONG_WORD.test(passage);
  return { all, readable: all.filter(isReadable), variant: variantFor(language, text) };
}

/** Returns the variant to check; for unspecified English, the variant whose spelling the text uses. */
function variantFor(language: LanguageTag, text: string): 'en-GB' | 'en-US' {
  if (language === 'en-GB' || language === 'en-US') return language;
  return englishVariantOf(text) ?? 'en-US';
}

/** Number of passages in a request that may crash a worker; the remaining passages then stay unchanged. */
const MAX_FAILURES = 2;

/** Runs work when it is the call's turn. */
type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

interface Asking {
  variant: 'en-GB' | 'en-US';
  pool: Pool;
  signal: AbortSignal;
  inTurn: InTurn;
  alone: InTurn;
}

/** Adds the corrected passages; a passage at which Harper fails stays unchanged. */
async function correctInto(
  corrections: Map<string, string>,
  passages: readonly string[],
  asking: Asking,
): Promise<void> {
  let open = passages;
  let failures = 0;
  while (open.length > 0 && failures < MAX_FAILURES) {
    const asked = open.slice(0, PASSAGES_A_TURN);
    const { lints, hasFailed } = await asking.inTurn(() => askTwice(asked, asking));
    for (const [index, found] of lints.entries()) {
      const passage = asked[index] ?? '';
      corrections.set(passage, applyEdits(passage, editsOf(passage, found)));
    }
    if (hasFailed) failures += 1;
    // Skips the passages that are done, and the one that failed.
    open = open.slice(lints.length + (hasFailed ? 1 : 0));
  }
}

function createPool({ log, watchdogMs = 10_000, startWorker: start }: HarperOptions): Pool {
  return createWorkerPool<HarperRequest, HarperAnswer>({
    // The second worker replaces one that is about to end.
    log,
    watchdogMs,
    maxWorkers: 2,
    workerName: 'The worker of harper',
    startWorker: start ?? startOwnWorker,
    streamsPerWorker: MAX_UNDER_WAY,
    comfortableStreams: MAX_UNDER_WAY,
    full: () => unavailable('has too much to do'),
    broken: () => new WorkerEnded(),
    // After a failure, the WebAssembly instance is in no state to continue.
    shouldRetireAfter: ({ hasFailed }) => hasFailed,
  });
}

function startOwnWorker(): PoolWorker {
  return startWorkerProcess(import.meta.url, './harper-child', {
    // Uses only WebAssembly's baseline compiler: with the optimising one, the first hundred sentences take
    // longer, later ones are no faster, and memory grows by 150 MB.
    execArgv: ['--liftoff-only'],
    env: { MALLOC_ARENA_MAX: '1' },
  });
}

/**
 * Retries texts after the worker ended or hung, since other texts may be the cause. The second attempt runs
 * apart from other texts that were lost with the worker.
 */
async function askTwice(texts: readonly string[], asking: Asking): Promise<HarperAnswer> {
  try {
    return await ask(texts, asking);
  } catch (error) {
    if (error instanceof WorkerEnded) return asking.alone(() => ask(texts, asking));
    throw error;
  }
}

function ask(texts: readonly string[], { variant, pool, signal }: Asking): Promise<HarperAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const place = pool.open({
      answered(answer) {
        finish();
        resolve(answer);
      },
      failed(error) {
        finish();
        reject(error);
      },
    });
    const giveUp = () => {
      finish();
      reject(signal.reason as Error);
    };
    const finish = () => {
      signal.removeEventListener('abort', giveUp);
      place.free();
    };
    signal.addEventListener('abort', giveUp, { once: true });
    place.ask({ kind: 'lint', streamId: place.streamId, texts, variant }, []);
  });
}

function unavailable(problem: string): ServiceError {
  return new ServiceError('engine_unavailable', unavailability(problem));
}

const unavailability = (problem: string) =>
  `The corrector ${NAME} ${problem}. Try again in a moment.`;

class WorkerEnded extends ServiceError {
  constructor() {
    super('engine_unavailable', unavailability('has stopped working'));
  }
}

// Selects the lints that are certain mistakes, and the correction of each.

/** Categories that are a matter of taste. */
const ignoredKinds = new Set([
  ...['Enhancement', 'Formatting', 'Readability', 'Redundancy', 'Regionalism', 'Style'],
]);

const CLAUSE_BEGINNING =
  /(?:^|[^\p{L}\p{M}\p{N}'’\s]\s*|\n\s*|(?<!\p{L})(?:and|as|because|but|guess|if|know|mean|or|said|say|says|since|so|that|think|though|when|where|while)\s+)$/iu;
/** Matches after `it's` in `It's tail is long`. */
const VERB_AFTER_NOUN = /^\s+\p{L}+\s+(?:is|was|has|had|will|can|does)(?!\p{L})/iu;

/** Returns the edits that correct a text; names, addresses and code stay unchanged. */
function editsOf(text: string, lints: readonly Lint[]): Edit[] {
  const untouchable = untouchableSpans(text);
  const words = new Map(spellingWords(text, 'en', untouchable).map((word) => [word.start, word]));
  const quoted = quotedSpans(text);
  return lints.flatMap((lint) => {
    const { start, end } = lint;
    const [first] = lint.suggestions;
    if (first === undefined || ignoredKinds.has(lint.kind)) return [];
    // Grammar rules treat adjacent code as a word.
    const reach = lint.kind === 'Spelling' ? 0 : 2;
    if (touchesAny(untouchable, { start: start - reach, end: end + reach })) return [];
    if (first.kind === 'insert-after') return [{ start: end, end, text: first.text }];
    const original = text.slice(start, end);
    // Line breaks must not move.
    if (/[\r\n]/.test(original)) return [];
    if (isAccepted(original.toLowerCase(), 'en')) return [];
    const isCutShort = hasLetterLeftOut(text, end, quoted);
    if (lint.kind !== 'Spelling') {
      const isArticle = /^an?$/i.test(original);
      // The pronunciation of an abbreviation, and so its article, is unknown.
      if (isArticle && /^\s+\p{Lu}{2}/u.test(text.slice(end, end + 4))) return [];
      if (isCutShort && isArticle) return [];
      if (/^it['’]s$/i.test(original) && mayBeginClause(text, { start, end })) return [];
      return [{ start, end, text: withInitialOf(original, first.text) }];
    }
    const word = words.get(start);
    if (word?.end !== end) return [];
    const suggestions = lint.suggestions.map((suggestion) => suggestion.text);
    if (suggestions.some((each) => isSpelledAlike(word.lookedUp, each))) return [];
    const choice = clearSuggestion(word.lookedUp, suggestions, 'en', { isRanked: true });
    if (choice === undefined) return [];
    const mended = inCaseOf(original, choice);
    // The apostrophe of a plural possessive.
    if (!isCutShort || /s$/i.test(choice)) return [{ start, end, text: mended }];
    return choice.startsWith(word.lookedUp) ? [{ start, end: end + 1, text: mended }] : [];
  });
}

/**
 * Whether an apostrophe stands for omitted letters at the end of a word (`walkin'`, `an'`) rather than
 * closing a quotation.
 */
function hasLetterLeftOut(text: string, end: number, quoted: readonly Span[]): boolean {
  if (!/^['’](?![\p{L}\p{N}])/u.test(text.slice(end, end + 3))) return false;
  return !quoted.some((span) => span.end === end + 1);
}

/** Whether `it's` may mean `it is`, whatever follows: `It's family first`, but not `wagged it's tail`. */
function mayBeginClause(text: string, { start, end }: Span): boolean {
  return CLAUSE_BEGINNING.test(text.slice(0, start)) && !VERB_AFTER_NOUN.test(text.slice(end));
}

/**
 * Capitalises a replacement like the original; a lower-case original may still need a capital, such as `i`.
 */
function withInitialOf(original: string, replacement: string): string {
  const isCapital = /^\p{Lu}/u.test(original);
  return isCapital ? replacement.charAt(0).toUpperCase() + replacement.slice(1) : replacement;
}

/** Whether a suggestion differs only in regional spelling: `synthesised` and `synthesized`. */
function isSpelledAlike(word: string, suggestion: string): boolean {
  return word !== suggestion.toLowerCase() && unvoiced(word) === unvoiced(suggestion);
}

function unvoiced(word: string): string {
  return word.toLowerCase().replaceAll('z', 's');
}
