/**
 * Audio on its way: what has not been sent, and what has been sent and may have to be sent again. The
 * bytes of a session are numbered from 0, as the server counts them. Chunks stay as they came: how
 * much goes out at a time is decided when it goes.
 */
export class AudioBuffer {
  readonly #maxBytes: number;
  /** A ring that grows: chunks `#head` to `#head + #count - 1`, modulo its length. */
  #ring: Uint8Array[] = new Array<Uint8Array>(64);
  #head = 0;
  #count = 0;
  #sizeBytes = 0;
  /** Number of the first byte that is kept, and how much of the first chunk lies before it. */
  #firstByte = 0;
  #doneBytes = 0;
  /** Bytes after `#firstByte` that have been sent; the next one is here. */
  #sentBytes = 0;
  #sendIndex = 0;
  #sendOffset = 0;

  constructor({ maxBytes }: { maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are kept, sent or not. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Bytes that have been sent and not been acknowledged. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  get isFull(): boolean {
    return this.#sizeBytes >= this.#maxBytes;
  }

  /** Everything has been sent. */
  get isDrained(): boolean {
    return this.#sentBytes === this.#sizeBytes;
  }

  /** Bytes of the chunk that is being sent which have not been sent. */
  get chunkBytes(): number {
    return this.isDrained ? 0 : this.#at(this.#sendIndex).length - this.#sendOffset;
  }

  /** Adds a chunk, which is kept and not copied. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#count) % this.#ring.length] = chunk;
    this.#count += 1;
    this.#sizeBytes += chunk.length;
  }

  /** Takes the next bytes to send, at most so many, out of one chunk; they stay until acknowledged. */
  take(maxBytes: number): Uint8Array {
    const chunk = this.#at(this.#sendIndex);
    const piece = chunk.subarray(this.#sendOffset, this.#sendOffset + maxBytes);
    this.#sentBytes += piece.length;
    this.#sendOffset += piece.length;
    if (this.#sendOffset === chunk.length) this.#sendNextChunk();
    return piece;
  }

  /** The server has this many bytes of the session: they need not be kept. */
  acknowledge(receivedBytes: number): void {
    this.#release(Math.min(receivedBytes - this.#firstByte, this.#sentBytes));
  }

  /** What was sent need not be kept. */
  forgetSent(): void {
    this.#release(this.#sentBytes);
  }

  /**
   * Goes on with the byte after `receivedBytes` on a new connection. Without a number, as servers
   * that do not count leave it, what was sent counts as received.
   */
  resume(receivedBytes: number | undefined): void {
    if (receivedBytes === undefined) this.forgetSent();
    else {
      this.acknowledge(receivedBytes);
      this.#firstByte = receivedBytes;
    }
    this.#sendFromStart();
  }

  /** Begins a new session with what is kept, sent or not; of that with the newest `maxBytes`. */
  restart(maxBytes = Infinity): void {
    this.#release(this.#sizeBytes - maxBytes);
    this.#firstByte = 0;
    this.#sendFromStart();
  }

  /** Lets go of what is left of the oldest chunk that was not sent, or not to its end. */
  dropUnsent(): void {
    if (this.isDrained) return;
    const place = (this.#head + this.#sendIndex) % this.#ring.length;
    this.#sizeBytes -= this.chunkBytes;
    this.#ring[place] = this.#at(this.#sendIndex).subarray(0, this.#sendOffset);
    this.#sendNextChunk();
    // Nothing of it may be left, and nothing before it.
    this.#release(0);
  }

  #sendFromStart(): void {
    this.#sentBytes = this.#sendIndex = 0;
    this.#sendOffset = this.#doneBytes;
  }

  #sendNextChunk(): void {
    this.#sendIndex += 1;
    this.#sendOffset = 0;
  }

  #at(index: number): Uint8Array {
    return this.#ring[(this.#head + index) % this.#ring.length] as Uint8Array;
  }

  /** Lets go of the first bytes. A chunk is freed when all of it has gone. */
  #release(sizeBytes: number): void {
    if (sizeBytes > 0) {
      this.#firstByte += sizeBytes;
      this.#doneBytes += sizeBytes;
      this.#sizeBytes -= sizeBytes;
      this.#sentBytes = Math.max(0, this.#sentBytes - sizeBytes);
    }
    while (this.#count > 0 && this.#doneBytes >= this.#at(0).length) {
      this.#doneBytes -= this.#at(0).length;
      this.#ring[this.#head] = EMPTY;
      this.#head = (this.#head + 1) % this.#ring.length;
      this.#count -= 1;
      this.#sendIndex = Math.max(0, this.#sendIndex - 1);
    }
  }

  #grow(): void {
    const grown = new Array<Uint8Array>(this.#ring.length * 2);
    for (let index = 0; index < this.#count; index += 1) grown[index] = this.#at(index);
    this.#ring = grown;
    this.#head = 0;
  }
}

const EMPTY = new Uint8Array();
