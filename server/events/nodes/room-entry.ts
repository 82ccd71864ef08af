/** An entry in the stream of a room, as JSON: a caption, a pause, or a deletion. */
import type { Broker } from '../../broker/index.ts';
import type { AppendOptions, Caption } from '../caption-log.ts';
import type { SharedCaption } from '../embedded-caption-log.ts';
import type { PauseTimes } from '../speaker.ts';

export interface Entry {
  node: string;
  track?: string;
  caption?: Caption;
  isLate?: true;
  isKept?: true;
  wish?: string;
  heard?: AppendOptions['heard'];
  /** The last pause of a session: what the session says in it is dropped. */
  pause?: { sessionId: string } & PauseTimes;
  /** Everything up to this sequence was deleted. */
  forgottenUpTo?: number;
}

/** Entries per read of a stream. */
export const READ_AT_ONCE = 100;

export const streamOf = (roomId: string): string => `room ${roomId}`;
/** Name of the lease that its home holds. */
export const leaseOf = (roomId: string): string => `room ${roomId}`;

/** Stands for Infinity, which JSON cannot express. */
const ENDLESS = 'endless';

export function written(entry: Entry): string {
  return JSON.stringify(entry, (_name, value: unknown) => (value === Infinity ? ENDLESS : value));
}

export function read(bytes: Buffer): Entry {
  const entry = JSON.parse(bytes.toString()) as Entry;
  if (entry.pause === undefined) return entry;
  const { sessionId, ...times } = entry.pause;
  const known = (ms: unknown) => (ms === ENDLESS ? Infinity : Number(ms));
  const pause = { sessionId, fromMs: known(times.fromMs), toMs: known(times.toMs) };
  return { ...entry, pause };
}

/** Returns the entry for a caption. */
export function entryOf(
  { track, caption, isLate }: SharedCaption,
  { isKept, wish, heard }: AppendOptions,
): Omit<Entry, 'node'> {
  return {
    ...{ track: track.name, caption },
    ...(isLate && { isLate }),
    ...(isKept && { isKept }),
    ...(wish !== undefined && { wish }),
    ...(heard !== undefined && { heard }),
  };
}

/** Returns the options with which the entry's caption was appended. */
export function detailsOf({ isKept, wish, heard }: Entry): AppendOptions {
  return {
    isKept: isKept === true,
    ...(wish !== undefined && { wish }),
    ...(heard !== undefined && { heard }),
  };
}

/**
 * Returns the id of the last caption before the first one that ended after a moment in ms since the epoch; 0:
 * none.
 */
export async function lastOlder(
  streams: Pick<Broker['streams'], 'read'>,
  stream: string,
  beforeMs: number,
): Promise<number> {
  // Entries between captions belong to the caption after them.
  let old = 0;
  for (let seen = 0, isMore = true; isMore;) {
    const entries = await streams.read(stream, seen, READ_AT_ONCE);
    const captions = entries.map(({ id, bytes }) => ({ id, endMs: read(bytes).caption?.endMs }));
    const young = captions.findIndex(({ endMs }) => endMs !== undefined && endMs >= beforeMs);
    const before = young === -1 ? captions : captions.slice(0, young);
    old = before.findLast(({ endMs }) => endMs !== undefined)?.id ?? old;
    seen = entries.at(-1)?.id ?? seen;
    isMore = young === -1 && entries.length === READ_AT_ONCE;
  }
  return old;
}
