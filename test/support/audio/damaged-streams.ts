/** What becomes of files of which parts were changed, removed or doubled at random. */
import { expect } from 'vitest';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import { mutated, seededRandom } from './audio-files.ts';

export interface DamagedStreams<Source extends { bytes: Uint8Array }> {
  seed: number;
  runs: number;
  /** Files, which take turns. */
  sources: readonly Source[];
  /** Sizes of chunks, which take turns as well. */
  chunkBytes: readonly number[];
  read: (bytes: Uint8Array, chunkBytes: number, source: Source) => void;
  /** What a file may be refused with; every other error fails the test. */
  refusals: readonly ErrorCode[];
}

/** Reads damaged files, and counts those that were read and refused; tells what of the processor the slowest took. */
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
