/** Numbers of any number of bits, most significant bit first, one after the other. */
export class BitWriter {
  #bytes = new Uint8Array(16_384);
  #length = 0;
  /** Bits that do not make a byte yet, in the low end. */
  #held = 0;
  #heldBits = 0;

  /** The low `bits` of a number, at most 24. */
  write(value: number, bits: number): void {
    this.#held = (this.#held << bits) | (value & ((1 << bits) - 1));
    this.#heldBits += bits;
    while (this.#heldBits >= 8) {
      this.#heldBits -= 8;
      this.#append(this.#held >>> this.#heldBits);
      this.#held &= (1 << this.#heldBits) - 1;
    }
  }

  /** So many zeros, and a one. */
  writeUnary(zeros: number): void {
    let left = zeros;
    for (; left >= 16; left -= 16) this.write(0, 16);
    this.write(1, left + 1);
  }

  /** Zeros up to the next whole byte. */
  align(): void {
    if (this.#heldBits > 0) this.write(0, 8 - this.#heldBits);
  }

  /** The whole bytes so far; valid until the next call. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.#held = 0;
    this.#heldBits = 0;
  }

  #append(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }
}
