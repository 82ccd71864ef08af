/**
 * A stub of OpenAI's transcription API in the variants of OpenAI, speaches, vLLM and whisper.cpp. Recognises
 * speech made of tones.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { hearTones, samplesOfBytes, textOf, type ToneWord } from '../audio/tone-speech.ts';

/** An upload as received. */
export interface Upload {
  headers: IncomingMessage['headers'];
  fields: Record<string, string[]>;
  fileName: string;
  /** Samples of the WAV file, from -1 to 1. */
  samples: Float32Array;
  /** Whether the client went away before it was answered. */
  isAbandoned: boolean;
}

export type Failure =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Never answers. */
  | 'hang'
  /** Breaks the connection. */
  | 'cut'
  /** Sends bytes without an end. */
  | 'endless';

/** Variant of the API. */
export type Manners =
  /** verbose_json with words at the top level, languages by English name. */
  | 'openai'
  /** Refuses verbose_json, as gpt-4o-transcribe does. */
  | 'json-only'
  /** Words in segments, split into pieces; languages by code. */
  | 'whisper.cpp'
  /** verbose_json without words. */
  | 'wordless';

export interface SpeechToTextServer {
  /** Address up to `/v1`. */
  readonly url: string;
  readonly uploads: Upload[];
  manners: Manners;
  /** Detected language, if the request names none. */
  detected: { name: string; code: string };
  /** Failures of the next uploads, one each. */
  readonly next: Failure[];
  /** Failure of all uploads, while set. */
  always: Failure | undefined;
  /** Answers wait for this promise. */
  hold: Promise<unknown> | undefined;
  /** Most uploads under way at once. */
  mostAtOnce: number;
  reset(): void;
  close(): Promise<void>;
}

const SAMPLE_RATE_HZ = 16_000;

