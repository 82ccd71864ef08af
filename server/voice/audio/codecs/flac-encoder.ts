/**
 * Encodes samples as FLAC (RFC 9639): stream header, and frames with fixed predictors and Rice codes,
 * from which speech gains most. Each frame states its position, so that a short one may end a segment.
 */
import { crc16, crc8 } from './checksums.ts';
import type { Packet, PacketEncoder } from './media-pieces.ts';

const SAMPLE_RATE_HZ = 24_000;
/** Code of 24 kHz in a frame header (RFC 9639, 9.1.2). */
const SAMPLE_RATE_CODE = 7;
/** Code of a 16-bit block size at the end of the header (9.1.1). */
const BLOCK_SIZE_FOLLOWS = 7;
/** Samples per block: enough to compress well, at little delay. */
const BLOCK_SAMPLES = 4096;
/** Shortest block, except for the last (RFC 9639, 8.2). */
const MIN_BLOCK_SAMPLES = 16;
const STREAM_INFO_BYTES = 34;
const BITS_PER_SAMPLE = 16;
const MAX_ORDER = 4;
const MAX_PARTITION_ORDER = 4;
/** Largest Rice parameter of 4 bits; 15 is an escape code (9.2.7). */
const MAX_RICE_PARAMETER = 14;

/** Returns a STREAMINFO block: mono, 16 bits; length and checksum unknown, as in any live stream. */
export function streamInfo({
  sampleRateHz,
  isLast,
}: {
  sampleRateHz: number;
  /** Whether no other metadata block follows. */
  isLast: boolean;
}): Uint8Array {
  const block = Buffer.alloc(4 + STREAM_INFO_BYTES);
  block.writeUInt8(isLast ? 0x80 : 0, 0);
  block.writeUInt8(STREAM_INFO_BYTES, 3);
  block.writeUInt16BE(MIN_BLOCK_SAMPLES, 4);
  block.writeUInt16BE(BLOCK_SAMPLES, 6);
  // 20 bits of rate, 3 of channels minus one, 5 of bits minus one; 36 bits of length stay zero.
  block.writeUInt32BE(((sampleRateHz << 12) | ((BITS_PER_SAMPLE - 1) << 4)) >>> 0, 14);
  return block;
}

/** Returns the header of a native FLAC stream, which is also CodecPrivate in Matroska. */
export function flacHeader(sampleRateHz: number): Uint8Array {
  return Buffer.concat([Buffer.from('fLaC'), streamInfo({ sampleRateHz, isLast: true })]);
}

export function createFlacEncoder(): PacketEncoder {
  const writer = new BitWriter();
  const block = new Int32Array(BLOCK_SAMPLES);
  let filled = 0;
  let startSample = 0;

  function endBlock(): Packet {
    const samples = block.subarray(0, filled);
    writer.clear();
    writeHeader(writer, startSample, filled);
    writer.write(crc8(writer.bytes), 8);
    writeSubframe(writer, samples);
    writer.align();
    writer.write(crc16(writer.bytes), 16);
    startSample += filled;
    filled = 0;
    return { data: writer.bytes.slice(), samples: samples.length };
  }

  return {
    sampleRateHz: SAMPLE_RATE_HZ,
    encode(samples) {
      const packets: Packet[] = [];
      for (let offset = 0; offset < samples.length;) {
        const taken = samples.subarray(offset, offset + BLOCK_SAMPLES - filled);
        block.set(taken, filled);
        filled += taken.length;
        offset += taken.length;
        if (filled === BLOCK_SAMPLES) packets.push(endBlock());
      }
      return packets;
    },
    flush() {
      if (filled === 0) return [];
      const end = Math.max(filled, MIN_BLOCK_SAMPLES);
      block.fill(0, filled, end);
      filled = end;
      return [endBlock()];
    },
    free: () => undefined,
  };
}

/** Writes a frame header, except for its checksum (9.1). */
function writeHeader(writer: BitWriter, startSample: number, blockSamples: number): void {
  // 15 sync bits, and a one: blocks vary in size, and the position counts samples.
  writer.write(0xfff9, 16);
  writer.write(BLOCK_SIZE_FOLLOWS, 4);
  writer.write(SAMPLE_RATE_CODE, 4);
  // One channel, 16 bits per sample, a reserved zero.
  writer.write(0b0000_100_0, 8);
  writeCodedNumber(writer, startSample);
  writer.write(blockSamples - 1, 16);
}

