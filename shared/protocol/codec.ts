/**
 * Encodes messages to frames and decodes them. base64 occurs only here: all other code handles
 * Uint8Array. Runs in Node and in browsers.
 */
import { Decoder, encode as packMessage } from '@msgpack/msgpack';
import { ServiceError } from '../errors.ts';
import type {
  ClientMessage,
  MessageFormat,
  ReceivedMessage,
  ServerFrame,
  ServerMessage,
} from './messages.ts';

/** Largest amount of audio in one `source_media_chunk`, in bytes. */
export const MAX_CHUNK_BYTES = 100_000;

/** Largest accepted frame, in bytes: the largest chunk in base64 plus room for its envelope. */
export const MAX_FRAME_BYTES = 160 * 1024;

type Bytes = Uint8Array;
interface NodeBuffer extends Bytes {
  latin1Slice(start: number, end: number): string;
  write(text: string, offset: number, length: number, encoding: 'base64'): number;
}
interface NodeBufferClass {
  from(text: string, encoding: 'base64'): NodeBuffer;
  from(
    bytes: ArrayBufferLike,
    offset: number,
    length: number,
  ): NodeBuffer & { toString(encoding: 'base64'): string };
}
const NodeBuffer = (globalThis as unknown as { Buffer?: NodeBufferClass }).Buffer;

const unpacker = new Decoder({
  maxStrLength: 4096,
  maxBinLength: MAX_FRAME_BYTES,
  maxArrayLength: 64,
  maxMapLength: 64,
  maxExtLength: 64,
});
/** Without limits: a single server message may carry a whole transcript. */
const serverMessageUnpacker = new Decoder();

/** Encodes a server message as the payload of one frame. */
export function encodeServerMessage(message: ServerMessage, format: MessageFormat): string | Bytes {
  const { type, ...payload } = message;
  if (format === 'msgpack') return packMessage({ [type]: payload });
  if (!('data' in payload)) return JSON.stringify({ [type]: payload });
  return JSON.stringify({ [type]: { ...payload, data: payload.data.map(toBase64) } });
}

/** Encodes a client message as the payload of one frame. */
export function encodeClientMessage(message: ClientMessage, format: MessageFormat): string | Bytes {
  if (message.type === 'source_media_chunk') {
    const { data } = message;
    if (format === 'msgpack') return packMessage({ source_media_chunk: { data } });
    return CHUNK_HEAD + toBase64(data) + CHUNK_TAIL;
  }
  const payload = message.type === 'session_update' ? message.update : {};
  const wire = { [message.type]: payload };
  return format === 'msgpack' ? packMessage(wire) : JSON.stringify(wire);
}

/** Decodes a frame of the server, which is trusted to be well formed. */
export function decodeServerMessage(frame: string | Bytes): ServerMessage {
  const said: unknown =
    typeof frame === 'string' ? JSON.parse(frame) : serverMessageUnpacker.decode(frame);
  return messageOf(said as ServerFrame);
}

/** Converts the wire form of a server message; audio may still be base64. */
export function messageOf(frame: ServerFrame): ServerMessage {
  const [[type, payload] = ['']] = Object.entries(frame as Record<string, { data?: unknown }>);
  if (!Array.isArray(payload?.data)) return { type, ...payload } as ServerMessage;
  const data = payload.data.map((piece: string | Bytes) =>
    typeof piece === 'string' ? (fromBase64(piece) ?? new Uint8Array()) : piece,
  );
  return { type, ...payload, data } as ServerMessage;
}

/**
 * Decodes an untrusted frame of a client.
 *
 * @param frame payload of one frame; for JSON, the UTF-8 bytes. The call consumes it: it may be
 *   overwritten, and the returned bytes may be a view of it.
 * @throws ServiceError malformed_message, unknown_message or chunk_too_large
 */
export function decodeClientMessage(frame: Bytes, format: MessageFormat): ReceivedMessage {
  if (format === 'json') {
    return decodeCanonicalJson(frame) ?? toClientMessage(parseJson(frame), format);
  }
  return decodeCanonicalPack(frame) ?? toClientMessage(unpack(frame), format);
}

/** The bytes before the data of a MessagePack chunk: two maps of one key each. */
const PACKED_HEAD = Uint8Array.from('\x81\xb2source_media_chunk\x81\xa4data', (character) =>
  character.charCodeAt(0),
);

/**
 * Fast path: nearly every MessagePack frame is a chunk in the usual encoding, recognised by its
 * first bytes at a tenth of the cost of a decoder. Returns undefined for anything else.
 */
