/**
 * Speech synthesis with SVOX Pico: English, German, Spanish, French and Italian. Pico is not free software,
 * so Dragoman never installs it, but uses it where the operator has (Debian's libttspico-utils).
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Logger } from '../../process/log.ts';
import {
  createTemporaryFolder,
  removeTemporaryFolder,
  TRIAL_LIMIT_MS,
} from '../../process/index.ts';
import { declareEngine } from '../declaration.ts';
import type { SynthesisEngine, SynthesisOptions, Unavailable } from '../engine.ts';
import { createSpeechProgram } from './speech-program.ts';
import { plainSpeech, speechPieces } from './speech-texts.ts';

const NAME = 'pico';

/** Voices by language and variant, all female. */
const voices: Readonly<Record<LanguageTag, string>> = {
  de: 'de-DE',
  en: 'en-US',
  'en-GB': 'en-GB',
  es: 'es-ES',
  fr: 'fr-FR',
  it: 'it-IT',
};

const MAX_CHARACTERS = 300;
/** Allows for long German words. */
const LONGEST_WORD = 60;
/** Pitch, in percent, at which a voice sounds male and is still intelligible. */
const PITCH_OF_MEN = 70;

/**
 * Everything but letters, digits, blanks and the punctuation Pico reads: `<` begins commands, one of which
 * opens files.
 */
const FOREIGN = /[^\p{Script=Latin}\p{M}0-9 .,!?;:'’"«»¿¡()%€£$&@/+=°–-]/gu;

interface PicoOptions {
  log: Logger;
  /** Program to start. */
  program?: string;
  /** Longest wait for a sentence, in ms; usually it takes 0.1 s. */
  timeoutMs?: number;
}

/** The SVOX Pico engine, where it is installed. */
export const pico = declareEngine({
  settings: {},
  start: ({ log }) => createPico({ log }),
});

/**
 * Starts one process per sentence; none runs in between. Resolves to undefined where Pico is not installed.
 */
export async function createPico({
  log,
  program = 'pico2wave',
  timeoutMs = 10_000,
}: PicoOptions): Promise<SynthesisEngine | Unavailable | undefined> {
  const installed = await installedVoices(program);
  if (installed === undefined) return undefined;
  const languages = Object.keys(voices).filter(
    (tag) => tag === baseLanguage(tag) && installed.has(voices[tag] ?? ''),
  );
  if (languages.length === 0) {
    const reason =
      'pico2wave has no voice: install the Debian packages libttspico-utils and libttspico-data anew.';
    return { name: NAME, reason };
  }
  const voiceFor = ({ language }: SynthesisOptions) => {
    const own = voices[language] ?? '';
    return installed.has(own) ? own : (voices[baseLanguage(language)] ?? '');
  };
  return createSpeechProgram({
    name: NAME,
    log,
    program,
    timeoutMs,
    languages,
    describedAs: 'SVOX Pico, a smooth synthetic voice',
    pieces: (text, { language, gender }) =>
      speechPieces(sayable(text), { language, maxCharacters: MAX_CHARACTERS, joins: false }).map(
        (piece) => (gender === 'male' ? `<pitch level="${PITCH_OF_MEN}">${piece}</pitch>` : piece),
      ),
    args: (file, options) => ['-l', voiceFor(options), '-w', file],
  });
}

/** Returns the voices that work; the program lists all it knows, even those whose data is missing. */
async function installedVoices(program: string): Promise<Set<string> | undefined> {
  const folder = await createTemporaryFolder('speech');
  try {
    const outcomeOf = async (voice: string) => {
      const args = ['-l', voice, '-w', path.join(folder, `${voice}.wav`)];
      const running = promisify(execFile)(program, args, { timeout: TRIAL_LIMIT_MS });
      running.child.stdin?.on('error', () => undefined).end('a');
      return running.then(
        () => 'spoken',
        (error: unknown) => (error as NodeJS.ErrnoException).code,
      );
    };
    const [first = '', ...others] = Object.values(voices);
    const outcome = await outcomeOf(first);
    // EACCES: it is not found, and a folder of the PATH may not be entered.
    if (outcome === 'ENOENT' || outcome === 'EACCES') return undefined;
    const outcomes = [outcome, ...(await Promise.all(others.map(outcomeOf)))];
    return new Set(Object.values(voices).filter((_, index) => outcomes[index] === 'spoken'));
  } finally {
    await removeTemporaryFolder(folder);
  }
}

function sayable(text: string): string {
  return plainSpeech(text.normalize('NFC'), { foreign: FOREIGN, longestWord: LONGEST_WORD });
}
