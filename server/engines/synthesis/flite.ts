/** Speech made on the spot by flite (Debian's package of that name), in US English. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Unavailable } from '../engine.ts';

const run = promisify(execFile);

/** A sentence is ready in well under a second; a process that hangs is ended. */
const TIMEOUT_MS = 10_000;

/** flite writes a plain header of this many bytes before its samples: 16 kHz, s16le, one channel. */
const HEADER_BYTES = 44;
const BYTES_PER_SECOND = 32_000;
/** Recognisers conclude a sentence after half a second of silence. */
const PAUSE = Buffer.alloc(0.9 * BYTES_PER_SECOND);

export interface SampleSpeaker {
  name: string;
  /** Speaks sentences with a pause around each; a WAV file, 16 kHz, s16le, one channel. */
  speak(sentences: readonly string[]): Promise<Buffer>;
}

export async function createFlite(): Promise<SampleSpeaker | Unavailable> {
  const name = 'flite';
  try {
    await run('flite', ['--version'], { timeout: TIMEOUT_MS });
  } catch (error) {
    // flite answers --version with exit code 1: only a program that is not there counts.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { name, reason: 'The sample voice needs the Debian package flite.' };
    }
  }
  return {
    name,
    async speak(sentences) {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'dragoman-speech-'));
      try {
        const spoken = await Promise.all(
          sentences.map(async (text, index) => {
            const file = path.join(folder, `${index}.wav`);
            await run('flite', ['-voice', 'rms', '-t', text, '-o', file], { timeout: TIMEOUT_MS });
            return readFile(file);
          }),
        );
        return join(spoken);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** WAV files one after the other, with pauses; the first one's header serves with its sizes mended. */
function join(files: readonly Buffer[]): Buffer {
  const samples = files.flatMap((file) => [PAUSE, file.subarray(HEADER_BYTES)]);
  const joined = Buffer.concat([
    ...files.slice(0, 1).map((file) => file.subarray(0, HEADER_BYTES)),
    ...samples,
    PAUSE,
  ]);
  joined.writeUInt32LE(joined.length - 8, 4);
  joined.writeUInt32LE(joined.length - HEADER_BYTES, 40);
  return joined;
}