function decodeCanonicalPack(frame: Bytes): ReceivedMessage | undefined {
  for (let at = 0; at < PACKED_HEAD.length; at += 1) {
    if (frame[at] !== PACKED_HEAD[at]) return undefined;
  }
  const at = PACKED_HEAD.length;
  // Binary data with a length of one or two bytes.
  const isShort = frame[at] === 0xc4;
  if (!isShort && frame[at] !== 0xc5) return undefined;
  const start = at + (isShort ? 2 : 3);
  const sizeBytes = isShort
    ? (frame[at + 1] ?? 0)
    : (frame[at + 1] ?? 0) * 256 + (frame[at + 2] ?? 0);
  if (start + sizeBytes !== frame.length) return undefined;
  return { type: 'source_media_chunk', data: frame.subarray(start) };
}

const CHUNK_HEAD = '{"source_media_chunk":{"data":"';
const CHUNK_TAIL = '"}}';

/**
 * Fast path: nearly every JSON frame is a chunk without white space. Its base64 is decoded in
 * place, at a third of the cost of JSON.parse and without garbage. Returns undefined for anything
 * else, with the frame untouched.
 */
function decodeCanonicalJson(frame: Bytes): ReceivedMessage | undefined {
  if (!isNodeBuffer(frame)) return undefined;
  const end = frame.length - CHUNK_TAIL.length;
  const length = end - CHUNK_HEAD.length;
  if (length < 4 || length % 4 !== 0) return undefined;
  if (frame.latin1Slice(0, CHUNK_HEAD.length) !== CHUNK_HEAD) return undefined;
  if (frame.latin1Slice(end, frame.length) !== CHUNK_TAIL) return undefined;
  const padding = frame[end - 1] !== 0x3d ? 0 : frame[end - 2] !== 0x3d ? 1 : 2;
  const text = frame.latin1Slice(CHUNK_HEAD.length, end);
  // Node would also accept the URL-safe alphabet.
  if (text.includes('-') || text.includes('_')) return undefined;
  const sizeBytes = frame.write(text, 0, frame.length, 'base64');
  if (sizeBytes === (length / 4) * 3 - padding) {
    return { type: 'source_media_chunk', data: checkedSize(frame.subarray(0, sizeBytes)) };
  }
  // A character outside the alphabet was skipped, possibly an escape such as "\\/". The frame is
  // already overwritten, so the text is parsed again.
  return toClientMessage(parseJsonText(CHUNK_HEAD + text + CHUNK_TAIL), 'json');
}

function isNodeBuffer(frame: Bytes): frame is NodeBuffer {
  return NodeBuffer !== undefined && frame instanceof (NodeBuffer as unknown as typeof Uint8Array);
}

const KNOWN_MESSAGES: ReadonlySet<string> = new Set([
  'source_media_chunk',
  'end_of_utterance',
  'session_update',
  'end_of_source_media',
]);

function toClientMessage(decoded: unknown, format: MessageFormat): ReceivedMessage {
  if (!isRecord(decoded)) throw malformed('A message must be an object with exactly one key.');
  const names = Object.keys(decoded);
  const name = names[0];
  if (name === undefined || names.length > 1) {
    throw malformed('A message must be an object with exactly one key: its name.');
  }
  if (!KNOWN_MESSAGES.has(name)) {
    throw new ServiceError(
      'unknown_message',
      `Unknown message. Send ${[...KNOWN_MESSAGES].join(', ')}.`,
    );
  }
  const payload = decoded[name];
  if (!isRecord(payload)) throw malformed(`The payload of ${name} must be an object.`);
  if (name === 'end_of_source_media' || name === 'end_of_utterance') return { type: name };
  if (name === 'session_update') return { type: name, update: payload };
  return { type: 'source_media_chunk', data: checkedSize(toBytes(payload['data'], format)) };
}

function toBytes(data: unknown, format: MessageFormat): Bytes {
  if (format === 'msgpack') {
    if (data instanceof Uint8Array) return data;
    throw malformed('source_media_chunk.data must be binary in MessagePack frames.');
  }
  const bytes = typeof data === 'string' ? fromBase64(data) : undefined;
  if (bytes === undefined)
    throw malformed('source_media_chunk.data must be base64 in JSON frames.');
  return bytes;
}

function checkedSize(data: Bytes): Bytes {
  if (data.length <= MAX_CHUNK_BYTES) return data;
  throw new ServiceError(
    'chunk_too_large',
    `A chunk may carry at most ${MAX_CHUNK_BYTES} bytes of audio and 1 s; 50 to 250 ms are best.`,
  );
}

