/** Who may read along: how many at once, how quickly they come, and how often a passcode is guessed. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import { networkOf } from '../../http/requests.ts';
import type { Reader } from './fan-out.ts';

export interface ReaderLimits {
  /** Of this process, of one room, and from one network address. */
  most: number;
  mostInRoom: number;
  mostFromAddress: number;
  /** How many may come at once from an address, and how many a second after that. */
  joinBurst: number;
  joinsPerSecond: number;
}

/** Wrong passcodes from one address for one room, and then one more in so many ms. */
const TRIES_OF_ADDRESS = { kind: 'passcodes of addresses', burst: 10, everyMs: 6_000 };
/** The same from all addresses together: a million passcodes take a week. */
const TRIES_OF_ROOM = { kind: 'passcodes', burst: 500, everyMs: 600 };
/** Lines that are spoken for one address at once, and then one more in so many ms: ten languages of a talk. */
const SPEECHES = 60;
const SPEECH_EVERY_MS = 250;
/** Lines that are typed into a room at once, and then one more in so many ms: no hand, but a program may send a talk. */
const TYPED = 1_000;
const TYPED_EVERY_MS = 20;
/** Addresses that are remembered; of more, those not seen for longest are forgotten. */
const MAX_ADDRESSES = 20_000;

export interface ReaderDesk {
  readonly count: number;
  /** How many of them are in a room, or on the way in. */
  countIn(roomId: string): number;
  /** To be called before anything is done for whoever comes. @throws ServiceError too_many_requests */
  checkJoin(address: string): void;
  /** To be called before a line is typed into a room. @throws ServiceError too_many_requests */
  checkTyped(roomId: string): void;
  /** To be called before a line is spoken that was not yet. @throws ServiceError too_many_requests */
  checkSpeech(address: string): void;
  /**
   * Takes a place for a reader, of this server.
   *
   * @returns gives it back
   * @throws ServiceError too_many_sessions
   */
  admit(roomId: string, address: string): () => void;
  /**
   * To be called before anybody is told whether a passcode was right. Wrong ones are counted, over all
   * servers, and after too many of them nobody is told.
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

/** Counts what may come in bursts, and then once in a while. */
function createBuckets({ burst, everyMs }: { burst: number; everyMs: number }) {
  /** What is left of each, as of when. */
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
      // Those seen last are last.
      buckets.delete(name);
      buckets.set(name, bucket);
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
      return isAllowed;
    },
  };
}

/** Readers whose bytes have not moved for so many looks are gone, though their network does not say so. */
const STALLED_LOOKS = 4;

/** Finds readers that have taken nothing for a minute. */
export function createStallWatch(): (reader: Reader) => boolean {
  const seen = new WeakMap<Reader, { looks: number; bytes: number }>();
  return (reader) => {
    const bytes = reader.backlogBytes;
    if (bytes === 0) {
      seen.delete(reader);
      return false;
    }
    const before = seen.get(reader);
    // One that is behind is sent nothing more: its bytes get fewer while it reads.
    const looks = before === undefined || bytes < before.bytes ? 1 : before.looks + 1;
    seen.set(reader, { looks, bytes });
    return looks >= STALLED_LOOKS;
  };
}
