/** Speech synthesis with an OpenAI-compatible server: Kokoro, Speaches, LocalAI, vLLM or a hosted service. */
import { setTimeout as delay } from 'node:timers/promises';
import Type from 'typebox';
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { voiceMediaLanguages } from '../../../shared/schemas/voice-session.ts';
import type { Logger } from '../../process/log.ts';
import {
  declareEngine,
  keySetting,
  listed,
  MAX_SECONDS,
  problemWithAddress,
} from '../declaration.ts';
import type {
  SpokenSamples,
  SynthesisEngine,
  SynthesisOptions,
  Unavailable,
  VoiceGender,
} from '../engine.ts';
import { linkAbort } from '../../process/concurrency.ts';
import {
  bearer,
  MAX_DELAY_MS,
  networkCode,
  problemWithStatus,
  retryAfterMs,
  type ServiceCaller,
  serviceFailure,
} from '../service/service-client.ts';
import { speechPieces } from './speech-texts.ts';
import { WavReader, wholeSamples } from './wav-reader.ts';

export interface OpenAiSpeechOptions {
  log: Logger;
  /** Address up to `/v1`; `/audio/speech` is appended. */
  url: string;
  model: string | undefined;
  key?: string | undefined;
  /** See {@link readSpeechVoices}. */
  voices?: string | undefined;
  /** Languages the model speaks; see {@link readSpeechVoices}. */
  languages?: readonly LanguageTag[] | undefined;
  /** `pcm` is raw samples at 24 kHz; `wav` states its rate in the header. */
  format?: 'pcm' | 'wav';
  /** Longest wait for a response and for each further part of it, in ms. */
  timeoutMs?: number;
}

const NAME = 'openai-speech';
/** Sample rate of `pcm`, as the API documents it. */
const PCM_RATE_HZ = 24_000;
/** The API's limit is 4096. */
const MAX_CHARACTERS = 4_000;
/**
 * Limits of the duration: the slowest voice says three characters a second, and a short text may have pauses
 * around it.
 */
const MAX_MS_PER_CHARACTER = 350;
const MAX_PAUSES_MS = 10_000;

/** The engine for speech servers. */
export const openAiSpeech = declareEngine({
  settings: {
    SPEECH_URL: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description:
          'Base URL, including `/v1`, of an OpenAI-compatible server for speech synthesis.',
      }),
    ),
    SPEECH_MODEL: Type.Optional(Type.String({ description: 'Model of the speech server.' })),
    SPEECH_KEY: keySetting('API key of the speech server, if it requires one.'),
    SPEECH_LANGUAGES: Type.Optional(
      Type.String({
        description:
          'Languages that the server speaks; by default, those with a voice in `SPEECH_VOICES`.',
      }),
    ),
    SPEECH_VOICES: Type.String({
      default: '*=nova/onyx',
      description:
        'Female and male voice for each language: `en=af_heart/am_adam, ' +
        'pt-BR=pf_dora, *=nova/onyx`; `*` stands for all other languages.',
    }),
    SPEECH_FORMAT: Type.Union([Type.Literal('pcm'), Type.Literal('wav')], {
      default: 'pcm',
      description: 'Audio format to request; use `wav` for models whose sample rate is not 24 kHz.',
    }),
    SPEECH_TIMEOUT_SECONDS: Type.Number({
      default: 30,
      exclusiveMinimum: 0,
      maximum: MAX_SECONDS,
      description: 'Timeout in seconds for the start of an answer and for each further part.',
    }),
  },
  start: async ({ log, settings }) => {
    const { SPEECH_URL: url } = settings;
    if (url === undefined) return undefined;
    return createOpenAiSpeech({
      log,
      url,
      model: settings.SPEECH_MODEL,
      key: settings.SPEECH_KEY,
      languages: listed(settings.SPEECH_LANGUAGES),
      voices: settings.SPEECH_VOICES,
      format: settings.SPEECH_FORMAT,
      timeoutMs: settings.SPEECH_TIMEOUT_SECONDS * 1000,
    });
  },
});

/** Makes no connection yet: a server that is down now may be up when a text arrives. */
export async function createOpenAiSpeech(
  options: OpenAiSpeechOptions,
): Promise<SynthesisEngine | Unavailable> {
  const { url, model, languages } = options;
  const unavailable = (reason: string) => ({ name: NAME, reason });
  const problem = problemWithAddress(url);
  if (problem !== undefined) return unavailable(`SPEECH_URL ${problem}.`);
  if (model === undefined) return unavailable('SPEECH_MODEL is missing: name the model to ask.');
  const wrong = languages?.filter((tag) => canonicalLanguage(tag) === undefined) ?? [];
  if (wrong.length > 0) return unavailable(`SPEECH_LANGUAGES: ${wrong.join(', ')} is no language.`);
  const voices = readSpeechVoices(options.voices, languages);
  if (typeof voices === 'string') return unavailable(`SPEECH_VOICES ${voices}.`);
  return new OpenAiSpeech({ ...options, model, voices });
}

