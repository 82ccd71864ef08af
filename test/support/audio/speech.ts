/** Speech for tests, made once with flite and sox. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { madeOnce } from '../suite/made-once.ts';

export interface SpeechRequest {
  text: string;
  /** Voices of flite that recognisers understand best. */
  voice?: 'kal16' | 'rms' | 'slt' | 'awb';
  sampleRateHz?: number;
  /** Silence before and after, in seconds. */
  padStartS?: number;
  padEndS?: number;
}

/** Returns silence, s16le at 16 kHz. */
export function silence(lengthMs: number): Buffer {
  return Buffer.alloc(lengthMs * 16 * 2);
}

/** Speaks a text. Resolves with the path of a WAV file (s16le, one channel, 44-byte header). */
export async function speech(request: SpeechRequest): Promise<string> {
  const { text, voice = 'kal16', sampleRateHz = 16_000, padStartS = 0.5, padEndS = 1 } = request;
  const asked = ['flite', text, voice, sampleRateHz, padStartS, padEndS];
  return madeOnce(asked, 'wav', (file) => {
    const raw = `${file}-raw.wav`;
    execFileSync('flite', ['-voice', voice, '-t', text, '-o', raw]);
    const format = ['-r', `${sampleRateHz}`, '-c', '1', '-b', '16'];
    execFileSync('sox', [raw, ...format, file, 'pad', `${padStartS}`, `${padEndS}`]);
    rmSync(raw);
  });
}
