/**
 * Verifies that the files of a model are complete and consistent before they reach the runtime, which trusts
 * their content. Formats: marian's binary model (a header with name, type and shape of each part, then the
 * parts), SentencePiece's protobuf and the binary shortlist; little endian.
 */
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Paths of a model's files by role. */
export interface MarianFiles {
  model: string;
  shortlist?: string | undefined;
  /** One vocabulary shared by both languages, or one for each. */
  vocab?: string | undefined;
  sourceVocab?: string | undefined;
  targetVocab?: string | undefined;
}

/** Properties needed to run the model. */
interface MarianTraits {
  /** Whether the model contains the scales of the activations. */
  hasAlphas: boolean;
  /** Number of pieces in the target vocabulary that the network knows. */
  targetPieces: number;
}

/** Limit of the header; real models have 30 kB. */
const MAX_HEAD_BYTES = 4_000_000;
const FILE_VERSION = 1n;
const INTGEMM8 = 0x4101n;
const SETTINGS_PART = 'special:model.yml';

interface Part {
  type: bigint;
  shape: number[];
}

/** @throws Error with the problem, for the operator, phrased as the end of a sentence */
export async function inspectMarianFiles(files: MarianFiles): Promise<MarianTraits> {
  const parts = await readParts(files.model);
  const embeddings = parts.has('Wemb') ? ['Wemb', 'Wemb'] : ['encoder_Wemb', 'decoder_Wemb'];
  const [source, target] = embeddings.map((name) => parts.get(name));
  if (source === undefined || target === undefined || !parts.has(SETTINGS_PART)) {
    throw new Error(`its file ${path.basename(files.model)} is no network that translates.`);
  }
  if (source.type !== INTGEMM8 || target.type !== INTGEMM8) {
    throw new Error(`the weights in ${path.basename(files.model)} have more than 8 bits each.`);
  }
  const vocabularies = [
    [files.sourceVocab ?? files.vocab, source],
    [files.targetVocab ?? files.vocab, target],
  ] as const;
  for (const [file, embedding] of vocabularies) {
    if (file === undefined) throw new Error('a vocabulary is missing.');
    const known = embedding.shape[0] ?? 0;
    if ((await countPieces(file)) > known) {
      throw new Error(`its file ${path.basename(file)} belongs to another model.`);
    }
  }
  const targetPieces = target.shape[0] ?? 0;
  if (files.shortlist !== undefined) {
    checkShortlist(files.shortlist, await readFile(files.shortlist), targetPieces);
  }
  return {
    hasAlphas: [...parts.keys()].some((name) => name.endsWith('_QuantMultA')),
    targetPieces,
  };
}

/** Reads the header of a model, which determines the length of the file. */
async function readParts(file: string): Promise<Map<string, Part>> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const head = Buffer.alloc(Math.min(size, MAX_HEAD_BYTES));
    await handle.read(head, 0, head.length, 0);
    const read = new HeadReader(head, file);
    if (read.number64() !== FILE_VERSION) throw read.damage();
    const descriptions = Array.from({ length: read.count(4 * 8) }, () => ({
      nameLength: read.length(),
      type: read.number64(),
      dimensions: read.length(),
      bytes: read.length(),
    }));
    const names = descriptions.map(({ nameLength }) => read.name(nameLength));
    const shapes = descriptions.map(({ dimensions }) => read.shape(dimensions));
    const gap = read.length();
    const dataBytes = descriptions.reduce((sum, { bytes }) => sum + bytes, 0);
    if (read.position + gap + dataBytes !== size) throw read.damage();
    return new Map(
      names.map((name, index) => [
        name,
        { type: descriptions[index]?.type ?? 0n, shape: shapes[index] ?? [] },
      ]),
    );
  } finally {
    await handle.close();
  }
}

class HeadReader {
  position = 0;
  readonly #head: Buffer;
  readonly #file: string;

  constructor(head: Buffer, file: string) {
    this.#head = head;
    this.#file = file;
  }

  number64(): bigint {
    return this.#take(8).readBigUInt64LE();
  }

  /** Reads a number of bytes or the like, bounded by the possible size of a file. */
  length(): number {
    const number = this.number64();
    if (number > BigInt(Number.MAX_SAFE_INTEGER) / 4096n) throw this.damage();
    return Number(number);
  }

  /** Reads a number of items that take this many bytes each. */
  count(bytesEach: number): number {
    const count = this.length();
    if (count * bytesEach > this.#head.length) throw this.damage();
    return count;
  }

  name(length: number): string {
    return this.#take(length).toString('utf8').replace(/\0.*$/s, '');
  }

  shape(dimensions: number): number[] {
    const numbers = this.#take(dimensions * 4);
    return Array.from({ length: dimensions }, (_, index) => numbers.readInt32LE(index * 4));
  }

  damage(): Error {
    return damaged(this.#file);
  }

  #take(length: number): Buffer {
    const end = this.position + length;
    if (end > this.#head.length) throw this.damage();
    const taken = this.#head.subarray(this.position, end);
    this.position = end;
    return taken;
  }
}

const PIECE_FIELD = 1;
const [VARINT, FIXED64, LENGTH_DELIMITED, FIXED32] = [0, 1, 2, 5];

/** Returns the number of pieces in a SentencePiece model: fields with number 1. */
async function countPieces(file: string): Promise<number> {
  const bytes = await readFile(file);
  let position = 0;
  let pieces = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = bytes[position++];
      if (byte === undefined) throw damaged(file);
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw damaged(file);
  };
  while (position < bytes.length) {
    const tag = varint();
    const kind = tag % 8;
    if (Math.floor(tag / 8) === PIECE_FIELD && kind === LENGTH_DELIMITED) pieces += 1;
    if (kind === VARINT) varint();
    else if (kind === FIXED64) position += 8;
    else if (kind === FIXED32) position += 4;
    else if (kind === LENGTH_DELIMITED) {
      const length = varint();
      position += length;
    } else throw damaged(file);
  }
  if (position !== bytes.length || pieces === 0) throw damaged(file);
  return pieces;
}

const SHORTLIST_MAGIC = 0xf11a48d5013417f5n;
const SHORTLIST_HEAD_BYTES = 48;

/** Checks a shortlist, because the runtime reads the columns it names without checking that they exist. */
function checkShortlist(file: string, bytes: Buffer, pieces: number): void {
  if (bytes.length < SHORTLIST_HEAD_BYTES || bytes.readBigUInt64LE() !== SHORTLIST_MAGIC) {
    throw damaged(file);
  }
  const [frequent, offsets, entries] = [16, 32, 40].map((at) => Number(bytes.readBigUInt64LE(at)));
  if (frequent === undefined || offsets === undefined || entries === undefined) return;
  const listsAt = SHORTLIST_HEAD_BYTES + offsets * 8;
  if (bytes.length !== listsAt + entries * 4) throw damaged(file);
  let before = 0;
  for (let at = SHORTLIST_HEAD_BYTES; at < listsAt; at += 8) {
    const offset = Number(bytes.readBigUInt64LE(at));
    if (offset < before || offset > entries) throw damaged(file);
    before = offset;
  }
  let largest = frequent - 1;
  for (let at = listsAt; at < bytes.length; at += 4)
    largest = Math.max(largest, bytes.readUInt32LE(at));
  if (largest >= pieces)
    throw new Error(`its file ${path.basename(file)} belongs to another model.`);
}

function damaged(file: string): Error {
  return new Error(`its file ${path.basename(file)} is damaged.`);
}
