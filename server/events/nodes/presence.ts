/**
 * Presence: which readers and speakers are in which room at which node. Every node announces its own rooms on
 * a stream, at once when something changes and in full every two seconds.
 */
import type { Broker } from '../../broker/index.ts';
import type { Logger } from '../../process/log.ts';

/** Interval at which a node announces all its rooms, and silence after which it counts as gone, in ms. */
const SAY_MS = 2_000;
const GONE_MS = 7_000;
/**
 * Delay by which changed counts are coalesced, in ms; the first reader of a language is announced at once.
 */
const SOON_MS = 250;
const MAX_LENGTH = 200;
const TTL_MS = 15_000;
const STREAM = 'rooms';

/** A room as one node has it open. */
export interface RoomPresence {
  /** Number of readers, by language. */
  readers: Record<string, number>;
  isHome: boolean;
  /** The session that speaks there. */
  sessionId?: string;
}

interface Said {
  node: string;
  /** Whether `rooms` is complete rather than a change; a null room has been closed by the node. */
  isAll: boolean;
  rooms: Record<string, RoomPresence | null>;
}

export interface PresenceOptions {
  broker: Pick<Broker, 'streams' | 'node'>;
  /** Returns the rooms that are open here. */
  own: () => Map<string, RoomPresence>;
  /** Called when another node's report of a room has changed. */
  onChange: (roomId: string) => void;
  log: Logger;
}

type Rooms = Map<string, RoomPresence>;

export class Presence {
  readonly #options: PresenceOptions;
  readonly #nodes = new Map<string, { rooms: Rooms; heardAtMs: number }>();
  readonly #changed = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #unfollow: () => void;
  #soon: NodeJS.Timeout | undefined;
  #hadRooms = false;
  /** When this node last received its own announcement: until it does, no other node is presumed gone. */
  #ownHeardAtMs = performance.now();

  constructor(options: PresenceOptions) {
    const { broker, log } = options;
    this.#options = options;
    this.#timer = setInterval(() => this.#sayAll(), SAY_MS).unref();
    this.#unfollow = broker.streams.follow(STREAM, 0, ({ bytes }) => {
      try {
        this.#hear(JSON.parse(bytes.toString()) as Said);
      } catch (error) {
        log.error({ err: error }, 'the room presence of another server could not be read');
      }
    });
  }

  /** Returns what the other nodes report of a room. */
  others(roomId: string): RoomPresence[] {
    return [...this.#nodes.values()].flatMap(({ rooms }) => rooms.get(roomId) ?? []);
  }

  /**
   * To be called when a room has changed here. @param options.isUrgent whether other nodes depend on it at
   * once
   */
  changed(roomId: string, { isUrgent } = { isUrgent: false }): void {
    this.#changed.add(roomId);
    if (!isUrgent) this.#soon ??= setTimeout(() => this.#sayChanged(), SOON_MS).unref();
    else {
      clearTimeout(this.#soon);
      this.#sayChanged();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#unfollow();
    // This node's readers and speakers are gone.
    if (this.#hadRooms) this.#say({ isAll: true, rooms: {} });
  }

  #say(said: Omit<Said, 'node'>): void {
    const { streams, node } = this.#options.broker;
    const bytes = JSON.stringify({ node, ...said } satisfies Said);
    // A lost announcement is soon repeated.
    streams.append(STREAM, bytes, { maxLength: MAX_LENGTH, ttlMs: TTL_MS }).catch(() => undefined);
  }

  #sayAll(): void {
    const rooms = this.#options.own();
    if (rooms.size > 0 || this.#hadRooms) {
      this.#say({ isAll: true, rooms: Object.fromEntries(rooms) });
    }
    this.#hadRooms = rooms.size > 0;
    this.#forgetGone();
  }

  #sayChanged(): void {
    this.#soon = undefined;
    const rooms = this.#options.own();
    const all = [...this.#changed].map((roomId) => [roomId, rooms.get(roomId) ?? null] as const);
    this.#changed.clear();
    this.#hadRooms ||= rooms.size > 0;
    this.#say({ isAll: false, rooms: Object.fromEntries(all) });
  }

  #hear(said: Said): void {
    if (said.node === this.#options.broker.node) {
      this.#ownHeardAtMs = performance.now();
      return;
    }
    const before = this.#nodes.get(said.node)?.rooms ?? new Map<string, RoomPresence>();
    const rooms: Rooms = said.isAll ? new Map() : new Map(before);
    for (const [roomId, presence] of Object.entries(said.rooms)) {
      if (presence === null) rooms.delete(roomId);
      else rooms.set(roomId, presence);
    }
    this.#nodes.set(said.node, { rooms, heardAtMs: performance.now() });
    this.#tellChanges(before, rooms);
  }

  #tellChanges(before: Rooms, rooms: Rooms): void {
    for (const roomId of new Set([...before.keys(), ...rooms.keys()])) {
      const [was, is] = [before.get(roomId), rooms.get(roomId)];
      if (JSON.stringify(was) !== JSON.stringify(is)) this.#options.onChange(roomId);
    }
  }

  #forgetGone(): void {
    const nowMs = performance.now();
    // A node that does not even receive its own announcements is itself cut off.
    if (this.#hadRooms && nowMs - this.#ownHeardAtMs > GONE_MS / 2) return;
    for (const [name, { rooms, heardAtMs }] of this.#nodes) {
      if (nowMs - heardAtMs < GONE_MS) continue;
      this.#nodes.delete(name);
      this.#tellChanges(rooms, new Map());
    }
  }
}

/** Adds up readers by language. */
export function addedUp(all: readonly Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}

export function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
