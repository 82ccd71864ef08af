/**
 * Decodes FLAC frames of one channel (RFC 9639, 9.2).
 *
 * Our own, because streams must be decoded at once: the compiled libFLAC there is for JavaScript
 * finds the end of a frame only by the beginning of the next, takes a WebAssembly memory of its own a
 * stream, and writes damage to the console. A frame that is decoded here tells its end itself.
 */
const FOOTER_BYTES = 2;
const MAX_ORDER = 32;

/** What the header of a frame says of it. */
export interface FlacFrameHeader {
  /** Samples in the frame. */
  blockSamples: number;
  bitsPerSample: number;
  headerBytes: number;
}

/**
 * Reads numbers of any number of bits, the highest first. Beyond the end there are zeros: a caller
 * decodes freely and asks {@link isOverrun} where it matters.
 */
class BitReader {
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

/** One for all streams: a frame is decoded and its samples are taken in one go. */
const reader = new BitReader();
let decoded = new Int32Array(4608);
let samples = new Int16Array(4608);
const coefficients = new Int32Array(MAX_ORDER);

/**
 * Decodes the frame that fills the bytes from `start` to before `end`, its footer included.
 *
 * @returns samples of 16 bits, valid until the next call; undefined when no such frame is there
 */
export function decodeFlacFrame(
  bytes: Uint8Array,
  start: number,
  end: number,
  { blockSamples, bitsPerSample, headerBytes }: FlacFrameHeader,
): Int16Array | undefined {
  if (decoded.length < blockSamples) {
    decoded = new Int32Array(blockSamples);
    samples = new Int16Array(blockSamples);
  }
  reader.open(bytes, start + headerBytes, end - FOOTER_BYTES);
  if (!readSubframe(blockSamples, bitsPerSample)) return undefined;
  reader.align();
  if (reader.leftBits !== 0) return undefined;
  const shift = bitsPerSample - 16;
  if (shift >= 0) {
    for (let index = 0; index < blockSamples; index += 1) {
      samples[index] = (decoded[index] as number) >> shift;
    }
  } else {
    for (let index = 0; index < blockSamples; index += 1) {
      samples[index] = (decoded[index] as number) << -shift;
    }
  }
  return samples.subarray(0, blockSamples);
}

/** @returns whether it could be read */
function readSubframe(blockSamples: number, bitsPerSample: number): boolean {
  if (reader.unsigned(1) !== 0) return false;
  const type = reader.unsigned(6);
  const wastedBits = reader.unsigned(1) === 0 ? 0 : reader.unary() + 1;
  const bits = bitsPerSample - wastedBits;
  if (bits < 1 || !readSamples(type, blockSamples, bits)) return false;
  if (wastedBits > 0) {
    for (let index = 0; index < blockSamples; index += 1) {
      decoded[index] = (decoded[index] as number) << wastedBits;
    }
  }
  return !reader.isOverrun;
}

function readSamples(type: number, blockSamples: number, bits: number): boolean {
  if (type === 0) {
    decoded.fill(reader.signed(bits), 0, blockSamples);
    return true;
  }
  if (type === 1) {
    if (reader.leftBits < blockSamples * bits) return false;
    for (let index = 0; index < blockSamples; index += 1) decoded[index] = reader.signed(bits);
    return true;
  }
  if (type >= 8 && type <= 12) return readFixed(type - 8, blockSamples, bits);
  return type >= 32 && readLinear(type - 31, blockSamples, bits);
}

/** Polynomials of fixed coefficients predict the samples. */
function readFixed(order: number, blockSamples: number, bits: number): boolean {
  if (order > blockSamples) return false;
  for (let index = 0; index < order; index += 1) decoded[index] = reader.signed(bits);
  if (!readResidual(order, blockSamples)) return false;
  const s = decoded;
  const at = (index: number) => s[index] as number;
  for (let n = order; n < blockSamples; n += 1) {
    if (order === 1) s[n] = at(n) + at(n - 1);
    else if (order === 2) s[n] = at(n) + 2 * at(n - 1) - at(n - 2);
    else if (order === 3) s[n] = at(n) + 3 * (at(n - 1) - at(n - 2)) + at(n - 3);
    else if (order === 4) {
      s[n] = at(n) + 4 * (at(n - 1) + at(n - 3)) - 6 * at(n - 2) - at(n - 4);
    }
  }
  return true;
}

/** Coefficients of the frame's own predict the samples. */
function readLinear(order: number, blockSamples: number, bits: number): boolean {
  if (order > blockSamples) return false;
  for (let index = 0; index < order; index += 1) decoded[index] = reader.signed(bits);
  const precision = reader.unsigned(4) + 1;
  const shift = reader.signed(5);
  if (precision > 15 || shift < 0) return false;
  for (let index = 0; index < order; index += 1) coefficients[index] = reader.signed(precision);
  if (!readResidual(order, blockSamples)) return false;
  // In 32 bits where no sum can leave them, as with the usual 16 bits a sample.
  const isNarrow = bits + precision + Math.ceil(Math.log2(order)) <= 32;
  if (isNarrow) predictNarrow(order, shift, blockSamples);
  else predictWide(order, shift, blockSamples);
  return true;
}

function predictNarrow(order: number, shift: number, blockSamples: number): void {
  const [s, c] = [decoded, coefficients];
  for (let n = order; n < blockSamples; n += 1) {
    let sum = 0;
    for (let tap = 0; tap < order; tap += 1) {
      sum = (sum + Math.imul(c[tap] as number, s[n - 1 - tap] as number)) | 0;
    }
    s[n] = (s[n] as number) + (sum >> shift);
  }
}

/** Sums of up to 52 bits, which doubles hold exactly. */
function predictWide(order: number, shift: number, blockSamples: number): void {
  const [s, c] = [decoded, coefficients];
  const scale = 2 ** -shift;
  for (let n = order; n < blockSamples; n += 1) {
    let sum = 0;
    for (let tap = 0; tap < order; tap += 1) {
      sum += (c[tap] as number) * (s[n - 1 - tap] as number);
    }
    s[n] = (s[n] as number) + Math.floor(sum * scale);
  }
}

/** What the prediction lacks, into `decoded` from `order` on. */
function readResidual(order: number, blockSamples: number): boolean {
  const method = reader.unsigned(2);
  if (method > 1) return false;
  const parameterBits = method === 0 ? 4 : 5;
  const partitionOrder = reader.unsigned(4);
  const partitionSamples = blockSamples >> partitionOrder;
  if (partitionSamples << partitionOrder !== blockSamples || partitionSamples < order) return false;
  let index = order;
  for (let end = partitionSamples; end <= blockSamples; end += partitionSamples) {
    const parameter = reader.unsigned(parameterBits);
    if (parameter === 2 ** parameterBits - 1) {
      const bits = reader.unsigned(5);
      for (; index < end; index += 1) decoded[index] = reader.signed(bits);
    } else {
      // A number takes at least the parameter's bits and one.
      if (reader.leftBits < (end - index) * (parameter + 1)) return false;
      for (; index < end; index += 1) decoded[index] = reader.rice(parameter);
    }
    if (reader.isOverrun) return false;
  }
  return true;
}
