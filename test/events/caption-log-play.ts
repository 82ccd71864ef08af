/** Runs random operations on a caption log, and checks its invariants during and after them. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import type { CaptionLog } from '../../server/events/caption-log.ts';
import { createCaptionLog } from '../../server/events/embedded-caption-log.ts';
import { quietLog } from '../storage/samples.ts';
import { TRACKS, type Operation, type Script } from './caption-log-scripts.ts';
import { faultyStore, type FaultyStore } from './faulty-store.ts';
import { wholeTranscript } from './live-room-support.ts';

/** A caption that was appended, and what may have happened to it since. */
interface Said {
  track: number;
  line: number;
  isKept: boolean;
  endMs: number;
  sequence?: number;
  /** May be present or absent, as a deletion or an expiry was requested. */
  mayBeGone: boolean;
  /** Deleted: must not be read any more. */
  isForgotten: boolean;
  /** Must not be on disk. */
  isErased: boolean;
  /** A reader that continues from before it must be told that it is missing. */
  isCut: boolean;
  /**
   * In the memory of this process: its track was not released, and it was not appended by an earlier process.
   */
  isHeld: boolean;
}

/** Runs a script and checks the log's behaviour. */
export async function play({ operations, faults: given }: Script): Promise<void> {
  const played = new Play(given);
  for (const operation of operations) await played.act(operation);
  await played.end();
}

class Play {
  readonly store: FaultyStore;
  log: CaptionLog;
  clockMs = 1_000_000;
  readonly said: Said[] = [];
  readonly open = new Set<Promise<unknown>>();
  readonly appending = new Set<Promise<unknown>>();
  readonly deleting = new Map<string, Promise<unknown>>();
  readonly numbers: number[][] = TRACKS.map(() => [0]);
  readonly followers: {
    track: number;
    heard: Said[];
    owed: Set<Said>;
    leave: () => void;
    isGone: boolean;
  }[] = [];
  failure: Error | undefined;

  constructor(faultsGiven: string[]) {
    this.store = faultyStore(faultsGiven);
    this.log = this.newLog();
  }

  newLog(): CaptionLog {
    return createCaptionLog({
      store: this.store,
      log: quietLog,
      now: () => this.clockMs,
      retryMs: 4,
    });
  }

  note(work: Promise<unknown>, set = this.open): void {
    const done = work
      .catch((error: unknown) => (this.failure ??= toError(error)))
      .finally(() => set.delete(done));
    set.add(done);
  }

  bySequence(at: number, sequence: number): Said | undefined {
    return this.said.find((each) => each.track === at && each.sequence === sequence);
  }

  inRoom(at: number): Said[] {
    return this.said.filter((each) => TRACKS[each.track]!.roomId === TRACKS[at]!.roomId);
  }

