/** Speech synthesis with espeak-ng (the Debian package): many languages, immediate, without a model. */
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { ServiceError } from '../../../shared/errors.ts';
import { TRIAL_LIMIT_MS } from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { declareEngine } from '../declaration.ts';
import type {
  SpokenSamples,
  SynthesisEngine,
  SynthesisOptions,
  Unavailable,
  VoiceGender,
} from '../engine.ts';
import { endOf } from './speech-program.ts';
import { WavReader } from './wav-reader.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';

const NAME = 'espeak-ng';

interface EspeakNgOptions {
  log: Logger;
  /** Program to start. */
  program?: string;
  /** Longest wait for a process that owes samples, in ms; a sentence usually takes 30 ms. */
  timeoutMs?: number;
}

/** The espeak-ng engine. */
export const espeakNg = declareEngine({
  settings: {},
  start: ({ log }) => createEspeakNg({ log }),
});

/** Starts one process per sentence; none runs in between. */
export async function createEspeakNg({
  log,
  program = 'espeak-ng',
  timeoutMs = 10_000,
}: EspeakNgOptions): Promise<SynthesisEngine | Unavailable> {
  const unavailable = (reason: string) => ({ name: NAME, reason });
  let listing: string;
  try {
    ({ stdout: listing } = await promisify(execFile)(program, ['--voices'], {
      timeout: TRIAL_LIMIT_MS,
    }));
  } catch (error) {
    // EACCES: it is not found, and a folder of the PATH may not be entered.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return unavailable(
        'Speech in most languages needs the Debian package espeak-ng, or another engine.',
      );
    }
    return unavailable('espeak-ng cannot list its voices: install the Debian package anew.');
  }
  const languages = spokenWith(installedVoices(listing));
  if (languages.length === 0) {
    return unavailable('espeak-ng has no voice: install the Debian package espeak-ng-data.');
  }
  return new EspeakNg({ log, program, timeoutMs, languages });
}

/**
 * Returns the names by which voices can be requested: their language, and further ones in brackets with a
 * priority.
 */
function installedVoices(listing: string): Set<string> {
  const names = new Set<string>();
  for (const line of listing.split('\n').slice(1)) {
    const name = line.trim().split(/\s+/)[1];
    if (name !== undefined) names.add(name);
    for (const [, other] of line.matchAll(/\((\S+) \d+\)/g))
      if (other !== undefined) names.add(other);
  }
  return names;
}

type SpeechProcess = ChildProcessByStdio<Writable, Readable, null>;

class EspeakNg implements SynthesisEngine {
  readonly name = NAME;
  readonly describedAs = 'eSpeak NG, plainly a machine';
  readonly languages: readonly string[];
  readonly #log: Logger;
  readonly #program: string;
  readonly #timeoutMs: number;
  readonly #running = new Set<SpeechProcess>();

  constructor({
    log,
    program,
    timeoutMs,
    languages,
  }: Required<EspeakNgOptions> & { languages: readonly string[] }) {
    this.#log = log;
    this.#program = program;
    this.#timeoutMs = timeoutMs;
    this.languages = languages;
  }

  async *speak(
    text: string,
    { language, gender, signal }: SynthesisOptions,
  ): AsyncGenerator<SpokenSamples> {
    signal.throwIfAborted();
    const voice = voiceFor(language, gender);
    if (voice === undefined || !this.languages.includes(language.split('-', 1)[0] ?? '')) {
      throw new ServiceError('synthesis_failed', `espeak-ng has no voice for ${language}.`);
    }
    // The text goes through the pipe only, so it can neither be taken for an option nor show up in `ps`.
    const args = ['-v', voice, '-b', '1', '--stdin', '--stdout'];
    const child = spawn(this.#program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#running.add(child);
    const ended = endOf(child);
    const kill = () => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    try {
      child.stdin.on('error', () => undefined);
      child.stdin.end(harmless(text));
      yield* this.#samples(child, signal);
      const outcome = await ended;
      signal.throwIfAborted();
      if (outcome !== 0) throw this.#failed({ outcome });
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
      this.#running.delete(child);
    }
  }

  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
  }

  async *#samples(child: SpeechProcess, signal: AbortSignal): AsyncGenerator<SpokenSamples> {
    const reader = new WavReader();
    const deadline = new AbortController();
    const giveUp = () => {
      deadline.abort();
      child.kill('SIGKILL');
    };
    // Runs only while the process owes samples: the consumer may take longer to read them.
    let timer = setTimeout(giveUp, this.#timeoutMs);
    try {
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        clearTimeout(timer);
        const spoken = reader.push(chunk);
        if (spoken !== undefined) yield spoken;
        timer = setTimeout(giveUp, this.#timeoutMs);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failed({ error: String(error) });
    } finally {
      clearTimeout(timer);
    }
    signal.throwIfAborted();
    if (deadline.signal.aborted) throw this.#failed({ timeoutMs: this.#timeoutMs });
  }

  #failed(fields: object): ServiceError {
    this.#log.warn({ engine: NAME, ...fields }, 'espeak-ng has failed');
    return new ServiceError('synthesis_failed', 'The speech engine espeak-ng has failed.');
  }
}

/** Forty single letters with full stops or other punctuation between them. */
const SINGLE_LETTERS = /(?<!\p{L}\p{M}*)(?:\p{L}\p{M}*[\s\p{P}]+){40}/gu;

/**
 * Removes what espeak-ng takes for commands: control characters (one introduces voice settings) and brackets
 * (two introduce phonemes). Divides runs of single letters: 85 of them with full stops overflow its memory.
 */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}[\]]/gu, ' ').replace(SINGLE_LETTERS, '$&\n');
}

// Mapping from languages to espeak-ng voices.

/**
 * Voices by language and variant. Japanese is omitted because its voice reads each kanji as "Chinese letter".
 * For Mandarin only the pinyin voice reads both scripts; the other one spells characters as well. `fr` and
 * `en-us` are used because `fr-fr` and `en-gb` keep their own voice whatever the variant.
 */
const voices: Readonly<Record<LanguageTag, string>> = {
  ar: 'ar',
  bg: 'bg',
  cs: 'cs',
  da: 'da',
  de: 'de',
  el: 'el',
  en: 'en-us',
  'en-GB': 'en-gb-x-rp',
  'en-US': 'en-us',
  es: 'es',
  fi: 'fi',
  fr: 'fr',
  hu: 'hu',
  id: 'id',
  it: 'it',
  ko: 'ko',
  nb: 'nb',
  nl: 'nl',
  pl: 'pl',
  pt: 'pt-br',
  'pt-BR': 'pt-br',
  'pt-PT': 'pt',
  ro: 'ro',
  ru: 'ru',
  sk: 'sk',
  sv: 'sv',
  tr: 'tr',
  uk: 'uk',
  vi: 'vi',
  zh: 'cmn-latn-pinyin',
};

/** Voice variants by gender. */
const variants = { male: '+m3', female: '+f3' } as const satisfies Record<VoiceGender, string>;

/** Returns the base languages that the installed voices speak. */
function spokenWith(installed: ReadonlySet<string>): LanguageTag[] {
  return Object.keys(voices).filter(
    (tag) => tag === baseLanguage(tag) && installed.has(voices[tag] ?? ''),
  );
}

/** Returns the voice for a language or a variant of one; undefined when there is none. */
function voiceFor(language: LanguageTag, gender: VoiceGender | undefined): string | undefined {
  const voice = voices[language] ?? voices[baseLanguage(language)];
  return voice === undefined ? undefined : voice + (gender === undefined ? '' : variants[gender]);
}
