/**
 * The caption log of one process: recent captions in memory, and all captions of rooms that keep them in the
 * database.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { withinTime } from '../process/concurrency.ts';
import type { Logger } from '../process/log.ts';
import {
  type AppendOptions,
  type Caption,
  type CaptionFollower,
  type CaptionLog,
  type CaptionTrack,
  MAX_HELD,
  type NewCaption,
  type RecentCaptions,
} from './caption-log.ts';
import { CaptionWriter } from './caption-writer.ts';
import type { CaptionStore } from './captions-store.ts';
import { cut, type HeldTrack, inMemory, isNear, isAtOrBefore, reachesBack } from './held-track.ts';

/** Captions read per page of a transcript. */
const PAGE = 500;
/** How long a caption waits for a database that does not respond, in ms. */
const PATIENCE_MS = 1_000;
/** Delay before a failed write is retried, in ms. */
const RETRY_MS = 5_000;
/** How long, and how often, outstanding writes are attempted when the server stops, in ms. */
const FLUSH_MS = 5_000;
const FLUSH_EVERY_MS = 200;

/** A deletion of a room's captions. Once begun, nothing of the room is written or loaded until it is done. */
interface Deletion {
  state: 'waiting' | 'begun' | 'done';
  /** Resolves when everything queued before the deletion is appended. */
  begun: Promise<void>;
  done: Promise<void>;
  before: Deletion | undefined;
}

export interface CaptionLogOptions {
  store: Pick<CaptionStore, 'append' | 'latest' | 'captions' | 'caption' | 'deleteCaptions'>;
  log: Logger;
  now?: () => number;
  retryMs?: number;
  /** Publishes a caption to other nodes before it is written or told here. @throws if it must not be */
  publish?: (track: CaptionTrack, caption: Caption, options: AppendOptions) => Promise<void>;
  /** Whether a published caption may be written yet. */
  mayWrite?: (track: CaptionTrack, caption: Caption) => boolean;
}

/** A caption that another process appended, or that waits to be appended to the shared stream. */
export interface SharedCaption {
  track: CaptionTrack;
  caption: Caption;
  isLate: boolean;
}

/**
 * Creates the log of one process. Line numbers and sequences are ms since the epoch, or one more than the
 * previous number, so they increase across restarts without being stored.
 */
export function createCaptionLog(options: CaptionLogOptions): CaptionLog {
  return new EmbeddedCaptionLog(options);
}

export class EmbeddedCaptionLog implements CaptionLog {
  readonly #options: CaptionLogOptions;
  readonly #rooms = new Map<string, Map<string, HeldTrack>>();
  /** The last pending deletion of each room. */
  readonly #deletions = new Map<string, Deletion>();
  /** Rooms to release from memory once everything is written. */
  readonly #leaving = new Set<string>();
  #lastNumber = 0;

  constructor(options: CaptionLogOptions) {
    this.#options = options;
  }

  nextLine(): number {
    const { now = Date.now } = this.#options;
    this.#lastNumber = Math.max(this.#lastNumber + 1, now());
    return this.#lastNumber;
  }

  append(track: CaptionTrack, caption: NewCaption, options: AppendOptions): Promise<Caption> {
    const held = this.#heldOf(track);
    const untilMs = performance.now() + PATIENCE_MS;
    this.#stay(track.roomId);
    held.appending += 1;
    const appended = inTurn(held, () => this.#append(held, caption, { ...options, untilMs }));
    const settle = () => {
      held.appending -= 1;
      this.#leaveWhenDone(track.roomId);
    };
    appended.then(settle, settle);
    return appended;
  }

  async #append(
    held: HeldTrack,
    caption: NewCaption,
    { untilMs, ...options }: AppendOptions & { untilMs: number },
  ): Promise<Caption> {
    const { isKept, isLate = false } = options;
    // Loaded first so that numbers continue from stored ones, even if this process's clock is behind.
    if (isKept) await inTime(held, this.#fill(held).catch(this.#report), untilMs);
    const appended = { ...caption, sequence: this.nextLine() };
    // The line that this caption renders may be deleted before its turn, or while it is written.
    const isGone = () => isAtOrBefore(held.deletedUpTo, appended);
    const published = this.#options.publish?.(held.track, appended, options);
    if (published !== undefined) await published;
    if (isKept && !isGone()) await inTime(held, held.writer.add(appended), untilMs);
    if (!isGone()) this.#hold(held, appended, { isLate });
    return appended;
  }

  #hold(held: HeldTrack, caption: Caption, { isLate }: { isLate: boolean }): void {
    // Readers already have it: the broker lost it and it was appended again, or this was not known yet.
    if (held.captions.some(({ sequence }) => sequence === caption.sequence)) return;
    const isNews = !isLate || isNear(held, caption.line);
    if (!isNews) held.unannounced.add(caption);
    // The caption that this one replaces is of no interest any more.
    held.captions = [...held.captions.filter(({ line }) => line !== caption.line), caption];
    cut(held);
    if (isNews) for (const follower of held.followers) follower.onCaption(caption);
  }

