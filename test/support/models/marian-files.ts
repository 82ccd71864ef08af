/**
 * Writes the files of Firefox's translation models: a network in marian's binary format with 8-bit weights
 * and precomputed scales (`intgemm8`, "alphas"), a SentencePiece vocabulary, and a binary lexical shortlist.
 * Little endian throughout.
 */
import { field } from './onnx-writer.ts';

const FLOAT32 = 0x404;
export const INTGEMM8 = 0x4101;
const INT8 = 0x101;
const FILE_VERSION = 1n;
/** Alignment, in bytes, of the data of a model and of the length of each part. */
const ALIGNMENT = 256;
/** Largest 8-bit weight used: sums of two products then fit the 16 bits that some kernels have. */
const LARGEST_WEIGHT = 63;

/** A tensor of a network. */
export interface MarianItem {
  name: string;
  type: number;
  shape: readonly number[];
  data: Buffer;
}

/** Encodes unquantised numbers, for biases and scales. */
export function floatItem(name: string, values: ArrayLike<number>, shape = [1, values.length]) {
  const data = Buffer.from(Float32Array.from(values).buffer);
  return { name, type: FLOAT32, shape, data } satisfies MarianItem;
}

/**
 * Encodes an embedding (a row per vocabulary piece) or a weight matrix. A matrix is given with a row per
 * output, as the format stores it, though its shape names the inputs first.
 */
export function weightItem(
  name: string,
  values: Float32Array,
  { rows, columns, isEmbedding = false }: { rows: number; columns: number; isEmbedding?: boolean },
): MarianItem {
  let largest = 0;
  for (let index = 0; index < values.length; index += 1) {
    largest = Math.max(largest, Math.abs(values[index] ?? 0));
  }
  const scale = largest === 0 ? 1 : LARGEST_WEIGHT / largest;
  const data = Buffer.alloc(values.length + 4);
  // Millions of weights, most of which are 0.
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (value !== 0) data.writeInt8(Math.round(value * scale), index);
  }
  data.writeFloatLE(scale, values.length);
  return { name, type: INTGEMM8, shape: isEmbedding ? [rows, columns] : [columns, rows], data };
}

/** Encodes a network with its settings, which are YAML. */
export function encodeMarianModel(items: readonly MarianItem[], settings: string): Buffer {
  const text = Buffer.from(`${settings}\0`);
  const all = [
    ...items,
    { name: 'special:model.yml', type: INT8, shape: [text.length], data: text },
  ];
  const padded = all.map(({ data }) =>
    Buffer.concat([data, Buffer.alloc(-data.length & (ALIGNMENT - 1))]),
  );
  const head = Buffer.concat([
    numbers64([FILE_VERSION, all.length]),
    ...all.map(({ name, type, shape }, index) =>
      numbers64([Buffer.byteLength(name) + 1, type, shape.length, padded[index]?.length ?? 0]),
    ),
    ...all.map(({ name }) => Buffer.from(`${name}\0`)),
    ...all.map(({ shape }) => Buffer.from(Int32Array.from(shape).buffer)),
  ]);
  const gap = -(head.length + 8) & (ALIGNMENT - 1);
  return Buffer.concat([head, numbers64([gap]), Buffer.alloc(gap), ...padded]);
}

function numbers64(values: readonly (number | bigint)[]): Buffer {
  return Buffer.from(BigUint64Array.from(values, BigInt).buffer);
}

/** A piece of a vocabulary. */
export interface VocabularyPiece {
  piece: string;
  /** The higher the score, the sooner a text is split into such pieces. */
  score: number;
  type: keyof typeof pieceTypes;
}

const pieceTypes = { usual: 1, unknown: 2, control: 3, byte: 6 } as const;
const UNIGRAM = 1;

/**
 * Encodes a SentencePiece model (`.spm`): the pieces, and how texts are normalised. The first two pieces must
 * be the end of a sentence and the unknown piece. Fields as in
 * https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto.
 */
export function encodeVocabulary(pieces: readonly VocabularyPiece[]): Buffer {
  const trainer = Buffer.concat([
    field(3, UNIGRAM),
    field(4, pieces.length),
    field(35, 1),
    ...[field(40, 1), field(41, -1), field(42, 0), field(43, -1)],
  ]);
  const normalizer = Buffer.concat([field(1, 'identity'), field(3, 1), field(4, 1), field(5, 1)]);
  return Buffer.concat([
    ...pieces.map(({ piece, score, type }) => {
      const FLOAT_2 = (2 << 3) | 5;
      const number = Buffer.alloc(5);
      number.writeUInt8(FLOAT_2);
      number.writeFloatLE(score, 1);
      return field(1, Buffer.concat([field(1, piece), number, field(3, pieceTypes[type])]));
    }),
    field(2, trainer),
    field(3, normalizer),
  ]);
}

const SHORTLIST_MAGIC = 0xf11a48d5013417f5n;

/**
 * Encodes a lexical shortlist: the candidate target pieces of each source piece.
 *
 * @param options.frequent number of pieces, from the first on, that are candidates for every source piece
 */
export function encodeShortlist(
  targets: readonly (readonly number[])[],
  { frequent }: { frequent: number },
): Buffer {
  const offsets = [0];
  for (const each of targets) offsets.push((offsets.at(-1) ?? 0) + each.length);
  const lists = targets.flatMap((each) => [...each].sort((one, other) => one - other));
  const best = targets.reduce((most, { length }) => Math.max(most, length), 0);
  const body = Buffer.concat([
    numbers64([frequent, best, offsets.length, lists.length]),
    numbers64(offsets),
    Buffer.from(Uint32Array.from(lists).buffer),
  ]);
  return Buffer.concat([numbers64([SHORTLIST_MAGIC, checksum(body)]), body]);
}

/** Mixes 64-bit words one after the other; trailing bytes do not count. */
function checksum(body: Buffer): bigint {
  const words = new BigUint64Array(
    body.buffer.slice(body.byteOffset, body.byteOffset + (body.length & ~7)),
  );
  let seed = 0n;
  for (const word of words) {
    seed ^= BigInt.asUintN(64, word + 0x9e3779b9n + (seed << 6n) + (seed >> 2n));
  }
  return seed;
}
