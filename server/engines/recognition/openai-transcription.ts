/**
 * Recognition by a server with OpenAI's transcription API: OpenAI, speaches, faster-whisper, vLLM,
 * whisper.cpp. The API takes recordings, so a growing utterance is uploaded repeatedly.
 */
import { ServiceError } from '../../../shared/errors.ts';
import {
  declareEngine,
  keySetting,
  listed,
  MAX_SECONDS,
  problemWithAddress,
} from '../declaration.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognitionEngine,
  type Unavailable,
  type Word,
} from '../engine.ts';
import type { Logger } from '../../process/log.ts';
import { bearer, ServiceClient } from '../service/service-client.ts';
import {
  createBatchRecogniser,
  type Transcript,
  type TranscriptionRequest,
} from './batch-recogniser.ts';
import {
  languageNamed,
  languagesToHear,
  type RemoteRecogniserOptions,
  termsPrompt,
  whisperCode,
  whisperLanguages,
} from './remote-recogniser.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../../shared/wav.ts';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

export interface OpenAiTranscriptionOptions extends RemoteRecogniserOptions {
  /** Address up to `/v1`; `/audio/transcriptions` is appended. */
  url: string;
  model: string | undefined;
  key?: string | undefined;
  /** Amount of new speech after which a growing utterance is uploaded again, in ms; 0 for finals only. */
  partialEveryMs?: number;
  /** Retries for a final; see {@link ServiceClient}. */
  retries?: number;
  /** Maximum number of parallel uploads; at this number partials are skipped. */
  maxParallel?: number;
}

const NAME = 'openai-transcription';
/** Minimum length of a recording, in ms: OpenAI refuses less than 100 ms. */
const SHORTEST_MS = 200;

/** An hour of speech has some 60 kB of text, and about ten times as much with word times. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

/** Number of refused recordings in a row after which the server is at fault rather than the recordings. */
const MAX_REFUSALS = 4;

/** A field of the upload form. */
type Field = readonly [name: string, value: string];

/** Response formats, from the most detailed to the one every model supports. */
const formats: readonly (readonly Field[])[] = [
  [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  [['response_format', 'verbose_json']],
  [['response_format', 'json']],
];

/** The engine for servers with the transcription API. */
export const openAiTranscription = declareEngine({
  settings: {
    OPENAI_TRANSCRIPTION_URL: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description:
          'Base URL, including `/v1`, of an OpenAI-compatible server that ' +
          'transcribes whole utterances: speaches, vLLM, whisper.cpp or hosted.',
      }),
    ),
    OPENAI_TRANSCRIPTION_MODEL: Type.Optional(
      Type.String({ description: 'Model of the transcription server.' }),
    ),
    OPENAI_TRANSCRIPTION_KEY: keySetting(
      'API key of the transcription server, if it requires one.',
    ),
    OPENAI_TRANSCRIPTION_LANGUAGES: Type.Optional(
      Type.String({
        description:
          'Languages that the model recognises, for example `de,en`; by default, those of Whisper.',
      }),
    ),
    OPENAI_TRANSCRIPTION_PARTIAL_SECONDS: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 60,
      description:
        'Seconds of new speech after which an unfinished utterance is sent ' +
        'again for tentative captions; `0` turns this off.',
    }),
    OPENAI_TRANSCRIPTION_TIMEOUT_SECONDS: Type.Number({
      default: 30,
      exclusiveMinimum: 0,
      maximum: MAX_SECONDS,
      description: 'Timeout for an answer of the transcription server, in seconds.',
    }),
  },
  start: async ({ log, settings }) => {
    const { OPENAI_TRANSCRIPTION_URL: url } = settings;
    if (url === undefined) return undefined;
    return createOpenAiTranscription({
      log,
      url,
      model: settings.OPENAI_TRANSCRIPTION_MODEL,
      key: settings.OPENAI_TRANSCRIPTION_KEY,
      languages: listed(settings.OPENAI_TRANSCRIPTION_LANGUAGES),
      partialEveryMs: settings.OPENAI_TRANSCRIPTION_PARTIAL_SECONDS * 1000,
      timeoutMs: settings.OPENAI_TRANSCRIPTION_TIMEOUT_SECONDS * 1000,
    });
  },
});

