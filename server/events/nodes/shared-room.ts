/**
 * A room shared by several nodes. One of them is its home by a lease: the home alone appends captions, to a
 * stream that all other nodes follow into their own memory. Fencing by the lease's epoch keeps a former home
 * from appending.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Broker } from '../../broker/index.ts';
import type { Logger } from '../../process/log.ts';
import { type AppendOptions, type Caption, type CaptionTrack, MAX_HELD } from '../caption-log.ts';
import type { CaptionStore } from '../captions-store.ts';
import type { EmbeddedCaptionLog, SharedCaption } from '../embedded-caption-log.ts';
import { isAtOrBefore } from '../held-track.ts';
import type { PauseTimes } from '../speaker.ts';
import { AppendQueue, isAway, type Unappended } from './append-queue.ts';
import { type HomeClaim, NotHome, type Questions, type RoomHost } from './questions.ts';
import {
  detailsOf,
  type Entry,
  entryOf,
  leaseOf,
  lastOlder,
  READ_AT_ONCE,
  read,
  streamOf,
  written,
} from './room-entry.ts';
import { RoomNotes } from './room-notes.ts';
import { createTentativeTexts, type TentativeTexts } from './tentative-texts.ts';

/** Duration of a home's lease, and interval at which the home renews it, in ms. */
export const LEASE_MS = 5_000;
export const RENEW_MS = 1_000;
/**
 * Lifetime of the stream after its last entry, and age of that entry at which the home adds an empty one, in
 * ms.
 */
const TTL_MS = 15 * 60_000;
const STAY_MS = 4 * 60_000;
/** Age at which a room that was opened here but never attached to a host is closed, in ms. */
const LEFT_MS = 20_000;
/** Maximum number of entries in the stream: what is held of every track, and some more. */
const MAX_LENGTH = 32 * MAX_HELD;
/** How long a home has to answer a claim before its lease is tried again, in ms. */
const ANSWER_MS = 1_000;
const AGAIN_MS = 500;
const FINISH_AGAIN_MS = 5_000;
/** How long a home that yields may still append what is pending, in ms. */
const GIVE_MS = 2_000;

export interface SharedRoomOptions {
  roomId: string;
  broker: Pick<Broker, 'leases' | 'streams' | 'node'>;
  questions: Questions;
  memory: EmbeddedCaptionLog;
  store: Pick<CaptionStore, 'forgottenUpTo'>;
  /** Whether the broker has been reachable long enough for lease owners to renew. */
  isSteady: () => boolean;
  /** Resolves when an earlier instance of the room on this node is closed. */
  after: Promise<void>;
  log: Logger;
}

export class SharedRoom {
  readonly #options: SharedRoomOptions;
  /** Holder of the lease and appender of entries; unique even among rooms of this node. */
  readonly #name: string;
  #host: RoomHost | undefined;
  readonly #openedAtMs = performance.now();
  #state: 'following' | 'home' | 'closed' = 'following';
  #epoch = 0;
  /** Id of the last entry read or appended. */
  #lastId = 0;
  #unfollow: () => void = () => undefined;
  #stopAnswering: () => void = () => undefined;
  #acquiring: Promise<boolean> | undefined;
  #ticking: Promise<void> | undefined;
  /** Until when this node does not reacquire a lease that it gave away. */
  #givenUntilMs = 0;
  readonly #queue: AppendQueue;
  #appendedAtMs = performance.now();
  readonly notes = new RoomNotes();
  #forgottenUpTo = 0;
  readonly #texts: TentativeTexts;
  /** Resolves when all earlier entries are read. */
  readonly ready: Promise<void>;

