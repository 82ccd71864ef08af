/**
 * Captions in flight: what is said in rooms, appended once and followed by whoever reads along. A port, so
 * that a broker can take the place of this process; the adapter here keeps the last of it in memory, and
 * all of it in the database where a room is kept.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../process/log.ts';
import type { Caption, CaptionTrack, RoomStore } from './store.ts';

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
  /** Those of the last lines that came after a sequence, in their order; at most {@link MAX_HELD}. */
  read(track: CaptionTrack, after: number): Promise<RecentCaptions>;
  /** What came last in the place of a line, however long ago. */
  find(track: CaptionTrack, line: number): Promise<Caption | undefined>;
  /** All there is, in its order, a page at a time: nothing else has to wait for the whole of it. */
  transcript(track: CaptionTrack): AsyncIterable<readonly Caption[]>;
  /** @returns ends it */
  follow(track: CaptionTrack, follower: CaptionFollower): () => void;
  /**
   * Deletes what was said in a room before, wherever it is kept; followers stay, and what is appended
   * meanwhile.
   *
   * @param onGone called when nothing of it can be read any more
   */
  forget(roomId: string, onGone?: (deleted: Deleted) => void): Promise<void>;
  /** Deletes what was written before; those who follow can still read it. */
  erase(roomId: string): Promise<void>;
  /** Lets go of what is in memory and ended before a moment, ms since the epoch. */
  expire(roomId: string, beforeMs: number): void;
  /** Lets go of what is only in memory, where nobody follows any more. */
  release(roomId: string): void;
  /** Writes what was not written yet, as far as that is possible within seconds; nothing is appended any more. */
  close(): Promise<void>;
}

/** What was deleted of a room. */
export interface Deleted {
  /** All up to this sequence. */
  upTo: number;
  /** What was appended to a track since. */
  since: (name: string) => readonly Caption[];
}

/** Captions of a track that are held in memory: an hour of speech, for everybody who comes late or back. */
const MAX_HELD = 500;
/** Lines that whoever comes is given; of what was said before those, nothing is news but what changes. */
export const LAST_LINES = 100;
/** Captions of a transcript that are read at a time. */
const PAGE = 500;
/** How long what is said waits for a database that does not answer, in ms. */
const PATIENCE_MS = 1_000;
/** After which what could not be written is tried again, in ms; of a room that is over, so many times. */
const RETRY_MS = 5_000;
const MAX_RETRIES = 24;
/** Captions of a track that may wait to be written: hours of speech. */
const MAX_UNWRITTEN = 5_000;
/** How long the last captions are waited for when the server stops, in ms. */
const CLOSING_MS = 5_000;

interface HeldTrack {
  readonly track: CaptionTrack;
  /** Those of the last lines, by sequence. */
  captions: Caption[];
  /** Those of them that nobody was told. */
  untold: WeakSet<Caption>;
  /** What is to be kept and was not written yet, by sequence. */
  unwritten: Caption[];
  /** Under way; answers whether it was written. What is said does not have to wait for it. */
  writing: Promise<boolean> | undefined;
  filling: Promise<void> | undefined;
  retry: NodeJS.Timeout | undefined;
  /** Since anything could be written. */
  retries: number;
  /** Whether the database does not keep up, and is not waited for. */
  isBehind: boolean;
  followers: Set<CaptionFollower>;
  /** What changes a track is done one after the other. */
  last: Promise<unknown>;
  /** Whether what a process before this one has kept was read. */
  isFilled: boolean;
  /** What came up to this sequence is not held: there was too much, or it was deleted. */
  cutAt: number;
  /** Whether there is more in the database. */
  hasMore: boolean;
}

/** Of what was said in a room. */
interface Deletion {
  /** Resolves when all is appended that was before it. */
  begun: Promise<void>;
  /** Once it has begun, nothing is written or read before it is done. */
  hasBegun: boolean;
  done: Promise<void>;
}