/** Makes no connection yet: a server that is down now may be up when a session starts. */
export async function createOpenAiTranscription(
  options: OpenAiTranscriptionOptions,
): Promise<RecognitionEngine | Unavailable> {
  const { url, model, languages: setting, partialEveryMs } = options;
  const problem = problemWithAddress(url);
  if (problem !== undefined) return unavailable(`OPENAI_TRANSCRIPTION_URL ${problem}.`);
  if (model === undefined) {
    return unavailable('OPENAI_TRANSCRIPTION_MODEL is missing: name the model to ask.');
  }
  const heard = languagesToHear(setting, whisperLanguages);
  if ('problem' in heard) return unavailable(`OPENAI_TRANSCRIPTION_LANGUAGES: ${heard.problem}.`);
  const transcriber = new Transcriber({ ...options, model });
  return createBatchRecogniser({
    name: NAME,
    languages: heard.languages,
    detectsLanguage: true,
    usesSpokenTerms: true,
    punctuates: true,
    transcribe: (samples, request) => transcriber.transcribe(samples, request),
    ...(partialEveryMs !== undefined && { partialEveryMs }),
  });
}

class Transcriber {
  readonly #log: Logger;
  readonly #client: ServiceClient;
  readonly #model: string;
  readonly #maxParallel: number;
  #running = 0;
  /** The format that the model has accepted before. */
  #format: (typeof formats)[number] | undefined;
  /** Number of recordings in a row that the model refused in that format. */
  #refusals = 0;

  constructor(options: OpenAiTranscriptionOptions & { model: string }) {
    const { log, url, key, timeoutMs = 30_000 } = options;
    this.#log = log;
    this.#model = options.model;
    this.#maxParallel = options.maxParallel ?? 16;
    this.#client = new ServiceClient({
      kind: 'recogniser',
      engine: NAME,
      log,
      baseUrl: url,
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      headers: bearer(key),
      retries: options.retries,
      firstDelayMs: options.firstDelayMs,
    });
  }

  async transcribe(samples: Int16Array, request: TranscriptionRequest): Promise<Transcript> {
    // A partial is optional, and its upload would delay a final.
    if (request.purpose === 'partial' && this.#running >= this.#maxParallel) throw busy();
    this.#running += 1;
    try {
      return await this.#upload(samples, request);
    } finally {
      this.#running -= 1;
    }
  }

  async #upload(samples: Int16Array, request: TranscriptionRequest): Promise<Transcript> {
    const wav = wavFile(samples, { sampleRateHz: RECOGNITION_RATE_HZ, leastMs: SHORTEST_MS });
    const known = this.#format;
    if (known !== undefined) {
      const transcript = await this.#ask(wav, known, request);
      if (transcript !== undefined) {
        this.#refusals = 0;
        return transcript;
      }
      if (request.purpose === 'partial') throw refused();
      this.#refusals += 1;
    }
    for (const format of formats.filter((each) => each !== known)) {
      const transcript = await this.#ask(wav, format, request);
      if (transcript === undefined) continue;
      // A single recording may be at fault; after two, the server is no longer what it was.
      if (known === undefined || this.#refusals > 1) {
        this.#format = format;
        this.#refusals = 0;
      }
      return transcript;
    }
    if (known === undefined || this.#refusals > MAX_REFUSALS) throw refused();
    this.#log.warn({ engine: NAME }, 'recogniser refuses a recording: taken as without words');
    return { text: '' };
  }

  /** Returns undefined when the server refuses the recording, or the format. */
  async #ask(
    wav: Uint8Array<ArrayBuffer>,
    format: readonly Field[],
    { language, spokenTerms, purpose, signal }: TranscriptionRequest,
  ): Promise<Transcript | undefined> {
    const known = this.#format;
    const isRepeated = known !== undefined && format !== known;
    const prompt = termsPrompt(spokenTerms);
    const fields: Field[] = [['model', this.#model], ['temperature', '0'], ...format];
    if (language !== undefined) fields.push(['language', whisperCode(language)]);
    if (prompt !== undefined) fields.push(['prompt', prompt]);
    const answer = await this.#client.request({
      path: '/audio/transcriptions',
      body: recordingForm(wav, fields),
      signal,
      mayBreakServer: known !== undefined,
      ...((purpose === 'partial' || isRepeated) && { retries: 0 }),
    });
    if (answer.kind === 'refused') return undefined;
    const transcript = readTranscription(answer.value);
    if (transcript === undefined) throw failure('answers with no transcript: check its address');
    return transcript;
  }
}

