/** Messages between the server and a decoding process, and their binary form on a pipe. */
import type { ErrorCode } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import type { FreeRequest, Wire } from '../../process/index.ts';
import type { Endpointing, HeardPiece, ListenerState, RestMark } from './endpointing.ts';
import type { RestPlace } from './media.ts';
import type { Coding } from './codecs/decodable-formats.ts';

/** Parameters of a stream's decoder. */
export interface StreamParameters {
  format: AudioFormat;
  sampleRateHz: number;
  /** Whether FFmpeg is available for codecs that the worker cannot decode. */
  hasFfmpeg: boolean;
  /** Undefined: all audio counts as speech. */
  endpointing: Endpointing | undefined;
  /** Whether speech samples are needed in addition to the ends of utterances. */
  wantsSamples: boolean;
  /** Whether resume points are reported. */
  tellsRests?: boolean;
  /** Resume point at which another server stopped; chunks before {@link ALIGNMENT} lead up to it. */
  resume?: Pick<RestPlace, 'alignSamples' | 'listener'>;
}

/** Stands for a chunk: bytes are missing between the chunks around it. */
export const GAP = null;
/** Stands for a chunk: at this point the decoded position equals that of {@link StreamParameters.resume}. */
export const ALIGNMENT = undefined;

/** Audio of a client, or a mark in it. */
export type Chunk = Uint8Array | typeof GAP | typeof ALIGNMENT;

/** Consecutive chunks of a stream; none where the last answer had no room for those of the last request. */
export interface DecodeRequest {
  kind: 'decode';
  streamId: number;
  /** Present in the first request of a stream. */
  open: StreamParameters | undefined;
  chunks: readonly Chunk[];
  /** Whether the stream ends here; the answer then contains the last decoded audio. */
  isLast: boolean;
}

/** Samples that were decoded by FFmpeg, for a stream's listener; s16le at the stream's rate. */
export interface ListenRequest {
  kind: 'listen';
  streamId: number;
  samples: Uint8Array;
  /**
   * What follows the samples: more, the end of an utterance as declared by the sender, or the end of the
   * stream, which is then freed.
   */
  then: 'more' | 'utterance_end' | 'end';
}

/** Each request gets one {@link HearingAnswer}. */
export type HearingRequest = DecodeRequest | ListenRequest;

export interface DecodeFailure {
  code: ErrorCode;
  message: string;
  /** Internal error for the log; not shown to the client. */
  cause?: string;
  /** Whether the worker must get no new streams, as its memory is no longer reliable. */
  retires: boolean;
}

/** Audio that could not be listened to yet. */
export type DecodedPart =
  /** Samples to listen to once FFmpeg has decoded everything before them. */
  | { kind: 'pcm'; bytes: Uint8Array }
  /**
   * Frames for FFmpeg. `soundBytes` of them contain sound, and they play for `playsMs` by their own
   * account; `starts` is set when they begin a new, independent sequence.
   */
  | { kind: 'coded'; bytes: Uint8Array; soundBytes: number; playsMs: number; starts?: Coding };

export interface HearingAnswer {
  kind: HearingRequest['kind'];
  streamId: number;
  /** Results in order. In case of a failure, those before it. */
  pieces: readonly (HeardPiece | RestMark)[];
  /** Position up to which the stream was heard, in ms. */
  heardMs: number;
  /** Parts that could not be listened to yet, in order, after the pieces. */
  parts: readonly DecodedPart[];
  /** Playing time of each chunk, as far as the worker can tell, in ms; gaps have no entry. */
  durationsMs: readonly number[];
  /** Whether chunks wait for another request because the answer had no room for their sound. */
  hasMore: boolean;
  /** Present when nothing more can be decoded. */
  failure?: DecodeFailure;
}

// Binary form: frames whose payload begins with the stream number, little endian.

const KIND = { decode: 1, listen: 2, free: 3 } as const;
const THEN = ['more', 'utterance_end', 'end'] as const;
/** Size values that stand for a gap and for an alignment. */
const GAP_BYTES = 0xffff_ffff;
const ALIGNMENT_BYTES = 0xffff_fffe;
const CODINGS: readonly Coding[] = ['mp3', 'aac', 'ogg'];
const PIECE = { samples: 0, endpoint: 1, cut: 2, silence: 3, rest: 4 } as const;

