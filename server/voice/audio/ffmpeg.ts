/**
 * FFmpeg, which decodes what we do not: one process a stream, fed with bare frames that our own
 * readers have taken out of their container, so that no container a client made reaches it.
 *
 * Started by ourselves and not by prism-media, which runs the first `ffmpeg` it finds, in our own process
 * group and with our whole environment, keys included, and has no place for what contains a process: so
 * it could be neither configured, nor confined, nor ended with all that it has started.
 */
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { isAbsolute } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { ServiceError } from '../../../shared/errors.ts';
import {
  CONTAINED_PROCESSES,
  findContainment,
  type Containment,
  LimitWatch,
} from '../../process/index.ts';
import { ffmpegMissing, type Coding } from './codecs/decodable-formats.ts';
import { createSampleAligner } from './media.ts';

/** FFmpeg as this machine has it. */
export interface FfmpegProgram {
  path: string;
  /** How it is started. */
  containment: Containment;
  /** Whether it has every decoder we need; some builds leave them out. */
  decodesAll: boolean;
}

const DECODERS = ['mp3', 'aac', 'vorbis'];

/** Address space of a process: several times what it takes, so that damage cannot take the machine's. */
const MAX_MEMORY_KIB = 1024 * 1024;
const CHECK_LIMIT_MS = 10_000;
/**
 * Frames with sound that it may take in without giving any. It waits for the next KiB of MP3; a client
 * is held back when seconds of audio wait, and has sent no more than this by then at 8 kbit/s.
 */
const MAX_OWED_BYTES = 4 * 1024;
/** What it keeps to itself until more comes: that KiB, and the last frames, which decoders give late. */
const KEPT = { ms: 150, bytes: 1536 };
/** When it gives nothing for so long, in ms, that is all that is left. */
const QUIET_MS = 300;
/**
 * How long it is waited for all the same, in ms: it may only just have been started, or have no processor for a
 * while, and what it owes may never come, as encoders set frames before the sound that decoders leave out.
 */
const PATIENCE_MS = { starting: 5_000, startingWithLittle: 1_000, behind: 1_000 };
/** Nothing that is said is as short, in ms. */
const NEGLIGIBLE_MS = 20;

const BYTES_PER_SAMPLE = 2;

/**
 * Exit codes for a program that could not be run, as it was removed since the start (126, 127), or was
 * ended by a signal (from 129 on).
 */
const RUN_FAILURES = { first: 126, last: 128 + 32 };

const run = promisify(execFile);

/**
 * Looks for FFmpeg; undefined when it is missing or does not run.
 *
 * @param command name or path; a name is looked for where the system looks for programs
 */
export async function findFfmpegProgram(command: string): Promise<FfmpegProgram | undefined> {
  try {
    const options = { timeout: CHECK_LIMIT_MS };
    const { stdout: found } = await run('/bin/sh', ['-c', 'command -v "$0"', command], options);
    const path = found.trim();
    // A shell has commands of its own.
    if (!isAbsolute(path)) return undefined;
    // It takes a tenth of a second to start: once tells both whether it does and what it decodes.
    const [containment, decoders] = await tryContained(path);
    const decodesAll = DECODERS.every((name) => decoders.includes(` ${name} `));
    return { path, containment, decodesAll };
  } catch {
    return undefined;
  }
}

/** @throws when it does not run */
async function tryContained(path: string): Promise<[Containment, decoders: string]> {
  const question = ['-hide_banner', '-decoders'];
  const containment = await findContainment([path, ...question], { readable: [path] });
  if (containment.trialOutput !== undefined) return [containment, containment.trialOutput];
  const { stdout } = await run(path, question, { timeout: CHECK_LIMIT_MS, maxBuffer: 1 << 20 });
  return [containment, stdout];
}

/**
 * Looks for FFmpeg; undefined when it is missing or lacks a decoder we need.
 *
 * @param command name or path; a name is looked for where the system looks for programs
 * @param finding what {@link findFfmpegProgram} answers for it
 */
export async function findFfmpeg(
  command = 'ffmpeg',
  finding = findFfmpegProgram(command),
): Promise<FfmpegProgram | undefined> {
  const program = await finding;
  return program?.decodesAll === true ? program : undefined;
}

export interface FfmpegPool {
  /** @throws ServiceError audio_format_unsupported without FFmpeg, too_many_sessions */
  start(options: Pick<FfmpegOptions, 'coding' | 'sampleRateHz' | 'events'>): FfmpegStream;
  /** Ends all processes; resolves when they are gone. */
  close(): Promise<void>;
}

export function createFfmpegPool({
  program,
  maxProcesses,
  watchdogMs,
}: {
  program: FfmpegProgram | undefined;
  maxProcesses: number;
  watchdogMs: number;
}): FfmpegPool {
  const running = new Set<FfmpegStream>();
  return {
    start(options) {
      if (program === undefined) throw ffmpegMissing();
      if (running.size >= maxProcesses) {
        throw new ServiceError('too_many_sessions', 'No audio decoder is free. Please try again.');
      }
      const stream = new FfmpegStream({ ...options, program, watchdogMs });
      running.add(stream);
      void stream.gone.then(() => running.delete(stream));
      return stream;
    },
    async close() {
      const all = [...running];
      for (const stream of all) stream.kill();
      await Promise.all(all.map(({ gone }) => gone));
    },
  };
}

