/** What the server and a decoding process say to each other, and how it goes over a pipe. */
import type { ErrorCode } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import type { FreeRequest, Wire } from '../../process/index.ts';
import type { Endpointing, HeardPiece, ListenerState, RestMark } from './endpointing.ts';
import type { RestPlace } from './media.ts';
import type { Coding } from './codecs/decodable-formats.ts';

/** What a stream's decoder is made from. */
export interface StreamParameters {
  format: AudioFormat;
  sampleRateHz: number;
  /** Whether there is an FFmpeg for codecs the worker does not decode. */
  hasFfmpeg: boolean;
  /** Undefined: all of it is speech. */
  endpointing: Endpointing | undefined;
  /** Whether more is asked for than where utterances end. */
  wantsSamples: boolean;
  /** Whether it is told from where another could go on. */
  tellsRests?: boolean;
  /** Where another has been; what comes before {@link ALIGNMENT} leads up to it. */
  resume?: Pick<RestPlace, 'alignSamples' | 'listener'>;
}

/** In place of a chunk: bytes are missing between the chunks around it. */
export const GAP = null;
/** In place of a chunk: up to here the stream was decoded before, as far as it says that resumes it. */
export const ALIGNMENT = undefined;

/** Audio of a client, or what is to be known of it. */
export type Chunk = Uint8Array | typeof GAP | typeof ALIGNMENT;

/** Some chunks of a stream, in order. */
export interface DecodeRequest {
  kind: 'decode';
  streamId: number;
  /** With the first request of a stream. */
  open: StreamParameters | undefined;
  chunks: readonly Chunk[];
  /** No more follows: the answer has the last of what is decoded. */
  isLast: boolean;
}

/** Samples that were decoded elsewhere, for the listener of a stream; s16le at its rate. */
export interface ListenRequest {
  kind: 'listen';
  streamId: number;
  samples: Uint8Array;
  /** With them an utterance is over, as its sender says, or the stream is, which is freed. */
  then: 'more' | 'utterance_end' | 'end';
}

/** Each is answered once, with a {@link HearingAnswer}. */
export type HearingRequest = DecodeRequest | ListenRequest;

export interface DecodeFailure {
  code: ErrorCode;
  message: string;
  /** For our log: an error that was not meant for the sender. */
  cause?: string;
  /** The worker should get no new streams: its memory cannot be relied upon. */
  retires: boolean;
}

/** Audio in one piece. */
export type DecodedPart =
  /** To be listened to once FFmpeg has given what came before. */
  | { kind: 'pcm'; bytes: Uint8Array }
  /**
   * Frames for FFmpeg, of which `soundBytes` have sound in them, that play for `playsMs` as they say
   * themselves; `starts` with the first ones, which have nothing to do with those before.
   */
  | { kind: 'coded'; bytes: Uint8Array; soundBytes: number; playsMs: number; starts?: Coding };

export interface HearingAnswer {
  kind: HearingRequest['kind'];
  streamId: number;
  /** What was heard of it, in order. With a failure, what came before it. */
  pieces: readonly (HeardPiece | RestMark)[];
  /** How far the stream was listened to, in ms. */
  heardMs: number;
  /** In order, after the pieces: what could not be listened to yet. */
  parts: readonly DecodedPart[];
  /** How long each chunk plays, as far as the worker can tell; no entry for a gap. */
  durationsMs: readonly number[];
  /** Nothing more can be decoded. */
  failure?: DecodeFailure;
}

// Over a pipe: frames whose payload begins with the number of the stream. Little endian.

const KIND = { decode: 1, listen: 2, free: 3 } as const;
const THEN = ['more', 'utterance_end', 'end'] as const;
/** Size of a chunk that is a gap. */
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

/** Of an answer: its kind, numbers of what follows, how far the stream was heard. */
const ANSWER_HEAD_BYTES = 4 + 1 + 2 + 2 + 2 + 4 + 8;

/** Of a part: its kind, what it starts, how much of it sounds and for how long, its length. */
const PART_HEAD_BYTES = 1 + 1 + 4 + 8 + 4;

export const answerWire: Wire<HearingAnswer> = {
  write(answer, frame) {
    const { streamId, kind, pieces, parts, durationsMs, heardMs, failure } = answer;
    const failed = failure && Buffer.from(JSON.stringify(failure));
    let sizeBytes = ANSWER_HEAD_BYTES + durationsMs.length * 8 + (failed?.length ?? 0);
    for (const piece of pieces) {
      sizeBytes += 9 + (piece.kind === 'samples' ? 4 + piece.samples.length : 0);
      if (piece.kind === 'rest') sizeBytes += 4 + stateOf(piece).length;
    }
    for (const part of parts) sizeBytes += PART_HEAD_BYTES + part.bytes.length;
    const payload = frame(KIND[kind], sizeBytes);
    payload.writeUInt32LE(streamId);
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
    };
    if (failedBytes > 0) {
      answer.failure = JSON.parse(payload.toString('utf8', at, at + failedBytes)) as DecodeFailure;
    }
    return answer;
  },
};

/** Numbers and base64. */
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
    // Of its own: it may be kept for as long as an utterance lasts, and what it lies in is not.
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

/** A view of a payload that is no Buffer: these mean other things by `slice`. */
function bytesOf(payload: Buffer, start: number, end = payload.length): Uint8Array {
  return new Uint8Array(payload.buffer, payload.byteOffset + start, end - start);
}