export const requestWire: Wire<HearingRequest | FreeRequest> = {
  write(request, frame) {
    if (request.kind === 'free') frame(KIND.free, 4).writeUInt32LE(request.streamId);
    else if (request.kind === 'listen') {
      const { streamId, samples, then } = request;
      const payload = frame(KIND.listen, 5 + samples.length);
      payload.writeUInt32LE(streamId);
      payload[4] = THEN.indexOf(then);
      payload.set(samples, 5);
    } else writeDecodeRequest(request, frame);
  },
  read(kind, payload) {
    const streamId = payload.readUInt32LE();
    if (kind === KIND.free) return { kind: 'free', streamId };
    if (kind !== KIND.listen) return readDecodeRequest(streamId, payload);
    const then = THEN[payload[4] ?? 0] ?? 'more';
    return { kind: 'listen', streamId, samples: bytesOf(payload, 5), then };
  },
};

function writeDecodeRequest(
  { streamId, open, chunks, isLast }: DecodeRequest,
  frame: (kind: number, sizeBytes: number) => Buffer,
): void {
  const opening = open && Buffer.from(JSON.stringify(open));
  let sizeBytes = 7 + (opening?.length ?? 0);
  for (const chunk of chunks) sizeBytes += 4 + (chunk?.length ?? 0);
  const payload = frame(KIND.decode, sizeBytes);
  payload.writeUInt32LE(streamId);
  payload[4] = isLast ? 1 : 0;
  payload.writeUInt16LE(opening?.length ?? 0, 5);
  if (opening !== undefined) payload.set(opening, 7);
  let at = 7 + (opening?.length ?? 0);
  for (const chunk of chunks) {
    const mark = chunk === GAP ? GAP_BYTES : ALIGNMENT_BYTES;
    payload.writeUInt32LE(chunk?.length ?? mark, at);
    at += 4;
    if (chunk === GAP || chunk === ALIGNMENT) continue;
    payload.set(chunk, at);
    at += chunk.length;
  }
}

function readDecodeRequest(streamId: number, payload: Buffer): DecodeRequest {
  const isLast = payload[4] === 1;
  let at = 7 + payload.readUInt16LE(5);
  const open =
    at === 7 ? undefined : (JSON.parse(payload.toString('utf8', 7, at)) as StreamParameters);
  const chunks: Chunk[] = [];
  while (at < payload.length) {
    const sizeBytes = payload.readUInt32LE(at);
    at += 4;
    if (sizeBytes === GAP_BYTES) chunks.push(GAP);
    else if (sizeBytes === ALIGNMENT_BYTES) chunks.push(ALIGNMENT);
    else chunks.push(bytesOf(payload, at, (at += sizeBytes)));
  }
  return { kind: 'decode', streamId, open, chunks, isLast };
}

/** Answer header: stream, whether more waits, three counts, size of the failure, and position heard. */
const ANSWER_HEAD_BYTES = 4 + 1 + 2 + 2 + 2 + 4 + 8;

/** Part header: kind, coding, bytes with sound, playing time, and length. */
const PART_HEAD_BYTES = 1 + 1 + 4 + 8 + 4;

export const answerWire: Wire<HearingAnswer> = {
  write(answer, frame) {
    const { streamId, kind, pieces, parts, durationsMs, heardMs, hasMore, failure } = answer;
    const failed = failure && Buffer.from(JSON.stringify(failure));
    let sizeBytes = ANSWER_HEAD_BYTES + durationsMs.length * 8 + (failed?.length ?? 0);
    for (const piece of pieces) {
      sizeBytes += 9 + (piece.kind === 'samples' ? 4 + piece.samples.length : 0);
      if (piece.kind === 'rest') sizeBytes += 4 + stateOf(piece).length;
    }
    for (const part of parts) sizeBytes += PART_HEAD_BYTES + part.bytes.length;
    const payload = frame(KIND[kind], sizeBytes);
    payload.writeUInt32LE(streamId);
    payload[4] = hasMore ? 1 : 0;
    payload.writeUInt16LE(pieces.length, 5);
    payload.writeUInt16LE(parts.length, 7);
    payload.writeUInt16LE(durationsMs.length, 9);
    payload.writeUInt32LE(failed?.length ?? 0, 11);
    payload.writeDoubleLE(heardMs, 15);
    let at = ANSWER_HEAD_BYTES;
    for (const durationMs of durationsMs) at = payload.writeDoubleLE(durationMs, at);
    for (const piece of pieces) at = writePiece(piece, payload, at);
    for (const part of parts) at = writePart(part, payload, at);
    if (failed !== undefined) payload.set(failed, at);
  },
  read(kind, payload) {
    const pieceCount = payload.readUInt16LE(5);
    const partCount = payload.readUInt16LE(7);
    const durationCount = payload.readUInt16LE(9);
    const failedBytes = payload.readUInt32LE(11);
    let at = ANSWER_HEAD_BYTES;
    const durationsMs: number[] = [];
    const pieces: (HeardPiece | RestMark)[] = [];
    const parts: DecodedPart[] = [];
    for (; durationsMs.length < durationCount; at += 8) durationsMs.push(payload.readDoubleLE(at));
    while (pieces.length < pieceCount) at = readPiece(payload, at, pieces);
    while (parts.length < partCount) at = readPart(payload, at, parts);
    const answer: HearingAnswer = {
      kind: kind === KIND.decode ? 'decode' : 'listen',
      streamId: payload.readUInt32LE(),
      pieces,
      heardMs: payload.readDoubleLE(15),
      parts,
      durationsMs,
      hasMore: payload[4] === 1,
    };
    if (failedBytes > 0) {
      answer.failure = JSON.parse(payload.toString('utf8', at, at + failedBytes)) as DecodeFailure;
    }
    return answer;
  },
};

