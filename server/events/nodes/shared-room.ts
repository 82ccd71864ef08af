/**
 * A room that several nodes have open. One of them is its home, by a lease: it alone appends what is said,
 * to a stream that all others follow into their own memory.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Broker } from '../../broker/index.ts';
import type { Logger } from '../../process/log.ts';
import { type AppendOptions, type Caption, type CaptionTrack, MAX_HELD } from '../caption-log.ts';
import type { CaptionStore } from '../captions-store.ts';
import type { EmbeddedCaptionLog, SharedCaption } from '../embedded-caption-log.ts';
import { isOf } from '../held-track.ts';
import type { PauseTimes } from '../speaker.ts';
import { AppendQueue, isAway, type Unappended } from './append-queue.ts';
import { NotHome, type Questions } from './questions.ts';
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
import type { HomeClaim, RoomHost } from './room-host.ts';
import { RoomNotes } from './room-notes.ts';
import { createTentativeTexts, type TentativeTexts } from './tentative-texts.ts';

/** How long a home is one without saying so again, and how often it does, in ms. */
export const LEASE_MS = 5_000;
export const RENEW_MS = 1_000;
/** What is held of a room goes when nobody has had it open for so long: nothing happens in it, in ms. */
const TTL_MS = 15 * 60_000;
const STAY_MS = 4 * 60_000;
/** After which a room is let go of that nobody has come to, in ms. */
const LEFT_MS = 20_000;
/** Entries: what is held of every track, and some more. */
const MAX_LENGTH = 32 * MAX_HELD;
/** How long a home has to answer before its lease is tried again, in ms. */
const ANSWER_MS = 1_000;
const AGAIN_MS = 500;
const FINISH_AGAIN_MS = 5_000;
/** For how long a home that gives way says what it still has to say, in ms. */
const GIVE_MS = 2_000;

export interface SharedRoomOptions {
  roomId: string;
  broker: Pick<Broker, 'leases' | 'streams' | 'node'>;
  questions: Questions;
  memory: EmbeddedCaptionLog;
  store: Pick<CaptionStore, 'forgottenUpTo'>;
  /** Whether the way to the broker has been good for as long as owners need to come back. */
  isSteady: () => boolean;
  /** Resolves when the room is let go of that was open here before. */
  after: Promise<void>;
  log: Logger;
}

