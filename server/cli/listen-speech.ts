/** Translated speech, written to a file as it comes. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { SpeechEvent } from '../../shared/client/index.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../shared/wav.ts';

const WAV_RATE_HZ = 24_000;

const typesByExtension: Record<string, string> = {
  '.webm': 'audio/webm;codecs=opus',
  '.mka': 'audio/x-matroska;codecs=opus',
  '.mkv': 'audio/x-matroska;codecs=opus',
  '.ogg': 'audio/ogg;codecs=opus',
  '.opus': 'audio/ogg;codecs=opus',
  '.flac': 'audio/flac',
  '.ts': 'video/mp2t;codecs=aac',
  '.wav': `audio/pcm;encoding=s16le;rate=${WAV_RATE_HZ}`,
};

/** Format of speech for a file of this name. @throws Error naming the extensions that are possible */
export function speechContentType(file: string): string {
  const contentType = typesByExtension[path.extname(file).toLowerCase()];
  if (contentType !== undefined) return contentType;
  throw new Error(`--speak: end the name with ${Object.keys(typesByExtension).join(', ')}.`);
}

export interface SpeechFile {
  write(speech: SpeechEvent): void;
  /** Resolves when everything is in the file. @throws Error of the file system */
  close(): Promise<void>;
}

/** @throws Error of the file system */
export async function openSpeechFile(file: string): Promise<SpeechFile> {
  const isWav = path.extname(file).toLowerCase() === '.wav';
  const handle = await open(file, 'w');
  if (isWav) await handle.write(wavHeader({ sampleRateHz: WAV_RATE_HZ, dataBytes: 0 }));
  let dataBytes = 0;
  let written: Promise<unknown> = Promise.resolve();
  return {
    write({ pieces }) {
      for (const piece of pieces) {
        dataBytes += piece.length;
        written = written.then(() => handle.write(piece));
      }
      // Told by close(); until then nobody waits for it.
      written.catch(() => undefined);
    },
    async close() {
      try {
        await written;
        const header = wavHeader({ sampleRateHz: WAV_RATE_HZ, dataBytes });
        if (isWav) await handle.write(header, 0, WAV_HEADER_BYTES, 0);
      } finally {
        await handle.close();
      }
    },
  };
}