  // Captions of other nodes.

  /** Tells a caption that another process has appended. */
  take({ track, caption, isLate }: SharedCaption): void {
    const held = this.#heldOf(track);
    const { sequence, line } = caption;
    this.#lastNumber = Math.max(this.#lastNumber, sequence, line);
    if (isAtOrBefore(held.deletedUpTo, caption)) return;
    this.#hold(held, caption, { isLate });
  }

  /** Makes all further numbers greater than this one. */
  goOnAfter(number: number): void {
    this.#lastNumber = Math.max(this.#lastNumber, number);
  }

  /** Takes back a caption that no other node was told, and that is not written yet. */
  takeBack({ track, caption }: Pick<SharedCaption, 'track' | 'caption'>): void {
    const held = this.#heldOf(track);
    held.captions = held.captions.filter((each) => each !== caption);
    held.writer.drop((each) => each === caption);
  }

  /** Writes what may be written by now. */
  writeOn(roomId: string): void {
    for (const { writer } of this.#tracksOf(roomId)) void writer.write();
  }

  /** Drops captions up to a sequence, which were deleted. */
  dropUpTo(roomId: string, upTo: number): void {
    this.#lastNumber = Math.max(this.#lastNumber, upTo);
    for (const held of this.#tracksOf(roomId)) {
      const { captions } = held;
      held.deletedUpTo = Math.max(held.deletedUpTo, upTo);
      held.captions = captions.filter((caption) => !isAtOrBefore(upTo, caption));
      // A reader that was meanwhile told the last of them must discard everything.
      held.incompleteUpTo = Math.max(held.incompleteUpTo, upTo, captions.at(-1)?.sequence ?? 0);
      held.hasMore = false;
      held.writer.drop((caption) => isAtOrBefore(upTo, caption));
    }
  }

  /** Returns all captions of a room held in memory, by sequence. */
  held(roomId: string): SharedCaption[] {
    return this.#tracksOf(roomId)
      .flatMap(({ track, captions, unannounced }) =>
        captions.map((caption) => ({ track, caption, isLate: unannounced.has(caption) })),
      )
      .sort((a, b) => a.caption.sequence - b.caption.sequence);
  }

  /** Writes held captions that another process may not have written. */
  async writeHeld(roomId: string, isKept: (caption: Caption) => boolean): Promise<void> {
    for (const held of this.#tracksOf(roomId)) {
      const { captions } = await this.#options.store.latest(held.track, MAX_HELD);
      // Captions appended here meanwhile may be written before these.
      const written = new Set(captions.map(({ sequence }) => sequence));
      const isMissing = (caption: Caption) => !written.has(caption.sequence) && isKept(caption);
      for (const caption of held.captions.filter(isMissing)) void held.writer.add(caption);
    }
  }

  readonly #report = (error: unknown): void => {
    this.#options.log.error({ err: error }, 'captions of a room cannot be stored at the moment');
  };

