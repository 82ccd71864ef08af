/** Spoken sentences with pauses between them, as samples or in any format FFmpeg writes. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { madeOnce } from '../suite/made-once.ts';
import { speech } from './speech.ts';

/** The header is stripped, which leaves s16le at 16 kHz. */
const WAV_HEADER_BYTES = 44;

/** Returns s16le samples of one channel at 16 kHz. */
export async function spokenSamples(sentences: readonly string[]): Promise<Buffer> {
  const files = await Promise.all(
    sentences.map((text) => speech({ text, padStartS: 0.5, padEndS: 0.5 })),
  );
  return Buffer.concat(files.map((file) => readFileSync(file).subarray(WAV_HEADER_BYTES)));
}

/** @param args FFmpeg arguments for the output format, including `-f` */
export function encodedBy(args: readonly string[], samples: Uint8Array): Buffer {
  const input = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', 'pipe:0'];
  const all = ['-v', 'error', ...input, ...args, 'pipe:1'];
  const digest = createHash('sha256').update(samples).digest('hex');
  const file = madeOnce(['ffmpeg', ...all, digest], 'encoded', (into) =>
    writeFileSync(into, execFileSync('ffmpeg', all, { input: samples, maxBuffer: 1 << 26 })),
  );
  return readFileSync(file);
}
