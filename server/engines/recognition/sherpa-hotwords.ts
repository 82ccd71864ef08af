/** Spoken terms as hotwords: phrases that a model's tokens can spell. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { SherpaChildOptions, SherpaModel } from './sherpa-config.ts';

/** Families that sherpa-onnx can bias. */
const BIASED = new Set(['streaming-transducer', 'transducer', 'nemo-transducer']);

/** Whether spoken terms make a model hear them: a transducer whose tokens are known to be spelled from. */
export function hearsHotwords({ family, files, modelingUnit }: SherpaModel): boolean {
  if (!BIASED.has(family)) return false;
  const hasPieces = files['bpeModel'] !== undefined || files['bpeVocab'] !== undefined;
  return hasPieces || modelingUnit === 'cjkchar';
}

/** What is left of the hotwords for a model that can be biased, in the case of its tokens. */
export function spellableHotwords({ model, hotwords }: SherpaChildOptions): {
  hotwords: string[];
  /** File with the pieces that words are put together from. */
  bpeVocab: string | undefined;
  /** To be called when the recogniser has read it. */
  release: () => void;
} {
  if (hotwords.length === 0 || !hearsHotwords(model)) {
    return { hotwords: [], bpeVocab: undefined, release: () => {} };
  }
  const tokens = readFileSync(model.files['tokens'] ?? '', 'utf8');
  const withoutMarks = tokens.replaceAll(/<[^<>\s]*>/g, '');
  const isUpper = /\p{Lu}/u.test(withoutMarks) && !/\p{Ll}/u.test(withoutMarks);
  const isLower = !/\p{Lu}/u.test(withoutMarks);
  // A line is a phrase, and ` :2.0`, `#` and `@` would be read as commands.
  const phrases = hotwords
    .map((term) => term.replaceAll(/[\s:#@/]+/g, ' ').trim())
    .filter((term) => term !== '')
    .map((term) => (isUpper ? term.toUpperCase() : isLower ? term.toLowerCase() : term));
  return { hotwords: [...new Set(phrases)], ...vocabularyOf(model) };
}

/** The list of pieces that sherpa-onnx reads; releases without one have the model it is made from. */
function vocabularyOf({ files }: SherpaModel): {
  bpeVocab: string | undefined;
  release: () => void;
} {
  const { bpeVocab, bpeModel } = files;
  if (bpeVocab !== undefined || bpeModel === undefined) return { bpeVocab, release: () => {} };
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-pieces-'));
  const file = path.join(folder, 'bpe.vocab');
  const lines = readSentencePieces(readFileSync(bpeModel)).map(
    ({ piece, score }) => `${piece}\t${score}`,
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { bpeVocab: file, release: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Reads the pieces of a SentencePiece model: field 1 of its protobuf is a list of pieces, each with
 * its text in field 1 and its score, a float, in field 2.
 */

interface SentencePiece {
  piece: string;
  score: number;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** @throws RangeError when the bytes are no such model */
function readSentencePieces(model: Buffer): SentencePiece[] {
  const pieces: SentencePiece[] = [];
  for (const { number, bytes } of fields(model)) {
    if (number !== 1) continue;
    const entry: SentencePiece = { piece: '', score: 0 };
    for (const part of fields(bytes)) {
      if (part.number === 1) entry.piece = part.bytes.toString('utf8');
      if (part.number === 2) entry.score = part.bytes.readFloatLE(0);
    }
    pieces.push(entry);
  }
  return pieces;
}

function* fields(message: Buffer): Generator<{ number: number; bytes: Buffer }> {
  for (let at = 0; at < message.length;) {
    const tag = varint(message, at);
    const { end, next } = extent(message, tag.next, tag.value & 7);
    if (next > message.length) throw new RangeError('A protobuf message is cut short');
    yield { number: tag.value >>> 3, bytes: message.subarray(end, next) };
    at = next;
  }
}

/** Where the content of a field begins (`end` of what precedes it) and where the next field does. */
function extent(message: Buffer, at: number, wireType: number): { end: number; next: number } {
  switch (wireType) {
    case VARINT:
      return { end: at, next: varint(message, at).next };
    case FIXED_64:
      return { end: at, next: at + 8 };
    case FIXED_32:
      return { end: at, next: at + 4 };
    case LENGTH_DELIMITED: {
      const length = varint(message, at);
      return { end: length.next, next: length.next + length.value };
    }
    default:
      throw new RangeError('A protobuf field has an unknown type');
  }
}

function varint(message: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7, at += 1) {
    const byte = message[at];
    if (byte === undefined) break;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, next: at + 1 };
  }
  // Longer ones are negative numbers, which pieces have none of; they are skipped.
  while ((message[at] ?? 0) >= 128) at += 1;
  return { value, next: at + 1 };
}
