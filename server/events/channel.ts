/** What can be read of a room in one language: who reads it, what they are sent, and who renders it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RoomLine } from '../../shared/protocol/room-messages.ts';
import { withinTime } from '../process/concurrency.ts';
import type { Logger } from '../process/log.ts';
import {
  LAST_LINES,
  MAX_HELD,
  type Caption,
  type CaptionLog,
  type CaptionTrack,
  type RecentCaptions,
} from './caption-log.ts';
import type { Growing, Interpreter } from './interpreter.ts';
import { createParcel, type FanOut, type Parcel, type Reader } from './reading/fan-out.ts';

/** How long who comes waits for what was said before; what is said meanwhile would come late, in ms. */
const PATIENCE_MS = 1_000;
/** After which what could not be read is tried again, in ms. */
const AGAIN_MS = 5_000;
/** Messages that readers have not got; more are made one. */
const MAX_WAITING = 8;
/** Of those who come back, for so many different moments at once one message is made for all. */
const MAX_MISSED = 64;

export interface ChannelOptions {
  track: CaptionTrack;
  captions: CaptionLog;
  fanOut: FanOut;
  log: Logger;
}

export class Channel {
  readonly track: CaptionTrack;
  readonly readers = new Set<Reader>();
  readonly #options: ChannelOptions;
  readonly #unfollow: () => void;
  /** Undefined for what is said itself, and where another node renders it. */
  #interpreter: Interpreter | undefined;
  /** What a reader gets who comes, by the most lines it has; made anew when something was said. */
  readonly #histories = new Map<number, Promise<Parcel>>();
  /** What readers get who come back, by the first they lack; made anew when something was said. */
  readonly #missed = new Map<number, Parcel>();
  /** Readers that are being sent what they have missed, each with the turn in which that began. */
  readonly #catchingUp = new Map<Reader, symbol>();
  /** Readers that read along without what was said before, as that could not be read yet. */
  readonly #owed = new Set<Reader>();
  #paying: Promise<void> | undefined;
  /** Readers that had more than who comes gets, and are shown all that is held in place of it. */
  readonly #hadMore = new WeakSet<Reader>();
  /** Of the last caption that was sent. */
  #newest = 0;
  #tentative = '';
  #shown: { tentative: string; parcel: Parcel } | undefined;
  /** Whether all catch up at the moment, and have to once more after that. */
  #isSkipping = false;
  #mustSkipAgain = false;
  #isClosed = false;
  #unread: NodeJS.Timeout | undefined;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.track = options.track;
    this.#unfollow = options.captions.follow(options.track, {
      onCaption: (caption) => this.#sendCaption(caption),
      onTentative: (text) => this.#sendTentative(text),
    });
  }

  // What is said.

  /** Whether it is rendered here. */
  get isInterpreted(): boolean {
    return this.#interpreter !== undefined;
  }

  /** Who renders it from now on; undefined: nobody here. */
  interpretBy(interpreter: Interpreter | undefined): void {
    this.#interpreter?.stop();
    this.#interpreter = interpreter;
  }

  /** Renders what was said; of long ago only when there is nothing else to do. */
  interpret(captions: readonly Caption[], options?: { areOld: boolean }): void {
    this.#interpreter?.conclude(captions, options);
  }

  /** What is being said and not concluded. */
  grow(growing: Growing | undefined): void {
    this.#interpreter?.grow(growing);
  }

  #sendCaption(caption: Caption): void {
    this.forgetHistory();
    this.#tentative = '';
    const { sequence } = caption;
    this.#newest = sequence;
    // More is said than can be handed out one by one: what comes together goes together.
    if (this.#options.fanOut.waiting(this.readers) >= MAX_WAITING) {
      this.#skipAhead();
      return;
    }
    const language = this.track.name;
    const lines = [toLine(caption)];
    this.send(
      createParcel({ type: 'captions', language, sequence, lines, tentative: '' }, sequence),
    );
  }

  /** In place of what waits, everybody catches up with all that was said until then. */
  #skipAhead(): void {
    this.#options.fanOut.cancel(this.readers);
    for (const reader of this.readers) reader.isBehind = true;
    if (this.#isSkipping) this.#mustSkipAgain = true;
    else this.#catchUpAll();
  }

  #catchUpAll(): void {
    const all = [...this.readers];
    this.#isSkipping = all.length > 0;
    let left = all.length;
    const catchUp = (reader: Reader) => {
      left -= 1;
      if (!this.#isClosed && !reader.isFull) void this.catchUp(reader);
      if (left > 0) return;
      this.#isSkipping = false;
      if (this.#mustSkipAgain) this.#catchUpAll();
    };
    this.#mustSkipAgain = false;
    this.#options.fanOut.each(all, catchUp, this.readers);
  }

  #sendTentative(text: string): void {
    if (text === this.#tentative) return;
    this.#tentative = text;
    this.send(this.#tentativeParcel());
  }

  /** The same until that changes. */
  #tentativeParcel(): Parcel {
    const tentative = this.#tentative;
    if (this.#shown?.tentative !== tentative) {
      const { name: language } = this.track;
      const parcel = createParcel({ type: 'captions', language, lines: [], tentative });
      this.#shown = { tentative, parcel };
    }
    return this.#shown.parcel;
  }

  send(parcel: Parcel): void {
    this.#options.fanOut.send(this.readers, parcel);
  }

  // Who reads.

  /** Lets somebody read along; the last lines come first, or all that followed `after`, as far as it is held. */
  join(reader: Reader, after: number | undefined): void {
    reader.isBehind = true;
    reader.isOwed = false;
    reader.sequence = after ?? -1;
    this.readers.add(reader);
    clearTimeout(this.#unread);
    // Who has not read what it was sent catches up when it has.
    if (!reader.isFull) void this.#beginCatchingUp(reader);
  }

  /** @returns whether the reader was here */
  leave(reader: Reader): boolean {
    this.#catchingUp.delete(reader);
    this.#owed.delete(reader);
    return this.readers.delete(reader);
  }

  /** Does something once nobody has read here for so long. */
  whenUnread(ms: number, act: () => void): void {
    if (this.readers.size > 0) return;
    clearTimeout(this.#unread);
    this.#unread = setTimeout(act, ms).unref();
  }

  /** Sends what a reader has missed, once it has read what it was sent. */
  async catchUp(reader: Reader): Promise<void> {
    const isNeeded = this.readers.has(reader) && reader.isBehind;
    if (isNeeded && !this.#catchingUp.has(reader)) await this.#beginCatchingUp(reader);
  }

  /** A later turn takes the place of one that is under way. */
  async #beginCatchingUp(reader: Reader): Promise<void> {
    const turn = Symbol('catching up');
    this.#catchingUp.set(reader, turn);
    const isWanted = () =>
      !this.#isClosed && !reader.isGone && this.#catchingUp.get(reader) === turn;
    const sent = this.#sendMissed(reader, isWanted).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'what was said in a room could not be read');
      if (isWanted()) this.#owe(reader);
    });
    const isInTime = await withinTime(sent, performance.now() + PATIENCE_MS);
    if (!isInTime && isWanted()) this.#owe(reader);
    if (this.#catchingUp.get(reader) === turn) this.#catchingUp.delete(reader);
  }

  /** Lets somebody read along for whom what was said before cannot be read: it comes when it can be. */
  #owe(reader: Reader): void {
    this.#catchingUp.delete(reader);
    this.#owed.add(reader);
    reader.isOwed = true;
    reader.sequence = Math.max(0, reader.sequence);
    this.#readAlong(reader);
    this.#paying ??= this.#pay().finally(() => (this.#paying = undefined));
  }

  async #pay(): Promise<void> {
    while (this.#owed.size > 0 && !this.#isClosed) {
      try {
        await this.#options.captions.read(this.track, 0);
        this.forgetHistory();
        this.#sendHistory([...this.#owed]);
        this.#owed.clear();
      } catch {
        // Why has been logged for the readers that it is owed to.
        await delay(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  async #sendMissed(reader: Reader, isWanted: () => boolean): Promise<void> {
    if (reader.sequence < 0) {
      const history = await this.#historyOf(this.#hadMore.has(reader) ? MAX_HELD : LAST_LINES);
      if (!isWanted()) return;
      this.#hadMore.delete(reader);
      reader.write(history.in(reader.encoding));
      reader.sequence = history.sequence;
      reader.isOwed = false;
    }
    const missed = await this.#options.captions.read(this.track, reader.sequence, {
      isUrgent: reader.isOwed,
    });
    if (!isWanted()) return;
    const { captions, isWhole, upTo } = missed;
    if (!isWhole) {
      this.forgetHistory();
      reader.sequence = -1;
      return this.#sendMissed(reader, isWanted);
    }
    // Something was said after that was read, while the reader was still passed over.
    if (this.#newest > upTo) return this.#sendMissed(reader, isWanted);
    const [first] = captions;
    if (first !== undefined) {
      const parcel = this.#missedParcel(first.sequence, missed);
      const { encoding, isOwed } = reader;
      reader.write(isOwed ? parcel.unnumbered(encoding) : parcel.in(encoding));
      reader.sequence = parcel.sequence;
    }
    this.#readAlong(reader, { mayShowOld: first !== undefined });
  }

  /** @param options.mayShowOld whether it may show what was tentative before it missed something */
  #readAlong(reader: Reader, { mayShowOld } = { mayShowOld: false }): void {
    reader.isBehind = false;
    if (reader.isSettled || (this.#tentative === '' && !mayShowOld)) return;
    reader.write(this.#tentativeParcel().in(reader.encoding));
  }

  /** @param from sequence of the first of them */
  #missedParcel(from: number, { captions, upTo }: RecentCaptions): Parcel {
    let parcel = this.#missed.get(from);
    if (parcel === undefined) {
      parcel = this.#historyParcel(captions, { sequence: upTo, replaces: false });
      this.#missed.set(from, parcel);
      const [oldest] = this.#missed.keys();
      if (this.#missed.size > MAX_MISSED && oldest !== undefined) this.#missed.delete(oldest);
    }
    return parcel;
  }

  #historyOf(most: number): Promise<Parcel> {
    const known = this.#histories.get(most);
    if (known !== undefined) return known;
    const history = this.#readHistory(most);
    this.#histories.set(most, history);
    // The next reader tries again.
    history.catch(() => {
      if (this.#histories.get(most) === history) this.#histories.delete(most);
    });
    return history;
  }

  async #readHistory(most: number): Promise<Parcel> {
    const { captions, upTo } = await this.#options.captions.read(this.track, 0);
    const lines = latestLines(captions).slice(-most);
    return this.#historyParcel(lines, { sequence: upTo, replaces: true });
  }

  /** What was made of what was said is not right any more. */
  forgetHistory(): void {
    this.#histories.clear();
    this.#missed.clear();
  }

  #historyParcel(
    captions: readonly Caption[],
    { sequence, replaces }: { sequence: number; replaces: boolean },
  ): Parcel {
    const { name: language } = this.track;
    const lines = captions.map(toLine);
    return createParcel({ type: 'history', language, sequence, replaces, lines }, sequence);
  }

  /** What was said up to a sequence is deleted: readers are shown what is left. */
  clear(upTo: number): void {
    this.#interpreter?.forget(upTo);
    this.startOver();
  }

  /** Readers are shown what there is, in place of what they have. */
  startOver(): void {
    this.forgetHistory();
    // What was told last may have been taken back.
    this.#newest = 0;
    this.#options.fanOut.cancel(this.readers);
    // What is still being said is told again with its next word.
    this.#tentative = '';
    this.send(this.#tentativeParcel());
    for (const reader of this.readers) this.#hadMore.add(reader);
    this.#sendHistory([...this.readers]);
  }

  /** Shows readers what there is, in place of what they have. */
  #sendHistory(readers: readonly Reader[]): void {
    const startOver = (reader: Reader) => {
      if (this.#isClosed || !this.readers.has(reader)) return;
      reader.isBehind = true;
      reader.sequence = -1;
      this.#catchingUp.delete(reader);
      // Who has not read what it was sent catches up when it has.
      if (!reader.isFull) void this.#beginCatchingUp(reader);
    };
    this.#options.fanOut.each(readers, startOver, this.readers);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#unread);
    this.#interpreter?.stop();
    this.#unfollow();
  }
}

/** The last of each line, those that were taken away left out; in the order in which they were said. */
export function latestLines(captions: readonly Caption[]): Caption[] {
  const newest = new Map(captions.map((caption) => [caption.line, caption]));
  return [...newest.values()].filter(({ text }) => text !== '').sort((a, b) => a.line - b.line);
}

function toLine({ line, text, language, startMs, endMs, author }: Caption): RoomLine {
  return { line, text, language, start_time: startMs, end_time: endMs, by: author };
}
