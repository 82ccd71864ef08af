/**
 * Speech by a server with the OpenAI-compatible interface: Kokoro, Speaches, LocalAI, vLLM or a
 * hosted service.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Logger } from '../../process/log.ts';
import type {
  SpokenSamples,
  SynthesisEngine,
  SynthesisOptions,
  Unavailable,
  VoiceGender,
} from '../engine.ts';
import { linkAbort } from '../../process/linked-abort.ts';
import { problemWithAddress } from '../service/address.ts';
import { requestSpeech } from './speech-request.ts';
import { speechPieces } from './speech-texts.ts';
import { voiceMediaLanguages } from '../../../shared/schemas/voice-session.ts';

export interface OpenAiSpeechOptions {
  log: Logger;
  /** Address up to `/v1`, to which `/audio/speech` is appended. */
  url: string;
  model: string | undefined;
  key?: string | undefined;
  /** See {@link readSpeechVoices}. */
  voices?: string | undefined;
  /** Languages the model speaks; see {@link readSpeechVoices}. */
  languages?: readonly LanguageTag[] | undefined;
  /** `pcm` are bare samples at 24 kHz, `wav` says its rate itself. */
  format?: 'pcm' | 'wav';
  /** Longest wait for an answer, and for more of it. */
  timeoutMs?: number;
}

const NAME = 'openai-speech';
/** What `pcm` is, by the interface's documents. */
const PCM_RATE_HZ = 24_000;
/** The interface takes 4096. */
const MAX_CHARACTERS = 4_000;
/** The slowest voice says three characters a second; a short text may have pauses around it. */
const MAX_MS_PER_CHARACTER = 350;
const MAX_PAUSES_MS = 10_000;

/** Contacts nobody yet: a server that is down now may be up when a text comes. */
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
          ...{ kind: 'speech engine', engine: NAME, log, timeoutMs, sampleRateHz: PCM_RATE_HZ },
          url: `${url.replace(/\/+$/, '')}/audio/speech`,
          headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
          body: {
            ...{ model, input, voice: voices.voiceFor(language, gender) },
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

/** Text without control characters and halves of surrogate pairs, which not every server can read. */
function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ');
}

// The voices of a speech server, as settings name them.

interface SpeechVoices {
  /** Base languages they speak. */
  languages: readonly LanguageTag[];
  /** @param language one of the languages, or a variant of one */
  voiceFor(language: LanguageTag, gender: VoiceGender | undefined): string;
}

/** Names of the hosted service; most servers know them. */
const usualVoices = '*=nova/onyx';

/**
 * Reads `en=af_heart/am_adam, pt-BR=pf_dora, *=nova/onyx`: for a language, a variant or all others
 * the voice of a woman and, after a slash, of a man. Whoever asks for neither hears the first.
 *
 * @param languages those that are spoken; without it the ones with voices, or with `*` all that
 *   sessions can ask for
 * @returns what is wrong, for people, as text
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
      // Only another variant has a voice: better that one than none.
      const other = [...voices].find(([tag]) => isOf(base)(tag))?.[1];
      return (voice ?? other)?.[gender ?? 'female'] ?? '';
    },
  };
}

function isOf(base: LanguageTag): (tag: string) => boolean {
  return (tag) => tag !== '*' && baseLanguage(tag) === base;
}
