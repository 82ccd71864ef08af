/**
 * Translation with the small neural networks of Firefox, in child processes: one per model in use. Every
 * model translates from or into English; other pairs use two models.
 */
import Type from 'typebox';
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage } from '../../../shared/language.ts';
import type { LocalModel } from '../../models/local-model.ts';
import type { Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import { declareEngine, MAX_SECONDS, PLAIN_ABILITIES, refusePair } from '../declaration.ts';
import type {
  LanguagePair,
  TranslationEngine,
  TranslationOptions,
  Unavailable,
} from '../engine.ts';
import { needsNumbers, numberWords } from './aligned-words.ts';
import { hasSimd } from './bergamot.ts';
import { inspectMarianFiles, type MarianFiles } from './marian-files.ts';
import { putMarksBack, restoreWordBlanks } from './marked-spans.ts';
import { innerRange, takeMarksApart, type Token } from './marked-text.ts';
import { installAgain, NeuralModel, type NeuralModelSettings } from './neural-model.ts';
import { feedPieces } from './segment-pieces.ts';

export interface NeuralOptions extends Partial<NeuralModelSettings> {
  log: Logger;
  /** Installed models; only those of kind `translation` are used. */
  models: readonly LocalModel[];
  /** Maximum number of loaded models; exceeded only while all of them have work. */
  maxLoaded?: number;
}

const NAME = 'neural';
/**
 * Skips the baseline compiler, and compiles functions only when they are called: 25 MB less, and the first
 * sentences take half the time.
 */
const COMPILER_FLAGS = ['--no-liftoff', '--wasm-lazy-compilation'] as const;
const PIVOT = 'en';
/**
 * Length above which a sentence is cut between words, in UTF-16 units: the networks were trained on sentences
 * of up to some hundred word pieces. A Chinese or Japanese character is about one piece.
 */
const MAX_SENTENCE_LENGTH = 400;
const MAX_UNSPACED_LENGTH = 150;
const unspaced = new Set(['zh', 'ja', 'th', 'lo', 'km', 'my']);

/** The neural engine: installed translation models. */
export const neural = declareEngine({
  settings: {
    NEURAL_LOADED_MODELS: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 1_000,
      description:
        'Neural translation models kept in memory, about 220 MB each. ' +
        'More are loaded only while all of them are busy.',
    }),
    NEURAL_IDLE_SECONDS: Type.Number({
      default: 900,
      minimum: 1,
      maximum: MAX_SECONDS,
      description: 'Idle time after which a neural translation model is unloaded, in seconds.',
    }),
  },
  start: async ({ log, models, settings }) =>
    createNeural({
      log,
      models: await models,
      maxLoaded: settings.NEURAL_LOADED_MODELS,
      idleMs: settings.NEURAL_IDLE_SECONDS * 1000,
    }),
});

/** Loads no model yet: models are loaded with the first text or with `prepare`. */
export async function createNeural({
  log,
  models,
  maxLoaded = 4,
  idleMs = 15 * 60_000,
  compilerFlags = COMPILER_FLAGS,
  startTimeoutMs = 60_000,
  answerTimeoutMs = 60_000,
  maxWaitingLength = 2_000_000,
}: NeuralOptions): Promise<(TranslationEngine | Unavailable)[]> {
  const installed = models.filter(({ kind }) => kind === 'translation');
  if (installed.length === 0) return [];
  if (!hasSimd()) {
    const reason =
      'Neural translation needs a processor with vector instructions (SSE4.1 or NEON), which this one has not, or not for Node. Other translators serve without it; LIBRETRANSLATE_URL connects one on another machine.';
    return [{ name: NAME, reason }];
  }
  const unusable: Unavailable[] = [];
  const loaded = new Map<string, NeuralModel>();
  const settings = {
    log,
    idleMs,
    compilerFlags,
    startTimeoutMs,
    answerTimeoutMs,
    maxWaitingLength,
  };
  const onChange = () => makeRoom([...loaded.values()], maxLoaded);
  for (const model of installed) {
    const found = await openModel(model, { ...settings, onChange });
    if ('reason' in found) unusable.push(found);
    else if (!loaded.has(keyOf(found.pair))) loaded.set(keyOf(found.pair), found.model);
  }
  if (loaded.size === 0) return unusable;
  return [new Neural(planRoutes(loaded)), ...unusable];
}

/** Unloads idle models above the limit, the longest idle first. */
function makeRoom(models: readonly NeuralModel[], maxLoaded: number): void {
  const inMemory = models.filter(({ isLoaded }) => isLoaded);
  const idle = inMemory.filter(({ idleSinceMs }) => idleSinceMs < Infinity);
  idle.sort((one, other) => one.idleSinceMs - other.idleSinceMs);
  for (const model of idle.slice(0, Math.max(0, inMemory.length - maxLoaded))) model.unload();
}

type ModelSettings = NeuralModelSettings & { log: Logger; onChange: () => void };