interface Settings extends Omit<OpenAiSpeechOptions, 'voices'> {
  model: string;
  voices: SpeechVoices;
}

class OpenAiSpeech implements SynthesisEngine {
  readonly name = NAME;
  readonly describedAs = 'the speech server that is connected';
  readonly languages: readonly LanguageTag[];
  readonly #settings: Settings;
  readonly #closing = new AbortController();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.languages = settings.voices.languages;
  }

  async *speak(
    text: string,
    { language, gender, signal }: SynthesisOptions,
  ): AsyncGenerator<SpokenSamples> {
    signal.throwIfAborted();
    if (!this.languages.includes(baseLanguage(language))) {
      throw new ServiceError('synthesis_failed', `${NAME} has no voice for ${language}.`);
    }
    const { model, voices, format = 'pcm', log, url, key, timeoutMs = 30_000 } = this.#settings;
    const { controller, unlink } = linkAbort(signal, this.#closing.signal);
    try {
      const pieces = { language, maxCharacters: MAX_CHARACTERS, joins: true };
      for (const input of speechPieces(plainText(text), pieces)) {
        yield* requestSpeech({
          kind: 'speech engine',
          engine: NAME,
          log,
          timeoutMs,
          sampleRateHz: PCM_RATE_HZ,
          url: `${url.replace(/\/+$/, '')}/audio/speech`,
          headers: bearer(key),
          body: {
            model,
            input,
            voice: voices.voiceFor(language, gender),
            response_format: format,
          },
          maxDurationMs: input.length * MAX_MS_PER_CHARACTER + MAX_PAUSES_MS,
          signal: controller.signal,
        });
      }
    } finally {
      unlink();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(
      new ServiceError('synthesis_failed', `The speech engine ${NAME} is being stopped.`),
    );
  }
}

/** Removes control characters and lone surrogates, which not every server can read. */
function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ');
}

// The voices of a speech server, as configured in the settings.

interface SpeechVoices {
  /** Base languages of the voices. */
  languages: readonly LanguageTag[];
  /** @param language one of the languages, or a variant of one */
  voiceFor(language: LanguageTag, gender: VoiceGender | undefined): string;
}

/** Voices of the hosted service, which most servers know. */
const usualVoices = '*=nova/onyx';

/**
 * Reads `en=af_heart/am_adam, pt-BR=pf_dora, *=nova/onyx`: for a language, a variant or all others, the
 * female voice and, after a slash, the male one. Without a requested gender, the first is used.
 *
 * @param languages spoken languages; by default those with voices, or with `*` all that sessions can request
 * @returns the voices, or what is wrong with the setting, as text for the operator
 */
function readSpeechVoices(
  text: string = usualVoices,
  languages?: readonly string[],
): SpeechVoices | string {
  const voices = new Map<string, { female: string; male: string }>();
  for (const entry of text.split(',')) {
    const [, name = '', female, male] = /^\s*([\w-]+|\*)\s*=\s*([^/\s]+)(?:\/([^/\s]+))?\s*$/.exec(
      entry,
    ) ?? [undefined, undefined, undefined];
    const tag = name === '*' ? name : canonicalLanguage(name);
    if (tag === undefined || female === undefined) return `cannot be read at "${entry.trim()}"`;
    voices.set(tag, { female, male: male ?? female });
  }
  const hasVoice = (tag: LanguageTag) => voices.has('*') || [...voices.keys()].some(isOf(tag));
  const wanted = languages ?? voiceMediaLanguages;
  const spoken = new Set(wanted.map((each) => baseLanguage(each)).filter(hasVoice));
  if (spoken.size === 0) return 'names no voice for any language that can be spoken';
  return {
    languages: [...spoken],
    voiceFor(language, gender) {
      const base = baseLanguage(language);
      const voice = voices.get(language) ?? voices.get(base) ?? voices.get('*');
      // If only another variant has a voice, it is better than none.
      const other = [...voices].find(([tag]) => isOf(base)(tag))?.[1];
      return (voice ?? other)?.[gender ?? 'female'] ?? '';
    },
  };
}

function isOf(base: LanguageTag): (tag: string) => boolean {
  return (tag) => tag !== '*' && baseLanguage(tag) === base;
}

// A single speech request: a streaming response with time limits.

interface SpeechRequestOptions extends ServiceCaller {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: object;
  /** Longest wait for a response and for each further part of it, in ms. */
  timeoutMs: number;
  /** Duration above which the speech cannot belong to the text, in ms. */
  maxDurationMs: number;
  /** Rate of samples that come without a header, in Hz. */
  sampleRateHz: number;
  signal: AbortSignal;
}

