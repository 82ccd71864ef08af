/** What the recogniser is measured on: sentences, names, and sounds that say nothing. */
import { readFile } from 'node:fs/promises';
import { speech } from '../../support/audio/speech.ts';
import { recordedClips } from '../captions-clips.ts';

/** Speech and what it says. */
export interface Spoken {
  name: string;
  /** s16le samples of one channel at 16 kHz. */
  audio: Uint8Array;
  said: string;
}

export const RATE_HZ = 16_000;
export const BYTES_PER_MS = (RATE_HZ * 2) / 1000;
const WAV_HEADER_BYTES = 44;
/** Silence before the first sentence and after each; everybody's endpoint is shorter. */
const PAUSE_MS = 1_200;

export const voices = ['kal16', 'rms', 'slt', 'awb'] as const;
export type Voice = (typeof voices)[number];

/** What the aim for voices was set on, and what other recognisers were measured with before. */
export const familiar: readonly string[] = [
  'Good morning everyone, and thank you for joining the quarterly meeting.',
  'The new server will be installed in the basement on Thursday afternoon.',
  'Please send me the final version of the report before the end of the week.',
  'We have seen a strong increase in the number of visitors this summer.',
  'Doctor Evans said the patient should drink more water and rest for three days.',
  'Could you tell me how long the train from London to Manchester takes?',
  'The committee decided to postpone the vote because two members were absent.',
  'My daughter is learning to play the piano, and she practices every evening.',
  'If the weather is good tomorrow, we will walk along the river to the old bridge.',
  'This software translates speech into several languages while people are talking.',
];

/** Others, of everyday length, with numbers and a title, in words that are spelt one way only. */
export const everyday: readonly string[] = [
  'Thank you all for coming, we will begin in about five minutes.',
  'The bakery on the corner sells fresh bread every morning after seven.',
  'Doctor Miller is waiting for you on the second floor, in room twelve.',
  'Please leave your coats and bags at the entrance of the museum.',
  'My brother has lived in Canada for more than twenty years.',
  'The bus to the airport leaves every thirty minutes from the main square.',
  'She asked whether anybody had heard the strange noise last night.',
  'The teacher explained the exercise twice, but nobody understood it.',
  'Our company will open two new offices in the north of the country.',
  'If you need any help, just press the red button next to the door.',
];

/** Names that a general model does not expect, each in a sentence. */
export const named: readonly { name: string; sentence: string }[] = [
  { name: 'Dragoman', sentence: 'Tonight the captions are made by Dragoman for everybody.' },
  { name: 'Apertium', sentence: 'We translate the first page with Apertium and read it again.' },
  { name: 'Kubernetes', sentence: 'All of our services have moved to Kubernetes this year.' },
  { name: 'Grafana', sentence: 'You can see the numbers in Grafana after the meeting.' },
  { name: 'Okonkwo', sentence: 'The next speaker is Professor Okonkwo from the university.' },
  { name: 'Ljubljana', sentence: 'In spring the whole team will travel to Ljubljana by train.' },
  { name: 'Fastify', sentence: 'The new interface was written with Fastify in three weeks.' },
  { name: 'Siobhan', sentence: 'My neighbour Siobhan has offered to water the plants.' },
  { name: 'Terraform', sentence: 'They describe their machines with Terraform and nothing else.' },
  {
    name: 'Oberammergau',
    sentence: 'We spent our last holiday in Oberammergau with the children.',
  },
];
export const namingVoices: readonly Voice[] = ['slt', 'rms', 'awb'];

/** What the people say in recordings that may lie beside the project. */
export const SPEECH_RECORDING = 'jfk.wav';
export const DIGITS_RECORDING = 'digits.wav';
const transcripts: Readonly<Record<string, string>> = {
  [SPEECH_RECORDING]:
    'And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country.',
  [DIGITS_RECORDING]: 'one zero zero zero one nine oh two one oh zero one eight zero three',
};

/** One stream of a voice that says these sentences, with pauses between them. */
export async function spokenBy(voice: Voice, sentences: readonly string[]): Promise<Spoken> {
  const pause = new Uint8Array(PAUSE_MS * BYTES_PER_MS);
  const parts: Uint8Array[] = [pause];
  for (const text of sentences) {
    const file = await speech({ text, voice, padStartS: 0, padEndS: 0 });
    parts.push((await readFile(file)).subarray(WAV_HEADER_BYTES), pause);
  }
  return { name: voice, audio: Buffer.concat(parts), said: sentences.join(' ') };
}

/** Recordings whose words are known; none where they are not beside the project. */
export function recordings(): Spoken[] {
  return (recordedClips() ?? []).flatMap(({ name, audio }) => {
    const said = transcripts[name];
    return said === undefined ? [] : [{ name, audio, said }];
  });
}

const SOUND_S = 8;
const FULL = 32_767;

/** Sounds in which nobody speaks, of eight seconds each; the same in every run. */
export function sounds(): { name: string; audio: Uint8Array }[] {
  const random = dice();
  const white = () => 2 * random() - 1;
  const tone = (at: number, frequencyHz: number) =>
    Math.sin((2 * Math.PI * frequencyHz * at) / RATE_HZ);
  const melody = [262, 330, 392, 523, 440, 349, 294, 392];
  const every = RATE_HZ / 2;
  let ring = 0;
  let pitchHz = 0;
  const kinds: Record<string, (at: number) => number> = {
    silence: () => 0,
    'white noise': () => 0.1 * white(),
    hum: (at) => 0.1 * tone(at, 100) + 0.03 * tone(at, 200),
    music: (at) => {
      const note = melody[Math.floor(at / every) % melody.length] ?? 0;
      const fade = Math.exp((-3 * (at % every)) / every);
      return 0.15 * fade * (tone(at, note) + tone(at, note * 1.25) + tone(at, note * 1.5));
    },
    // Strokes at odd moments, each a ringing tone with a noisy beginning.
    crockery: (at) => {
      if (random() < 4 / RATE_HZ) [ring, pitchHz] = [0.5, 800 + 2_500 * random()];
      ring *= 1 - 25 / RATE_HZ;
      return ring * (0.6 * tone(at, pitchHz) + 0.4 * ring * white());
    },
    // Seven keys a second: a short dull click when one goes down, a softer one when it comes up.
    keyboard: (at) => {
      const inStroke = at % Math.round(RATE_HZ / 7);
      const down = Math.exp(-inStroke / 60);
      const up = inStroke > 1_200 ? 0.4 * Math.exp(-(inStroke - 1_200) / 40) : 0;
      return 0.3 * (down + up) * white() + 0.05 * down * tone(at, 180);
    },
  };
  return Object.entries(kinds).map(([name, wave]) => {
    const samples = Int16Array.from({ length: SOUND_S * RATE_HZ }, (_, at) =>
      Math.round(FULL * Math.max(-1, Math.min(1, wave(at)))),
    );
    return { name, audio: new Uint8Array(samples.buffer) };
  });
}

/** Numbers from 0 to 1, the same in every run (a linear congruential generator). */
function dice(): () => number {
  let state = 20_260;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
