/**
 * Captions in flight: what is said in rooms, appended once and followed by whoever reads along. A port, so
 * that a broker can take the place of this process; the adapter here keeps the last of it in memory, and
 * all of it in the database where a room is kept.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { withinTime } from '../process/concurrency.ts';
import type { Logger } from '../process/log.ts';
import { CaptionWriter } from './caption-writer.ts';
import type { Caption, CaptionStore, CaptionTrack } from './captions-store.ts';

export type { Caption, CaptionTrack };

export type NewCaption = Omit<Caption, 'sequence'>;

export interface RecentCaptions {
  captions: readonly Caption[];
  /** Whether nothing that came after that sequence is missing, or was deleted. */
  isWhole: boolean;
  /** Whoever has these captions has everything up to this sequence. */
  upTo: number;
}

export interface AppendOptions {
  isKept: boolean;
  isLate?: boolean;
}

export interface CaptionFollower {
  /** A caption that must not be lost. */
  onCaption(caption: Caption): void;
  /** What is being said and may still change; each replaces the one before, and a caption takes it away. */
  onTentative(text: string): void;
}

export interface CaptionLog {
  /**
   * Appends a caption, in the order of the calls, and tells its followers once it is kept. One that cannot
   * be written within a second is told all the same, and written as soon as it can be.
   *
   * @param options.isKept whether it may be written to disk
   * @param options.isLate whether it renders what was said before: followers are told of the last lines, and
   *   of those that they have
   */
  append(track: CaptionTrack, caption: NewCaption, options: AppendOptions): Promise<Caption>;
  /** A new number for a line, later than all there are. */
  nextLine(): number;
  /** Tells followers what is being said; kept nowhere. */
  tell(track: CaptionTrack, tentative: string): void;
  /**
   * Those of the last lines that came after a sequence, in their order; at most {@link MAX_HELD}.
   *
   * @param options.isUrgent answers from memory where the database would be asked for what was before
   */
  read(
    track: CaptionTrack,
    after: number,
    options?: { isUrgent: boolean },
  ): Promise<RecentCaptions>;
  /**
   * What came last in the place of a line, however long ago.
   *
   * @param options.isUrgent answers from memory where the database does not
   */
  find(
    track: CaptionTrack,
    line: number,
    options?: { isUrgent: boolean },
  ): Promise<Caption | undefined>;
  /** All there is, in its order, a page at a time: nothing else has to wait for the whole of it. */
  transcript(track: CaptionTrack): AsyncIterable<readonly Caption[]>;
  /** @returns ends it */
  follow(track: CaptionTrack, follower: CaptionFollower): () => void;
  /**
   * Deletes what was said in a room before, wherever it is kept; followers stay, and what is appended
   * meanwhile.
   *
   * @param onGone called when nothing of it can be read any more: of all up to that sequence, and what
   *   renders it
   */
  forget(roomId: string, onGone?: (upTo: number) => void): Promise<void>;
  /** Deletes what was written before; those who follow can still read it. */
  erase(roomId: string): Promise<void>;
  /** Lets go of what is in memory and ended before a moment, ms since the epoch. */
  expire(roomId: string, beforeMs: number): void;
  /** Lets go of what is only in memory, where nobody follows any more, once all that is kept is written. */
  release(roomId: string): void;
  /** Writes what was not written yet, as far as that is possible within seconds. */
  flush(): Promise<void>;
}

/** Captions of a track that are held in memory: an hour of speech, for everybody who comes late or back. */
const MAX_HELD = 500;
/** Lines that whoever comes is given; of what was said before those, nothing is news but what changes. */
export const LAST_LINES = 100;
/** Captions of a transcript that are read at a time. */
const PAGE = 500;
/** How long what is said waits for a database that does not answer, in ms. */
const PATIENCE_MS = 1_000;
/** After which what could not be written is tried again, in ms. */
const RETRY_MS = 5_000;
/** For how long, and how often, what waits is tried to be written when the server stops, in ms. */
const FLUSH_MS = 5_000;
const FLUSH_EVERY_MS = 200;

interface HeldTrack {
  readonly track: CaptionTrack;
  readonly writer: CaptionWriter;
  /** Those of the last lines, by sequence. */
  captions: Caption[];
  /** Those of them that nobody was told. */
  untold: WeakSet<Caption>;
  followers: Set<CaptionFollower>;
  /** What changes a track is done one after the other. */
  last: Promise<unknown>;
  /** Captions that are being appended. */
  appending: number;
  /** Whether what a process before this one has kept was read; under way. */
  isFilled: boolean;
  filling: Promise<void> | undefined;
  /** Whether the database does not keep up, and is not waited for. */
  isBehind: boolean;
  /** What came up to this sequence is not held: there was too much, or it was deleted. */
  cutAt: number;
  /** What was said up to this sequence was deleted, also what renders it. */
  deletedUpTo: number;
  /** Whether there is more in the database. */
  hasMore: boolean;
}