/** Assembles samples from bytes split at any position. */
interface SampleReader {
  push(chunk: Uint8Array): SpokenSamples | undefined;
}

/**
 * Requests speech and yields it as it arrives.
 *
 * @throws ServiceError synthesis_failed; the signal's reason when aborted
 */
async function* requestSpeech(options: SpeechRequestOptions): AsyncGenerator<SpokenSamples> {
  const { signal, timeoutMs } = options;
  signal.throwIfAborted();
  const { controller, unlink } = linkAbort(signal);
  const deadline = startDeadline(timeoutMs, controller);
  try {
    let response = await ask(options, controller.signal);
    const waitMs = delayAskedFor(response);
    if (waitMs !== undefined) {
      await response.body?.cancel();
      deadline.pause();
      await delay(waitMs, undefined, { signal: controller.signal });
      deadline.resume();
      response = await ask(options, controller.signal);
    }
    await checkAnswer(response, options);
    let durationMs = 0;
    for await (const spoken of readSamples(response, options)) {
      // The time limit applies to the server, not to the consumer.
      deadline.pause();
      durationMs += (spoken.samples.length / spoken.sampleRateHz) * 1000;
      if (durationMs > options.maxDurationMs) {
        throw serviceFailure(options, 'does not come to an end');
      }
      yield spoken;
      deadline.resume();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    if (deadline.hasPassed) {
      throw serviceFailure(options, 'takes too long to answer', { fields: { timeoutMs } });
    }
    const fields = { reason: networkCode(error) };
    throw serviceFailure(options, 'cannot be reached', { fields });
  } finally {
    deadline.pause();
    unlink();
    // Releases the connection when the response was not read to its end.
    controller.abort();
  }
}

function ask({ url, headers, body }: SpeechRequestOptions, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    // Texts and key are meant for this address only.
    redirect: 'error',
    signal,
  });
}

/** Returns how soon a busy server wants to be asked again, in ms; undefined if not at all or too late. */
function delayAskedFor({ status, headers }: Response): number | undefined {
  const waitMs = retryAfterMs(headers) ?? Infinity;
  const isPassing = problemWithStatus(status)?.isPassing === true;
  return isPassing && waitMs <= MAX_DELAY_MS ? waitMs : undefined;
}

interface Deadline {
  readonly hasPassed: boolean;
  pause(): void;
  resume(): void;
}

function startDeadline(timeoutMs: number, controller: AbortController): Deadline {
  let hasPassed = false;
  const start = () =>
    setTimeout(() => {
      hasPassed = true;
      controller.abort();
    }, timeoutMs);
  let timer = start();
  return {
    get hasPassed() {
      return hasPassed;
    },
    pause: () => clearTimeout(timer),
    resume: () => (timer = start()),
  };
}

async function checkAnswer(response: Response, options: SpeechRequestOptions): Promise<void> {
  const { status } = response;
  if (!response.ok) {
    await response.body?.cancel();
    const problem = problemWithStatus(status)?.problem ?? 'refuses this text, voice or model';
    throw serviceFailure(options, problem, { fields: { status } });
  }
  const contentType = response.headers.get('content-type') ?? '';
  const isOther = /^(text\/|application\/json|audio\/(mpeg|mp3|ogg|opus|aac|flac|webm))/i;
  if (!isOther.test(contentType)) return;
  await response.body?.cancel();
  throw serviceFailure(options, 'does not answer with PCM or WAV', { fields: { status } });
}

/** Yields the samples of a response: WAV if it begins with a header, otherwise raw samples. */
async function* readSamples(
  response: Response,
  { sampleRateHz }: SpeechRequestOptions,
): AsyncGenerator<SpokenSamples> {
  let begun = Buffer.alloc(0) as Buffer;
  let reader: SampleReader | undefined;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    let bytes = chunk;
    if (reader === undefined) {
      bytes = begun = Buffer.concat([begun, chunk]);
      if (begun.length < 4) continue;
      const isWav = begun.toString('latin1', 0, 4) === 'RIFF';
      reader = isWav ? new WavReader() : bareSamples(rateOf(response) ?? sampleRateHz);
    }
    const spoken = reader.push(bytes);
    if (spoken !== undefined) yield spoken;
  }
}

/** Returns the rate that some servers declare: `audio/pcm;rate=22050`. */
function rateOf(response: Response): number | undefined {
  const [, rate] = /\brate=(\d{4,5})\b/.exec(response.headers.get('content-type') ?? '') ?? [];
  return rate === undefined ? undefined : Number(rate);
}

function bareSamples(sampleRateHz: number): SampleReader {
  let held = Buffer.alloc(0) as Buffer;
  return {
    push(chunk) {
      const { samples, rest } = wholeSamples(Buffer.concat([held, chunk]));
      held = rest;
      return samples.length === 0 ? undefined : { samples, sampleRateHz };
    },
  };
}
