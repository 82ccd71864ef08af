/**
 * The process that hears many speakers with one Moonshine model; see hearing-protocol.ts. One decoding
 * at a time: who waits for what is concluded comes first, then whoever has waited longest for a hypothesis.
 */
import { encodeFrame, FrameReader } from '../../process/index.ts';
import {
  fromHearing,
  NUMBER_BYTES,
  numbered,
  toHearing,
  type HearingOpening,
} from './hearing-protocol.ts';
import { RECOGNITION_RATE_HZ } from '../engine.ts';
import { MoonshineEar, type EarNews } from './moonshine-ear.ts';
import { MoonshineModel, type MoonshineFiles } from './moonshine-model.ts';
import { loadSileroVad, type SileroVad, SpeechTrack } from './speech-track.ts';
import { createTermBias, type TermBias } from './term-bias.ts';

/** The command line of a child, as JSON. */
export interface MoonshineChildOptions {
  files: MoonshineFiles & { vad: string };
  /** Silence after which what was said is concluded, in ms. */
  pauseMs: number;
}

/** Nothing more will come; `isCut` when speech goes on all the same. */
interface End {
  isCut: boolean;
}

interface Line {
  /** Undefined until it has what was said before. */
  ear: MoonshineEar | undefined;
  opening: HearingOpening;
  /** Audio of what was said before. */
  before: Buffer[];
  /** Audio that has come, and the end, in their order. */
  incoming: (Buffer | End)[];
  /** When it was last served, in ms. */
  servedMs: number;
}

/** The share of the time that was spent hearing, over about so long, in ms. */
const LOAD_MEMORY_MS = 2_000;
/** Shares between which the pauses between hypotheses grow to twice their length. */
const RELAXED = 0.6;
const BUSY = 0.9;
/** A second of audio that has come and is not taken in yet. */
const FAR_BEHIND_BYTES = 32_000;
/** Lists of terms that are kept ready. */
const MOST_BIASES = 64;

class Hearing {
  readonly #model: MoonshineModel;
  readonly #vad: SileroVad;
  readonly #pauseMs: number;
  readonly #lines = new Map<number, Line>();
  readonly #biases = new Map<string, TermBias | undefined>();
  #isWorking = false;
  #load = 0;
  #lastMs = performance.now();

  constructor(model: MoonshineModel, vad: SileroVad, pauseMs: number) {
    this.#model = model;
    this.#vad = vad;
    this.#pauseMs = pauseMs;
  }

  onFrame(kind: number, payload: Buffer): void {
    const number = payload.readUInt32LE(0);
    const rest = payload.subarray(NUMBER_BYTES);
    if (kind === toHearing.open) {
      const opening = JSON.parse(rest.toString('utf8')) as HearingOpening;
      const line: Line = { ear: undefined, opening, before: [], incoming: [], servedMs: 0 };
      this.#lines.set(number, line);
      return;
    }
    const line = this.#lines.get(number);
    if (kind === toHearing.drop) this.#lines.delete(number);
    else if (kind === toHearing.audio) line?.incoming.push(Buffer.from(rest));
    else if (kind === toHearing.end) line?.incoming.push({ isCut: rest[0] === 1 });
    if (!this.#isWorking) void this.#work().catch(fail);
  }

  #earFor(line: Line): MoonshineEar {
    const { opening, before } = line;
    const { spokenTerms, before: said } = opening;
    const detector = this.#vad.open();
    return new MoonshineEar({
      model: this.#model,
      track: new SpeechTrack({ detector, pauseMs: this.#pauseMs }),
      bias: this.#biasFor(spokenTerms),
      before: said && { ...said, samples: floats(Buffer.concat(before)) },
      patience: () => this.#patience(),
      // Who is heard alone is never in a hurry.
      isHurried: () => [...this.#lines.values()].some((each) => each !== line && isBehind(each)),
    });
  }

  /** Thousands of terms take a while, and come again with each utterance of a session. */
  #biasFor(spokenTerms: readonly string[]): TermBias | undefined {
    const key = JSON.stringify(spokenTerms);
    const known = this.#biases.has(key);
    const bias = known ? this.#biases.get(key) : createTermBias(spokenTerms, this.#model.pieces);
    // The one that was not used for longest is the first to go.
    this.#biases.delete(key);
    this.#biases.set(key, bias);
    for (const oldest of [...this.#biases.keys()].slice(0, -MOST_BIASES)) {
      this.#biases.delete(oldest);
    }
    return bias;
  }

  /** Hears until there is nothing to hear. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    for (;;) {
      await this.#takeIn();
      const next = this.#next();
      if (next === undefined) {
        // While one line took in what it had, more may have come for another before it.
        if ([...this.#lines.values()].some(({ incoming }) => incoming.length > 0)) continue;
        break;
      }
      const [number, line] = next;
      const startedMs = performance.now();
      line.servedMs = startedMs;
      const news = await line.ear?.work();
      this.#note(startedMs);
      if (news !== undefined && this.#lines.has(number)) this.#tell(number, news);
      // What came in meanwhile is read before the next decoding.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isWorking = false;
  }

  /** Takes in the audio that has come; finding speech in it costs little. */
  async #takeIn(): Promise<void> {
    for (const [number, line] of this.#lines) {
      for (let item = line.incoming.shift(); item !== undefined; item = line.incoming.shift()) {
        await this.#take(line, item);
        if (!Buffer.isBuffer(item)) continue;
        const taken = Buffer.allocUnsafe(4);
        taken.writeUInt32LE(item.byteLength, 0);
        send(fromHearing.heard, numbered(number, taken));
      }
    }
  }

  async #take(line: Line, item: Buffer | End): Promise<void> {
    const { opening, before } = line;
    const missing = (opening.before?.sampleCount ?? 0) * 2 - bytesIn(before);
    const isAudio = Buffer.isBuffer(item);
    if (isAudio && missing > 0) before.push(item.subarray(0, missing));
    if (isAudio && item.byteLength <= missing) return;
    line.ear ??= this.#earFor(line);
    if (!isAudio) line.ear.end(item.isCut);
    else await line.ear.accept(item.subarray(Math.max(missing, 0)));
  }

  #next(): [number, Line] | undefined {
    let best: [number, Line] | undefined;
    let isUrgent = false;
    for (const entry of this.#lines) {
      const { ear, servedMs } = entry[1];
      const wants = ear?.wants ?? 'nothing';
      if (wants === 'nothing' || (isUrgent && wants !== 'conclusion')) continue;
      const isFirstUrgent = wants === 'conclusion' && !isUrgent;
      if (best === undefined || isFirstUrgent || servedMs < best[1].servedMs) best = entry;
      isUrgent ||= wants === 'conclusion';
    }
    return best;
  }