/** Writes a number like UTF-8, extended to 36 bits (9.1.5). */
function writeCodedNumber(writer: BitWriter, value: number): void {
  if (value < 0x80) {
    writer.write(value, 8);
    return;
  }
  let followers = 1;
  while (value >= 2 ** (6 + 5 * followers) && followers < 6) followers += 1;
  const lead = (0xff00 >> (followers + 1)) & 0xff;
  writer.write(lead | Math.floor(value / 2 ** (6 * followers)), 8);
  for (let index = followers - 1; index >= 0; index -= 1) {
    writer.write(0x80 | (Math.floor(value / 2 ** (6 * index)) % 64), 8);
  }
}

/** Writes the samples (9.2): a constant block as one number, any other as the errors of a predictor. */
function writeSubframe(writer: BitWriter, samples: Int32Array): void {
  const first = samples[0] ?? 0;
  if (samples.every((sample) => sample === first)) {
    writer.write(0, 8);
    writer.write(first, 16);
    return;
  }
  const { order, residual } = predict(samples);
  // Type 001ooo: a fixed predictor of this order.
  writer.write((0b001000 | order) << 1, 8);
  for (let index = 0; index < order; index += 1) writer.write(samples[index] ?? 0, 16);
  writeResidual(writer, residual, order);
}

/** Finds the best fixed predictor (9.2.5): an order's errors are the differences of the previous order's. */
function predict(samples: Int32Array): { order: number; residual: Int32Array } {
  let residual = samples;
  let best = { order: 0, residual, cost: cost(residual, 0) };
  for (let order = 1; order <= Math.min(MAX_ORDER, samples.length - 1); order += 1) {
    const next = new Int32Array(samples.length);
    for (let index = order; index < samples.length; index += 1) {
      next[index] = (residual[index] ?? 0) - (residual[index - 1] ?? 0);
    }
    residual = next;
    const found = cost(residual, order);
    if (found < best.cost) best = { order, residual, cost: found };
  }
  return best;
}

function cost(residual: Int32Array, order: number): number {
  let sum = 0;
  for (let index = order; index < residual.length; index += 1) {
    sum += Math.abs(residual[index] ?? 0);
  }
  return sum;
}

/** Writes Rice codes in equal partitions, each with its own parameter (9.2.7). */
function writeResidual(writer: BitWriter, residual: Int32Array, order: number): void {
  let partitionOrder = MAX_PARTITION_ORDER;
  const fits = () => {
    const size = residual.length / 2 ** partitionOrder;
    return Number.isInteger(size) && size > order;
  };
  while (partitionOrder > 0 && !fits()) partitionOrder -= 1;
  const size = residual.length / 2 ** partitionOrder;
  // Method 0: parameters of 4 bits.
  writer.write(partitionOrder, 6);
  for (let start = 0; start < residual.length; start += size) {
    writePartition(writer, residual.subarray(start === 0 ? order : start, start + size));
  }
}

function writePartition(writer: BitWriter, residual: Int32Array): void {
  const mean = cost(residual, 0) / Math.max(1, residual.length);
  // Quotients are then mostly 1 or 2, as folding in the sign doubles the values.
  const parameter = Math.min(MAX_RICE_PARAMETER, Math.max(0, Math.ceil(Math.log2(mean + 1e-9))));
  writer.write(parameter, 4);
  for (const value of residual) {
    const folded = value < 0 ? -2 * value - 1 : 2 * value;
    writer.writeUnary(folded >>> parameter);
    if (parameter > 0) writer.write(folded, parameter);
  }
}

/** Writes bit fields, most significant bit first. */
class BitWriter {
  #bytes = new Uint8Array(16_384);
  #length = 0;
  /** Low bits that do not fill a byte yet. */
  #held = 0;
  #heldBits = 0;

  /** Writes the low `bits` bits of a number, at most 24. */
  write(value: number, bits: number): void {
    this.#held = (this.#held << bits) | (value & ((1 << bits) - 1));
    this.#heldBits += bits;
    while (this.#heldBits >= 8) {
      this.#heldBits -= 8;
      this.#append(this.#held >>> this.#heldBits);
      this.#held &= (1 << this.#heldBits) - 1;
    }
  }

  /** Writes this many zeros, and a one. */
  writeUnary(zeros: number): void {
    let left = zeros;
    for (; left >= 16; left -= 16) this.write(0, 16);
    this.write(1, left + 1);
  }

  /** Writes zeros up to the next whole byte. */
  align(): void {
    if (this.#heldBits > 0) this.write(0, 8 - this.#heldBits);
  }

  /** Complete bytes so far; valid until the next call. */
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
