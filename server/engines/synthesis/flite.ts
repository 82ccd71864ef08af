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

export interface SampleSpeaker {
  name: string;
  /** Speaks a text; a WAV file, 16 kHz, s16le, one channel. */
  speak(text: string): Promise<Buffer>;
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
    async speak(text) {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'dragoman-speech-'));
      try {
        const file = path.join(folder, 'speech.wav');
        await run('flite', ['-voice', 'rms', '-t', text, '-o', file], { timeout: TIMEOUT_MS });
        return await readFile(file);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