/** Of what was said in a room. Once it has begun, nothing is written or read before it is done. */
interface Deletion {
  state: 'waiting' | 'begun' | 'done';
  /** Resolves when all is appended that was before it. */
  begun: Promise<void>;
  done: Promise<void>;
  before: Deletion | undefined;
}

export interface CaptionLogOptions {
  store: Pick<CaptionStore, 'append' | 'latest' | 'captions' | 'caption' | 'deleteCaptions'>;
  log: Logger;
  now?: () => number;
  retryMs?: number;
}

/**
 * The log of one process. Numbers are ms since the epoch, or the next after the one before: they grow
 * through restarts though nothing of them is kept.
 */
export function createCaptionLog(options: CaptionLogOptions): CaptionLog {
  return new EmbeddedCaptionLog(options);
}

class EmbeddedCaptionLog implements CaptionLog {
  readonly #options: CaptionLogOptions;
  readonly #rooms = new Map<string, Map<string, HeldTrack>>();
  /** Of rooms of which everything is being deleted; the last of each. */
  readonly #deletions = new Map<string, Deletion>();
  /** Rooms that are let go of when all of them is written. */
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

  append(
    track: CaptionTrack,
    caption: NewCaption,
    { isKept, isLate = false }: AppendOptions,
  ): Promise<Caption> {
    const held = this.#heldOf(track);
    const untilMs = performance.now() + PATIENCE_MS;
    this.#stay(track.roomId);
    held.appending += 1;
    const appended = inTurn(held, () => this.#append(held, caption, { isKept, isLate, untilMs }));
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
    { isKept, isLate, untilMs }: Required<AppendOptions> & { untilMs: number },
  ): Promise<Caption> {
    // Numbers go on from those before, though the clock of this process may be behind.
    if (isKept) await inTime(held, this.#fill(held).catch(this.#report), untilMs);
    const appended = { ...caption, sequence: this.nextLine() };
    // What it renders may be deleted before its turn, or while it is written.
    const isGone = () => isOf(held.deletedUpTo, appended);
    if (isKept && !isGone()) await inTime(held, held.writer.add(appended), untilMs);
    if (isGone()) return appended;
    const isNews = !isLate || isNear(held, appended.line);
    if (!isNews) held.untold.add(appended);
    // What it takes the place of is news to nobody.
    held.captions = [...held.captions.filter(({ line }) => line !== caption.line), appended];
    cut(held);
    if (isNews) for (const follower of held.followers) follower.onCaption(appended);
    return appended;
  }

  readonly #report = (error: unknown): void => {
    this.#options.log.error({ err: error }, 'what is said in a room cannot be kept at the moment');
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
    const { captions, untold, cutAt } = held;
    const isWanted = (caption: Caption) =>
      caption.sequence > after && (after === 0 || !untold.has(caption));
    return {
      captions: captions.filter(isWanted),
      isWhole: after >= cutAt,
      upTo: Math.max(cutAt, captions.at(-1)?.sequence ?? 0),
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
    // Nearly always it is one of the last lines, or new.
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
      // What is written meanwhile may be on the page, or not.
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
      // Whoever was told something meanwhile is to forget what was before, also after a restart.
      await this.#options.store.deleteCaptions(roomId, this.nextLine());
      for (const held of this.#tracksOf(roomId)) {
        const { captions } = held;
        held.deletedUpTo = upTo;
        held.captions = captions.filter((caption) => !isOf(upTo, caption));
        // Whoever was told the last of them meanwhile is to forget all.
        held.cutAt = Math.max(held.cutAt, upTo, captions.at(-1)?.sequence ?? 0);
        held.hasMore = false;
      }
      onGone?.(upTo);
    });
  }

  erase(roomId: string): Promise<void> {
    return this.#delete(roomId, () => this.#options.store.deleteCaptions(roomId, 0));
  }

