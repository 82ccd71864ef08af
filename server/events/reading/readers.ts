/** Limits on readers: how many at once, how quickly they join, and how often a passcode may be guessed. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import { networkOf } from '../../http/requests.ts';
import type { Reader } from './fan-out.ts';

export interface ReaderLimits {
  /** Maximum number of readers of this process, of one room, and from one network address. */
  most: number;
  mostInRoom: number;
  mostFromAddress: number;
  /** Joins that one address may make in a burst, and per second after that. */
  joinBurst: number;
  joinsPerSecond: number;
}

/** Wrong passcodes allowed from one address for one room in a burst, and interval of further ones, in ms. */
const TRIES_OF_ADDRESS = { kind: 'passcodes of addresses', burst: 10, everyMs: 6_000 };
/** The same for all addresses together: a million passcodes take a week. */
const TRIES_OF_ROOM = { kind: 'passcodes', burst: 500, everyMs: 600 };
/**
 * Lines synthesised for one address in a burst, and interval of further ones, in ms: enough for ten languages
 * of a talk.
 */
const SPEECHES = 60;
const SPEECH_EVERY_MS = 250;
/**
 * Lines typed into a room in a burst, and interval of further ones, in ms: a program may send a whole talk.
 */
const TYPED = 1_000;
const TYPED_EVERY_MS = 20;
/** Maximum number of addresses remembered; the least recently seen are forgotten first. */
const MAX_ADDRESSES = 20_000;

export interface ReaderDesk {
  readonly count: number;
  /** Returns the number of readers in a room, or about to enter it. */
  countIn(roomId: string): number;
  /** To be called before anything is done for a joining reader. @throws ServiceError too_many_requests */
  checkJoin(address: string): void;
  /** To be called before a line is typed into a room. @throws ServiceError too_many_requests */
  checkTyped(roomId: string): void;
  /** To be called before a line is synthesised for the first time. @throws ServiceError too_many_requests */
  checkSpeech(address: string): void;
  /**
   * Takes one of this server's places for a reader.
   *
   * @returns a function that gives the place back
   * @throws ServiceError too_many_sessions
   */
  admit(roomId: string, address: string): () => void;
  /**
   * To be called before a client learns whether its passcode was right. Wrong passcodes are counted over all
   * servers; after too many of them, right ones are refused as well.
   *
   * @throws ServiceError too_many_requests, broker_unavailable
   */
  checkTries(roomId: string, address: string, passcode: { isRight: boolean }): Promise<void>;
}

export function createReaderDesk(limits: ReaderLimits, buckets: Broker['buckets']): ReaderDesk {
  let count = 0;
  const fromAddress = createCounts();
  const inRoom = createCounts();
  const joins = createBuckets({ burst: limits.joinBurst, everyMs: 1_000 / limits.joinsPerSecond });
  const typed = createBuckets({ burst: TYPED, everyMs: TYPED_EVERY_MS });
  const speeches = createBuckets({ burst: SPEECHES, everyMs: SPEECH_EVERY_MS });
  return {
    get count() {
      return count;
    },
    countIn: (roomId) => inRoom.of(roomId),
    checkJoin(from) {
      const address = networkOf(from);
      if (!joins.take(address)) throw tooFast('Too many come at once from your network.');
    },
    checkTyped(roomId) {
      if (!typed.take(roomId)) throw tooFast('Too much is typed into the room.');
    },
    checkSpeech(from) {
      if (!speeches.take(networkOf(from))) throw tooFast('Too much is spoken for your network.');
    },
    admit(roomId, from) {
      const address = networkOf(from);
      if (count >= limits.most) throw full('This server');
      if (inRoom.of(roomId) >= limits.mostInRoom) throw full('The room');
      if (fromAddress.of(address) >= limits.mostFromAddress) throw full('Your network');
      count += 1;
      inRoom.add(roomId, 1);
      fromAddress.add(address, 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        count -= 1;
        inRoom.add(roomId, -1);
        fromAddress.add(address, -1);
      };
    },
    async checkTries(roomId, from, { isRight }) {
      const tries = [
        { ...TRIES_OF_ADDRESS, name: `${roomId} ${networkOf(from)}` },
        { ...TRIES_OF_ROOM, name: roomId },
      ];
      const waitMs = await (isRight ? buckets.look(tries) : buckets.take(tries));
      if (waitMs !== undefined) throw tooFast('Too many wrong passcodes.');
    },
  };
}

function createCounts() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, change: number): void {
      const count = of(name) + change;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}

export function full(what: string): ServiceError {
  return new ServiceError('too_many_sessions', `${what} has as many readers as it may have.`);
}

function tooFast(what: string): ServiceError {
  return new ServiceError('too_many_requests', `${what} Try again in a moment.`);
}

/** Creates token buckets: each allows a burst, then one event per interval. */
function createBuckets({ burst, everyMs }: { burst: number; everyMs: number }) {
  /** Tokens left in each bucket, and when that was computed. */
  const buckets = new Map<string, { left: number; atMs: number }>();
  const current = (name: string): { left: number; atMs: number } => {
    const nowMs = performance.now();
    const { left, atMs } = buckets.get(name) ?? { left: burst, atMs: nowMs };
    return { left: Math.min(burst, left + (nowMs - atMs) / everyMs), atMs: nowMs };
  };
  return {
    take(name: string): boolean {
      const bucket = current(name);
      const isAllowed = bucket.left >= 1;
      if (isAllowed) bucket.left -= 1;
      // Moved to the end, so that the first bucket is the least recently seen.
      buckets.delete(name);
      buckets.set(name, bucket);
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
      return isAllowed;
    },
  };
}

/** Checks without progress after which a reader counts as gone, although its network has not reported it. */
const STALLED_LOOKS = 4;

/** Returns a check that finds readers that have taken no bytes for a minute. */
export function createStallWatch(): (reader: Reader) => boolean {
  const seen = new WeakMap<Reader, { looks: number; bytes: number }>();
  return (reader) => {
    const bytes = reader.backlogBytes;
    if (bytes === 0) {
      seen.delete(reader);
      return false;
    }
    const before = seen.get(reader);
    // A reader that is behind is sent nothing more, so its backlog shrinks as long as it reads.
    const looks = before === undefined || bytes < before.bytes ? 1 : before.looks + 1;
    seen.set(reader, { looks, bytes });
    return looks >= STALLED_LOOKS;
  };
}
