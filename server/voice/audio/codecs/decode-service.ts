/** The worker's side: decodes what arrives, stream by stream, and answers each request once. */
import { ServiceError } from '../../../../shared/errors.ts';
import type { FreeRequest, ReadyNotice, WorkerPort } from '../../../process/index.ts';
import {
  GAP,
  type DecodeAnswer,
  type DecodeFailure,
  type DecodeRequest,
  type DecodedPart,
} from './decode-messages.ts';
import type { CreateStreamDecoder, StreamDecoder, DecoderOutput } from './stream-decoder.ts';
import type { Coding } from './audio-sink.ts';

/** Serves requests on a port until it closes. */
export function serveDecoding(
  port: WorkerPort<DecodeRequest | FreeRequest, DecodeAnswer | ReadyNotice>,
  createDecoder: CreateStreamDecoder,
): void {
  const decoders = new Map<number, StreamDecoder>();
  /** One for all streams: a request is decoded and its audio is taken in one go. */
  const output = new AnswerParts();

  function free(streamId: number): void {
    decoders.get(streamId)?.free();
    decoders.delete(streamId);
  }

  function decoderOf({ streamId, open }: DecodeRequest): StreamDecoder {
    const known = decoders.get(streamId);
    if (known !== undefined) return known;
    if (open === undefined) throw new Error('A stream was not opened.');
    const decoder = createDecoder({ ...open, output });
    decoders.set(streamId, decoder);
    return decoder;
  }

  function decode(request: DecodeRequest): DecodeAnswer {
    const durationsMs: number[] = [];
    let failure: DecodeFailure | undefined;
    try {
      const decoder = decoderOf(request);
      let offset = 0;
      for (const sizeBytes of request.chunkSizesBytes) {
        if (sizeBytes === GAP) {
          decoder.gap();
          continue;
        }
        durationsMs.push(decoder.push(new Uint8Array(request.bytes, offset, sizeBytes)));
        offset += sizeBytes;
      }
      if (request.isLast) decoder.end();
    } catch (error) {
      failure = describe(error);
    }
    if (request.isLast || failure !== undefined) free(request.streamId);
    const { streamId } = request;
    const answer = { kind: 'decoded' as const, streamId, parts: output.take(), durationsMs };
    return failure === undefined ? answer : { ...answer, failure };
  }

  port.on('message', (request) => {
    if (request.kind === 'free') {
      free(request.streamId);
      return;
    }
    const answer = decode(request);
    port.postMessage(
      answer,
      answer.parts.map(({ bytes }) => bytes),
    );
  });
  port.postMessage({ kind: 'ready' });
}

/** Faults of the memory under the decoders, by name: WebAssembly has no types in Node's library. */
const memoryFaults: ReadonlySet<string> = new Set(['RangeError', 'RuntimeError']);

function describe(error: unknown): DecodeFailure {
  if (error instanceof ServiceError) {
    return { code: error.code, message: error.message, retires: false };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return {
    code: 'decoder_failed',
    message:
      'The audio could not be decoded because of a fault on our side. Please start a new session.',
    cause: error instanceof Error ? `${name}: ${error.message}` : name,
    retires: memoryFaults.has(name),
  };
}

// Collects the audio of an answer.

/** Its buffers stay between answers; what is taken are copies of just the right size. */
class AnswerParts implements DecoderOutput {
  readonly #parts: DecodedPart[] = [];
  #samples = new Int16Array(16_000);
  #sampleCount = 0;
  #frames = new Uint8Array(16 * 1024);
  #framesBytes = 0;
  #soundBytes = 0;
  #starts: Coding | undefined;

  samples(samples: Int16Array): void {
    this.#closeFrames();
    const count = this.#sampleCount + samples.length;
    if (count > this.#samples.length) {
      const larger = new Int16Array(2 * count);
      larger.set(this.#samples.subarray(0, this.#sampleCount));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#sampleCount);
    this.#sampleCount = count;
  }

  startCoded(coding: Coding): void {
    this.#closeFrames();
    this.#starts = coding;
  }

  coded(bytes: Uint8Array, hasSound: boolean): void {
    this.#closeSamples();
    const length = this.#framesBytes + bytes.length;
    if (length > this.#frames.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#frames.subarray(0, this.#framesBytes));
      this.#frames = larger;
    }
    this.#frames.set(bytes, this.#framesBytes);
    this.#framesBytes = length;
    if (hasSound) this.#soundBytes += bytes.length;
  }

  /** What was collected since the last call. */
  take(): DecodedPart[] {
    this.#closeSamples();
    this.#closeFrames();
    return this.#parts.splice(0);
  }

  #closeSamples(): void {
    if (this.#sampleCount === 0) return;
    this.#parts.push({ kind: 'pcm', bytes: this.#samples.slice(0, this.#sampleCount).buffer });
    this.#sampleCount = 0;
  }

  #closeFrames(): void {
    if (this.#framesBytes === 0 && this.#starts === undefined) return;
    const bytes = this.#frames.slice(0, this.#framesBytes).buffer;
    const starts = this.#starts === undefined ? {} : { starts: this.#starts };
    this.#parts.push({ kind: 'coded', bytes, soundBytes: this.#soundBytes, ...starts });
    this.#framesBytes = 0;
    this.#soundBytes = 0;
    this.#starts = undefined;
  }
}