  #tell(number: number, news: EarNews): void {
    if (news.kind === 'partial') tell(fromHearing.partial, number, news.heard);
    else if (news.kind === 'part') tell(fromHearing.part, number, news.part);
    else {
      this.#lines.delete(number);
      tell(fromHearing.final, number, news.heard);
    }
  }

  /** Keeps the share of the time that was spent hearing. */
  #note(startedMs: number): void {
    const nowMs = performance.now();
    const spanMs = nowMs - this.#lastMs;
    const share = Math.min(1, (nowMs - startedMs) / Math.max(spanMs, 1));
    const weight = 1 - Math.exp(-spanMs / LOAD_MEMORY_MS);
    this.#load += (share - this.#load) * weight;
    this.#lastMs = nowMs;
  }

  #patience(): number {
    return 1 + Math.min(Math.max((this.#load - RELAXED) / (BUSY - RELAXED), 0), 1);
  }
}

function isBehind({ incoming }: Line): boolean {
  return bytesIn(incoming.filter((item) => Buffer.isBuffer(item))) >= FAR_BEHIND_BYTES;
}

function bytesIn(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Samples from -1 to 1, of s16le. */
function floats(audio: Buffer): Float32Array {
  const samples = new Float32Array(audio.byteLength >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = audio.readInt16LE(index * 2) / 32_768;
  }
  return samples;
}

function tell(kind: number, number: number, heard: object): void {
  send(kind, numbered(number, Buffer.from(JSON.stringify(heard))));
}

/** Pipes are written at once on POSIX systems, even if decoding then keeps the thread busy. */
function send(kind: number, payload?: Uint8Array): void {
  process.stdout.write(encodeFrame(kind, payload));
}

function fail(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stdout.write(encodeFrame(fromHearing.failed, Buffer.from(reason)), () => process.exit(1));
}

/** Files that load may still be of other models: one decoding tells. Throws what is wrong. */
async function tryOut(model: MoonshineModel, vad: SileroVad): Promise<void> {
  const samples = new Float32Array(RECOGNITION_RATE_HZ).map((_, at) => Math.sin(at * at) / 10);
  const audio = Buffer.from(Int16Array.from(samples, (sample) => sample * 32_767).buffer);
  await new SpeechTrack({ detector: vad.open(), pauseMs: 0 }).append(audio);
  await model.decode({ samples });
}

async function run({ files, pauseMs }: MoonshineChildOptions): Promise<void> {
  const [model, vad] = await Promise.all([MoonshineModel.load(files), loadSileroVad(files.vad)]);
  await tryOut(model, vad);
  const hearing = new Hearing(model, vad, pauseMs);
  const frames = new FrameReader((kind, payload) => hearing.onFrame(kind, payload));
  process.stdin.on('data', (chunk: Buffer) => frames.push(chunk));
  send(fromHearing.ready);
}

// The parent is gone, however it went.
process.stdin.on('end', () => process.exit());
process.stdout.on('error', () => process.exit());

await run(JSON.parse(process.argv[2] ?? '{}') as MoonshineChildOptions).catch(fail);
