/** Fuzzing of stream readers with files that were damaged at random. */
import { expect } from 'vitest';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import { mutated, seededRandom } from './audio-files.ts';

export interface DamagedStreams<Source extends { bytes: Uint8Array }> {
  seed: number;
  runs: number;
  /** Files, used in turn. */
  sources: readonly Source[];
  /** Chunk sizes, used in turn. */
  chunkBytes: readonly number[];
  read: (bytes: Uint8Array, chunkBytes: number, source: Source) => void;
  /** Errors with which a file may be refused; any other error fails the test. */
  refusals: readonly ErrorCode[];
}

/** Reads damaged files. Returns how many were read and refused, and the processor time of the slowest. */
export function readDamaged<Source extends { bytes: Uint8Array }>({
  seed,
  runs,
  sources,
  chunkBytes,
  read,
  refusals,
}: DamagedStreams<Source>): { read: number; refused: number; slowestMs: number } {
  const random = seededRandom(seed);
  const outcome = { read: 0, refused: 0, slowestMs: 0 };
  for (let run = 0; run < runs; run += 1) {
    const source = sources[run % sources.length]!;
    const bytes = mutated(source.bytes, random);
    const before = process.cpuUsage();
    try {
      read(bytes, chunkBytes[run % chunkBytes.length]!, source);
      outcome.read += 1;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      expect(refusals).toContain(error.code);
      outcome.refused += 1;
    }
    const { user, system } = process.cpuUsage(before);
    outcome.slowestMs = Math.max(outcome.slowestMs, (user + system) / 1000);
  }
  return outcome;
}
