/**
 * The caption log of several nodes: every node holds the captions in memory, and the home of a room appends
 * them.
 */
import type { Broker } from '../../broker/index.ts';
import type { Logger } from '../../process/log.ts';
import type {
  AppendOptions,
  Caption,
  CaptionFollower,
  CaptionLog,
  CaptionTrack,
  NewCaption,
  RecentCaptions,
} from '../caption-log.ts';
import type { CaptionStore } from '../captions-store.ts';
import { type CaptionLogOptions, EmbeddedCaptionLog } from '../embedded-caption-log.ts';
import { isAway } from './append-queue.ts';
import { createQuestions, NotHome } from './questions.ts';
import { leaseOf, streamOf } from './room-entry.ts';
import { LEASE_MS, RENEW_MS, SharedRoom } from './shared-room.ts';

export interface SharedCaptionLogOptions extends Omit<CaptionLogOptions, 'publish' | 'mayWrite'> {
  store: CaptionLogOptions['store'] & Pick<CaptionStore, 'forgottenUpTo'>;
  broker: Pick<Broker, 'leases' | 'streams' | 'node' | 'onBack'>;
  log: Logger;
}

export class SharedCaptionLog implements CaptionLog {
  readonly #options: SharedCaptionLogOptions;
  readonly #memory: EmbeddedCaptionLog;
  readonly #questions;
  readonly #rooms = new Map<string, SharedRoom>();
  /** Rooms being closed, which still append their last captions; `left` resolves when that is over. */
  readonly #leaving = new Map<string, { room: SharedRoom; left: Promise<void> }>();
  /** Rooms whose stream is still to be deleted, as the broker was unreachable. */
  readonly #undropped = new Set<string>();
  readonly #ticking: NodeJS.Timeout;
  readonly #stopListening: () => void;
  /** When the broker last came back: lease owners get time to renew before others acquire. */
  #backAtMs = -Infinity;
  #isStopped = false;