  /**
   * Deletes what was written before, also what is about to be. What is appended later is told meanwhile, and
   * written when this is done; what is yet to be deleted is not read into memory.
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
        writer.drop((caption) => isOf(upTo, caption));
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

  /** What has to be over before anything of a room is written or read. */
  #heldUp(roomId: string): Promise<void> | undefined {
    let deletion = this.#deletions.get(roomId);
    while (deletion !== undefined && deletion.state !== 'begun') deletion = deletion.before;
    return deletion?.done;
  }

  expire(roomId: string, beforeMs: number): void {
    const isOld = ({ endMs }: Caption) => endMs < beforeMs;
    for (const held of this.#tracksOf(roomId)) {
      held.cutAt = Math.max(held.cutAt, held.captions.findLast(isOld)?.sequence ?? 0);
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

  /** A room that was to be let go of is wanted again. */
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
    const { store, log, retryMs = RETRY_MS } = this.#options;
    const held: HeldTrack = {
      track,
      writer: new CaptionWriter({
        track,
        store,
        log,
        retryMs,
        heldUp: () => this.#heldUp(roomId),
        onWritten: () => (held.isBehind = false),
        onIdle: () => this.#leaveWhenDone(roomId),
      }),
      captions: [],
      untold: new WeakSet(),
      followers: new Set(),
      last: this.#deletions.get(roomId)?.begun ?? Promise.resolve(),
      appending: 0,
      isFilled: false,
      filling: undefined,
      isBehind: false,
      cutAt: 0,
      deletedUpTo: 0,
      hasMore: false,
    };
    return held;
  }

  /** Takes what a process before this one has kept into memory, once. */
  async #fill(held: HeldTrack): Promise<void> {
    while (!held.isFilled) {
      const heldUp = this.#heldUp(held.track.roomId);
      if (heldUp !== undefined) await heldUp;
      else {
        held.filling ??= this.#fillNow(held).finally(() => (held.filling = undefined));
        await held.filling;
      }
    }
  }

  /** After what was begun before; what comes next does not have to wait for it. */
  async #fillInTurn(held: HeldTrack): Promise<void> {
    if (held.isFilled) return;
    const begun = await inTurn(held, () => Promise.resolve({ filled: this.#fill(held) }));
    await begun.filled;
  }

  async #fillNow(held: HeldTrack): Promise<void> {
    const { captions: kept, cutAt } = await this.#options.store.latest(held.track, MAX_HELD);
    const before = held.captions[0]?.sequence ?? Number.POSITIVE_INFINITY;
    const known = [...kept.filter(({ sequence }) => sequence < before), ...held.captions];
    // What something else has taken the place of is told to nobody any more.
    const newest = new Map(known.map((caption) => [caption.line, caption]));
    held.captions = known.filter((caption) => newest.get(caption.line) === caption);
    held.cutAt = Math.max(held.cutAt, cutAt);
    held.hasMore ||= kept.length === MAX_HELD;
    held.isFilled = true;
    held.isBehind = false;
    this.#lastNumber = Math.max(this.#lastNumber, kept.at(-1)?.sequence ?? 0, cutAt);
    cut(held);
  }
}

/** Does something to a track after all that was begun before. */
function inTurn<Result>(held: HeldTrack, work: () => Promise<Result>): Promise<Result> {
  const done = held.last.then(work);
  held.last = done.catch(() => undefined);
  return done;
}

/** Waits for the database, though not for long, nor again before it has caught up. */
async function inTime(held: HeldTrack, work: Promise<void>, untilMs: number): Promise<void> {
  if (held.isBehind || (await withinTime(work, untilMs))) return;
  held.isBehind = true;
}

/** Whether a caption was said, or renders what was said, up to a sequence. */
function isOf(upTo: number, { renders, sequence }: Caption): boolean {
  return (renders ?? sequence) <= upTo;
}

/** What the database may not have, by sequence. */
function inMemory({ captions, writer }: HeldTrack): Caption[] {
  if (writer.waiting.length === 0) return captions;
  const known = [...writer.waiting, ...captions];
  const all = new Map(known.map((caption) => [caption.sequence, caption]));
  return [...all.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Whether what came after a sequence is held, with no gap before it. */
function reachesBack({ captions: [first] }: HeldTrack, after: number): boolean {
  return first !== undefined && first.sequence <= after;
}

/** Whether a line is one of the last, or one that followers were told. */
function isNear({ captions, untold }: HeldTrack, line: number): boolean {
  if (captions.some((each) => each.line === line && !untold.has(each))) return true;
  const later = captions.filter((each) => each.line > line).map((each) => each.line);
  return new Set(later).size < LAST_LINES;
}

/** Lets go of what was said longest ago. */
function cut(held: HeldTrack): void {
  const { captions, untold } = held;
  while (captions.length > MAX_HELD) {
    const oldest = captions.reduce((first, each) => (each.line < first.line ? each : first));
    captions.splice(captions.indexOf(oldest), 1);
    held.hasMore = true;
    if (!untold.has(oldest)) held.cutAt = Math.max(held.cutAt, oldest.sequence);
  }
}
