/** Speech on which captions are measured. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { speech } from '../support/audio/speech.ts';
import { projectFolder } from '../support/product/server.ts';

export interface Clip {
  name: string;
  /** s16le samples of one channel at 16 kHz. */
  audio: Uint8Array;
}

const WAV_HEADER_BYTES = 44;
const BYTES_PER_MS = 32;
/** Recordings of people that lie beside the project, if any. */
const RECORDINGS = path.join(projectFolder, '..', 'shared', 'speech');

type Voice = 'kal16' | 'rms';

/** Utterances and the silence after each, in ms. */
const spoken: readonly { name: string; voice: Voice; said: readonly [string, number][] }[] = [
  {
    name: 'sentences, kal16',
    voice: 'kal16',
    said: [
      ['the weather in the north will be cold and windy for the rest of the week', 1200],
      ['we would like to thank everyone who came to the meeting this morning', 1200],
      ['the new library opens on monday and all of the books are free', 2500],
      ['you can find more information about the program on our page', 2500],
    ],
  },
  {
    name: 'sentences, rms',
    voice: 'rms',
    said: [
      ['good morning and welcome to the second day of the conference', 1000],
      ['today we will talk about the history of the city and its people', 1000],
      ['the first speaker is a teacher from the south of the country', 1800],
      ['she has worked with children for more than twenty years', 2500],
    ],
  },
  {
    name: 'sentences with pauses in them, rms',
    voice: 'rms',
    said: [
      ['the old man and the', 900],
      ['young woman walked to the river', 1800],
      ['we need more time because', 900],
      ['the work is very difficult', 1800],
      ['many people came to the city from', 900],
      ['the small towns in the north', 2500],
    ],
  },
];

/** Speech made with Flite. */
export async function spokenClips(): Promise<Clip[]> {
  return Promise.all(
    spoken.map(async ({ name, voice, said }) => {
      const parts: Uint8Array[] = [new Uint8Array(500 * BYTES_PER_MS)];
      for (const [text, silenceMs] of said) {
        const file = await speech({ text, voice, padStartS: 0, padEndS: 0 });
        const audio = await readFile(file);
        parts.push(audio.subarray(WAV_HEADER_BYTES), new Uint8Array(silenceMs * BYTES_PER_MS));
      }
      return { name, audio: Buffer.concat(parts) };
    }),
  );
}

/** Recordings beside the project; undefined when there are none. */
export function recordedClips(): Clip[] | undefined {
  if (!existsSync(RECORDINGS)) return undefined;
  const files = readdirSync(RECORDINGS).filter((name) => name.endsWith('.wav'));
  if (files.length === 0) return undefined;
  return files.map((name) => {
    const format = ['-t', 'raw', '-e', 'signed', '-b', '16', '-c', '1', '-r', '16000'];
    const input = path.join(RECORDINGS, name);
    return { name, audio: execFileSync('sox', [input, ...format, '-', 'pad', '0.3', '2.5']) };
  });
}