/** Serialises a listener state, which consists of numbers and base64, so that it is plain ASCII. */
function stateOf({ listener }: RestMark): string {
  return JSON.stringify(listener);
}

function writePiece(piece: HeardPiece | RestMark, payload: Buffer, start: number): number {
  const { kind } = piece;
  if (kind === 'rest') {
    const state = stateOf(piece);
    payload[start] = PIECE.rest;
    payload.writeDoubleLE(piece.atMs, start + 1);
    payload.writeUInt32LE(state.length, start + 9);
    payload.write(state, start + 13, 'latin1');
    return start + 13 + state.length;
  }
  if (kind !== 'samples') {
    payload[start] = kind === 'endpoint' && piece.isCut === true ? PIECE.cut : PIECE[kind];
    return payload.writeDoubleLE(piece.atMs, start + 1);
  }
  payload[start] = PIECE.samples;
  payload.writeDoubleLE(piece.startMs, start + 1);
  payload.writeUInt32LE(piece.samples.length, start + 9);
  payload.set(piece.samples, start + 13);
  return start + 13 + piece.samples.length;
}

function readPiece(payload: Buffer, start: number, pieces: (HeardPiece | RestMark)[]): number {
  const ms = payload.readDoubleLE(start + 1);
  const kind = payload[start];
  if (kind === PIECE.samples) {
    const end = start + 13 + payload.readUInt32LE(start + 9);
    // A copy: samples may be kept for the length of an utterance, the payload's memory may not.
    const samples = bytesOf(payload, start + 13, end).slice();
    pieces.push({ kind: 'samples', samples, startMs: ms });
    return end;
  }
  if (kind === PIECE.rest) {
    const end = start + 13 + payload.readUInt32LE(start + 9);
    const listener = JSON.parse(payload.toString('latin1', start + 13, end)) as ListenerState;
    pieces.push({ kind: 'rest', atMs: ms, listener });
    return end;
  }
  if (kind === PIECE.silence) pieces.push({ kind: 'silence', atMs: ms });
  else pieces.push({ kind: 'endpoint', atMs: ms, ...(kind === PIECE.cut && { isCut: true }) });
  return start + 9;
}

function writePart(part: DecodedPart, payload: Buffer, start: number): number {
  const starts = part.kind === 'coded' ? part.starts : undefined;
  payload[start] = part.kind === 'pcm' ? 0 : 1;
  payload[start + 1] = starts === undefined ? 0 : CODINGS.indexOf(starts) + 1;
  payload.writeUInt32LE(part.kind === 'coded' ? part.soundBytes : 0, start + 2);
  payload.writeDoubleLE(part.kind === 'coded' ? part.playsMs : 0, start + 6);
  payload.writeUInt32LE(part.bytes.length, start + 14);
  payload.set(part.bytes, start + PART_HEAD_BYTES);
  return start + PART_HEAD_BYTES + part.bytes.length;
}

function readPart(payload: Buffer, start: number, parts: DecodedPart[]): number {
  const end = start + PART_HEAD_BYTES + payload.readUInt32LE(start + 14);
  const bytes = bytesOf(payload, start + PART_HEAD_BYTES, end);
  const starts = CODINGS[(payload[start + 1] ?? 0) - 1];
  if (payload[start] === 0) parts.push({ kind: 'pcm', bytes });
  else {
    const soundBytes = payload.readUInt32LE(start + 2);
    const playsMs = payload.readDoubleLE(start + 6);
    parts.push({ kind: 'coded', bytes, soundBytes, playsMs, ...(starts && { starts }) });
  }
  return end;
}

/** Returns a plain view of a payload; not a Buffer, whose `slice` behaves differently. */
function bytesOf(payload: Buffer, start: number, end = payload.length): Uint8Array {
  return new Uint8Array(payload.buffer, payload.byteOffset + start, end - start);
}