function recordingForm(wav: Uint8Array<ArrayBuffer>, fields: readonly Field[]): FormData {
  const form = new FormData();
  // Whisper.cpp and others detect the format by the file name.
  form.append('file', new Blob([wav], { type: 'audio/wav' }), 'speech.wav');
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

function refused(): ServiceError {
  return failure('refuses the recording: check its model');
}

function busy(): ServiceError {
  return failure('has its hands full');
}

function failure(problem: string): ServiceError {
  return new ServiceError('recognition_failed', `The recogniser ${NAME} ${problem}.`);
}

function unavailable(reason: string): Unavailable {
  return { name: NAME, reason: `OpenAI-compatible transcription: ${reason}` };
}

// Samples as a WAV file.

/**
 * Returns a RIFF file of s16le samples, one channel.
 *
 * @param leastMs minimum length, in ms; a shorter recording is padded with silence
 */
function wavFile(
  samples: Int16Array,
  { sampleRateHz, leastMs = 0 }: { sampleRateHz: number; leastMs?: number },
): Uint8Array<ArrayBuffer> {
  const sampleCount = Math.max(samples.length, Math.ceil((leastMs * sampleRateHz) / 1000));
  const dataBytes = sampleCount * 2;
  const file = new Uint8Array(WAV_HEADER_BYTES + dataBytes);
  file.set(wavHeader({ sampleRateHz, dataBytes }));
  const { buffer, byteOffset, byteLength } = samples;
  file.set(new Uint8Array(buffer, byteOffset, byteLength), WAV_HEADER_BYTES);
  return file;
}

// Converts responses of the transcription API to transcripts. Pure functions.

const Times = { start: Type.Number(), end: Type.Number() };
const TimedWord = Type.Object({ word: Type.String(), ...Times });
const Segment = Type.Object({
  ...Times,
  no_speech_prob: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  avg_logprob: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  words: Type.Optional(Type.Union([Type.Array(TimedWord), Type.Null()])),
});

const textOnly = Compile(Type.Object({ text: Type.String() }));
const named = Compile(Type.Object({ language: Type.String() }));
const worded = Compile(Type.Object({ words: Type.Array(TimedWord, { minItems: 1 }) }));
const segmented = Compile(Type.Object({ segments: Type.Array(Segment, { minItems: 1 }) }));

/** Whisper's own thresholds for words hallucinated in silence. */
const NO_SPEECH_PROBABILITY = 0.6;
const UNLIKELY_LOG_PROBABILITY = -1;

/**
 * Reads the formats `json` and `verbose_json`, the latter with words at the top level (OpenAI), in segments
 * (faster-whisper, whisper.cpp) or without words; undefined when the response has neither format.
 */
function readTranscription(answer: unknown): Transcript | undefined {
  if (!textOnly.Check(answer)) return undefined;
  const segments = segmented.Check(answer) ? answer.segments : [];
  const language = named.Check(answer) ? languageNamed(answer.language) : undefined;
  const detected = language !== undefined && { language };
  if (segments.length > 0 && segments.every(isSilence)) return { text: '', ...detected };
  const [first, last] = [segments[0], segments.at(-1)];
  return {
    text: answer.text,
    words: wordsOf(worded.Check(answer) ? answer.words : segments.flatMap((s) => s.words ?? [])),
    ...(first !== undefined && { startMs: first.start * 1000 }),
    ...(last !== undefined && { endMs: last.end * 1000 }),
    ...detected,
  };
}

function isSilence({ no_speech_prob: none, avg_logprob: likely }: Static<typeof Segment>): boolean {
  return (none ?? 0) > NO_SPEECH_PROBABILITY && (likely ?? 0) < UNLIKELY_LOG_PROBABILITY;
}

function wordsOf(words: readonly Static<typeof TimedWord>[]): Word[] {
  return words.map(({ word, start, end }) => ({
    text: word,
    startMs: start * 1000,
    endMs: end * 1000,
  }));
}