export class SharedRoom {
  readonly #options: SharedRoomOptions;
  /** By which it holds the lease, and appends: no other has it, of this node either. */
  readonly #name: string;
  #host: RoomHost | undefined;
  readonly #openedAtMs = performance.now();
  #state: 'following' | 'home' | 'closed' = 'following';
  #epoch = 0;
  /** Of the last entry that was read or appended. */
  #lastId = 0;
  #unfollow: () => void = () => undefined;
  #stopAnswering: () => void = () => undefined;
  #acquiring: Promise<boolean> | undefined;
  #ticking: Promise<void> | undefined;
  /** Until when it does not take what it gave away. */
  #givenUntilMs = 0;
  readonly #queue: AppendQueue;
  #appendedAtMs = performance.now();
  readonly notes = new RoomNotes();
  #forgottenUpTo = 0;
  readonly #texts: TentativeTexts;
  /** Resolves when all is read that was said before. */
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
      // By whom it was taken, or whether the broker has lost it.
      onRefused: async () => {
        if (this.isHome) await this.tick();
      },
    });
    this.#texts = createTentativeTexts({
      ...{ roomId, streams: broker.streams },
      fence: () => ({ lease: leaseOf(roomId), epoch: this.#epoch }),
      told: (name) => this.notes.toldUpTo(name),
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

  /** Whether nobody has it open here: whatever was asked of it once, it must not be its home. */
  get isLeft(): boolean {
    return this.#host === undefined && performance.now() - this.#openedAtMs > LEFT_MS;
  }

  /** Whoever has the room open here. */
  attach(host: RoomHost): void {
    this.#host = host;
    if (this.isHome) host.onHome();
  }

  async #open(): Promise<void> {
    await this.#options.after;
    while (!this.isClosed) {
      try {
        await this.#readOn();
        // Whoever is first is the home, so that what is asked for at once is done here.
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

  /** Reads to the end of the stream. @returns whether others have said anything */
  async #readOn(): Promise<boolean> {
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

  /** Whether the broker has lost what was read last. */
  async #isLost(): Promise<boolean> {
    if (this.#lastId === 0) return false;
    const { streams } = this.#options.broker;
    return (await streams.read(this.#stream, this.#lastId - 1, 1)).length === 0;
  }

  /** @returns whether it was said by another node */
  #take(id: number, bytes: Buffer): boolean {
    this.#lastId = id;
    const entry = read(bytes);
    const { track, caption, isLate, pause, forgottenUpTo } = entry;
    if (forgottenUpTo !== undefined) this.#forget(forgottenUpTo);
    if (pause !== undefined) this.notes.paused(pause);
    if (track === undefined || caption === undefined) return false;
    const { roomId, memory, broker } = this.#options;
    const shared = { track: { roomId, name: track }, caption, isLate: isLate === true };
    // What is appended again, by a home whose broker has lost it, was told before.
    if (this.notes.isTold(shared)) return false;
    this.notes.describe(caption, detailsOf(entry));
    this.notes.told(shared);
    this.#queue.noteTold(shared);
    memory.take(shared);
    return entry.node !== broker.node;
  }

  /**
   * Whether a caption may be written: if this node died, others would say what they do not have once more, and
   * it would be kept twice.
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

  /** Whoever goes on with the session elsewhere is not to say what was said in a pause. */
  notePause(sessionId: string, times: PauseTimes): void {
    const pause = { sessionId, fromMs: times.fromMs, toMs: times.toMs };
    this.notes.paused(pause);
    if (this.isHome) this.#publish({ pause });
  }

  /** What was said last that is not to be kept, nor what renders it. */
  unkeptUpTo(): number {
    const { memory, roomId } = this.#options;
    return this.notes.unkeptUpTo(memory.held(roomId));
  }

  /** Asks the home. @throws ServiceError */
  ask(question: object, wait: { forMs: number; id?: string }): Promise<unknown> {
    return this.#options.questions.ask(this.#options.roomId, question, wait);
  }

  // Who is home.

  /** To be called every second. */
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
      // While the broker is away nobody takes it from us.
      if (!isAway(error))
        this.#options.log.error({ err: error }, 'the home of a room is not known');
    }
  }

  #acquire(): Promise<boolean> {
    this.#acquiring ??= this.#acquireNow().finally(() => (this.#acquiring = undefined));
    return this.#acquiring;
  }

  /** @throws ServiceError broker_unavailable */
  async #acquireNow(): Promise<boolean> {
    const { roomId, broker, questions, memory } = this.#options;
    if (this.isHome) return true;
    // Asked first: a broker that stands still would do later what was asked of it meanwhile, and its owner be
    // robbed of it.
    const held = await broker.leases.find(leaseOf(roomId));
    if (held !== undefined && held.holder !== this.#name) return false;
    const epoch = await broker.leases.acquire(leaseOf(roomId), this.#name, LEASE_MS);
    if (epoch === undefined) return false;
    this.#epoch = epoch;
    // Nobody else appends from now on.
    await this.#readOn();
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

  /** Does in the database, and as that has it, what the home before may not have come to do. */
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
        log.error({ err: error }, 'what another server had to keep is not kept yet');
        await delay(FINISH_AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  /** What was deleted may still be in the stream. */
  #forgetAgain(upTo: number): void {
    const { roomId, memory } = this.#options;
    const isThere = memory.held(roomId).some(({ caption }) => isOf(upTo, caption));
    if (!this.isHome || !isThere) return;
    this.#forget(upTo);
    this.#publishAgain();
  }

  /** The lease is gone: the broker has lost it, or another took it while nothing ran here. */
  async #takeAgain(): Promise<void> {
    const { roomId, broker } = this.#options;
    const epoch = await broker.leases.acquire(leaseOf(roomId), this.#name, LEASE_MS);
    if (epoch === undefined) {
      this.#lose();
      return;
    }
    this.#epoch = epoch;
    const isNews = await this.#readOn();
    if (this.isClosed) return;
    if (isNews) {
      const lost = this.#takeBack();
      this.#host?.onFollow(lost);
    }
    this.#publishAgain();
    void this.#finish();
    this.#host?.onHome();
  }

  /**
   * Makes this node the home.
   *
   * @returns who speaks elsewhere and does not give way
   * @throws NotHome when the room is closed
   */
  async claim(claim: HomeClaim): Promise<string | undefined> {
    let isGiven = false;
    while (!this.isClosed) {
      // What is tried already may have begun before it was given.
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
    if (give !== undefined) return this.#give(give);
    const done = this.notes.fulfilled(id);
    if (done !== undefined) return done;
    if (this.#host === undefined) throw new NotHome('Nobody has the room open.');
    return this.#host.answer(question, id);
  }

  async #give(claim: HomeClaim): Promise<{ speaks?: string }> {
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

  /** This node is not the home any more. */
  #lose(): void {
    this.#state = 'following';
    this.#stopAnswering();
    const lost = this.#takeBack();
    this.#follow();
    this.#host?.onFollow(lost);
  }

  /** What others were not told is not told here either. */
  #takeBack(): SharedCaption[] {
    const lost: SharedCaption[] = [];
    for (const { shared, isAwaited, isTold, settle } of this.#queue.takeAll()) {
      settle(!isTold);
      if (shared === undefined || isAwaited || isTold) continue;
      this.#options.memory.takeBack(shared);
      lost.push(shared);
    }
    return lost;
  }

  // What is said.

  /** Resolves when the others have a caption, or cannot for now. @throws NotHome where it must not be said */
  async publish(track: CaptionTrack, caption: Caption, options: AppendOptions): Promise<void> {
    if (!this.isHome) throw new NotHome('Another node is the home.');
    const shared = { track, caption, isLate: options.isLate === true };
    this.notes.describe(caption, options);
    await this.#wait(this.#publishCaption(shared));
  }

  /** Resolves when the others have it, or cannot for now. @throws NotHome */
  async #wait(item: Unappended): Promise<void> {
    await this.#queue.wait(item);
    if (item.isRefused) throw new NotHome('Another node is the home.');
  }

  #publishCaption(shared: SharedCaption): Unappended {
    // What was read from the database is kept.
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
   * Appends all that is held once more: the broker has lost it, or some of it is not to be there.
   *
   * @returns what takes the place of all there was
   */
  #publishAgain(): Unappended {
    const { roomId, memory } = this.#options;
    const queue = this.#queue.takeAll();
    const first = this.#publish({ forgottenUpTo: this.#forgottenUpTo }, { maxLength: 1 });
    for (const pause of this.notes.pauses) this.#publish({ pause });
    const held = memory.held(roomId);
    for (const shared of held) this.#publishCaption(shared);
    const isHeld = new Set(held.map(({ caption }) => caption));
    // Of what was deleted nothing is appended any more.
    const isOver = ({ shared }: Unappended) =>
      shared === undefined ||
      isHeld.has(shared.caption) ||
      isOf(this.#forgottenUpTo, shared.caption);
    for (const item of queue) if (isOver(item)) item.settle(false);
    this.#queue.put(queue.filter((item) => !isOver(item)));
    return first;
  }

  /**
   * Deletes what was said up to a sequence, which is gone here and from the database.
   *
   * @throws NotHome when another node is, and has it still
   */
  async forgotten(upTo: number): Promise<void> {
    if (!this.isHome) throw new NotHome('Another node is the home.');
    this.#forgottenUpTo = Math.max(this.#forgottenUpTo, upTo);
    await this.#wait(this.#publishAgain());
  }

  /** Lets go of what ended before a moment, ms since the epoch. */
  async expire(beforeMs: number): Promise<void> {
    const { streams } = this.#options.broker;
    const old = this.isHome ? await lastOlder(streams, this.#stream, beforeMs) : 0;
    if (old > 0 && this.isHome) await streams.trim(this.#stream, old);
  }

  /** What is being said and may still change. */
  tell(name: string, text: string): void {
    if (this.isHome && this.#host?.isReadElsewhere() === true) this.#texts.put(name, text);
  }

  /** @param options.isLast whether nothing of it is to stay */
  async close({ isLast }: { isLast: boolean }): Promise<void> {
    const { roomId, broker, questions, memory } = this.#options;
    if (this.isClosed) return;
    await this.#queue.idle(GIVE_MS);
    this.#state = 'closed';
    this.#unfollow();
    this.#stopAnswering();
    this.#queue.takeAll();
    memory.writeOn(roomId);
    // It may be about to be the home.
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
