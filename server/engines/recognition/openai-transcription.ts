/**
 * Recognition by a server with OpenAI's transcription interface: OpenAI, speaches, faster-whisper,
 * vLLM, whisper.cpp. It hears recordings; utterances are uploaded as they grow.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { RECOGNITION_RATE_HZ, type RecognitionEngine, type Unavailable } from '../engine.ts';
import { problemWithAddress } from '../service/address.ts';
import { ServiceClient } from '../service/service-client.ts';
import {
  createBatchRecogniser,
  type Transcript,
  type TranscriptionRequest,
} from './batch-recogniser.ts';
import type { RemoteRecogniserOptions } from './remote-options.ts';
import { languagesToHear, whisperCode, whisperLanguages } from './spoken-languages.ts';
import { termsPrompt } from './terms-prompt.ts';
import { readTranscription } from './transcription-answer.ts';
import { wavFile } from './wav-file.ts';

export interface OpenAiTranscriptionOptions extends RemoteRecogniserOptions {
  /** Address up to `/v1`, to which `/audio/transcriptions` is appended. */
  url: string;
  model: string | undefined;
  key?: string | undefined;
  /** Speech after which a growing utterance is uploaded again, in ms; 0 for finals only. */
  partialEveryMs?: number;
  /** Tries after the first one of a final; see {@link ServiceClient}. */
  retries?: number;
  /** Uploads at once; where there are as many, partials are left out. */
  maxParallel?: number;
}

const NAME = 'openai-transcription';
/** OpenAI refuses recordings of less than 100 ms. */
const SHORTEST_MS = 200;

/** An hour of speech has some 60 kB of text; its words with times ten times as much. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

/** Of the form that is sent. */
type Field = readonly [name: string, value: string];

/** From what tells most to what every model takes. */
const formats: readonly (readonly Field[])[] = [
  [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  [['response_format', 'verbose_json']],
  [['response_format', 'json']],
];

/** Contacts nobody yet: a server that is down now may be up when someone speaks. */
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
  readonly #client: ServiceClient;
  readonly #model: string;
  readonly #maxParallel: number;
  #running = 0;
  /** The format that the model has taken before. */
  #format: (typeof formats)[number] | undefined;

  constructor(options: OpenAiTranscriptionOptions & { model: string }) {
    const { log, url, key, timeoutMs = 30_000 } = options;
    this.#model = options.model;
    this.#maxParallel = options.maxParallel ?? 16;
    this.#client = new ServiceClient({
      ...{ kind: 'recogniser', engine: NAME, log, baseUrl: url, timeoutMs },
      maxAnswerBytes: MAX_ANSWER_BYTES,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...(options.retries !== undefined && { retries: options.retries }),
      ...(options.firstDelayMs !== undefined && { firstDelayMs: options.firstDelayMs }),
    });
  }

  async transcribe(samples: Int16Array, request: TranscriptionRequest): Promise<Transcript> {
    // Nothing waits for a partial, and every upload keeps a final waiting.
    if (request.purpose === 'partial' && this.#running >= this.#maxParallel) throw busy();
    this.#running += 1;
    try {
      return await this.#upload(samples, request);
    } finally {
      this.#running -= 1;
    }
  }

  async #upload(samples: Int16Array, request: TranscriptionRequest): Promise<Transcript> {
    const { language, spokenTerms, purpose, signal } = request;
    const wav = wavFile(samples, { sampleRateHz: RECOGNITION_RATE_HZ, leastMs: SHORTEST_MS });
    const prompt = termsPrompt(spokenTerms);
    for (const format of this.#format === undefined ? formats : [this.#format]) {
      const fields: Field[] = [['model', this.#model], ['temperature', '0'], ...format];
      if (language !== undefined) fields.push(['language', whisperCode(language)]);
      if (prompt !== undefined) fields.push(['prompt', prompt]);
      const answer = await this.#client.request({
        path: '/audio/transcriptions',
        body: recordingForm(wav, fields),
        signal,
        ...(purpose === 'partial' && { retries: 0 }),
      });
      if (answer.kind === 'refused') continue;
      const transcript = readTranscription(answer.value);
      if (transcript === undefined) throw failure('answers with no transcript: check its address');
      this.#format ??= format;
      return transcript;
    }
    throw failure('refuses the recording: check its model');
  }
}

function recordingForm(wav: Uint8Array<ArrayBuffer>, fields: readonly Field[]): FormData {
  const form = new FormData();
  // Whisper.cpp and others tell the format by the name.
  form.append('file', new Blob([wav], { type: 'audio/wav' }), 'speech.wav');
  for (const [name, value] of fields) form.append(name, value);
  return form;
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