  async act(operation: Operation): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    const { act, track: at = 0 } = operation;
    const { roomId } = TRACKS[at]!;
    if (act === 'wait') for (let n = 0; n < operation.turns!; n += 1) await turn();
    else if (act === 'answer') this.store.answer();
    else if (act === 'append') this.note(this.append(at, operation), this.appending);
    else if (act === 'read') this.note(this.read(at, operation.after!));
    else if (act === 'find') this.note(this.find(at, operation.line!));
    else if (act === 'transcript') this.note(this.transcript(at));
    else if (act === 'follow') this.follow(at);
    else if (act === 'unfollow') this.unfollow(at);
    else if (act === 'forget' || act === 'erase') {
      if (!this.deleting.has(roomId)) this.delete(act, at);
    } else if (act === 'expire') {
      const ends = this.said.length - 3;
      for (const each of this.inRoom(at))
        if (each.endMs < ends) {
          each.mayBeGone = true;
          each.isCut = each.isHeld && each.sequence !== undefined;
        }
      this.log.expire(roomId, ends);
    } else if (act === 'release') this.release(at);
    else if (act === 'restart') await this.restart();
  }

  async append(at: number, { isKept = true, isLate = false, line = 0 }: Operation): Promise<void> {
    const said: Said = {
      track: at,
      line,
      isKept,
      endMs: this.said.length,
      mayBeGone: false,
      isForgotten: false,
      isErased: false,
      isCut: false,
      isHeld: true,
    };
    this.said.push(said);
    const followers = this.followers.filter((each) => each.track === at && !each.isGone);
    for (const { owed } of followers) owed.add(said);
    const caption = {
      line,
      renders: null,
      language: 'en',
      text: `${this.said.length}`,
      startMs: 0,
      endMs: said.endMs,
    };
    const { sequence } = await this.log.append(
      TRACKS[at]!,
      { ...caption, author: 'machine' },
      { isKept, isLate },
    );
    said.sequence = sequence;
    expect(sequence, 'numbers grow').toBeGreaterThan(this.numbers[at]!.at(-1)!);
    this.numbers[at]!.push(sequence);
    for (const { owed, heard, isGone } of followers)
      if (owed.has(said) && !isGone) expect(heard.length, 'told').toBeGreaterThan(0);
  }

  /** Captions that the log must have, of those appended before now. */
  wanted(at: number): () => Said[] {
    const all = this.said.filter((each) => each.track === at && each.sequence !== undefined);
    return () =>
      all.filter((each) => {
        return this.isNewest(each) && !each.mayBeGone && !each.isForgotten;
      });
  }

  /** Whether it is the newest caption of its line. */
  isNewest(said: Said): boolean {
    return (
      said === this.said.findLast(({ track: at, line }) => at === said.track && line === said.line)
    );
  }

  gone(at: number): Set<number> {
    return new Set(
      this.said
        .filter((each) => each.track === at && each.isForgotten)
        .map((each) => each.sequence ?? -1),
    );
  }

  async read(at: number, choice: number): Promise<void> {
    const numbers = this.numbers[at]!;
    const after = numbers[choice % numbers.length]!;
    const [wanted, gone] = [this.wanted(at), this.gone(at)];
    const cut = this.said.filter(
      (each) => each.track === at && each.isCut && (each.sequence ?? 0) > after,
    );
    const found = await this.log.read(TRACKS[at]!, after).catch(() => undefined);
    if (found === undefined) return;
    const got = found.captions.map(({ sequence }) => sequence);
    expect(got, 'in order').toEqual([...new Set(got)].sort((a, b) => a - b));
    expect(
      got.filter((sequence) => sequence <= after || gone.has(sequence)),
      'not to be read',
    ).toEqual([]);
    expect(found.upTo).toBeGreaterThanOrEqual(got.at(-1) ?? 0);
    if (!found.isWhole) return;
    const lied = cut.filter(
      (each) => each.isCut && this.isNewest(each) && !got.includes(each.sequence!),
    );
    expect(lied, 'whole, though something is gone').toEqual([]);
    const missing = wanted().filter(
      ({ sequence }) => sequence! > after && !got.includes(sequence!),
    );
    expect(missing, `missing of what came after ${after}`).toEqual([]);
  }

  async find(at: number, line: number): Promise<void> {
    const wanted = this.wanted(at);
    const gone = this.gone(at);
    const found = await this.log.find(TRACKS[at]!, line).then(
      (caption) => ({ caption }),
      () => undefined,
    );
    if (found === undefined) return;
    expect(gone.has(found.caption?.sequence ?? 0), 'found what is deleted').toBe(false);
    const newest = wanted().find((each) => each.line === line);
    if (newest !== undefined)
      expect(found.caption?.sequence ?? 0, 'found').toBeGreaterThanOrEqual(newest.sequence!);
  }

  async transcript(at: number): Promise<void> {
    const [wanted, gone] = [this.wanted(at), this.gone(at)];
    const all = await wholeTranscript(this.log, TRACKS[at]!).catch(() => undefined);
    if (all === undefined) return;
    const got = all.map(({ sequence }) => sequence);
    expect(got, 'transcript in order').toEqual([...new Set(got)].sort((a, b) => a - b));
    expect(
      got.filter((sequence) => gone.has(sequence)),
      'deleted',
    ).toEqual([]);
    expect(
      wanted().filter(({ sequence }) => !got.includes(sequence!)),
      'missing in the transcript',
    ).toEqual([]);
  }

  follow(at: number): void {
    const follower = {
      track: at,
      heard: [] as Said[],
      owed: new Set<Said>(),
      isGone: false,
      leave: (): void => undefined,
    };
    let last = 0;
    const leave = this.log.follow(TRACKS[at]!, {
      onTentative: () => undefined,
      onCaption: (caption) => {
        const said = this.said[Number(caption.text) - 1]!;
        try {
          expect(follower.isGone, 'told after it left').toBe(false);
          expect(caption.sequence, 'told in order').toBeGreaterThan(last);
          expect(said.isForgotten, 'told what is deleted').toBe(false);
        } catch (error) {
          this.failure ??= toError(error);
        }
        last = caption.sequence;
        follower.heard.push(said);
        follower.owed.delete(said);
      },
    });
    follower.leave = leave;
    this.followers.push(follower);
  }

  unfollow(at: number): void {
    const follower = this.followers.find((each) => each.track === at && !each.isGone);
    if (follower === undefined) return;
    follower.isGone = true;
    follower.leave();
    const late = [...follower.owed].filter(({ sequence }) => sequence !== undefined);
    expect(late, 'never told').toEqual([]);
  }

  delete(act: 'forget' | 'erase', at: number): void {
    const { roomId } = TRACKS[at]!;
    const before = this.inRoom(at);
    const seen = this.store.lostDeletions;
    const done =
      act === 'forget'
        ? this.log.forget(roomId, () => {
            for (const each of before) {
              each.isForgotten = true;
              each.isCut = each.isHeld;
            }
          })
        : this.log.erase(roomId);
    const settled = done
      .then(
        () => {
          for (const each of before) each.isErased = true;
        },
        () => {
          if (this.store.lostDeletions !== seen) for (const each of before) each.mayBeGone = true;
        },
      )
      .finally(() => {
        if (this.deleting.get(roomId) === settled) this.deleting.delete(roomId);
      });
    // While the deletion is pending or has failed, written captions may be gone, but not those in memory.
    if (act === 'erase') for (const each of before) each.mayBeGone = true;
    this.deleting.set(roomId, settled);
    this.note(settled);
  }

  /** Releases a room unless captions wait to be written or deleted. */
  release(at: number): void {
    const { roomId } = TRACKS[at]!;
    const isFollowed = this.followers.some(
      (each) => !each.isGone && TRACKS[each.track]!.roomId === roomId,
    );
    const all = this.inRoom(at);
    const waits = all.some(
      (each) =>
        each.sequence === undefined ||
        (each.isKept && !this.store.has(TRACKS[each.track]!, each.sequence)),
    );
    if (waits || this.deleting.has(roomId)) return;
    if (!isFollowed)
      for (const each of all) {
        each.isCut = each.isHeld = false;
        each.mayBeGone ||= !each.isKept;
      }
    this.log.release(roomId);
  }

  async settle(): Promise<void> {
    while (this.open.size + this.appending.size + this.store.underWay > 0) {
      this.store.answer();
      await turn();
    }
    if (this.failure !== undefined) throw this.failure;
  }

  /** Replaces the log by another process over the same database. */
  async restart(): Promise<void> {
    this.store.heal();
    await this.settle();
    await this.log.flush();
    for (const follower of this.followers) follower.isGone = true;
    for (const each of this.said) {
      each.isCut = each.isHeld = false;
      each.mayBeGone ||= !each.isKept;
    }
    this.clockMs += 1_000;
    this.log = this.newLog();
    this.store.breakAgain();
  }

  async end(): Promise<void> {
    // Appending must finish however long the database hangs.
    await expect.poll(() => this.appending.size, { timeout: 8_000, interval: 50 }).toBe(0);
    this.store.heal();
    await this.settle();
    await this.log.flush();
    for (const { owed, isGone } of this.followers)
      if (!isGone) expect([...owed], 'never told').toEqual([]);
    for (const [at, each] of TRACKS.entries()) {
      const got = this.store.sequences(each);
      const all = this.said.filter(({ track: of }) => of === at);
      const may = all.filter((said) => said.isKept && !said.isErased && !said.isForgotten);
      const must = may.filter((said) => !said.mayBeGone);
      expect(
        got.filter((sequence) => !may.some((said) => said.sequence === sequence)),
        'written, not to be',
      ).toEqual([]);
      expect(
        must.filter(({ sequence }) => !got.includes(sequence!)),
        'lost',
      ).toEqual([]);
      await this.read(at, 0);
      await this.transcript(at);
    }
    if (this.failure !== undefined) throw this.failure;
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