export interface CaptionLogOptions {
  store: Pick<RoomStore, 'append' | 'latest' | 'captions' | 'caption' | 'deleteCaptions'>;
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
  /** What is being appended. */
  readonly #appending = new Set<Promise<unknown>>();
  /** Tracks of which something is to be written, also of rooms that are over. */
  readonly #writers = new Set<HeldTrack>();
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
    const appended = inTurn(held, () => this.#append(held, caption, { isKept, isLate }));
    this.#appending.add(appended);
    const settle = () => this.#appending.delete(appended);
    appended.then(settle, settle);
    return appended;
  }

  async #append(
    held: HeldTrack,
    caption: NewCaption,
    { isKept, isLate }: Required<AppendOptions>,
  ): Promise<Caption> {
    // Numbers go on from those before, though the clock of this process may be behind.
    if (isKept && !held.isBehind) await inTime(held, this.#fill(held).catch(this.#report));
    const appended = { ...caption, sequence: this.nextLine() };
    if (isKept) await inTime(held, this.#keep(held, appended));
    const isNews = !isLate || isNear(held, appended.line);
    if (!isNews) held.untold.add(appended);
    // What it takes the place of is news to nobody.
    held.captions = [...held.captions.filter(({ line }) => line !== caption.line), appended];
    cut(held);
    if (isNews) for (const follower of held.followers) follower.onCaption(appended);
    return appended;
  }

  #keep(held: HeldTrack, appended: Caption): Promise<void> {
    held.unwritten.push(appended);
    if (held.unwritten.length > MAX_UNWRITTEN) {
      held.unwritten.shift();
      this.#options.log.error(
        held.track,
        'a line of a transcript is lost: too many wait for the database',
      );
    }
    this.#writers.add(held);
    return this.#write(held);
  }

  /** Writes all there is to write, as far as that is possible. */
  async #write(held: HeldTrack): Promise<void> {
    while (held.unwritten.length > 0) {
      await this.#deleted(held.track);
      held.writing ??= this.#writeBatch(held).finally(() => (held.writing = undefined));
      if (!(await held.writing)) return;
    }
  }

  async #writeBatch(held: HeldTrack): Promise<boolean> {
    const batch = new Set(held.unwritten);
    try {
      await this.#options.store.append(held.track, [...batch]);
    } catch (error) {
      this.#report(error);
      this.#retry(held);
      return false;
    }
    held.unwritten = held.unwritten.filter((caption) => !batch.has(caption));
    if (held.unwritten.length === 0) this.#writers.delete(held);
    held.isBehind = false;
    held.retries = 0;
    return true;
  }

  #retry(held: HeldTrack): void {
    if (held.retry !== undefined) return;
    const { track, retries } = held;
    const isOver = this.#rooms.get(track.roomId)?.get(track.name) !== held;
    if (isOver && retries >= MAX_RETRIES) {
      this.#writers.delete(held);
      const lines = held.unwritten.splice(0).length;
      this.#options.log.error({ ...track, lines }, 'the last lines of a transcript are lost');
      return;
    }
    held.retries += 1;
    const again = () => {
      held.retry = undefined;
      void this.#write(held);
    };
    held.retry = setTimeout(again, this.#options.retryMs ?? RETRY_MS).unref();
  }

  /** Resolves when nothing is being deleted that there is of a room. */
  async #deleted({ roomId }: CaptionTrack): Promise<void> {
    for (let deletion = this.#deletions.get(roomId); deletion?.hasBegun === true;) {
      await deletion.done;
      deletion = this.#deletions.get(roomId);
    }
  }

  readonly #report = (error: unknown): void => {
    this.#options.log.error({ err: error }, 'what is said in a room cannot be kept at the moment');
  };

  tell(track: CaptionTrack, tentative: string): void {
    for (const follower of this.#heldOf(track).followers) follower.onTentative(tentative);
  }

  async read(track: CaptionTrack, after: number): Promise<RecentCaptions> {
    const held = this.#heldOf(track);
    if (!held.isFilled && !reachesBack(held, after)) {
      await this.#fillInTurn(held);
    }
    const { captions, untold, cutAt } = held;
    const isWanted = (caption: Caption) =>
      caption.sequence > after && (after === 0 || !untold.has(caption));
    return {
      captions: captions.filter(isWanted),
      isWhole: after >= cutAt,
      upTo: Math.max(cutAt, captions.at(-1)?.sequence ?? 0),
    };
  }

  async find(track: CaptionTrack, line: number): Promise<Caption | undefined> {
    const held = this.#heldOf(track);
    if (!held.isFilled) await this.#fillInTurn(held);
    const { captions } = held;
    const found = captions.findLast((each) => each.line === line);
    // Nearly always it is one of the last lines, or new.
    const isHeld = !held.hasMore || captions.some((each) => each.line <= line);
    return found ?? (isHeld ? undefined : this.#options.store.caption(track, line));
  }

  async *transcript(track: CaptionTrack): AsyncGenerator<readonly Caption[]> {
    const { store } = this.#options;
    const held = this.#heldOf(track);
    let last = 0;
    for (;;) {
      const page = await store.captions(track, last, PAGE);
      if (page.length === 0) break;
      const [from, to] = [last, page.at(-1)?.sequence ?? 0];
      const written = new Set(page.map(({ sequence }) => sequence));
      const others = inMemory(held).filter(
        ({ sequence }) => sequence > from && sequence < to && !written.has(sequence),
      );
      yield [...page, ...others].sort((a, b) => a.sequence - b.sequence);
      last = to;
    }
    const rest = inMemory(held).filter(({ sequence }) => sequence > last);
    if (rest.length > 0) yield rest;
  }

  follow(track: CaptionTrack, follower: CaptionFollower): () => void {
    const { followers } = this.#heldOf(track);
    followers.add(follower);
    return () => followers.delete(follower);
  }

  forget(roomId: string, onGone?: (deleted: Deleted) => void): Promise<void> {
    return this.#delete(roomId, (upTo, tracks) => {
      for (const held of tracks) {
        held.captions = held.captions.filter(({ sequence }) => sequence > upTo);
        held.cutAt = Math.max(held.cutAt, upTo);
        held.hasMore = false;
      }
      const since = (name: string) => this.#rooms.get(roomId)?.get(name)?.captions ?? [];
      onGone?.({ upTo, since });
    });
  }

  erase(roomId: string): Promise<void> {
    return this.#delete(roomId);
  }

  /**
   * Deletes what was written before, also what is about to be. What is appended later is told meanwhile, and
   * written when this is done; what is yet to be deleted is not read into memory.
   */
  async #delete(
    roomId: string,
    onGone?: (upTo: number, tracks: readonly HeldTrack[]) => void,
  ): Promise<void> {
    const tracks = [...(this.#rooms.get(roomId)?.values() ?? [])];
    const before = [this.#deletions.get(roomId)?.done, ...tracks.map(({ last }) => last)];
    let upTo = 0;
    const begun = Promise.allSettled(before.map((each) => each ?? Promise.resolve())).then(() => {
      deletion.hasBegun = true;
      upTo = this.nextLine();
    });
    const deleted = begun.then(async () => {
      for (const { writing, filling } of tracks) {
        await writing;
        await filling?.catch(() => undefined);
      }
      await this.#options.store.deleteCaptions(roomId);
      for (const held of tracks) {
        held.unwritten = held.unwritten.filter(({ sequence }) => sequence > upTo);
      }
      onGone?.(upTo, tracks);
    });
    const done = deleted.catch(() => undefined);
    const deletion: Deletion = { begun, hasBegun: false, done };
    this.#deletions.set(roomId, deletion);
    for (const held of tracks) held.last = begun;
    await deleted.finally(() => {
      if (this.#deletions.get(roomId) === deletion) this.#deletions.delete(roomId);
    });
  }

  expire(roomId: string, beforeMs: number): void {
    for (const held of this.#rooms.get(roomId)?.values() ?? []) {
      const gone = held.captions.filter(({ endMs }) => endMs < beforeMs);
      held.cutAt = Math.max(held.cutAt, gone.at(-1)?.sequence ?? 0);
      held.captions = held.captions.filter(({ endMs }) => endMs >= beforeMs);
      held.unwritten = held.unwritten.filter(({ endMs }) => endMs >= beforeMs);
    }
  }

  release(roomId: string): void {
    const tracks = [...(this.#rooms.get(roomId)?.values() ?? [])];
    if (tracks.every(({ followers }) => followers.size === 0)) this.#rooms.delete(roomId);
  }

  async close(): Promise<void> {
    const written = Promise.allSettled(this.#appending).then(() =>
      Promise.all([...this.#writers].map((held) => this.#write(held))),
    );
    await Promise.race([written, delay(CLOSING_MS, undefined, { ref: false })]);
    const lines = [...this.#writers].reduce((sum, { unwritten }) => sum + unwritten.length, 0);
    if (lines > 0) {
      this.#options.log.error({ lines }, 'the last lines of transcripts could not be written');
    }
  }

  #heldOf(track: CaptionTrack): HeldTrack {
    const { roomId, name } = track;
    let tracks = this.#rooms.get(roomId);
    if (tracks === undefined) this.#rooms.set(roomId, (tracks = new Map<string, HeldTrack>()));
    let held = tracks.get(name);
    if (held === undefined) {
      tracks.set(name, (held = emptyTrack(track)));
      held.last = this.#deletions.get(roomId)?.begun ?? held.last;
    }
    return held;
  }

  /** Takes what a process before this one has kept into memory, once. */
  async #fill(held: HeldTrack): Promise<void> {
    while (!held.isFilled) {
      await this.#deleted(held.track);
      held.filling ??= this.#fillNow(held).finally(() => (held.filling = undefined));
      await held.filling;
    }
  }

  /** After what was begun before; what comes next does not have to wait for it. */
  async #fillInTurn(held: HeldTrack): Promise<void> {
    const begun = await inTurn(held, () => Promise.resolve({ filled: this.#fill(held) }));
    await begun.filled;
  }

  async #fillNow(held: HeldTrack): Promise<void> {
    const { captions: kept, cutAt } = await this.#options.store.latest(held.track, MAX_HELD);
    const before = held.captions[0]?.sequence ?? Number.POSITIVE_INFINITY;
    held.captions.unshift(...kept.filter(({ sequence }) => sequence < before));
    held.cutAt = Math.max(held.cutAt, cutAt);
    held.hasMore ||= kept.length === MAX_HELD;
    held.isFilled = true;
    this.#lastNumber = Math.max(this.#lastNumber, kept.at(-1)?.sequence ?? 0, cutAt);
    cut(held);
  }
}

function emptyTrack(track: CaptionTrack): HeldTrack {
  return {
    track,
    captions: [],
    untold: new WeakSet(),
    unwritten: [],
    writing: undefined,
    filling: undefined,
    retry: undefined,
    retries: 0,
    isBehind: false,
    followers: new Set(),
    last: Promise.resolve(),
    isFilled: false,
    cutAt: 0,
    hasMore: false,
  };
}

/** Does something to a track after all that was begun before. */
function inTurn<Result>(held: HeldTrack, work: () => Promise<Result>): Promise<Result> {
  const done = held.last.then(work);
  held.last = done.catch(() => undefined);
  return done;
}

/** Waits for the database, though not for long, nor again before it has caught up. */
async function inTime(held: HeldTrack, work: Promise<void>): Promise<void> {
  if (held.isBehind) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      held.isBehind = true;
      resolve();
    }, PATIENCE_MS);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** What the database may not have, by sequence. */
function inMemory({ captions, unwritten }: HeldTrack): Caption[] {
  const all = new Map([...unwritten, ...captions].map((caption) => [caption.sequence, caption]));
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
