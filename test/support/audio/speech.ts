/** Speech for tests, made on the spot with flite and sox, once per process. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ofProcess } from '../suite/of-process.ts';

export interface SpeechRequest {
  text: string;
  /** Voices of flite that recognisers understand best. */
  voice?: 'kal16' | 'rms' | 'slt' | 'awb';
  sampleRateHz?: number;
  /** Silence before and after, in seconds. */
  padStartS?: number;
  padEndS?: number;
}

/** Files by what was asked for. */
const made = ofProcess('speech', () => new Map<string, string>());

/** Speaks a text; answers the path of a WAV file (s16le, one channel, 44-byte header). */
export async function speech(request: SpeechRequest): Promise<string> {
  const key = JSON.stringify(request);
  const known = made.get(key);
  if (known !== undefined) return known;
  const folder = ofProcess('speech folder', newFolder);
  const { text, voice = 'kal16', sampleRateHz = 16_000, padStartS = 0.5, padEndS = 1 } = request;
  const raw = path.join(folder, `${made.size}-raw.wav`);
  const file = path.join(folder, `${made.size}.wav`);
  execFileSync('flite', ['-voice', voice, '-t', text, '-o', raw]);
  const format = ['-r', `${sampleRateHz}`, '-c', '1', '-b', '16'];
  execFileSync('sox', [raw, ...format, file, 'pad', `${padStartS}`, `${padEndS}`]);
  made.set(key, file);
  return file;
}

/** Not named as the product's own folders, which running servers sweep. */
function newFolder(): string {
  const created = mkdtempSync(path.join(os.tmpdir(), 'dragoman-spoken-'));
  process.on('exit', () => rmSync(created, { recursive: true, force: true }));
  return created;
}