function parseJson(frame: Bytes): unknown {
  try {
    return parseJsonText(new TextDecoder('utf-8', { fatal: true }).decode(frame));
  } catch {
    throw malformed('The frame is not valid JSON.');
  }
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The frame is not valid JSON.');
  }
}

function unpack(frame: Bytes): unknown {
  if (!isShallow(frame)) throw malformed('The frame holds too many values, or too deep ones.');
  try {
    return unpacker.decode(frame);
  } catch {
    throw malformed('The frame is not valid MessagePack.');
  }
}

/** Deepest nesting of lists and maps; legitimate messages have two levels. */
const MAX_DEPTH = 32;
/**
 * Largest number of values in a frame, including unknown keys and fields; legitimate messages have
 * five.
 */
const MAX_VALUES = 1024;

/** Number of remaining values at each level; shared by all calls to avoid allocations. */
const left = new Uint32Array(MAX_DEPTH + 1);

/**
 * Scans MessagePack before decoding, without allocation and in half a microsecond per message.
 * Decoding creates an object for each level and value, however small the frame.
 *
 * Returns whether the content is at most {@link MAX_DEPTH} levels deep and has at most {@link
 * MAX_VALUES} values. Malformed or truncated frames are left to the decoder, which stops at the
 * same place.
 *
 * Format: https://github.com/msgpack/msgpack/blob/master/spec.md
 */
function isShallow(frame: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  left[0] = 1;
  for (let at = 0; at < frame.length;) {
    values += 1;
    if (values > MAX_VALUES) return false;
    const head = frame[at] ?? 0;
    const children = childrenAt(frame, at, head);
    at += sizeAt(frame, at, head);
    left[depth] = (left[depth] ?? 0) - 1;
    if (children > 0) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
      left[depth] = children;
    }
    while (left[depth] === 0) {
      if (depth === 0) return true;
      depth -= 1;
    }
  }
  return true;
}

/** Returns the number of values in a list, or of keys and values in a map; 0 for anything else. */
function childrenAt(frame: Uint8Array, at: number, head: number): number {
  if (head >= 0x80 && head <= 0x8f) return (head & 0x0f) * 2;
  if (head >= 0x90 && head <= 0x9f) return head & 0x0f;
  if (head === 0xdc) return lengthAt(frame, at, 2);
  if (head === 0xdd) return lengthAt(frame, at, 4);
  if (head === 0xde) return lengthAt(frame, at, 2) * 2;
  if (head === 0xdf) return lengthAt(frame, at, 4) * 2;
  return 0;
}

/** Total sizes of values with the heads `0xc0` to `0xdf` that have a fixed size. */
const FIXED_SIZES: Readonly<Record<number, number>> = {
  0xca: 5,
  0xcb: 9,
  0xcc: 2,
  0xcd: 3,
  0xce: 5,
  0xcf: 9,
  0xd0: 2,
  0xd1: 3,
  0xd2: 5,
  0xd3: 9,
  0xd4: 3,
  0xd5: 4,
  0xd6: 6,
  0xd7: 10,
  0xd8: 18,
  0xdc: 3,
  0xdd: 5,
  0xde: 3,
  0xdf: 5,
};

/** Returns the size of a value; for lists and maps, without their content. */
function sizeAt(frame: Uint8Array, at: number, head: number): number {
  if (head >= 0xa0 && head <= 0xbf) return 1 + (head & 0x1f);
  // Binary data, extensions (with an additional type byte) and texts, by the width of their length field.
  if (head >= 0xc4 && head <= 0xc6) return sizedAt(frame, at, 2 ** (head - 0xc4));
  if (head >= 0xc7 && head <= 0xc9) return 1 + sizedAt(frame, at, 2 ** (head - 0xc7));
  if (head >= 0xd9 && head <= 0xdb) return sizedAt(frame, at, 2 ** (head - 0xd9));
  return FIXED_SIZES[head] ?? 1;
}

function sizedAt(frame: Uint8Array, at: number, width: number): number {
  return 1 + width + lengthAt(frame, at, width);
}

/** Reads the big-endian length after a head. */
function lengthAt(frame: Uint8Array, at: number, width: number): number {
  let length = 0;
  for (let place = 1; place <= width; place += 1) length = length * 256 + (frame[at + place] ?? 0);
  return length;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array)
  );
}

function malformed(message: string): ServiceError {
  return new ServiceError('malformed_message', message);
}

/** Encodes bytes as base64. */
export function toBase64(bytes: Bytes): string {
  if (NodeBuffer !== undefined) {
    return NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  }
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes base64; undefined for anything else. */
export function fromBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined;
  if (NodeBuffer !== undefined) return NodeBuffer.from(text, 'base64');
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
