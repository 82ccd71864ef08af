/**
 * The child process that hears many speakers with one Moonshine model; see hearing-protocol.ts. It runs one
 * decoding at a time: conclusions first, then the hypothesis of the line that has waited longest.
 */
import { FrameReader } from '../../process/index.ts';
import {
  fail,
  floats,
  fromHearing,
  NUMBER_BYTES,
  numbered,
  send,
  tell,
  toHearing,
  type HearingOpening,
} from './hearing-protocol.ts';
import { RECOGNITION_RATE_HZ } from '../engine.ts';
import { MoonshineEar, type EarNews } from './moonshine-ear.ts';
import { MoonshineModel, type MoonshineFiles } from './moonshine-model.ts';
import { loadSileroVad, type SileroVad, SpeechTrack } from './speech-track.ts';
import { createTermBias, type TermBias } from './term-bias.ts';

/** Argument of the child's command line, as JSON. */
export interface MoonshineChildOptions {
  files: MoonshineFiles & { vad: string };
  /** Silence after which text is concluded, in ms. */
  pauseMs: number;
}

/** End of an utterance; `isCut` when speech continues nevertheless. */
interface End {
  isCut: boolean;
}

interface Line {
  /** Undefined until the preceding context has arrived. */
  ear: MoonshineEar | undefined;
  opening: HearingOpening;
  /** Audio of the preceding context. */
  before: Buffer[];
  /** Audio received and the end of the utterance, in order of arrival. */
  incoming: (Buffer | End)[];
  /** Time of its last decoding, in ms. */
  servedMs: number;
}

/** Time constant of the moving average of the decoding load, in ms. */
const LOAD_MEMORY_MS = 2_000;
/** Loads between which the interval between hypotheses grows to twice its length. */
const RELAXED = 0.6;
const BUSY = 0.9;
/** Unprocessed audio from which a line counts as far behind, in bytes: one second. */
const FAR_BEHIND_BYTES = 32_000;
/** Number of term lists kept ready. */
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
      // A line never hurries because of its own backlog.
      isHurried: () => [...this.#lines.values()].some((each) => each !== line && isBehind(each)),
    });
  }

  /**
   * Caches the bias of a term list: thousands of terms take time to prepare and recur with every utterance.
   */
  #biasFor(spokenTerms: readonly string[]): TermBias | undefined {
    const key = JSON.stringify(spokenTerms);
    const known = this.#biases.has(key);
    const bias = known ? this.#biases.get(key) : createTermBias(spokenTerms, this.#model.pieces);
    // Evicts the least recently used list.
    this.#biases.delete(key);
    this.#biases.set(key, bias);
    for (const oldest of [...this.#biases.keys()].slice(0, -MOST_BIASES)) {
      this.#biases.delete(oldest);
    }
    return bias;
  }

  /** Works until no line has work left. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    for (;;) {
      await this.#takeIn();
      const next = this.#next();
      if (next === undefined) {
        // While one line took in its audio, more may have arrived for an earlier line.
        if ([...this.#lines.values()].some(({ incoming }) => incoming.length > 0)) continue;
        break;
      }
      const [number, line] = next;
      const startedMs = performance.now();
      line.servedMs = startedMs;
      const news = await line.ear?.work();
      this.#note(startedMs);
      if (news !== undefined && this.#lines.has(number)) this.#tell(number, news);
      // Lets input that arrived meanwhile be read before the next decoding.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isWorking = false;
  }

  /** Takes in the received audio; detecting speech in it costs little. */
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

  /** Updates the share of time spent decoding. */
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

/** Decodes a test signal: files that load may still belong to another model. Throws what is wrong. */
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

// The parent has ended, however it ended.
process.stdin.on('end', () => process.exit());
process.stdout.on('error', () => process.exit());

await run(JSON.parse(process.argv[2] ?? '{}') as MoonshineChildOptions).catch(fail);
