/**
 * Moonshine, a small speech model in two parts: the encoder processes a whole window of audio, and the
 * decoder writes its text token by token. Both run in onnxruntime, which leaves control of the decoding to
 * this module: a guess of the coming tokens is checked in one step instead of token by token, agreed tokens
 * are kept, spoken terms are made likelier, and the model's certainty tells noise from speech.
 */
import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { TermBias } from './term-bias.ts';

export interface MoonshineFiles {
  encoder: string;
  decoder: string;
  /** 32,768 lines of `base64(piece) id`. */
  tokens: string;
}

/** A request to transcribe one window. */
interface DecodeRequest {
  /** Samples from -1 to 1, at 16 kHz. */
  samples: Float32Array;
  /** Tokens the text must begin with, whatever the model prefers. */
  kept?: readonly number[];
  /** Guess of the tokens that follow: right ones cost next to nothing, wrong ones change nothing. */
  guess?: readonly number[];
  bias?: TermBias;
}

export interface Decoded {
  tokens: number[];
  /** ln p of each token, kept ones included; 0 is sure. */
  chances: number[];
  /** ln p of the whole text, including its end token. */
  score: number;
}

const BEGIN = 1;
const END = 2;
/** Tokens below this are control tokens, not text. */
const FIRST_TEXT = 3;
/**
 * Limit of tokens per second of audio: speech is never faster, so more tokens mean that the model repeats
 * itself.
 */
const MOST_TOKENS_PER_S = 6.5;
const SPARE_TOKENS = 2;
/** Distance from the maximum, as ln, beyond which a value is left out of a sum of probabilities. */
const NEGLIGIBLE = 12;
/** Shortest input, in samples: the model's first convolutions span this many. */
const SHORTEST_SAMPLES = 1_600;

/** Tensors that a decoding carries from one step to the next, by input name. */
type Cache = Record<string, Tensor>;

export class MoonshineModel {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #pieces: readonly Buffer[];
  /** Names of the cached inputs: for the written tokens, and for the encoded audio. */
  readonly #writtenNames: readonly string[];
  readonly #heardNames: readonly string[];
  readonly #empty: Cache;
  readonly #heads: number;
  readonly #headSize: number;