export async function startSpeechToTextServer({
  key,
}: { key?: string } = {}): Promise<SpeechToTextServer> {
  let running = 0;
  const http = createServer((request, response) => {
    running += 1;
    state.mostAtOnce = Math.max(state.mostAtOnce, running);
    response.once('close', () => (running -= 1));
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const isHere = request.method === 'POST' && request.url === '/v1/audio/transcriptions';
    const isWelcome = key === undefined || request.headers.authorization === `Bearer ${key}`;
    if (!isHere) refuse(response, 404, 'Not Found');
    else if (!isWelcome) refuse(response, 401, 'Incorrect API key provided');
    else await transcribe(body, request, response);
  }

  async function transcribe(
    body: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const upload = readUpload(body, request.headers);
    state.uploads.push(upload);
    response.once('close', () => (upload.isAbandoned = !response.writableFinished));
    await state.hold;
    const failure = state.always ?? state.next.shift();
    const format = upload.fields['response_format']?.[0] ?? 'json';
    const isTooShort = upload.samples.length < SAMPLE_RATE_HZ / 10;
    if (failure !== undefined) fail(failure, response);
    else if (isTooShort) refuse(response, 400, 'Audio file is too short.');
    else if (format === 'verbose_json' && state.manners === 'json-only') {
      refuse(response, 400, "response_format 'verbose_json' is not compatible with model");
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(transcription(upload, format, state)));
    }
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const state: SpeechToTextServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    uploads: [],
    manners: 'openai',
    detected: { name: 'english', code: 'en' },
    next: [],
    always: undefined,
    hold: undefined,
    mostAtOnce: 0,
    reset() {
      state.uploads.length = 0;
      state.next.length = 0;
      state.manners = 'openai';
      state.detected = { name: 'english', code: 'en' };
      state.always = state.hold = undefined;
      state.mostAtOnce = 0;
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return state;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  const error = { message, type: 'invalid_request_error', param: null, code: null };
  response.end(JSON.stringify({ error }));
}

function fail(failure: Failure, response: ServerResponse): void {
  if (failure === 'hang') return;
  if (failure === 'cut') {
    response.destroy();
  } else if (failure === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write('a'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  } else {
    response.writeHead(failure.status, failure.headers);
    response.end(failure.body ?? '{}');
  }
}

/** Parses multipart/form-data (RFC 7578), as far as clients use it. */
function readUpload(body: Buffer, headers: IncomingMessage['headers']): Upload {
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/.exec(headers['content-type'] ?? '');
  const limit = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`;
  const upload: Upload = {
    ...{ headers, fields: {}, fileName: '', samples: new Float32Array(0), isAbandoned: false },
  };
  const text = body.toString('latin1');
  for (const part of text.split(limit).slice(1, -1)) {
    const headEnd = part.indexOf('\r\n\r\n');
    const head = part.slice(0, headEnd);
    const content = Buffer.from(part.slice(headEnd + 4, -2), 'latin1');
    const name = / name="([^"]*)"/.exec(head)?.[1] ?? '';
    const fileName = /filename="([^"]*)"/.exec(head)?.[1];
    if (fileName === undefined) (upload.fields[name] ??= []).push(content.toString());
    else {
      upload.fileName = fileName;
      upload.samples = samplesOfWav(content);
    }
  }
  return upload;
}

function samplesOfWav(file: Buffer): Float32Array {
  const isPcm = file.readUInt16LE(20) === 1 && file.readUInt16LE(22) === 1;
  const isComplete = file.readUInt32LE(40) === file.byteLength - 44;
  if (file.toString('latin1', 0, 4) !== 'RIFF' || !isPcm || !isComplete) {
    throw new Error('This is no WAV file of one channel');
  }
  if (file.readUInt32LE(24) !== SAMPLE_RATE_HZ) throw new Error('The rate is another');
  return samplesOfBytes(file.subarray(44));
}

function transcription(upload: Upload, format: string, server: SpeechToTextServer): object {
  const { fields, samples } = upload;
  const words = hearTones(samples, { terms: fields['prompt']?.[0] ?? '' });
  const text = sentenceOf(words);
  if (format !== 'verbose_json') return { text };
  const duration = samples.length / SAMPLE_RATE_HZ;
  const [first, last] = [words[0], words.at(-1)];
  const told = fields['language']?.[0];
  const { name, code } = server.detected;
  const isCpp = server.manners === 'whisper.cpp';
  const language = told ?? (isCpp ? code : name);
  const times = { start: (first?.startMs ?? 0) / 1000, end: (last?.endMs ?? 0) / 1000 };
  const segment = { id: 0, ...times, text, no_speech_prob: 0.01, avg_logprob: -0.2 };
  const segments = words.length === 0 ? [] : [segment];
  const answer = { task: 'transcribe', language, duration, text, segments };
  const wantsWords = fields['timestamp_granularities[]']?.includes('word') === true;
  if (isCpp) {
    const pieces = words.flatMap(halves).map((word) => timed(word, ' '));
    return { ...answer, segments: segments.map((each) => ({ ...each, words: pieces })) };
  }
  if (!wantsWords || server.manners === 'wordless') return answer;
  return { ...answer, words: words.map((word) => timed(word, '')) };
}

/** Writes a capital and a full stop, as Whisper does. */
function sentenceOf(words: readonly ToneWord[]): string {
  const text = textOf(words);
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function timed({ text, startMs, endMs }: ToneWord, blank: string): object {
  const isPiece = text.startsWith('-');
  const word = isPiece ? text.slice(1) : blank + text;
  return { word, start: startMs / 1000, end: endMs / 1000 };
}

/** Splits a word into tokens: a model may use several for one word. */
function halves({ text, startMs, endMs }: ToneWord): ToneWord[] {
  const middle = (startMs + endMs) / 2;
  const at = text.length >> 1;
  return [
    { text: text.slice(0, at), startMs, endMs: middle },
    { text: `-${text.slice(at)}`, startMs: middle, endMs },
  ];
}
