/** Worker thread that encodes speech, stream by stream; each request gets one answer. */
import { parentPort, type MessagePort } from 'node:worker_threads';
import type { FreeRequest, ReadyNotice } from '../../process/index.ts';
import {
  packPieces,
  type EncodeAnswer,
  type EncodedPiece,
  type EncodeRequest,
} from './codecs/media-pieces.ts';
import { createStreamEncoder, type StreamEncoder } from './stream-encoder.ts';

/** Serves requests on a port until it closes. */
function serveEncoding(port: MessagePort): void {
  const encoders = new Map<number, StreamEncoder>();

  function free(streamId: number): void {
    encoders.get(streamId)?.free();
    encoders.delete(streamId);
  }

  function piecesFor(request: EncodeRequest): EncodedPiece[] {
    const { streamId } = request;
    if (request.kind === 'open') {
      const opened = createStreamEncoder(request.format);
      encoders.set(streamId, opened);
      return opened.headers.map((data) => ({ data, durationMs: 0 }));
    }
    const encoder = encoders.get(streamId);
    if (encoder === undefined) throw new Error('A stream was not opened.');
    if (request.kind === 'flush') return encoder.flush();
    return encoder.encode(new Int16Array(request.samples), request.sampleRateHz);
  }

  port.on('message', (request: EncodeRequest | FreeRequest) => {
    const { streamId } = request;
    if (request.kind === 'free') {
      free(streamId);
      return;
    }
    let answer: EncodeAnswer;
    try {
      answer = { streamId, pieces: packPieces(piecesFor(request)) };
    } catch (error) {
      free(streamId);
      answer = { streamId, pieces: packPieces([]), failure: String(error) };
    }
    port.postMessage(answer, [answer.pieces.bytes]);
  });
  port.postMessage({ kind: 'ready' } satisfies ReadyNotice);
}

if (parentPort === null) throw new Error('This module is run as a worker thread.');
serveEncoding(parentPort);
