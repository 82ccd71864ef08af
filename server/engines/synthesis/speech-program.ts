/** Speech synthesis with a small local program that reads a sentence, writes a WAV file and exits. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { WAV_HEADER_BYTES } from '../../../shared/wav.ts';
import type { Logger } from '../../process/log.ts';
import { createTemporaryFolder, removeTemporaryFolder } from '../../process/index.ts';
import type { SpokenSamples, SynthesisEngine, SynthesisOptions } from '../engine.ts';
import { FairPlaces, linkAbort, type Turn } from '../../process/concurrency.ts';
import { WavReader } from './wav-reader.ts';

/** A program and how it is called. */
interface SpeechProgram {
  name: string;
  describedAs: string;
  log: Logger;
  program: string;
  /** Base languages it speaks. */
  languages: readonly LanguageTag[];
  /**
   * Returns the pieces to speak in order, sanitised for the program, which reads each from standard input.
   */
  pieces: (text: string, options: SynthesisOptions) => string[];
  /** Returns the arguments that make the program write its speech to a file. */
  args: (file: string, options: SynthesisOptions) => string[];
  /** Longest time per piece, in ms. */
  timeoutMs: number;
}

/** Maximum number of processes: each is busy for its whole life, so more would only slow each other down. */
const MAX_PROCESSES = Math.max(2, os.availableParallelism());

/** Creates an engine from a program: one process per piece, with few running at once. */
export function createSpeechProgram(options: SpeechProgram): SynthesisEngine {
  const { name, describedAs, languages } = options;
  const closing = new AbortController();
  const places = new FairPlaces(MAX_PROCESSES);
  return {
    name,
    describedAs,
    languages,
    async *speak(text: string, wishes: SynthesisOptions): AsyncGenerator<SpokenSamples> {
      wishes.signal.throwIfAborted();
      if (!languages.includes(baseLanguage(wishes.language))) {
        throw new ServiceError('synthesis_failed', `${name} has no voice for ${wishes.language}.`);
      }
      const folder = await temporaryFolder(options);
      const file = path.join(folder, 'speech.wav');
      const { controller, unlink } = linkAbort(wishes.signal, closing.signal);
      const { signal } = controller;
      const turn: Turn = { account: undefined };
      signal.addEventListener('abort', () => places.abandon(turn, signal.reason));
      try {
        signal.throwIfAborted();
        for (const piece of options.pieces(text, wishes)) {
          await places.hold(turn, () =>
            say(piece, options.args(file, wishes), { ...options, signal }),
          );
          const spoken = await readSpeech(file, options);
          if (spoken !== undefined) yield spoken;
          signal.throwIfAborted();
        }
      } finally {
        unlink();
        await removeTemporaryFolder(folder);
      }
    },
    async close() {
      closing.abort(
        new ServiceError('synthesis_failed', `The speech engine ${name} is being stopped.`),
      );
    },
  };
}

async function temporaryFolder(options: SpeechProgram): Promise<string> {
  try {
    return await createTemporaryFolder('speech');
  } catch (error) {
    throw failed(options, { reason: (error as NodeJS.ErrnoException).code });
  }
}

/** Runs the program for one piece; resolves when the process has ended. */
async function say(
  piece: string,
  args: readonly string[],
  options: SpeechProgram & { signal: AbortSignal },
): Promise<void> {
  const { program, timeoutMs, signal } = options;
  signal.throwIfAborted();
  // The text goes through the pipe only, so it can neither be taken for an option nor show up in `ps`.
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  const kill = () => void child.kill('SIGKILL');
  const timer = setTimeout(kill, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  child.stdin.on('error', () => undefined);
  child.stdin.end(piece);
  const outcome = await endOf(child);
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (outcome !== 0) throw failed(options, { outcome, timeoutMs });
}

/** Resolves with the exit code, the signal, or the error that prevented the start. */
export function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? 'failed'));
    child.once('close', (exitCode, killedBy) => resolve(exitCode ?? killedBy ?? 'ended'));
  });
}

async function readSpeech(
  file: string,
  options: SpeechProgram,
): Promise<SpokenSamples | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw failed(options, { reason: (error as NodeJS.ErrnoException).code });
  });
  // A full disk leaves a file shorter than a header.
  if (bytes.length < WAV_HEADER_BYTES) throw failed(options, { sizeBytes: bytes.length });
  await rm(file, { force: true });
  return new WavReader().push(bytes);
}

function failed({ name, log }: SpeechProgram, fields: object): ServiceError {
  log.warn({ engine: name, ...fields }, 'a speech program has failed');
  return new ServiceError('synthesis_failed', `The speech engine ${name} has failed.`);
}
