/** One segment of speech to AAC frames, by a process of ffmpeg. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ServiceError } from '../../../../shared/errors.ts';
import { wavHeader } from '../../../../shared/wav.ts';
import type { Containment } from '../../../process/index.ts';
import type { FfmpegProgram } from '../ffmpeg-program.ts';
import { AdtsReader } from './adts-reader.ts';
import type { Packet } from './packet.ts';

export const AAC_RATE_HZ = 24_000;
/** Samples in a frame of AAC-LC. */
const FRAME_SAMPLES = 1024;
const BIT_RATE = '70k';
/** A process that owes an answer is given up after this: it encodes speech 50 times as fast as it is spoken. */
const PATIENCE_MS = 15_000;

const processArguments: readonly string[] = [
  ...['-hide_banner', '-loglevel', 'quiet', '-nostdin'],
  // The header says everything: nothing is to be found out from the sound.
  ...['-f', 'wav', '-probesize', '64', '-analyzeduration', '0', '-i', 'pipe:0'],
  ...['-threads', '1', '-ac', '1', '-ar', `${AAC_RATE_HZ}`, '-c:a', 'aac', '-b:a', BIT_RATE],
  ...['-flush_packets', '1', '-f', 'adts', 'pipe:1'],
];

/** Started before its segment comes, so that no segment waits for a process. */
export class AacProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #containment: Containment;
  readonly #closed: Promise<void>;
  readonly #reader = new AdtsReader();
  #frames: Packet[] = [];
  #isBegun = false;
  #failure: { reason: unknown } | undefined;
  #giveUp: (reason: unknown) => void = () => undefined;

  constructor({ path, containment }: FfmpegProgram) {
    const [program, ...args] = containment.wrap([path, ...processArguments]);
    // Nothing is inherited: our environment has keys in it.
    const options = { env: {}, detached: true } as const;
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child = child;
    this.#containment = containment;
    child.on('error', () => this.#break());
    // Only the exit code tells whether all has been taken.
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#closed = new Promise((resolve) => {
      child.on('close', (exitCode) => {
        if (exitCode !== 0 || !this.#reader.isAtEnd) this.#break();
        resolve();
      });
    });
  }

  /**
   * Takes samples at a rate that stays the same; resolves when there is room for more.
   *
   * @throws ServiceError synthesis_failed; what it was killed with
   */
  async write(samples: Int16Array, sampleRateHz: number): Promise<void> {
    const { stdin } = this.#child;
    if (!this.#isBegun) stdin.write(wavHeader({ sampleRateHz, dataBytes: Infinity }));
    this.#isBegun = true;
    // A copy: the engine may use its memory again before the pipe has taken it.
    const { buffer, byteOffset, byteLength } = samples;
    const hasRoom = stdin.write(Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength)));
    const room = hasRoom ? undefined : new Promise((resolve) => stdin.once('drain', resolve));
    await this.#patiently(room);
  }

  /** No more follows; resolves when all frames are there. Throws like {@link write}. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#patiently(this.#closed);
  }

  /** The frames since the last call; the first of all is silent, as decoders need one to begin with. */
  take(): Packet[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  /** Ends it at once; what is under way fails with the reason. */
  kill(reason: unknown): void {
    this.#failure ??= { reason };
    this.#containment.kill(this.#child);
    this.#giveUp(this.#failure.reason);
  }

  #break(): void {
    this.kill(
      new ServiceError(
        'synthesis_failed',
        'The speech could not be encoded: ffmpeg has failed. Please start a new session.',
      ),
    );
  }

  #read(chunk: Buffer): void {
    try {
      for (const data of this.#reader.push(chunk)) {
        this.#frames.push({ data, samples: FRAME_SAMPLES });
      }
    } catch {
      this.#break();
    }
  }

  /** Waits, unless the process has failed, fails meanwhile or takes too long. */
  async #patiently(event: Promise<unknown> | undefined): Promise<void> {
    if (this.#failure === undefined && event !== undefined) {
      const timer = setTimeout(() => this.#break(), PATIENCE_MS);
      await new Promise<unknown>((resolve, reject) => {
        this.#giveUp = reject;
        event.then(resolve, reject);
      }).finally(() => clearTimeout(timer));
    }
    if (this.#failure !== undefined) throw this.#failure.reason;
  }
}
