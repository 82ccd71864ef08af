/**
 * Reads numbers of any number of bits, the highest first. Beyond the end there are zeros: a caller
 * decodes freely and asks {@link isOverrun} where it matters.
 */
export class BitReader {
  #bytes: Uint8Array = new Uint8Array();
  /** In bits. */
  #position = 0;
  #end = 0;

  /** Begins to read at `start`; the bytes from `end` on are taken for zeros. */
  open(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes.subarray(start, end);
    this.#position = 0;
    this.#end = (end - start) * 8;
  }

  /** More was read than there is. */
  get isOverrun(): boolean {
    return this.#position > this.#end;
  }

  /** Bits that are left; negative after an overrun. */
  get leftBits(): number {
    return this.#end - this.#position;
  }

  /** Goes to the next whole byte. */
  align(): void {
    this.#position = (this.#position + 7) & ~7;
  }

  /** @param bits 0 to 32 */
  unsigned(bits: number): number {
    if (bits === 0) return 0;
    const value = this.#next32() >>> (32 - bits);
    this.#position += bits;
    return value;
  }

  /** Two's complement. @param bits 0 to 32 */
  signed(bits: number): number {
    if (bits === 0) return 0;
    const value = this.#next32() >> (32 - bits);
    this.#position += bits;
    return value;
  }

  /** Zeros before the next one, which is read too. */
  unary(): number {
    let zeros = 0;
    for (;;) {
      const leading = Math.clz32(this.#next32());
      zeros += leading;
      if (leading < 32) {
        this.#position += leading + 1;
        return zeros;
      }
      this.#position += 32;
      if (this.isOverrun) return zeros;
    }
  }

  /** A signed number in Rice code: quotient in unary, then `parameter` bits, the sign lowest. */
  rice(parameter: number): number {
    const word = this.#next32();
    const leading = Math.clz32(word);
    const length = leading + 1 + parameter;
    let folded: number;
    if (length <= 32) {
      // The usual case takes one look at the bytes.
      const rest = parameter === 0 ? 0 : (word << (leading + 1)) >>> (32 - parameter);
      folded = (leading << parameter) | rest;
      this.#position += length;
    } else {
      const quotient = this.unary();
      folded = (quotient << parameter) | this.unsigned(parameter);
    }
    return (folded >>> 1) ^ -(folded & 1);
  }

  #next32(): number {
    const bytes = this.#bytes;
    const index = this.#position >>> 3;
    const shift = this.#position & 7;
    if (index + 4 < bytes.length) {
      const word =
        ((bytes[index] as number) << 24) |
        ((bytes[index + 1] as number) << 16) |
        ((bytes[index + 2] as number) << 8) |
        (bytes[index + 3] as number);
      return shift === 0 ? word : (word << shift) | ((bytes[index + 4] as number) >> (8 - shift));
    }
    const word =
      ((bytes[index] ?? 0) << 24) |
      ((bytes[index + 1] ?? 0) << 16) |
      ((bytes[index + 2] ?? 0) << 8) |
      (bytes[index + 3] ?? 0);
    return shift === 0 ? word : (word << shift) | ((bytes[index + 4] ?? 0) >> (8 - shift));
  }
}
