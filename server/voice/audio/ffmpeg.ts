/**
 * FFmpeg, which decodes the codecs we do not: one process per stream. It is fed bare frames that our own
 * readers have extracted, so that no container made by a client reaches it.
 *
 * We start FFmpeg ourselves rather than through prism-media, which runs the first `ffmpeg` in the path,
 * in our own process group and with our whole environment, keys included. It has no place for a
 * containment, so FFmpeg could be neither configured, nor confined, nor ended together with its children.
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
  TRIAL_LIMIT_MS,
} from '../../process/index.ts';
import { ffmpegMissing, type Coding } from './codecs/decodable-formats.ts';
import { createSampleAligner } from './media.ts';

/** The FFmpeg installed on this machine. */
export interface FfmpegProgram {
  path: string;
  /** How it is started. */
  containment: Containment;
  /** Whether it has every decoder we need; some builds omit them. */
  decodesAll: boolean;
}

const DECODERS = ['mp3', 'aac', 'vorbis'];

/** Address space limit of a process: several times what it needs, to protect the machine's memory. */
const MAX_MEMORY_KIB = 1024 * 1024;
/**
 * Most bytes of frames with sound that FFmpeg may take in without output. It waits for the next KiB of
 * MP3; a client is held back when seconds of audio wait, and has sent no more than this by then at 8
 * kbit/s.
 */
const MAX_OWED_BYTES = 4 * 1024;
/** What FFmpeg holds back until more input arrives: that KiB, and the decoder's last frames. */
const KEPT = { ms: 150, bytes: 1536 };
/** Time without output after which FFmpeg is taken to hold back nothing but that, in ms. */
const QUIET_MS = 300;
/**
 * How long to keep waiting nevertheless, in ms. FFmpeg may have just been started or lack a processor
 * for a while, but some of the declared sound never comes: encoders prepend frames that decoders drop.
 */
const PATIENCE_MS = { starting: 5_000, startingWithLittle: 1_000, behind: 1_000 };
/** Duration below which nothing spoken can be, in ms. */
const NEGLIGIBLE_MS = 20;

const BYTES_PER_SAMPLE = 2;

/**
 * Exit codes for a program that could not be run because it has been removed (126, 127) or that was ended
 * by a signal (from 129 on).
 */
const RUN_FAILURES = { first: 126, last: 128 + 32 };

const run = promisify(execFile);

/**
 * Finds FFmpeg; undefined when it is missing or does not run.
 *
 * @param command name or path; a name is looked up in the system's program path
 */
export async function findFfmpegProgram(command: string): Promise<FfmpegProgram | undefined> {
  try {
    const options = { timeout: TRIAL_LIMIT_MS };
    const { stdout: found } = await run('/bin/sh', ['-c', 'command -v "$0"', command], options);
    const path = found.trim();
    // A shell has built-in commands, for which it prints no path.
    if (!isAbsolute(path)) return undefined;
    // FFmpeg takes a tenth of a second to start, so a single run checks that it works and lists its
    // decoders.
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
  const { stdout } = await run(path, question, { timeout: TRIAL_LIMIT_MS, maxBuffer: 1 << 20 });
  return [containment, stdout];
}

/**
 * Finds FFmpeg; undefined when it is missing or lacks a decoder we need.
 *
 * @param command name or path; a name is looked up in the system's program path
 * @param finding pending result of {@link findFfmpegProgram} for it
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
  /** Ends all processes; resolves when they have exited. */
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
   * Takes s16le audio, in whole samples.
   *
   * @param unsaidMs how much longer all output plays than its frames declared, in ms, beyond what was
   *   reported before
   */
  samples(bytes: Uint8Array, unsaidMs: number): void;
  /** All output for the input before {@link FfmpegStream.mark} has been delivered or given up. */
  marked(): void;
  /** No more output follows; never called after {@link FfmpegStream.kill}. */
  failed(error: ServiceError): void;
}

interface FfmpegOptions {
  program: FfmpegProgram;
  coding: Coding;
  /** Sample rate of the output. */
  sampleRateHz: number;
  /** Time after which a process that owes output is killed, in ms; it has up to 1.5 times as long. */
  watchdogMs: number;
  events: FfmpegEvents;
}