  tell(track: CaptionTrack, tentative: string): void {
    for (const follower of this.#heldOf(track).followers) follower.onTentative(tentative);
  }

  async read(
    track: CaptionTrack,
    after: number,
    { isUrgent } = { isUrgent: false },
  ): Promise<RecentCaptions> {
    const held = this.#heldOf(track);
    if (!isUrgent && !reachesBack(held, after)) await this.#fillInTurn(held);
    const { captions, unannounced, incompleteUpTo } = held;
    const isWanted = (caption: Caption) =>
      caption.sequence > after && (after === 0 || !unannounced.has(caption));
    return {
      captions: captions.filter(isWanted),
      isWhole: after >= incompleteUpTo,
      upTo: Math.max(incompleteUpTo, captions.at(-1)?.sequence ?? 0),
    };
  }

  async find(
    track: CaptionTrack,
    line: number,
    { isUrgent } = { isUrgent: false },
  ): Promise<Caption | undefined> {
    const held = this.#heldOf(track);
    const untilMs = performance.now() + PATIENCE_MS;
    const filled = this.#fillInTurn(held);
    if (!isUrgent) await filled;
    else await inTime(held, filled.catch(this.#report), untilMs);
    const known = inMemory(held);
    const found = known.findLast((each) => each.line === line);
    // The line is nearly always a recent one, or new.
    const isHeld = !held.hasMore || held.captions.some((each) => each.line <= line);
    if (found !== undefined || isHeld) return found;
    let stored: Caption | undefined;
    const looked = this.#options.store.caption(track, line).then((caption) => (stored = caption));
    if (!isUrgent) await looked;
    else await withinTime(looked.catch(this.#report), untilMs);
    return stored;
  }

  async *transcript(track: CaptionTrack): AsyncGenerator<readonly Caption[]> {
    const { store } = this.#options;
    const held = this.#heldOf(track);
    let last = 0;
    for (;;) {
      // Taken first: a caption written meanwhile may be on the page or not.
      const known = inMemory(held);
      const page = await store.captions(track, last, PAGE);
      if (page.length === 0) break;
      const [from, to] = [last, page.at(-1)?.sequence ?? 0];
      const written = new Set(page.map(({ sequence }) => sequence));
      const others = known.filter(
        ({ sequence }) => sequence > from && sequence < to && !written.has(sequence),
      );
      yield [...page, ...others].sort((a, b) => a.sequence - b.sequence);
      last = to;
    }
    const rest = inMemory(held).filter(({ sequence }) => sequence > last);
    if (rest.length > 0) yield rest;
  }

  follow(track: CaptionTrack, follower: CaptionFollower): () => void {
    this.#stay(track.roomId);
    const { followers } = this.#heldOf(track);
    followers.add(follower);
    return () => followers.delete(follower);
  }

  forget(roomId: string, onGone?: (upTo: number) => void): Promise<void> {
    return this.#delete(roomId, async (upTo) => {
      // Readers told anything meanwhile must discard what came before, also after a restart.
      await this.#options.store.deleteCaptions(roomId, upTo, this.nextLine());
      this.dropUpTo(roomId, upTo);
      onGone?.(upTo);
    });
  }

  erase(roomId: string): Promise<void> {
    // Followers that were told these captions keep them.
    return this.#delete(roomId, (upTo) => this.#options.store.deleteCaptions(roomId, upTo, 0));
  }

  /**
   * Deletes captions written before, including pending writes. Captions appended later are told at once but
   * written only after the deletion, and captions about to be deleted are not loaded into memory.
   */
  async #delete(roomId: string, act: (upTo: number) => Promise<void>): Promise<void> {
    const tracks = this.#tracksOf(roomId);
    const before = this.#deletions.get(roomId);
    let upTo = 0;
    const begun = Promise.allSettled(tracks.map(({ last }) => last)).then(() => {
      deletion.state = 'begun';
      upTo = this.nextLine();
    });
    for (const held of tracks) held.last = begun;
    const deleted = begun.then(async () => {
      await before?.done;
      deletion.before = undefined;
      for (const { writer, filling } of this.#tracksOf(roomId)) {
        await writer.underWay;
        await filling?.catch(() => undefined);
      }
      await act(upTo);
      for (const { writer } of this.#tracksOf(roomId)) {
        writer.drop((caption) => isAtOrBefore(upTo, caption));
      }
    });
    const settle = () => {
      deletion.state = 'done';
      if (this.#deletions.get(roomId) === deletion) this.#deletions.delete(roomId);
    };
    const done = deleted.then(settle, settle);
    const deletion: Deletion = { state: 'waiting', begun, done, before };
    this.#deletions.set(roomId, deletion);
    await deleted;
  }

  /** Returns what must be over before anything of a room is written or loaded. */
  #pendingDeletion(roomId: string): Promise<void> | undefined {
    let deletion = this.#deletions.get(roomId);
    while (deletion !== undefined && deletion.state !== 'begun') deletion = deletion.before;
    return deletion?.done;
  }

  expire(roomId: string, beforeMs: number): void {
    const isOld = ({ endMs }: Caption) => endMs < beforeMs;
    for (const held of this.#tracksOf(roomId)) {
      held.incompleteUpTo = Math.max(
        held.incompleteUpTo,
        held.captions.findLast(isOld)?.sequence ?? 0,
      );
      held.captions = held.captions.filter((caption) => !isOld(caption));
      held.writer.drop(isOld);
    }
  }

  release(roomId: string): void {
    const tracks = this.#tracksOf(roomId);
    if (tracks.some(({ followers }) => followers.size > 0)) return;
    this.#leaving.add(roomId);
    for (const { writer } of tracks) writer.leave(true);
    this.#leaveWhenDone(roomId);
  }

  #leaveWhenDone(roomId: string): void {
    if (!this.#leaving.has(roomId)) return;
    const isBusy = ({ appending, writer }: HeldTrack) => appending > 0 || writer.waiting.length > 0;
    if (this.#tracksOf(roomId).some(isBusy)) return;
    this.#leaving.delete(roomId);
    this.#rooms.delete(roomId);
  }

  /** Cancels the release of a room that is wanted again. */
  #stay(roomId: string): void {
    if (!this.#leaving.delete(roomId)) return;
    for (const { writer } of this.#tracksOf(roomId)) writer.leave(false);
  }

  async flush(): Promise<void> {
    const untilMs = performance.now() + FLUSH_MS;
    const all = [...this.#rooms.values()].flatMap((tracks) => [...tracks.values()]);
    await withinTime(Promise.allSettled(all.map(({ last }) => last)), untilMs);
    for (;;) {
      await withinTime(Promise.all(all.map(({ writer }) => writer.write())), untilMs);
      const lines = all.reduce((sum, { writer }) => sum + writer.waiting.length, 0);
      if (lines === 0) return;
      if (performance.now() >= untilMs) {
        this.#options.log.error({ lines }, 'lines of transcripts could not be written');
        return;
      }
      await delay(FLUSH_EVERY_MS);
    }
  }

  #tracksOf(roomId: string): HeldTrack[] {
    return [...(this.#rooms.get(roomId)?.values() ?? [])];
  }

  #heldOf(track: CaptionTrack): HeldTrack {
    const { roomId, name } = track;
    let tracks = this.#rooms.get(roomId);
    if (tracks === undefined) this.#rooms.set(roomId, (tracks = new Map<string, HeldTrack>()));
    let held = tracks.get(name);
    if (held === undefined) tracks.set(name, (held = this.#emptyTrack(track)));
    return held;
  }

  #emptyTrack(track: CaptionTrack): HeldTrack {
    const { roomId } = track;
    const { store, log, retryMs = RETRY_MS, mayWrite = () => true } = this.#options;
    const held: HeldTrack = {
      track,
      writer: new CaptionWriter({
        track,
        store,
        log,
        retryMs,
        mayWrite: (caption) => mayWrite(track, caption),
        heldUp: () => this.#pendingDeletion(roomId),
        onWritten: () => (held.isBehind = false),
        onIdle: () => this.#leaveWhenDone(roomId),
      }),
      captions: [],
      unannounced: new WeakSet(),
      followers: new Set(),
      last: this.#deletions.get(roomId)?.begun ?? Promise.resolve(),
      appending: 0,
      isFilled: false,
      filling: undefined,
      isBehind: false,
      incompleteUpTo: 0,
      deletedUpTo: 0,
      hasMore: false,
    };
    return held;
  }

  /** Loads the captions stored by an earlier process into memory, once. */
  async #fill(held: HeldTrack): Promise<void> {
    while (!held.isFilled) {
      const heldUp = this.#pendingDeletion(held.track.roomId);
      if (heldUp !== undefined) await heldUp;
      else {
        held.filling ??= this.#fillNow(held).finally(() => (held.filling = undefined));
        await held.filling;
      }
    }
  }

  /** Fills the track after all work queued so far, without delaying the work that follows. */
  async #fillInTurn(held: HeldTrack): Promise<void> {
    if (held.isFilled) return;
    const begun = await inTurn(held, () => Promise.resolve({ filled: this.#fill(held) }));
    await begun.filled;
  }

  async #fillNow(held: HeldTrack): Promise<void> {
    const { captions: kept, cutAt } = await this.#options.store.latest(held.track, MAX_HELD);
    const before = held.captions[0]?.sequence ?? Number.POSITIVE_INFINITY;
    const known = [...kept.filter(({ sequence }) => sequence < before), ...held.captions];
    // Captions replaced by newer ones are not told any more.
    const newest = new Map(known.map((caption) => [caption.line, caption]));
    held.captions = known.filter((caption) => newest.get(caption.line) === caption);
    held.incompleteUpTo = Math.max(held.incompleteUpTo, cutAt);
    held.hasMore ||= kept.length === MAX_HELD;
    held.isFilled = true;
    held.isBehind = false;
    this.#lastNumber = Math.max(this.#lastNumber, kept.at(-1)?.sequence ?? 0, cutAt);
    cut(held);
  }
}

/** Runs work on a track after all work queued before. */
function inTurn<Result>(held: HeldTrack, work: () => Promise<Result>): Promise<Result> {
  const done = held.last.then(work);
  held.last = done.catch(() => undefined);
  return done;
}

/** Waits briefly for the database, and not at all until it has caught up after a timeout. */
async function inTime(held: HeldTrack, work: Promise<void>, untilMs: number): Promise<void> {
  if (held.isBehind || (await withinTime(work, untilMs))) return;
  held.isBehind = true;
}
