/**
 * English speech synthesis with flite (the Debian package): voices that are easy to follow, without a model.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TRIAL_LIMIT_MS } from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { declareEngine } from '../declaration.ts';
import type { SynthesisEngine, SynthesisOptions, Unavailable } from '../engine.ts';
import { createSpeechProgram } from './speech-program.ts';
import { plainSpeech, speechPieces } from './speech-texts.ts';

const NAME = 'flite';

/** slt and rms are American; awb, a Scotsman, is the only British voice and harder to follow. */
const voices = { female: 'slt', male: 'rms', maleBritish: 'awb' } as const;

/** Ten seconds of speech, synthesised in a tenth of a second. */
const MAX_CHARACTERS = 200;
/**
 * Longest word, in characters: flite's time grows with the square of a word's length, and no English word is
 * longer.
 */
const LONGEST_WORD = 30;

export interface FliteOptions {
  log: Logger;
  /** Program to start. */
  program?: string;
  /** Longest wait for a sentence, in ms; usually it takes 0.1 s. */
  timeoutMs?: number;
}

/** The flite engine. */
export const flite = declareEngine({
  settings: {},
  start: ({ log }) => createFlite({ log }),
});

/** Starts one process per sentence; none runs in between. */
export async function createFlite({
  log,
  program = 'flite',
  timeoutMs = 10_000,
}: FliteOptions): Promise<SynthesisEngine | Unavailable> {
  const installed = await promisify(execFile)(program, ['-lv'], { timeout: TRIAL_LIMIT_MS }).then(
    ({ stdout }) => stdout.trim().split(/\s+/),
    (): string[] => [],
  );
  if (!Object.values(voices).every((voice) => installed.includes(voice))) {
    return {
      name: NAME,
      reason:
        'English is easiest to follow with the Debian package flite: install it. Without it eSpeak NG speaks English.',
    };
  }
  return createSpeechProgram({
    name: NAME,
    log,
    program,
    timeoutMs,
    describedAs: 'flite, a synthetic voice that is easy to follow',
    languages: ['en'],
    pieces: (text) =>
      speechPieces(sayable(text), { language: 'en', maxCharacters: MAX_CHARACTERS, joins: false }),
    args: (file, options) => ['-voice', voiceFor(options), '-o', file, '-'],
  });
}

function voiceFor({ language, gender }: SynthesisOptions): string {
  if (gender !== 'male') return voices.female;
  return language === 'en-GB' ? voices.maleBritish : voices.male;
}

/** Characters that flite would skip or spell out, with words it can read: it knows only ASCII. */
const readings: readonly (readonly [pattern: RegExp, reading: string])[] = [
  [/[‘’‚′]/g, "'"],
  [/[–—―…]/g, ', '],
  [/£\s?(\d+(?:[.,]\d+)*(?: (?:thousand|million|billion))?)/g, '$1 pounds'],
  [/€\s?(\d+(?:[.,]\d+)*(?: (?:thousand|million|billion))?)/g, '$1 euros'],
  [/€/g, ' euros '],
  [/£/g, ' pounds '],
  [/\$(?!\d)/g, ' dollars '],
  [/°/g, ' degrees '],
  [/&/g, ' and '],
  [/@/g, ' at '],
  [/[+]/g, ' plus '],
  [/=/g, ' equals '],
  [/[()[\]{}]/g, ', '],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[œŒ]/g, 'oe'],
  [/[øØ]/g, 'o'],
  [/[łŁ]/g, 'l'],
  [/[đĐðÐ]/g, 'd'],
];

/** Everything but letters, digits, blanks and the punctuation flite reads. */
const FOREIGN = /[^A-Za-z0-9 .,!?;:'%$/-]/g;

function sayable(text: string): string {
  const ascii = readings
    .reduce((read, [pattern, reading]) => read.replace(pattern, reading), text)
    // NFKD separates accents, and turns fractions and ligatures into plain characters.
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\u2044/g, '/');
  return plainSpeech(ascii, { foreign: FOREIGN, longestWord: LONGEST_WORD });
}