  constructor(options: SharedCaptionLogOptions) {
    this.#options = options;
    const { broker, log } = options;
    this.#questions = createQuestions(broker, log);
    this.#memory = new EmbeddedCaptionLog({
      ...options,
      publish: (track, ...caption) => this.#known(track.roomId).publish(track, ...caption),
      mayWrite: (track, caption) => {
        const room = this.#rooms.get(track.roomId) ?? this.#leaving.get(track.roomId)?.room;
        return this.#isStopped || room?.mayWrite({ track, caption }) !== false;
      },
    });
    const tickAll = () => {
      for (const [roomId, room] of this.#rooms) {
        void room.tick();
        if (room.isLeft) void this.leave(roomId, { isLast: false }).catch(() => undefined);
      }
    };
    this.#ticking = setInterval(tickAll, RENEW_MS).unref();
    this.#stopListening = broker.onBack(() => {
      this.#backAtMs = performance.now();
      tickAll();
      for (const roomId of this.#undropped) void this.#dropAgain(roomId);
    });
  }

  /** Returns a room as shared by all nodes, opening it if necessary. */
  share(roomId: string): SharedRoom {
    const known = this.#rooms.get(roomId);
    if (known !== undefined) return known;
    const { broker, store, log } = this.#options;
    const room = new SharedRoom({
      ...{ roomId, broker, store, log, questions: this.#questions, memory: this.#memory },
      isSteady: () => performance.now() - this.#backAtMs > LEASE_MS,
      after: this.#leaving.get(roomId)?.left ?? Promise.resolve(),
    });
    this.#rooms.set(roomId, room);
    return room;
  }

  /** Closes a room on this node. @param options.isLast whether nothing of it is to remain on any node */
  async leave(roomId: string, options: { isLast: boolean }): Promise<void> {
    try {
      await this.#leave(roomId, options);
    } catch (error) {
      if (options.isLast) this.#undropped.add(roomId);
      throw error;
    }
  }

  /** Deletes the stream of a room, unless it has been opened again. */
  async #dropAgain(roomId: string): Promise<void> {
    const { leases, streams, node } = this.#options.broker;
    this.#undropped.delete(roomId);
    try {
      const held = await leases.find(leaseOf(roomId));
      const isElsewhere = held !== undefined && !held.holder.startsWith(node);
      if (isElsewhere || this.#rooms.has(roomId)) return;
      await streams.drop(streamOf(roomId));
    } catch {
      this.#undropped.add(roomId);
    }
  }

  async #leave(roomId: string, options: { isLast: boolean }): Promise<void> {
    const room = this.#rooms.get(roomId);
    if (room === undefined) {
      await this.#leaving.get(roomId)?.left;
      // A dead server may have left a stream.
      if (options.isLast) await this.#options.broker.streams.drop(streamOf(roomId));
      return;
    }
    this.#rooms.delete(roomId);
    const closed = room.close(options);
    const leaving = { room, left: closed.catch(() => undefined) };
    this.#leaving.set(roomId, leaving);
    try {
      await closed;
    } finally {
      if (this.#leaving.get(roomId) === leaving) this.#leaving.delete(roomId);
    }
  }

  #known(roomId: string): SharedRoom {
    return this.#rooms.get(roomId) ?? this.#leaving.get(roomId)?.room ?? this.share(roomId);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#ticking);
    this.#stopListening();
    this.#questions.stop();
  }

  nextLine(): number {
    return this.#memory.nextLine();
  }

  /** @throws NotHome if another node is the home and publishes first */
  async append(track: CaptionTrack, caption: NewCaption, options: AppendOptions): Promise<Caption> {
    const room = this.#known(track.roomId);
    if (!room.isHome) await room.ready;
    return this.#memory.append(track, caption, options);
  }

  tell(track: CaptionTrack, tentative: string): void {
    this.#memory.tell(track, tentative);
    this.#rooms.get(track.roomId)?.tell(track.name, tentative);
  }

  async read(
    track: CaptionTrack,
    after: number,
    options?: { isUrgent: boolean },
  ): Promise<RecentCaptions> {
    if (options?.isUrgent !== true) await this.share(track.roomId).ready;
    return this.#memory.read(track, after, options);
  }

  async find(
    track: CaptionTrack,
    line: number,
    options?: { isUrgent: boolean },
  ): Promise<Caption | undefined> {
    if (options?.isUrgent !== true) await this.share(track.roomId).ready;
    return this.#memory.find(track, line, options);
  }

  async *transcript(track: CaptionTrack): AsyncGenerator<readonly Caption[]> {
    const room = this.share(track.roomId);
    await room.ready;
    // What the home has appended may still be on its way here. Without the broker, what has come must do.
    if (!room.isHome) {
      await room.readOn().catch((error: unknown) => {
        if (!isAway(error)) throw error;
      });
    }
    yield* this.#memory.transcript(track);
  }

  follow(track: CaptionTrack, follower: CaptionFollower): () => void {
    this.share(track.roomId);
    return this.#memory.follow(track, follower);
  }

  /** @throws NotHome */
  async forget(roomId: string, onGone?: (upTo: number) => void): Promise<void> {
    const room = this.share(roomId);
    await room.ready;
    if (!room.isHome) throw new NotHome('Another node is the home.');
    let goneUpTo = 0;
    await this.#memory.forget(roomId, (upTo) => {
      goneUpTo = upTo;
      onGone?.(upTo);
    });
    await room.forgotten(goneUpTo);
  }

  erase(roomId: string): Promise<void> {
    return this.#memory.erase(roomId);
  }

  expire(roomId: string, beforeMs: number): void {
    this.#memory.expire(roomId, beforeMs);
    // The next sweep tries again.
    this.#rooms
      .get(roomId)
      ?.expire(beforeMs)
      .catch(() => undefined);
  }

  release(roomId: string): void {
    this.#memory.release(roomId);
  }

  async flush(): Promise<void> {
    await this.#memory.flush();
  }
}
