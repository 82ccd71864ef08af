/** One request for speech: an answer that streams, with time limits. */
import { ServiceError } from '../../../shared/errors.ts';
import type { SpokenSamples } from '../engine.ts';
import {
  networkCode,
  problemWithStatus,
  serviceFailure,
  type ServiceCaller,
} from '../service/failure.ts';
import { linkAbort } from '../../process/linked-abort.ts';
import { WavReader, wholeSamples } from './wav-reader.ts';

export interface SpeechRequestOptions extends ServiceCaller {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: object;
  /** Longest wait for an answer, and for more of it. */
  timeoutMs: number;
  /** More speech than this is none of the text. */
  maxDurationMs: number;
  /** Rate of samples that come without a header. */
  sampleRateHz: number;
  signal: AbortSignal;
}

/** Samples out of bytes cut anywhere. */
interface SampleReader {
  push(chunk: Uint8Array): SpokenSamples | undefined;
}

/**
 * Asks for speech and hands it on as it comes.
 *
 * @throws ServiceError synthesis_failed; the signal's reason when aborted
 */
export async function* requestSpeech(options: SpeechRequestOptions): AsyncGenerator<SpokenSamples> {
  const { signal, timeoutMs } = options;
  signal.throwIfAborted();
  const { controller, unlink } = linkAbort(signal);
  const deadline = startDeadline(timeoutMs, controller);
  try {
    const response = await fetch(options.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...options.headers },
      body: JSON.stringify(options.body),
      // Texts and key are meant for this address and no other.
      redirect: 'error',
      signal: controller.signal,
    });
    await checkAnswer(response, options);
    let durationMs = 0;
    for await (const spoken of readSamples(response, options)) {
      // Whoever reads may take their time: only the server's is limited.
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
    // Lets the connection go when the answer was not read to its end.
    controller.abort();
  }
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

/** The samples of an answer: WAV if it begins like that, else bare ones. */
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

/** Some servers tell: `audio/pcm;rate=22050`. */
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
