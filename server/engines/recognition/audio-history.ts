/** The latest stretch of an audio stream, kept so that it can be heard again. */

/**
 * A ring of bytes addressed by their position in the stream, with room for `capacityBytes`. It takes
 * in until it is full; only {@link dropBefore} makes room.
 */
export class AudioHistory {
  readonly #ring: Uint8Array;
  #start = 0;
  #end = 0;

  constructor(capacityBytes: number) {
    this.#ring = new Uint8Array(capacityBytes);
  }

  /** Position of the first byte held. */
  get start(): number {
    return this.#start;
  }

  /** Position after the last byte held. */
  get end(): number {
    return this.#end;
  }

  /** Appends bytes from an offset on, as far as there is room; returns how many were taken. */
  append(bytes: Uint8Array, offset = 0): number {
    const capacity = this.#ring.byteLength;
    const taken = Math.min(bytes.byteLength - offset, capacity - (this.#end - this.#start));
    for (let done = 0; done < taken;) {
      const at = (this.#end + done) % capacity;
      const count = Math.min(taken - done, capacity - at);
      const from = offset + done;
      const isWhole = from === 0 && count === bytes.byteLength;
      this.#ring.set(isWhole ? bytes : bytes.subarray(from, from + count), at);
      done += count;
    }
    this.#end += taken;
    return taken;
  }

  /** Forgets what lies before a position. */
  dropBefore(position: number): void {
    this.#start = Math.min(Math.max(this.#start, position), this.#end);
  }

  /** Bytes from a position that is held: up to `maxBytes`, fewer where the ring wraps. Not a copy. */
  view(position: number, maxBytes: number): Uint8Array {
    const at = position % this.#ring.byteLength;
    const count = Math.min(maxBytes, this.#end - position, this.#ring.byteLength - at);
    return this.#ring.subarray(at, at + count);
  }

  /** Copies bytes from a position that is held into `target`; returns how many there were. */
  read(position: number, target: Uint8Array): number {
    const count = Math.min(target.byteLength, this.#end - position);
    for (let done = 0; done < count;) {
      const part = this.view(position + done, count - done);
      target.set(part, done);
      done += part.byteLength;
    }
    return count;
  }
}