interface FfmpegEvents {
  /**
   * s16le, whole samples.
   *
   * @param unsaidMs how much longer all so far play than their frames have said, beyond what was told before
   */
  samples(bytes: Uint8Array, unsaidMs: number): void;
  /** All samples were given of what it was written before {@link FfmpegStream.mark}, or all that come of it. */
  marked(): void;
  /** Nothing more comes; never after {@link FfmpegStream.kill}. */
  failed(error: ServiceError): void;
}

interface FfmpegOptions {
  program: FfmpegProgram;
  coding: Coding;
  /** Rate of the samples that are wanted. */
  sampleRateHz: number;
  /** A process that owes sound for longer than this (up to 1.5 times as long) is ended. */
  watchdogMs: number;
  events: FfmpegEvents;
}

/** One stream's process. */
export class FfmpegStream {
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #containment: Containment;
  readonly #events: FfmpegEvents;
  readonly #timer: NodeJS.Timeout;
  readonly #limits: LimitWatch | undefined;
  #hasFrames = false;
  #owedBytes = 0;
  readonly #bytesPerMs: number;
  /** How long what it took in plays, as the frames say themselves until it gives more. */
  #takenMs = 0;
  #takenBytes = 0;
  #givenMs = 0;
  /** What it took in and will not give: frames were damaged, or play shorter than they say. */
  #lostMs = 0;
  /** So many ms into all that it gives. */
  readonly #marks: number[] = [];
  #quiet: NodeJS.Timeout | undefined;
  #looks = 0;
  #isHeld = false;
  #isEnding = false;
  #isKilled = false;
  #hasComplained = false;
  #hasSounded = false;
  #finished: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor({ program, coding, sampleRateHz, watchdogMs, events }: FfmpegOptions) {
    this.#events = events;
    this.#bytesPerMs = (sampleRateHz * BYTES_PER_SAMPLE) / 1000;
    this.#containment = program.containment;
    this.#child = startFfmpeg(program, coding, sampleRateHz);
    const { stdin, stdout, stderr } = this.#child;
    const align = createSampleAligner();
    stdout.on('data', (bytes: Buffer) => this.#receive(align(bytes)));
    // What it says is not logged: it quotes what it was given.
    stderr.on('data', () => (this.#hasComplained = true));
    stdin.on('drain', () => this.#drained?.());
    // A broken pipe shows in the end of the process as well.
    stdin.on('error', () => this.#drained?.());
    this.gone = new Promise((resolve) => {
      this.#child.on('error', () => this.#ended(null, resolve));
      this.#child.on('close', (exitCode) => this.#ended(exitCode, resolve));
    });
    this.#timer = setInterval(() => this.#look(), watchdogMs / 2);
    this.#limits = this.#watchLimits();
  }

  /**
   * Resolves when more may be written; frames must not be changed afterwards.
   *
   * @param said.soundBytes how many of them have sound in them: headers have none
   * @param said.playsMs how long they play, as they say themselves
   */
  async write(frames: Uint8Array, said: { soundBytes: number; playsMs: number }): Promise<void> {
    if (this.#isKilled || frames.length === 0) return;
    this.#hasFrames = true;
    this.#owedBytes += said.soundBytes;
    this.#takenMs += said.playsMs;
    this.#takenBytes += said.soundBytes;
    this.#limits?.asked();
    if (this.#child.stdin.write(frames)) return;
    await new Promise<void>((resolve) => (this.#drained = resolve));
    this.#drained = undefined;
  }

  /** Has it told when what was written until now has been given: it may only just have been started. */
  mark(): void {
    if (this.#isKilled) return;
    this.#marks.push(this.#takenMs - this.#lostMs - NEGLIGIBLE_MS);
    clearTimeout(this.#quiet);
    const markedAtMs = performance.now();
    const quiet = setTimeout(() => {
      const waitedMs = performance.now() - markedAtMs;
      if (this.#isHeld || waitedMs < this.#patienceMs) quiet.refresh();
      else this.#passMarks();
    }, QUIET_MS);
    this.#quiet = quiet;
  }

  get #patienceMs(): number {
    if (this.#hasSounded) return this.#isBehind ? PATIENCE_MS.behind : 0;
    return this.#isBehind ? PATIENCE_MS.starting : PATIENCE_MS.startingWithLittle;
  }

  get #isBehind(): boolean {
    const owedMs = this.#takenMs - this.#lostMs - this.#givenMs;
    return owedMs > KEPT.ms && owedMs * (this.#takenBytes / this.#takenMs) > KEPT.bytes;
  }

  /** Nothing more comes of what it was given, but what it keeps. */
  #passMarks(): void {
    clearTimeout(this.#quiet);
    if (this.#isBehind) this.#lostMs = this.#takenMs - this.#givenMs;
    this.#marks.splice(0).forEach(() => this.#events.marked());
  }

  /** Whether it was given nothing yet. */
  get isFresh(): boolean {
    return !this.#hasFrames;
  }

  /** No frames follow; resolves when all samples were given. */
  async finish(): Promise<void> {
    // Without frames it has nothing to say but complaints.
    if (!this.#hasFrames) this.kill();
    if (this.#isKilled) return;
    this.#isEnding = true;
    this.#child.stdin.end();
    await new Promise<void>((resolve) => (this.#finished = resolve));
    this.#passMarks();
  }

  /** Gives no samples until it is told to go on. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#child.stdout.pause();
    else this.#child.stdout.resume();
  }

  /** Ends the process at once; it has nothing that would be lost. */
  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    clearInterval(this.#timer);
    clearTimeout(this.#quiet);
    this.#limits?.stop();
    this.#containment.kill(this.#child);
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#drained?.();
    this.#finished?.();
  }

  #receive(samples: Uint8Array): void {
    if (this.#isKilled || samples.length === 0) return;
    this.#owedBytes = 0;
    this.#looks = 0;
    this.#hasSounded = true;
    this.#limits?.answered();
    this.#givenMs += samples.length / this.#bytesPerMs;
    const unsaidMs = Math.max(0, this.#givenMs - this.#takenMs);
    this.#takenMs += unsaidMs;
    // It comes after all.
    this.#lostMs = Math.min(this.#lostMs, this.#takenMs - this.#givenMs);
    this.#give(samples, unsaidMs);
  }

  /** What follows a mark is not given before it. */
  #give(samples: Uint8Array, unsaidMs: number): void {
    const marks = this.#marks;
    let rest = samples;
    for (let atMs = marks[0]; atMs !== undefined && atMs <= this.#givenMs; atMs = marks[0]) {
      marks.shift();
      const afterBytes = Math.round(((this.#givenMs - atMs) * this.#bytesPerMs) / 2) * 2;
      const before = rest.subarray(0, Math.max(0, rest.length - afterBytes));
      if (before.length > 0) this.#events.samples(before, 0);
      this.#events.marked();
      rest = rest.subarray(before.length);
    }
    this.#events.samples(rest, unsaidMs);
    if (marks.length === 0) clearTimeout(this.#quiet);
    else this.#quiet?.refresh();
  }

  /** @param exitCode null when it could not be started or was ended by a signal */
  #ended(exitCode: number | null, gone: () => void): void {
    gone();
    if (this.#isKilled) return;
    const hasRun = exitCode !== null && !isRunFailure(exitCode);
    // Too few frames for any sound make it complain, and are nothing to complain of.
    const isGood = exitCode === 0 || this.#hasSounded || this.#owedBytes <= MAX_OWED_BYTES;
    if (hasRun && this.#isEnding && isGood) this.kill();
    else this.#fail(hasRun && this.#hasComplained);
  }

  #watchLimits(): LimitWatch | undefined {
    const { pid } = this.#child;
    if (pid === undefined) return undefined;
    return new LimitWatch({
      pid,
      limits: { memoryBytes: MAX_MEMORY_KIB * 1024, processes: CONTAINED_PROCESSES },
      onExceeded: () => this.#fail(false),
    });
  }

  /** Looks twice per limit, and acts at the second look in vain: this thread may have stood still. */
  #look(): void {
    const isOwing =
      this.#isEnding || this.#drained !== undefined || this.#owedBytes > MAX_OWED_BYTES;
    this.#looks = isOwing && !this.#isHeld ? this.#looks + 1 : 0;
    if (this.#looks > 2) this.#fail(this.#hasComplained);
  }

  /** @param isAudioBad it complains of what it cannot decode, and says nothing when it is stuck */
  #fail(isAudioBad: boolean): void {
    this.#events.failed(
      isAudioBad
        ? new ServiceError(
            'audio_format_unsupported',
            'The audio is damaged: no sound came out of it.',
          )
        : new ServiceError(
            'decoder_failed',
            'The audio decoder stopped working. Please start a new session.',
          ),
    );
    this.kill();
  }
}

function isRunFailure(exitCode: number): boolean {
  return exitCode >= RUN_FAILURES.first && exitCode <= RUN_FAILURES.last;
}

function startFfmpeg({ path, containment }: FfmpegProgram, coding: Coding, sampleRateHz: number) {
  const args = [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error'],
    // Nothing but the pipe can be opened, whatever the audio says.
    ...['-protocol_whitelist', 'pipe', '-max_alloc', `${64 * 1024 * 1024}`],
    // Begins with the first frames. (`-fflags nobuffer` would throw those away.)
    ...['-probesize', '32', '-analyzeduration', '0', '-threads', '1', '-filter_threads', '1'],
    ...['-f', coding, '-i', 'pipe:0', '-map', '0:a:0'],
    ...['-ac', '1', '-ar', `${sampleRateHz}`, '-f', 's16le', '-flush_packets', '1', 'pipe:1'],
  ];
  const script = `ulimit -v ${MAX_MEMORY_KIB}; exec "$0" "$@"`;
  const [program, ...all] = containment.wrap(['/bin/sh', '-c', script, path, ...args]);
  return spawn(program, all, {
    // Nothing is inherited: our environment has keys in it.
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
}