  constructor(options: SharedRoomOptions) {
    const { roomId, broker, memory, log } = options;
    this.#options = options;
    this.#name = `${broker.node} ${randomUUID()}`;
    this.#queue = new AppendQueue({
      log,
      onAppended: (id, shared) => {
        this.#appendedAtMs = performance.now();
        this.#lastId = Math.max(this.#lastId, id);
        if (shared === undefined) return;
        this.notes.told(shared);
        memory.writeOn(roomId);
      },
      // Finds out whether another node took the lease, or the broker has lost it.
      onRefused: async () => {
        if (this.isHome) await this.tick();
      },
    });
    this.#texts = createTentativeTexts({
      ...{ roomId, streams: broker.streams },
      fence: () => ({ lease: leaseOf(roomId), epoch: this.#epoch }),
      told: (name) => this.notes.sharedUpTo(name),
      tell: (name, text) => memory.tell({ roomId, name }, text),
    });
    this.ready = this.#open();
  }

  get isHome(): boolean {
    return this.#state === 'home';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Whether no host uses the room here: such a node must not be the home, although it was asked once. */
  get isLeft(): boolean {
    return this.#host === undefined && performance.now() - this.#openedAtMs > LEFT_MS;
  }

  /** Attaches the host that has the room open here. */
  attach(host: RoomHost): void {
    this.#host = host;
    if (this.isHome) host.onHome();
  }

  async #open(): Promise<void> {
    await this.#options.after;
    while (!this.isClosed) {
      try {
        await this.readOn();
        // The first node becomes the home, so that it can serve its first requests itself.
        const isHome = this.#options.isSteady() && (await this.#acquire());
        if (!isHome && this.#state === 'following') this.#follow();
        return;
      } catch {
        await delay(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  #follow(): void {
    const { streams } = this.#options.broker;
    this.#unfollow();
    const stopTexts = this.#texts.follow();
    const stop = streams.follow(this.#stream, this.#lastId, ({ id, bytes }) => {
      if (id > this.#lastId) this.#take(id, bytes);
    });
    this.#unfollow = () => {
      stop();
      stopTexts();
    };
  }

  /** Reads to the end of the stream. @returns whether other nodes have appended captions */
  async readOn(): Promise<boolean> {
    const { streams } = this.#options.broker;
    let isNews = false;
    for (;;) {
      const entries = await streams.read(this.#stream, this.#lastId, READ_AT_ONCE);
      for (const { id, bytes } of entries) {
        if (id > this.#lastId) isNews = this.#take(id, bytes) || isNews;
      }
      if (entries.length < READ_AT_ONCE) return isNews;
    }
  }

  /** Whether the broker has lost the last entry read. */
  async #isLost(): Promise<boolean> {
    if (this.#lastId === 0) return false;
    const { streams } = this.#options.broker;
    return (await streams.read(this.#stream, this.#lastId - 1, 1)).length === 0;
  }

  /** @returns whether another node appended it */
  #take(id: number, bytes: Buffer): boolean {
    this.#lastId = id;
    const entry = read(bytes);
    const { track, caption, isLate, pause, forgottenUpTo } = entry;
    if (forgottenUpTo !== undefined) this.#forget(forgottenUpTo);
    if (pause !== undefined) this.notes.paused(pause);
    if (track === undefined || caption === undefined) return false;
    const { roomId, memory, broker } = this.#options;
    const shared = { track: { roomId, name: track }, caption, isLate: isLate === true };
    // A home whose broker lost the stream appends again what was told before.
    if (this.notes.isTold(shared)) return false;
    this.notes.describe(caption, detailsOf(entry));
    this.notes.told(shared);
    this.#queue.noteTold(shared);
    memory.take(shared);
    return entry.node !== broker.node;
  }

  /**
   * Whether a caption may be written to the database. It must be shared first: if this node died, another
   * node would append the unshared caption again, and it would be stored twice.
   */
  mayWrite(shared: Pick<SharedCaption, 'track' | 'caption'>): boolean {
    return this.isClosed || this.notes.isTold(shared);
  }

  #forget(upTo: number): void {
    if (upTo <= this.#forgottenUpTo) return;
    this.#forgottenUpTo = upTo;
    this.#options.memory.dropUpTo(this.#options.roomId, upTo);
    this.#host?.onForgotten(upTo);
  }

  /** Records a pause, so that a server that continues the session does not append what was said in it. */
  notePause(sessionId: string, times: PauseTimes): void {
    const pause = { sessionId, fromMs: times.fromMs, toMs: times.toMs };
    this.notes.paused(pause);
    if (this.isHome) this.#publish({ pause });
  }

  /**
   * Returns the sequence of the last caption that is not kept, and whose translations are not kept either.
   */
  unkeptUpTo(): number {
    const { memory, roomId } = this.#options;
    return this.notes.unkeptUpTo(memory.held(roomId));
  }

  /** Asks the home. @throws ServiceError */
  ask(question: object, wait: { forMs: number; id?: string }): Promise<unknown> {
    return this.#options.questions.ask(this.#options.roomId, question, wait);
  }

  // The lease.

  /** Renews or acquires the lease. To be called every second. */
  tick(): Promise<void> {
    this.#ticking ??= this.#tick().finally(() => (this.#ticking = undefined));
    return this.#ticking;
  }

  async #tick(): Promise<void> {
    const { leases } = this.#options.broker;
    try {
      if (!this.isHome) {
        const mayTake = performance.now() > this.#givenUntilMs && this.#options.isSteady();
        if (mayTake && !this.isClosed) await this.#acquire();
        return;
      }
      const epoch = this.#epoch;
      const isStill = await leases.renew(leaseOf(this.#options.roomId), epoch, LEASE_MS);
      if (!isStill && this.#epoch === epoch) await this.#takeAgain();
      else if (performance.now() - this.#appendedAtMs > STAY_MS) this.#publish({});
    } catch (error) {
      // While the broker is unreachable, no other node can take the lease.
      if (!isAway(error))
        this.#options.log.error({ err: error }, 'the lease of a room was not renewed');
    }
  }

  #acquire(): Promise<boolean> {
    this.#acquiring ??= this.#acquireNow().finally(() => (this.#acquiring = undefined));
    return this.#acquiring;
  }

  /** Acquires the lease if it is free. @throws ServiceError broker_unavailable */
  async #acquireNow(): Promise<boolean> {
    const { roomId, broker, questions, memory } = this.#options;
    if (this.isHome) return true;
    // The holder is read first: a broker that hangs would carry out a late acquisition and rob the owner.
    const held = await broker.leases.find(leaseOf(roomId));
    if (held !== undefined && held.holder !== this.#name) return false;
    const epoch = await broker.leases.acquire(leaseOf(roomId), this.#name, LEASE_MS);
    if (epoch === undefined) return false;
    this.#epoch = epoch;
    // From here on, no other node can append.
    await this.readOn();
    const isLost = await this.#isLost();
    if (this.isClosed) return false;
    this.#unfollow();
    this.#state = 'home';
    memory.goOnAfter(epoch);
    if (isLost) this.#publishAgain();
    this.#stopAnswering = questions.answer(roomId, epoch, (...asked) => this.#answer(...asked));
    void this.#finish();
    this.#host?.onHome();
    return true;
  }

  /**
   * Completes in the database what the previous home may not have done, and applies deletions recorded there.
   */
  async #finish(): Promise<void> {
    const { roomId, memory, store, log } = this.#options;
    const isKept = (caption: Caption) => this.notes.detailsOf(caption)?.isKept === true;
    while (this.isHome) {
      try {
        const upTo = await store.forgottenUpTo(roomId);
        this.#forgetAgain(upTo);
        await memory.writeHeld(roomId, isKept);
        return;
      } catch (error) {
        log.error({ err: error }, 'captions of the previous owner are not stored yet');
        await delay(FINISH_AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  /** Removes deleted captions that are still in the stream. */
  #forgetAgain(upTo: number): void {
    const { roomId, memory } = this.#options;
    const isThere = memory.held(roomId).some(({ caption }) => isAtOrBefore(upTo, caption));
    if (!this.isHome || !isThere) return;
    this.#forget(upTo);
    this.#publishAgain();
  }

  /**
   * Reacquires a lost lease: the broker lost it, or another node took it while this process was suspended.
   */
  async #takeAgain(): Promise<void> {
    const { roomId, broker } = this.#options;
    const epoch = await broker.leases.acquire(leaseOf(roomId), this.#name, LEASE_MS);
    if (epoch === undefined) {
      this.#lose();
      return;
    }
    this.#epoch = epoch;
    const isNews = await this.readOn();
    if (this.isClosed) return;
    if (isNews) {
      const lost = this.#retractUnappended();
      this.#host?.onFollow(lost);
    }
    this.#publishAgain();
    void this.#finish();
    this.#host?.onHome();
  }

  /**
   * Makes this node the home.
   *
   * @returns the session that keeps the floor at another node
   * @throws NotHome when the room is closed
   */
  async claim(claim: HomeClaim): Promise<string | undefined> {
    let isGiven = false;
    while (!this.isClosed) {
      // An acquisition under way may have begun before the lease was released.
      await this.#acquiring?.catch(() => undefined);
      const mayTake = isGiven || this.#options.isSteady();
      if (this.isHome || (mayTake && (await this.#acquire().catch(() => false)))) return undefined;
      const answer = await this.ask({ give: claim }, { forMs: ANSWER_MS }).catch(() => undefined);
      const { speaks } = (answer ?? {}) as { speaks?: string };
      if (speaks !== undefined) return speaks;
      isGiven = answer !== undefined;
      if (!isGiven) await delay(AGAIN_MS / 5, undefined, { ref: false });
    }
    throw new NotHome('The room is closed.');
  }

  async #answer(question: unknown, id: string): Promise<unknown> {
    if (!this.isHome) throw new NotHome('Another node is the home.');
    const { give } = question as { give?: HomeClaim };
    if (give !== undefined) return this.#handOverLease(give);
    const done = this.notes.fulfilled(id);
    if (done !== undefined) return done;
    if (this.#host === undefined) throw new NotHome('Nobody has the room open.');
    return this.#host.answer(question, id);
  }

  async #handOverLease(claim: HomeClaim): Promise<{ speaks?: string }> {
    const { roomId, broker } = this.#options;
    const speaks = await this.#host?.onClaim(claim);
    if (speaks !== undefined) return { speaks };
    await this.#queue.idle(GIVE_MS);
    if (this.isHome) {
      const epoch = this.#epoch;
      this.#givenUntilMs = performance.now() + LEASE_MS;
      this.#lose();
      await broker.leases.release(leaseOf(roomId), epoch);
    }
    return {};
  }

  /** Stops being the home. */
  #lose(): void {
    this.#state = 'following';
    this.#stopAnswering();
    const lost = this.#retractUnappended();
    this.#follow();
    this.#host?.onFollow(lost);
  }

  /** Takes back captions that no other node was told. @returns those that readers here had been told */
  #retractUnappended(): SharedCaption[] {
    const lost: SharedCaption[] = [];
    for (const { shared, isAwaited, isTold, settle } of this.#queue.takeAll()) {
      settle(!isTold);
      if (shared === undefined || isAwaited || isTold) continue;
      this.#options.memory.takeBack(shared);
      lost.push(shared);
    }
    return lost;
  }

  // Appending.

  /**
   * Resolves when the other nodes have a caption, or cannot be reached for now. @throws NotHome if it must
   * not be told
   */
  async publish(track: CaptionTrack, caption: Caption, options: AppendOptions): Promise<void> {
    if (!this.isHome) throw new NotHome('Another node is the home.');
    const shared = { track, caption, isLate: options.isLate === true };
    this.notes.describe(caption, options);
    await this.#wait(this.#publishCaption(shared));
  }

  /** Resolves when an item is appended, or cannot be for now. @throws NotHome */
  async #wait(item: Unappended): Promise<void> {
    await this.#queue.wait(item);
    if (item.isRefused) throw new NotHome('Another node is the home.');
  }

  #publishCaption(shared: SharedCaption): Unappended {
    // A caption loaded from the database is one that is kept.
    const details = this.notes.detailsOf(shared.caption) ?? { isKept: true };
    return this.#publish(entryOf(shared, details), { shared });
  }

  #publish(
    entry: Omit<Entry, 'node'>,
    { shared, maxLength = MAX_LENGTH }: { shared?: SharedCaption; maxLength?: number } = {},
  ): Unappended {
    const { roomId, broker } = this.#options;
    const bytes = written({ node: broker.node, ...entry });
    const send = (number: number) =>
      broker.streams.append(this.#stream, bytes, {
        ...{ maxLength, ttlMs: TTL_MS },
        fence: { lease: leaseOf(roomId), epoch: this.#epoch },
        by: { appender: this.#name, number },
      });
    return this.#queue.add(send, shared, shared !== undefined && this.notes.isTold(shared));
  }

  /**
   * Appends everything held once more, as the broker lost it or some of it must leave the stream.
   *
   * @returns the first entry, which replaces the whole stream
   */
  #publishAgain(): Unappended {
    const { roomId, memory } = this.#options;
    const queue = this.#queue.takeAll();
    const first = this.#publish({ forgottenUpTo: this.#forgottenUpTo }, { maxLength: 1 });
    for (const pause of this.notes.pauses) this.#publish({ pause });
    const held = memory.held(roomId);
    for (const shared of held) this.#publishCaption(shared);
    const isHeld = new Set(held.map(({ caption }) => caption));
    // Captions that were deleted are not appended any more.
    const isOver = ({ shared }: Unappended) =>
      shared === undefined ||
      isHeld.has(shared.caption) ||
      isAtOrBefore(this.#forgottenUpTo, shared.caption);
    for (const item of queue) if (isOver(item)) item.settle(false);
    this.#queue.put(queue.filter((item) => !isOver(item)));
    return first;
  }

  /**
   * Removes captions up to a sequence from the stream, after their deletion here and in the database.
   *
   * @throws NotHome if another node is the home and still has them
   */
  async forgotten(upTo: number): Promise<void> {
    if (!this.isHome) throw new NotHome('Another node is the home.');
    this.#forgottenUpTo = Math.max(this.#forgottenUpTo, upTo);
    await this.#wait(this.#publishAgain());
  }

  /** Trims entries that ended before a moment, in ms since the epoch. */
  async expire(beforeMs: number): Promise<void> {
    const { streams } = this.#options.broker;
    const old = this.isHome ? await lastOlder(streams, this.#stream, beforeMs) : 0;
    if (old > 0 && this.isHome) await streams.trim(this.#stream, old);
  }

  /** Shares tentative text with the other nodes. */
  tell(name: string, text: string): void {
    if (this.isHome && this.#host?.isReadElsewhere() === true) this.#texts.put(name, text);
  }

  /** @param options.isLast whether nothing of the room is to remain */
  async close({ isLast }: { isLast: boolean }): Promise<void> {
    const { roomId, broker, questions, memory } = this.#options;
    if (this.isClosed) return;
    await this.#queue.idle(GIVE_MS);
    this.#state = 'closed';
    this.#unfollow();
    this.#stopAnswering();
    this.#queue.takeAll();
    memory.writeOn(roomId);
    // These may be about to make this node the home.
    await Promise.allSettled([this.ready, this.#ticking, this.#acquiring]);
    try {
      if (isLast) {
        await broker.streams.drop(this.#stream);
        await this.#texts.drop();
        await questions.drop(roomId);
      }
    } finally {
      await broker.leases.release(leaseOf(roomId), this.#epoch);
    }
  }

  get #stream(): string {
    return streamOf(this.#options.roomId);
  }
}
