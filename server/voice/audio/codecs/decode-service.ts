/** The worker's side: decodes what arrives, stream by stream, and answers each request once. */
import { ServiceError } from '../../../../shared/errors.ts';
import type { FreeRequest, ReadyNotice } from '../../../process/worker-pool.ts';
import type { WorkerPort } from '../../../process/worker-process.ts';
import { AnswerParts } from './answer-parts.ts';
import {
  GAP,
  type DecodeAnswer,
  type DecodeFailure,
  type DecodeRequest,
} from './decode-messages.ts';
import type { CreateStreamDecoder, StreamDecoder } from './stream-decoder.ts';

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