/** The FFmpeg process of one stream. */
export class FfmpegStream {
  /** Resolves when the process has exited. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #containment: Containment;
  readonly #events: FfmpegEvents;
  readonly #timer: NodeJS.Timeout;
  readonly #limits: LimitWatch | undefined;
  #hasFrames = false;
  #owedBytes = 0;
  readonly #bytesPerMs: number;
  /** Playing time of the input in ms, as declared by its frames unless the output turns out longer. */
  #takenMs = 0;
  #takenBytes = 0;
  #givenMs = 0;
  /** Declared input that will not come out: frames were damaged or play shorter than they declare. */
  #lostMs = 0;
  /** Positions of marks in the output, in ms. */
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
    // Its messages are not logged, as they quote the input.
    stderr.on('data', () => (this.#hasComplained = true));
    stdin.on('drain', () => this.#drained?.());
    // A broken pipe also shows in the exit of the process.
    stdin.on('error', () => this.#drained?.());
    this.gone = new Promise((resolve) => {
      this.#child.on('error', () => this.#ended(null, resolve));
      this.#child.on('close', (exitCode) => this.#ended(exitCode, resolve));
    });
    this.#timer = setInterval(() => this.#look(), watchdogMs / 2);
    this.#limits = this.#watchLimits();
  }

  /**
   * Writes frames, which must not be changed afterwards; resolves when more may be written.
   *
   * @param said.soundBytes how many of the bytes contain sound; headers do not
   * @param said.playsMs playing time as the frames declare it
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

  /** Requests a `marked` event once the input so far has come out, even if FFmpeg is only starting. */
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

  /** Settles all marks: no more output follows for the input so far, except what FFmpeg holds back. */
  #passMarks(): void {
    clearTimeout(this.#quiet);
    if (this.#isBehind) this.#lostMs = this.#takenMs - this.#givenMs;
    this.#marks.splice(0).forEach(() => this.#events.marked());
  }

  /** Whether it has had no input yet. */
  get isFresh(): boolean {
    return !this.#hasFrames;
  }

  /** Ends the input; resolves when all samples have been delivered. */
  async finish(): Promise<void> {
    // Without frames, FFmpeg would only complain.
    if (!this.#hasFrames) this.kill();
    if (this.#isKilled) return;
    this.#isEnding = true;
    this.#child.stdin.end();
    await new Promise<void>((resolve) => (this.#finished = resolve));
    this.#passMarks();
  }

  /** Pauses or resumes the output. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#child.stdout.pause();
    else this.#child.stdout.resume();
  }

  /** Ends the process at once and discards its output. */
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
    // Output that was given up has come after all.
    this.#lostMs = Math.min(this.#lostMs, this.#takenMs - this.#givenMs);
    this.#give(samples, unsaidMs);
  }

  /** Delivers samples, with marks in their place between them. */
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

  /** @param exitCode null when the process could not be started or was ended by a signal */
  #ended(exitCode: number | null, gone: () => void): void {
    gone();
    if (this.#isKilled) return;
    const hasRun = exitCode !== null && !isRunFailure(exitCode);
    // FFmpeg complains about input too short for any sound; that is no error.
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

  /**
   * Checks twice per limit; fails at the third check in a row that finds output owed, as this thread may
   * have stalled.
   */
  #look(): void {
    const isOwing =
      this.#isEnding || this.#drained !== undefined || this.#owedBytes > MAX_OWED_BYTES;
    this.#looks = isOwing && !this.#isHeld ? this.#looks + 1 : 0;
    if (this.#looks > 2) this.#fail(this.#hasComplained);
  }

  /** @param isAudioBad whether FFmpeg has complained about its input; a stuck process says nothing */
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
    // Only the pipe may be opened, whatever the audio contains.
    ...['-protocol_whitelist', 'pipe', '-max_alloc', `${64 * 1024 * 1024}`],
    // Starts with the first frames. (`-fflags nobuffer` would discard them.)
    ...['-probesize', '32', '-analyzeduration', '0', '-threads', '1', '-filter_threads', '1'],
    ...['-f', coding, '-i', 'pipe:0', '-map', '0:a:0'],
    ...['-ac', '1', '-ar', `${sampleRateHz}`, '-f', 's16le', '-flush_packets', '1', 'pipe:1'],
  ];
  const script = `ulimit -v ${MAX_MEMORY_KIB}; exec "$0" "$@"`;
  const [program, ...all] = containment.wrap(['/bin/sh', '-c', script, path, ...args]);
  return spawn(program, all, {
    // The environment is not inherited: it contains keys.
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
}
