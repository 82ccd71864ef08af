/**
 * A stub of the OpenAI-compatible speech API: validates requests as real services do, speaks with flite's
 * voices, streams its answer in chunks of various sizes, and fails on demand.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SpeechQuestion {
  model: string;
  input: string;
  voice: string;
  response_format?: string;
}

/** What happens to a request instead of a normal answer. */
export type SpeechMishap =
  | { status: number; retryAfter?: string }
  /** Answers with another content type. */
  | { contentType: string }
  /** Never answers. */
  | 'hang'
  /** Sends half of the speech, then nothing more. */
  | 'stall'
  /** Sends half of the speech, then breaks the connection. */
  | 'cut'
  /** Sends speech without an end. */
  | 'endless';

export interface OpenAiSpeechServer {
  /** Address up to `/v1`. */
  readonly apiUrl: string;
  /** Requests so far. */
  readonly questions: SpeechQuestion[];
  /** Mishaps of the next requests, one each. */
  readonly next: SpeechMishap[];
  /** Sample rate of `wav`, and of `pcm` if the content type states it. */
  sampleRateHz: number;
  /** Speaks only the first words of each text, for tests that are not about the sound. */
  isBrief: boolean;
  /** States the size of the samples in WAV, and has tags after them. */
  hasTags: boolean;
  /** Number of answers under way. */
  readonly openAnswers: number;
  close(): Promise<void>;
}

/** Voices of flite, by the API's names. */
const voices: Record<string, string> = { onyx: 'rms', nova: 'slt', alloy: 'kal16' };
const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];
const MAX_CHARACTERS = 4096;

export async function startOpenAiSpeechServer({
  key,
}: { key?: string } = {}): Promise<OpenAiSpeechServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'dragoman-synthesis-'));
  let openAnswers = 0;
  const state = {
    apiUrl: '',
    questions: [] as SpeechQuestion[],
    next: [] as SpeechMishap[],
    sampleRateHz: 24_000,
    isBrief: false,
    hasTags: false,
    get openAnswers() {
      return openAnswers;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refuse(request, key);
    if (refusal !== undefined) {
      tell(response, ...refusal);
      return;
    }
    const question = (await json(request)) as SpeechQuestion;
    const problem = problemWith(question);
    if (problem !== undefined) {
      tell(response, 400, problem);
      return;
    }
    state.questions.push(question);
    const mishap = state.next.shift();
    if (mishap === 'hang') return;
    if (typeof mishap === 'object' && 'status' in mishap) {
      if (mishap.retryAfter !== undefined) response.setHeader('retry-after', mishap.retryAfter);
      tell(response, mishap.status, 'Something is wrong.');
      return;
    }
    const isWav = question.response_format === 'wav';
    const bare = await speak(question, isWav ? 44 : undefined);
    const audio = isWav && state.hasTags ? tagged(bare) : bare;
    const usual = isWav ? 'audio/wav' : pcmType(state.sampleRateHz);
    const contentType =
      mishap !== undefined && typeof mishap === 'object' ? mishap.contentType : usual;
    response.writeHead(200, { 'content-type': contentType, 'transfer-encoding': 'chunked' });
    await send(response, audio, mishap);
  }

  /** Cache of spoken texts. */
  const spoken = new Map<string, Promise<Buffer>>();

  /** @param headerBytes length of the WAV header to keep; its sizes are unknown when streaming */
  async function speak({ input, voice }: SpeechQuestion, headerBytes = 0): Promise<Buffer> {
    const said = state.isBrief ? input.slice(0, 40) : input;
    const key = JSON.stringify([said, voice, state.sampleRateHz]);
    if (!spoken.has(key)) spoken.set(key, make(said, voice));
    const wav = (await spoken.get(key))!;
    return headerBytes === 0 ? wav.subarray(44) : wav;
  }

  async function make(said: string, voice: string): Promise<Buffer> {
    const name = path.join(folder, `${Math.random()}`);
    // flite gets the text as an argument, which is safe: it comes from a test or from fast-check.
    await run('flite', ['-voice', voices[voice]!, '-t', ` ${said}`, '-o', `${name}.flite.wav`]);
    const format = ['-r', `${state.sampleRateHz}`, '-c', '1', '-b', '16'];
    await run('sox', ['-V1', '-D', `${name}.flite.wav`, ...format, `${name}.wav`]);
    const wav = await readFile(`${name}.wav`);
    wav.writeUInt32LE(0xffffffff, 4);
    wav.writeUInt32LE(0xffffffff, 40);
    return wav;
  }

  const server = createServer((request, response) => {
    openAnswers += 1;
    response.once('close', () => (openAnswers -= 1));
    void answer(request, response).catch(() => response.destroy());
  });
  // Clients close idle connections first, so that no request meets one that is being closed.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return state;
}

function tagged(wav: Buffer): Buffer {
  const software = 'INFOISFT\x0e\0\0\0Speech server\0';
  const list = Buffer.from(`LIST\x1a\0\0\0${software}`, 'latin1');
  const file = Buffer.concat([wav, list]);
  file.writeUInt32LE(file.length - 8, 4);
  file.writeUInt32LE(wav.length - 44, 40);
  return file;
}

function pcmType(sampleRateHz: number): string {
  return sampleRateHz === 24_000 ? 'audio/pcm' : `audio/pcm;rate=${sampleRateHz}`;
}

function refuse(
  { method, url, headers }: IncomingMessage,
  key: string | undefined,
): [number, string] | undefined {
  if (key !== undefined && headers.authorization !== `Bearer ${key}`) {
    return [401, 'Incorrect API key provided.'];
  }
  if (url !== '/v1/audio/speech') return [404, `Invalid URL (${method} ${url})`];
  if (method !== 'POST') return [405, 'Only POST requests are accepted.'];
  if (headers['content-type'] !== 'application/json') return [415, 'JSON is expected.'];
  return undefined;
}

function problemWith(question: SpeechQuestion): string | undefined {
  const { model, input, voice, response_format: format = 'mp3' } = question;
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter';
  if (typeof input !== 'string' || input === '') return "'input': a string is expected";
  if (input.length > MAX_CHARACTERS) return `'input': at most ${MAX_CHARACTERS} characters`;
  if (voices[voice] === undefined) return `'voice': ${Object.keys(voices).join(', ')}`;
  if (!formats.includes(format)) return `'response_format': ${formats.join(', ')}`;
  if (format !== 'wav' && format !== 'pcm') return 'This server has no encoder.';
  return undefined;
}

function tell(response: ServerResponse, status: number, message: string): void {
  const error = { message, type: 'invalid_request_error', param: null, code: null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

/** Sends chunks that may end inside a sample, with back-pressure. */
async function send(
  response: ServerResponse,
  audio: Buffer,
  mishap: SpeechMishap | undefined,
): Promise<void> {
  const sizes = [1, 4097, 333, 8192, 2];
  const half = mishap === 'stall' || mishap === 'cut' ? audio.length / 2 : Infinity;
  let sent = 0;
  for (let index = 0; !response.destroyed; index += 1) {
    if (sent >= half) break;
    const start = mishap === 'endless' ? 0 : sent;
    const chunk = audio.subarray(start, start + sizes[index % sizes.length]!);
    if (chunk.length === 0) break;
    sent += chunk.length;
    if (!response.write(chunk)) await room(response);
  }
  if (mishap === 'cut') response.destroy();
  else if (mishap !== 'stall') response.end();
}

/** Resolves when a response accepts more data, or its client has gone. */
async function room(response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const { signal } = gone;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  gone.abort();
}