async function openModel(
  { name, languages, files: paths }: LocalModel,
  settings: ModelSettings,
): Promise<{ pair: LanguagePair; model: NeuralModel } | Unavailable> {
  const [source, target, ...more] = languages;
  try {
    if (source === undefined || target === undefined || source === target || more.length > 0) {
      throw new Error('its languages must be two, the source first.');
    }
    const { model, ...others } = paths;
    if (model === undefined) throw new Error('it has no network.');
    const files: MarianFiles = { model, ...others };
    const { hasAlphas } = await inspectMarianFiles(files);
    const opening = { files, hasAlphas };
    return { pair: { source, target }, model: new NeuralModel({ name, opening, ...settings }) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { name, reason: `The model ${name} cannot be used: ${problem} ${installAgain(name)}` };
  }
}

/** The one or two models from a source language to a target language. */
interface Route extends LanguagePair {
  steps: readonly NeuralModel[];
}

function planRoutes(models: ReadonlyMap<string, NeuralModel>): Route[] {
  const pairs = [...models.keys()].map(pairOf);
  const sources = new Set(pairs.map(({ source }) => source));
  const targets = new Set(pairs.map(({ target }) => target));
  const routes: Route[] = [];
  for (const source of sources) {
    for (const target of targets) {
      if (source === target) continue;
      const through = [
        { source, target: PIVOT },
        { source: PIVOT, target },
      ];
      const direct = models.get(keyOf({ source, target }));
      const steps =
        direct === undefined ? through.map((pair) => models.get(keyOf(pair))) : [direct];
      if (steps.every((step) => step !== undefined)) routes.push({ source, target, steps });
    }
  }
  return routes;
}

function keyOf({ source, target }: LanguagePair): string {
  return `${source} ${target}`;
}

function pairOf(key: string): LanguagePair {
  const [source = '', target = ''] = key.split(' ');
  return { source, target };
}

class Neural implements TranslationEngine {
  readonly name = NAME;
  readonly pairs: readonly LanguagePair[];
  readonly abilities = PLAIN_ABILITIES;
  readonly #routes: ReadonlyMap<string, Route>;

  constructor(routes: readonly Route[]) {
    this.pairs = routes.map(({ source, target }) => ({ source, target }));
    this.#routes = new Map(routes.map((route) => [keyOf(route), route]));
  }

  async translate(
    segments: readonly TextSegment[],
    options: TranslationOptions,
  ): Promise<TextSegment[]> {
    const { signal, source, sentences = 'split' } = options;
    signal.throwIfAborted();
    const route = this.#routes.get(keyOf(options));
    if (route === undefined) throw refusePair(NAME, options);
    const turn: Turn = { account: options.account };
    return feedPieces({
      segments,
      language: source,
      signal,
      abandon: (reason) => {
        for (const model of route.steps) model.abandon(turn, reason);
      },
      maxLength: unspaced.has(baseLanguage(source)) ? MAX_UNSPACED_LENGTH : MAX_SENTENCE_LENGTH,
      sentences: sentences === 'whole' ? 'packed' : 'single',
      translatePiece: (content, ofCall) =>
        translatePiece(typeof content === 'string' ? [content] : content, {
          models: route.steps,
          signal: ofCall,
          turn,
        }),
    });
  }

  prepare(pair: LanguagePair): void {
    for (const model of this.#routes.get(keyOf(pair))?.steps ?? []) model.prepare();
  }

  async close(): Promise<void> {
    const models = new Set([...this.#routes.values()].flatMap(({ steps }) => steps));
    await Promise.all([...models].map((model) => model.close()));
  }
}

/**
 * Translates a piece: blanks and marks at its ends stay there; everything between goes through the models.
 */
async function translatePiece(
  piece: TextSegment,
  { models, signal, turn }: { models: readonly NeuralModel[]; signal: AbortSignal; turn: Turn },
): Promise<TextSegment> {
  const text = takeMarksApart(piece);
  const { start, end } = innerRange(text);
  let inner: readonly Token[] = text.tokens.slice(start, end);
  for (const model of models) {
    // Between two models the call is in no queue, so `abandon` would not reach it.
    signal.throwIfAborted();
    inner = await translateTokens(inner, model, turn);
  }
  const around = [text.tokens.slice(0, start), text.tokens.slice(end)] as const;
  return putMarksBack([...around[0], ...restoreWordBlanks(inner, text), ...around[1]], text);
}

async function translateTokens(
  tokens: readonly Token[],
  model: NeuralModel,
  turn: Turn,
): Promise<readonly Token[]> {
  if (!needsNumbers(tokens)) {
    const text = tokens.map((token) => (token.kind === 'atom' ? '' : token.text)).join('');
    const translated = await model.translate({ text, isHtml: false }, turn);
    return [{ kind: 'word', text: unlessEmpty(translated.trim()), elements: [] }];
  }
  const numbered = numberWords(tokens);
  const answer = await model.translate({ text: numbered.html, isHtml: true }, turn);
  const translated = numbered.read(answer);
  unlessEmpty(translated.map((token) => (token.kind === 'word' ? token.text : '')).join(''));
  return translated;
}

/** Rejects an empty translation, since a text must not vanish and another engine may translate it. */
function unlessEmpty(text: string): string {
  if (text !== '') return text;
  throw new ServiceError(
    'translation_failed',
    'The translator has no words for one of the sentences. Rephrase it and try again.',
  );
}
