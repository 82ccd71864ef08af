/**
 * Frames over a pipe: four bytes length of the payload (little endian), one byte kind, the payload.
 * Neither side parses more than five bytes to know what it has, and audio stays as it is.
 */
import type { Writable } from 'node:stream';

/** Bytes before the payload. */
export const FRAME_HEADER_BYTES = 5;
/** A longer payload is a broken stream, not a message. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

const EMPTY = Buffer.alloc(0);

function writeHeader(target: Buffer, kind: number, payloadBytes: number): void {
  if (payloadBytes > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`A frame carries at most ${MAX_PAYLOAD_BYTES} bytes`);
  }
  target.writeUInt32LE(payloadBytes, 0);
  target.writeUInt8(kind, 4);
}

/** A frame as one buffer, for small messages. Throws RangeError over {@link MAX_PAYLOAD_BYTES}. */
export function encodeFrame(kind: number, payload: Uint8Array = EMPTY): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.byteLength);
  writeHeader(frame, kind, payload.byteLength);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/**
 * Writes frames, one at a time: the header is always the same five bytes, and the payload goes into
 * the pipe from where it lies.
 */
export class FrameWriter {
  readonly #stream: Writable;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #isWriting = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /**
   * Resolves when the pipe has taken the frame, and not before: until then neither the payload may
   * change nor another frame be written (throws Error). Rejects when the pipe is broken.
   */
  write(kind: number, payload: Uint8Array = EMPTY): Promise<void> {
    if (this.#isWriting) throw new Error('The frame before is still being written');
    writeHeader(this.#header, kind, payload.byteLength);
    this.#isWriting = true;
    return new Promise((resolve, reject) => {
      const done = (error?: Error | null): void => {
        this.#isWriting = false;
        if (error) reject(error);
        else resolve();
      };
      // Corked, header and payload leave in one system call.
      this.#stream.cork();
      if (payload.byteLength === 0) {
        this.#stream.write(this.#header, done);
      } else {
        this.#stream.write(this.#header);
        this.#stream.write(payload, done);
      }
      this.#stream.uncork();
    });
  }
}

/**
 * Puts frames together from chunks of any size. A payload that lies within one chunk is handed on as
 * a view of that chunk, any other is copied once; either is valid only during the call.
 */
export class FrameReader {
  readonly #onFrame: (kind: number, payload: Buffer) => void;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #headerBytes = 0;
  /** The payload being put together; undefined between frames. */
  #payload: Buffer | undefined;
  #payloadBytes = 0;

  constructor(onFrame: (kind: number, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** Takes a chunk. Throws RangeError when a length cannot be right: the stream is then lost. */
  push(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.byteLength) {
      offset += this.#payload === undefined ? this.#readHeader(chunk, offset) : 0;
      if (this.#headerBytes === FRAME_HEADER_BYTES) offset += this.#readPayload(chunk, offset);
    }
  }

  #readHeader(chunk: Buffer, offset: number): number {
    const taken = chunk.copy(this.#header, this.#headerBytes, offset);
    this.#headerBytes += taken;
    return taken;
  }

  #readPayload(chunk: Buffer, offset: number): number {
    const length = this.#header.readUInt32LE(0);
    if (length > MAX_PAYLOAD_BYTES) throw new RangeError('A frame is longer than frames can be');
    if (this.#payload === undefined && chunk.byteLength - offset >= length) {
      this.#deliver(chunk.subarray(offset, offset + length));
      return length;
    }
    this.#payload ??= Buffer.allocUnsafe(length);
    const taken = chunk.copy(this.#payload, this.#payloadBytes, offset);
    this.#payloadBytes += taken;
    if (this.#payloadBytes === length) this.#deliver(this.#payload);
    return taken;
  }

  #deliver(payload: Buffer): void {
    this.#headerBytes = 0;
    this.#payload = undefined;
    this.#payloadBytes = 0;
    this.#onFrame(this.#header.readUInt8(4), payload);
  }
}