  private constructor(encoder: InferenceSession, decoder: InferenceSession, pieces: Buffer[]) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#pieces = pieces;
    const cached = decoder.inputMetadata.filter(({ name }) => name.startsWith('past_key_values.'));
    const names = cached.map(({ name }) => name);
    this.#writtenNames = names.filter((name) => name.includes('.decoder.'));
    this.#heardNames = names.filter((name) => name.includes('.encoder.'));
    const [first] = cached;
    const shape = first?.isTensor === true ? first.shape : [];
    this.#heads = Number(shape[1]);
    this.#headSize = Number(shape[3]);
    if (!(this.#heads > 0 && this.#headSize > 0))
      throw new Error('its decoder is of another kind.');
    const nothing = new Tensor('float32', new Float32Array(0), [0, this.#heads, 1, this.#headSize]);
    this.#empty = Object.fromEntries(names.map((name) => [name, nothing]));
  }

  /** Loads the model. Throws Error when a file is missing, damaged or of another kind. */
  static async load(files: MoonshineFiles): Promise<MoonshineModel> {
    const pieces = readPieces(files.tokens);
    const encoder = await InferenceSession.create(files.encoder, sessionOptions);
    const decoder = await InferenceSession.create(files.decoder, {
      ...sessionOptions,
      extra: { session: { disable_quant_qdq: '1' } },
      // Otherwise the quantised token table would be unpacked again for every token.
    });
    return new MoonshineModel(encoder, decoder, pieces);
  }

  /**
   * Transcribes a window of audio. A spoken term that was begun but not completed has misled the decoder: the
   * window is then transcribed again with only the completed terms, or without any.
   */
  async decode({ bias, ...request }: DecodeRequest): Promise<Decoded> {
    const states = await this.#listen(request.samples);
    if (bias === undefined) return (await this.#write(states, request)).decoded;
    const writing = await this.#write(states, { ...request, bias });
    if (writing.hasWholeTerms) return writing.decoded;
    const written = bias.ofWritten(writing.tokens);
    const again = await this.#write(states, { ...request, ...(written && { bias: written }) });
    if (again.hasWholeTerms) return again.decoded;
    return (await this.#write(states, request)).decoded;
  }

  async #write(
    states: Tensor,
    { samples, kept = [], guess = [], bias }: DecodeRequest,
  ): Promise<Writing> {
    const most = Math.ceil((samples.length / 16_000) * MOST_TOKENS_PER_S) + SPARE_TOKENS;
    const writing = new Writing({ kept, bias, most });
    let cache = this.#empty;
    let input: readonly number[] = [BEGIN, ...kept, ...guess];
    /** Number of input tokens that the caller or the model has settled already. */
    let settled = 1 + kept.length;
    for (let step = 0; ; step += 1) {
      const output = await this.#step({ input, states, cache, isFirst: step === 0 });
      const logits = output['logits'];
      if (!(logits?.data instanceof Float32Array)) throw new Error('its decoder answers nothing.');
      if (logits.dims.at(-1) !== this.#pieces.length)
        throw new Error('its tokens are those of another model.');
      const agreed = writing.take(logits.data, input, settled);
      cache = this.#carry(output, cache, { isFirst: step === 0, unused: input.length - agreed });
      if (writing.isOver) return writing;
      input = writing.tokens.slice(-1);
      settled = 1;
    }
  }

  /** Returns the text of tokens, without surrounding blanks. */
  text(tokens: readonly number[]): string {
    const pieces = tokens.map((token) => this.#pieces[token] ?? Buffer.alloc(0));
    return Buffer.concat(pieces).toString('utf8').trim();
  }

  /** Whether a token begins a word. */
  beginsWord(token: number): boolean {
    return this.#pieces[token]?.[0] === 0x20;
  }

  /** The UTF-8 bytes of each token. */
  get pieces(): readonly Buffer[] {
    return this.#pieces;
  }

  async #listen(samples: Float32Array): Promise<Tensor> {
    const audio = samples.length >= SHORTEST_SAMPLES ? samples : lengthened(samples);
    const input = new Tensor('float32', audio, [1, audio.length]);
    const { last_hidden_state: states } = await this.#encoder.run({ input_values: input });
    if (states === undefined) throw new Error('its encoder answers nothing.');
    return states;
  }

  #step({
    input,
    states,
    cache,
    isFirst,
  }: {
    input: readonly number[];
    states: Tensor;
    cache: Cache;
    isFirst: boolean;
  }) {
    const ids = BigInt64Array.from(input, BigInt);
    const feeds = {
      input_ids: new Tensor('int64', ids, [1, ids.length]),
      encoder_hidden_states: states,
      use_cache_branch: new Tensor('bool', [!isFirst], [1]),
      ...cache,
    };
    // All outputs are fetched every time: with fewer, the runtime overwrites some with others.
    const wanted = [...this.#writtenNames, ...this.#heardNames];
    return this.#decoder.run(feeds, ['logits', ...wanted.map(presentName)]);
  }

  /** Returns the cache for the next step, without its last `unused` tokens. */
  #carry(
    output: InferenceSession.ReturnType,
    cache: Cache,
    { isFirst, unused }: { isFirst: boolean; unused: number },
  ): Cache {
    const next: Cache = { ...cache };
    for (const name of this.#writtenNames) {
      const present = output[presentName(name)];
      if (present !== undefined) next[name] = this.#shortened(present, unused);
    }
    if (!isFirst) return next;
    for (const name of this.#heardNames) {
      const present = output[presentName(name)];
      if (present !== undefined) next[name] = present;
    }
    return next;
  }

  #shortened(tensor: Tensor, unused: number): Tensor {
    if (unused === 0 || !(tensor.data instanceof Float32Array)) return tensor;
    const length = tensor.dims[2] ?? 0;
    const left = length - unused;
    const data = new Float32Array(this.#heads * left * this.#headSize);
    for (let head = 0; head < this.#heads; head += 1) {
      const from = head * length * this.#headSize;
      data.set(
        tensor.data.subarray(from, from + left * this.#headSize),
        head * left * this.#headSize,
      );
    }
    return new Tensor('float32', data, [1, this.#heads, left, this.#headSize]);
  }
}

const sessionOptions = {
  // One thread each: throughput for many speakers matters more than the latency of one.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
  enableMemPattern: false,
} as const satisfies InferenceSession.SessionOptions;

/** Repeated tokens after which the model goes on with nothing else: it does so to the limit. */
const LOOP_TOKENS = 16;

/** The text during decoding. */
class Writing {
  readonly tokens: number[];
  readonly #chances: number[] = [];
  /** Positions of the tokens that the bias chose. */
  readonly #swayed: number[] = [];
  readonly #bias: TermBias | undefined;
  readonly #most: number;
  #isOver = false;
  #endChance = 0;

  constructor({
    kept,
    bias,
    most,
  }: {
    kept: readonly number[];
    bias: TermBias | undefined;
    most: number;
  }) {
    this.tokens = [...kept];
    this.#bias = bias;
    this.#most = most;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether every token chosen by the bias belongs to a completed term. */
  get hasWholeTerms(): boolean {
    const bias = this.#bias;
    return this.#swayed.every((place) => bias?.isWithinTerm(this.tokens, place) === true);
  }

  get decoded(): Decoded {
    const score = this.#chances.reduce((sum, chance) => sum + chance, this.#endChance);
    return { tokens: this.tokens, chances: this.#chances, score };
  }

  /**
   * Takes the model's logits for the token after each input token.
   *
   * @param settled number of input tokens that are part of the text whatever the model prefers
   * @returns the number of input tokens that are part of the text
   */
  take(logits: Float32Array, input: readonly number[], settled: number): number {
    const size = logits.length / input.length;
    for (let place = 0; place < input.length; place += 1) {
      const values = logits.subarray(place * size, (place + 1) * size);
      const next = input[place + 1];
      if (place < settled - 1 && next !== undefined) {
        this.#chances.push((values[next] ?? 0) - logOfSum(values, largest(values)));
        continue;
      }
      const chosen = this.#choose(values);
      if (chosen === END) return place + 1;
      if (chosen !== next) return place + 1;
    }
    return input.length;
  }

  /** Appends the next token, or returns END. */
  #choose(values: Float32Array): number {
    const most = largest(values);
    const sum = logOfSum(values, most);
    const own = likeliest(values);
    const best = this.#bias?.prefer(values, this.tokens, own) ?? own;
    const end = values[END] ?? -Infinity;
    // The end token is never accepted first: silence shows in the low probability of what is written.
    const isEnd = this.tokens.length > 0 && end >= (values[best] ?? 0);
    if (isEnd || this.tokens.length >= this.#most || this.#repeated >= LOOP_TOKENS) {
      this.#isOver = true;
      if (!isEnd) this.#cutRepeats();
      this.#endChance = end - sum;
      return END;
    }
    if (best !== own) this.#swayed.push(this.tokens.length);
    this.tokens.push(best);
    this.#chances.push((values[best] ?? 0) - sum);
    return best;
  }

  /** Number of tokens at the end that repeat those before them, of what stands there three times or more. */
  get #repeated(): number {
    const { tokens } = this;
    for (let period = 1; 3 * period <= tokens.length; period += 1) {
      let repeated = 0;
      while (repeated < tokens.length - period) {
        const at = tokens.length - 1 - repeated;
        if (tokens[at] !== tokens[at - period]) break;
        repeated += 1;
      }
      if (repeated >= 2 * period) return repeated;
    }
    return 0;
  }

  /** Cuts what is said three times or more in a row at the end down to the first time. */
  #cutRepeats(): void {
    const kept = this.tokens.length - this.#repeated;
    this.tokens.length = kept;
    this.#chances.length = Math.min(this.#chances.length, kept);
  }
}

function likeliest(values: Float32Array): number {
  let best = FIRST_TEXT;
  let most = -Infinity;
  for (let token = FIRST_TEXT; token < values.length; token += 1) {
    const value = values[token] ?? -Infinity;
    if (value > most) {
      best = token;
      most = value;
    }
  }
  return best;
}

function largest(values: Float32Array): number {
  let most = -Infinity;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? -Infinity;
    if (value > most) most = value;
  }
  return most;
}

/** Returns ln of the sum of e^x, where `most` is the largest x. */
function logOfSum(values: Float32Array, most: number): number {
  let sum = 0;
  const least = most - NEGLIGIBLE;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? -Infinity;
    if (value > least) sum += Math.exp(value - most);
  }
  return most + Math.log(sum);
}

function presentName(pastName: string): string {
  return pastName.replace('past_key_values', 'present');
}

function lengthened(samples: Float32Array): Float32Array {
  const longer = new Float32Array(SHORTEST_SAMPLES);
  longer.set(samples);
  return longer;
}

function readPieces(file: string): Buffer[] {
  const pieces: Buffer[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [piece, id] = line.split(' ');
    if (piece !== undefined && id !== undefined) pieces[Number(id)] = Buffer.from(piece, 'base64');
  }
  if (pieces.length === 0) throw new Error('its list of tokens is empty.');
  return pieces;
}
