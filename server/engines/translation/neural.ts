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
import { hasSimd } from './bergamot.ts';
import { inspectMarianFiles, type MarianFiles } from './marian-files.ts';
import { putMarksBack, restoreWordBlanks } from './marked-spans.ts';
import {
  entities,
  innerRange,
  takeMarksApart,
  type Token,
  UNSPACED,
  WORD_OR_SYMBOL,
  type WordToken,
} from './marked-text.ts';
import { installAgain, NeuralModel, type NeuralModelSettings } from './neural-model.ts';
import { type FedCall, feedPieces } from './segment-pieces.ts';

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
      translatePiece: (content, call) =>
        translatePiece(typeof content === 'string' ? [content] : content, {
          models: route.steps,
          call,
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
  { models, call, turn }: { models: readonly NeuralModel[]; call: FedCall; turn: Turn },
): Promise<TextSegment> {
  const text = takeMarksApart(piece);
  const { start, end } = innerRange(text);
  let inner: readonly Token[] = text.tokens.slice(start, end);
  for (const model of models) {
    // Between two models the call is in no queue, so `abandon` would not reach it.
    call.throwIfAborted();
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

/**
 * Marked text of which every word is in a tag with its number, `<b i="3">house</b>`: the tags of the answer tell which
 * source words each translated word comes from. Words that touch without a blank share a number, because a tag between
 * them would separate them.
 */
interface NumberedText {
  html: string;
  /** Reads the tokens of the translation: words with the elements of the source words they come from. */
  read(translated: string): Token[];
}

/** Words without blanks between them, and the gap before the next cluster. */
interface Cluster {
  words: WordToken[];
  /** Blanks and atoms after it. */
  gap: Token[];
}

/** A contiguous part of the translation, and the number of the cluster it comes from. */
interface Part {
  text: string;
  from: number | undefined;
}

const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Numbers the words. @param tokens must begin and end with a word */
function numberWords(tokens: readonly Token[]): NumberedText {
  const clusters = clustersOf(tokens);
  const html = clusters
    .map(({ words, gap }, number) => {
      const text = words.map((word) => escapeText(word.text)).join('');
      return `<b i="${number}">${text}</b>${gap.some(isBlank) ? ' ' : ''}`;
    })
    .join('')
    .trimEnd();
  return { html, read: (translated) => tokensOf(partsOf(translated), clusters) };
}

/** Whether a text needs numbered words: it has marks, or line breaks that must stay. */
function needsNumbers(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) =>
      token.kind === 'atom' ||
      (token.kind === 'word' ? token.elements.length > 0 : LINE_BREAK.test(token.text)),
  );
}

function isBlank({ kind }: Token): boolean {
  return kind === 'blank';
}

function clustersOf(tokens: readonly Token[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const token of tokens) {
    const last = clusters.at(-1);
    if (token.kind !== 'word') last?.gap.push(token);
    else if (last === undefined || last.gap.length > 0 || canDivide(last, token)) {
      clusters.push({ words: [token], gap: [] });
    } else last.words.push(token);
  }
  return clusters;
}

/** In scripts without blanks, a tag does no more harm than a blank would. */
function canDivide({ words }: Cluster, next: WordToken): boolean {
  const before = words.at(-1)?.text.slice(-2) ?? '';
  return UNSPACED.test(before) && UNSPACED.test(next.text.slice(0, 2));
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const TAG_OR_TEXT = /<(?:b i="(?<number>\d+)"|(?<end>\/b)|[^>]*)>|(?<text>[^<]+)/g;
const BLANK_OR_TEXT = /\s+|\S+/gu;

/** Returns the parts of an answer with their numbers; each blank is a separate part. */
function partsOf(html: string): Part[] {
  const parts: Part[] = [];
  const open: number[] = [];
  for (const { groups = {} } of html.matchAll(TAG_OR_TEXT)) {
    const { number, end, text } = groups;
    if (number !== undefined) open.push(Number(number));
    else if (end !== undefined) open.pop();
    if (text === undefined) continue;
    const plain = text.replace(/&(\w{2,4});/g, (whole, name: string) => entities[name] ?? whole);
    for (const [piece] of plain.matchAll(BLANK_OR_TEXT)) {
      const from = piece.trim() === '' ? undefined : open.at(-1);
      parts.push({ text: from === undefined && piece.trim() === '' ? ' ' : piece, from });
    }
  }
  return parts;
}

function tokensOf(parts: readonly Part[], clusters: readonly Cluster[]): Token[] {
  const gaps = placeGaps(parts, clusters);
  const tokens: Token[] = [];
  for (const [index, { text, from }] of parts.entries()) {
    for (const gap of gaps.before.get(index) ?? []) addGap(tokens, gap);
    if (text === ' ') addBlank(tokens);
    else tokens.push(...wordsOf(text, from === undefined ? undefined : clusters[from]));
    for (const gap of gaps.after.get(index) ?? []) addGap(tokens, gap);
  }
  while (tokens[0]?.kind === 'blank' && !tokens[0].fixed) tokens.shift();
  for (let last = tokens.at(-1); last?.kind === 'blank' && !last.fixed; last = tokens.at(-1)) {
    tokens.pop();
  }
  return tokens;
}

function addBlank(tokens: Token[]): void {
  const last = tokens.at(-1);
  if (last !== undefined && last.kind !== 'blank') {
    tokens.push({ kind: 'blank', text: ' ', fixed: false });
  }
}

/** Inserts the gap between two words in place of the blank there. */
function addGap(tokens: Token[], gap: readonly Token[]): void {
  const last = tokens.at(-1);
  if (gap[0]?.kind === 'blank' && last?.kind === 'blank' && !last.fixed) tokens.pop();
  tokens.push(...gap.map((token) => (token.kind === 'blank' ? { ...token, fixed: true } : token)));
}

/** Whether a token is a blank without a line break, which the translation sets by itself. */
function isSpace(token: Token | undefined): boolean {
  return token?.kind === 'blank' && !LINE_BREAK.test(token.text);
}

/**
 * Assigns places to gaps that are more than a blank. Content adjacent to the preceding word stays with that
 * word; otherwise it comes before the next word. If neither word was translated, the gap is placed in
 * proportion.
 */
function placeGaps(parts: readonly Part[], clusters: readonly Cluster[]) {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const [index, { from }] of parts.entries()) {
    if (from === undefined) continue;
    if (!first.has(from)) first.set(from, index);
    last.set(from, index);
  }
  const before = new Map<number, Token[][]>();
  const after = new Map<number, Token[][]>();
  const put = (places: Map<number, Token[][]>, index: number, gap: Token[]) => {
    const others = places.get(index);
    if (others === undefined) places.set(index, [gap]);
    else others.push(gap);
  };
  for (const [number, { gap }] of clusters.entries()) {
    if (gap.every(isSpace)) continue;
    const isClinging = gap[0]?.kind === 'atom' && gap.at(-1)?.kind === 'blank';
    const [own, next] = [last.get(number), first.get(number + 1)];
    if (next !== undefined && !(isClinging && own !== undefined)) {
      put(before, next, isSpace(gap[0]) ? gap.slice(1) : gap);
      continue;
    }
    const share = Math.round(((number + 1) / clusters.length) * (parts.length - 1));
    put(after, own ?? Math.max(share, 0), isSpace(gap.at(-1)) ? gap.slice(0, -1) : gap);
  }
  return { before, after };
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Returns the words and signs of a part. Words take over the elements of the source words in order; signs are
 * assigned to elements by the elements' edges.
 */
function wordsOf(text: string, cluster: Cluster | undefined): WordToken[] {
  const sources = (cluster?.words ?? []).flatMap((word) =>
    [...word.text.matchAll(WORD)].map(() => word.elements),
  );
  const words = text.match(WORD)?.length ?? 0;
  if (sources.every((elements) => elements.length === 0)) {
    return [...text.matchAll(WORD_OR_SYMBOL)].map(([part]) => wordToken(part, []));
  }
  const tokens: WordToken[] = [];
  let count = 0;
  for (const [part] of text.matchAll(WORD_OR_SYMBOL)) {
    const isWord = /[\p{L}\p{N}]/u.test(part);
    const place = Math.min(sources.length - 1, Math.floor((count * sources.length) / words));
    tokens.push(wordToken(part, isWord ? (sources[place] ?? []) : []));
    if (isWord) count += 1;
  }
  return tokens;
}

function wordToken(text: string, elements: readonly number[]): WordToken {
  return { kind: 'word', text, elements };
}
