/** What stands in the stream of a room, one entry for each caption; as JSON. */
import type { AppendOptions, Caption } from '../caption-log.ts';
import type { PauseTimes } from '../speaker.ts';

export interface Entry {
  node: string;
  track?: string;
  caption?: Caption;
  isLate?: true;
  isKept?: true;
  wish?: string;
  heard?: AppendOptions['heard'];
  /** The last pause of a session: what it says meanwhile is nobody's. */
  pause?: { sessionId: string } & PauseTimes;
  /** All that was said up to there was deleted. */
  forgottenUpTo?: number;
}

export const streamOf = (roomId: string): string => `room ${roomId}`;

/** JSON has no infinity. */
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
