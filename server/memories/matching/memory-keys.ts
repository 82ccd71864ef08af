/**
 * The keys by which similar texts find each other. A text of a memory is cut into pieces of words,
 * each with a key of its words, its place among the pieces and the length of the text. Whoever looks
 * for similar texts asks for the keys that such a text can have in common with theirs: if few words
 * differ, some piece is the same in both (the pigeonhole principle), and it has moved only as far as
 * words can have been added or left out on either side of it (PassJoin, Li and others, 2011). So a
 * search reads a number of keys that depends on the length of the text and not on the memory.
 */
import { MAX_WORDS, type MemoryText } from './memory-text.ts';

/** 64 bits in two halves: `high` decides about the place in the index, `low` is written there. */
export interface MemoryKey {
  high: number;
  low: number;
}

/** Texts that are less alike are found by chance only. */
export const FOUND_FROM_SCORE = 75;
/** Below this share of words in common, what is found is of no use; bounds the keys of a search. */
const LEAST_SHARE = 0.5;
/** More pieces would be looked for at too many places. */
const MAX_PIECES = 8;

/** The keys under which a text is kept: about as many as a third of its words. */
export function keysOfText(text: MemoryText): MemoryKey[] {
  const keys = [exactKey(text)];
  const length = text.words.length;
  if (length === 0 || length > MAX_WORDS) return keys;
  const hashes = hashesOf(text.words);
  for (const pieces of dissections(length)) {
    for (let piece = 0; piece < pieces; piece += 1) {
      const start = borderOf(piece, pieces, length);
      const end = borderOf(piece + 1, pieces, length);
      keys.push(pieceKey(hashes, { start, end, length, pieces, piece }));
    }
  }
  return keys;
}

/**
 * The keys under which texts like this one are kept, the exact one first. All texts of up to 24 words
 * with a score of {@link FOUND_FROM_SCORE} or more have one of them; of longer ones all with up to
 * seven changed words, and most with more.
 */
export function keysToFind(text: MemoryText, threshold: number): MemoryKey[] {
  const keys = [exactKey(text)];
  const count = text.words.length;
  if (threshold >= 100 || count === 0 || count > MAX_WORDS) return keys;
  const share = Math.max(LEAST_SHARE, threshold / 100);
  const hashes = hashesOf(text.words);
  const longest = Math.min(MAX_WORDS, Math.floor(count / share));
  for (let length = Math.ceil(count * share); length <= longest; length += 1) {
    for (const pieces of dissections(length)) addKeysOf(keys, hashes, { length, pieces });
  }
  return keys;
}

/** Key of the text itself. */
function exactKey({ text, marks }: MemoryText): MemoryKey {
  const whole = `${marks}\0${text}`;
  return { high: hashOf(whole, 0x51ed270b), low: hashOf(whole, 0x2f6b1d93) };
}

/** Into how many pieces a text is cut: whole, halves, and as many as tell a score of 75. */
function dissections(length: number): number[] {
  // With a score of 75, a text of n words has at most n ÷ 3 words added or n ÷ 4 changed.
  const pieces = Math.min(Math.floor(length / 3) + 1, MAX_PIECES);
  return [...new Set([1, Math.min(2, length), pieces])];
}

function borderOf(piece: number, pieces: number, length: number): number {
  return Math.floor((piece * length) / pieces);
}

/** Adds the keys that texts of a length may share with the words. */
function addKeysOf(
  keys: MemoryKey[],
  hashes: WordHashes,
  { length, pieces }: { length: number; pieces: number },
): void {
  const added = hashes.high.length - length;
  for (let piece = 0; piece < pieces; piece += 1) {
    const start = borderOf(piece, pieces, length);
    const end = borderOf(piece + 1, pieces, length);
    const after = pieces - 1 - piece;
    const first = Math.max(-piece, added - after, -start);
    const last = Math.min(piece, added + after, hashes.high.length - end);
    for (let shift = first; shift <= last; shift += 1) {
      const place = { start: start + shift, end: end + shift };
      keys.push(pieceKey(hashes, { ...place, length, pieces, piece }));
    }
  }
}

interface WordHashes {
  high: Uint32Array;
  low: Uint32Array;
}

function hashesOf(words: readonly string[]): WordHashes {
  const high = new Uint32Array(words.length);
  const low = new Uint32Array(words.length);
  for (const [index, word] of words.entries()) {
    high[index] = hashOf(word, 0x811c9dc5);
    low[index] = hashOf(word, 0x7a3f51c7);
  }
  return { high, low };
}

interface Piece {
  /** Its words. */
  start: number;
  end: number;
  /** Words of the whole text, its pieces, and which of them it is. */
  length: number;
  pieces: number;
  piece: number;
}

function pieceKey(hashes: WordHashes, { start, end, length, pieces, piece }: Piece): MemoryKey {
  const seed = (length << 8) | (pieces << 4) | piece;
  let high = mixed(seed, 0x3c6ef372);
  let low = mixed(seed, 0x1b873593);
  for (let index = start; index < end; index += 1) {
    high = mixed(high, hashes.high[index] ?? 0);
    low = mixed(low, hashes.low[index] ?? 0);
  }
  return { high: finished(high), low: finished(low) };
}

/** FNV-1a over UTF-16 units, with a seed. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return finished(hash);
}

function mixed(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, 0x9e3779b1);
  return (product << 13) | (product >>> 19);
}

/** The last step of MurmurHash3: each bit of the input reaches each of the output. */
function finished(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
