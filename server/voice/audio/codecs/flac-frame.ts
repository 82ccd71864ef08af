/**
 * Decodes FLAC frames of one channel (RFC 9639, 9.2).
 *
 * Our own decoder, because live streams must be decoded without delay: the libFLAC builds for JavaScript
 * find the end of a frame only by the beginning of the next, need a WebAssembly memory per stream, and
 * report damage on the console. This decoder finds the end of a frame by itself.
 */
const FOOTER_BYTES = 2;
const MAX_ORDER = 32;

/** Contents of a frame header. */
export interface FlacFrameHeader {
  /** Number of samples in the frame. */
  blockSamples: number;
  bitsPerSample: number;
  headerBytes: number;
}

/**
 * Reads bit fields of any length, most significant bit first. Reads zeros beyond the end, so that callers
 * can decode freely and check {@link isOverrun} where it matters.
 */
class BitReader {
  #bytes: Uint8Array = new Uint8Array();
  /** Position in bits. */
  #position = 0;
  #end = 0;

  /** Starts reading at `start`; bytes from `end` on read as zeros. */
  open(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes.subarray(start, end);
    this.#position = 0;
    this.#end = (end - start) * 8;
  }

  /** Whether more was read than is available. */
  get isOverrun(): boolean {
    return this.#position > this.#end;
  }

  /** Number of bits left; negative after an overrun. */
  get leftBits(): number {
    return this.#end - this.#position;
  }

  /** Advances to the next whole byte. */
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

  /** Reads a two's complement number. @param bits 0 to 32 */
  signed(bits: number): number {
    if (bits === 0) return 0;
    const value = this.#next32() >> (32 - bits);
    this.#position += bits;
    return value;
  }

  /** Counts the zeros before the next one bit, and reads that bit as well. */
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

  /** Reads a signed Rice code: quotient in unary, then `parameter` bits; the lowest bit is the sign. */
  rice(parameter: number): number {
    const word = this.#next32();
    const leading = Math.clz32(word);
    const length = leading + 1 + parameter;
    let folded: number;
    if (length <= 32) {
      // The usual case needs a single read.
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

/** Shared by all streams, as each frame is decoded and consumed synchronously. */
const reader = new BitReader();
let decoded = new Int32Array(4608);
let samples = new Int16Array(4608);
const coefficients = new Int32Array(MAX_ORDER);

/**
 * Decodes the frame that fills the bytes from `start` to before `end`, including its footer.
 *
 * @returns samples of 16 bits, valid until the next call; undefined when the bytes are not such a frame
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

/** @returns whether the subframe could be read */
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

/** Reads samples predicted by a polynomial with fixed coefficients. */
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

/** Reads samples predicted with the frame's own coefficients. */
function readLinear(order: number, blockSamples: number, bits: number): boolean {
  if (order > blockSamples) return false;
  for (let index = 0; index < order; index += 1) decoded[index] = reader.signed(bits);
  const precision = reader.unsigned(4) + 1;
  const shift = reader.signed(5);
  if (precision > 15 || shift < 0) return false;
  for (let index = 0; index < order; index += 1) coefficients[index] = reader.signed(precision);
  if (!readResidual(order, blockSamples)) return false;
  // 32-bit arithmetic when no sum can overflow, as with the usual 16 bits per sample.
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

/** Predicts with sums of up to 52 bits, which doubles represent exactly. */
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

/** Reads the prediction errors into `decoded` from `order` on. */
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
      // Each number takes at least the parameter's bits and one.
      if (reader.leftBits < (end - index) * (parameter + 1)) return false;
      for (; index < end; index += 1) decoded[index] = reader.rice(parameter);
    }
    if (reader.isOverrun) return false;
  }
  return true;
}
