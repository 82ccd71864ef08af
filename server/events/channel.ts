/**
 * One track of a room as it is read: its readers, what they are sent, and the interpreter that renders it.
 */
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

/** How long a joining reader waits for earlier lines, as new lines are delayed meanwhile; in ms. */
const PATIENCE_MS = 1_000;
/** Delay before a failed read of earlier lines is retried, in ms. */
const AGAIN_MS = 5_000;
/** Maximum number of queued messages; beyond it they are combined into one. */
const MAX_WAITING = 8;
/** Cached messages for reconnecting readers, one for each position that readers resume from. */
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
  /** Undefined for the spoken track, and if another node renders this language. */
  #interpreter: Interpreter | undefined;
  /** First message for a joining reader, by maximum number of lines; rebuilt after a new caption. */
  readonly #histories = new Map<number, Promise<Parcel>>();
  /** Message for a reconnecting reader, by the first caption it lacks; rebuilt after a new caption. */
  readonly #missed = new Map<number, Parcel>();
  /** Readers being sent what they missed, each with the turn that began it. */
  readonly #catchingUp = new Map<Reader, symbol>();
  /** Readers without the earlier lines, as these could not be read yet. */
  readonly #lacking = new Set<Reader>();
  #sendingDeferred: Promise<void> | undefined;
  /** Readers that had more lines than a joining reader gets: their replacement is everything held. */
  readonly #hadMore = new WeakSet<Reader>();
  /** Sequence of the last caption sent. */
  #newest = 0;
  #tentative = '';
  #shown: { tentative: string; parcel: Parcel } | undefined;
  /** Whether all readers are catching up, and whether they must do so once more afterwards. */
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

  // Captions.

  /** Whether this node renders the track. */
  get isInterpreted(): boolean {
    return this.#interpreter !== undefined;
  }

  /** Sets the interpreter of this track; undefined: this node does not render it. */
  interpretBy(interpreter: Interpreter | undefined): void {
    this.#interpreter?.stop();
    this.#interpreter = interpreter;
  }

  /** Renders lines; old ones only when there is no other work. */
  interpret(captions: readonly Caption[], options?: { areOld: boolean }): void {
    this.#interpreter?.conclude(captions, options);
  }

  /** Passes on the text that is being spoken and is not concluded. */
  grow(growing: Growing | undefined): void {
    this.#interpreter?.grow(growing);
  }

  #sendCaption(caption: Caption): void {
    this.forgetHistory();
    this.#tentative = '';
    const { sequence } = caption;
    this.#newest = sequence;
    // Lines arrive faster than they can be handed out, so the waiting ones are sent together.
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

  /** Discards the queued messages and lets all readers catch up instead. */
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

  /** Returns the tentative text as a parcel, cached until the text changes. */
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

  // Readers.

  /**
   * Adds a reader. It receives the last lines first, or all that followed `after`, as far as held in memory.
   */
  join(reader: Reader, after: number | undefined): void {
    reader.isBehind = true;
    reader.lacksHistory = false;
    reader.sequence = after ?? -1;
    this.readers.add(reader);
    clearTimeout(this.#unread);
    // A reader whose connection is full catches up once it has drained.
    if (!reader.isFull) void this.#beginCatchingUp(reader);
  }

  /** @returns whether the reader was here */
  leave(reader: Reader): boolean {
    this.#catchingUp.delete(reader);
    this.#lacking.delete(reader);
    return this.readers.delete(reader);
  }

  /** Acts once the channel has had no readers for `ms`. */
  whenUnread(ms: number, act: () => void): void {
    if (this.readers.size > 0) return;
    clearTimeout(this.#unread);
    this.#unread = setTimeout(act, ms).unref();
  }

  /** Sends a reader what it missed, once it has read what it was sent. */
  async catchUp(reader: Reader): Promise<void> {
    const isNeeded = this.readers.has(reader) && reader.isBehind;
    if (isNeeded && !this.#catchingUp.has(reader)) await this.#beginCatchingUp(reader);
  }

  /** Starts to send what a reader missed. A later call supersedes one still under way. */
  async #beginCatchingUp(reader: Reader): Promise<void> {
    const turn = Symbol('catching up');
    this.#catchingUp.set(reader, turn);
    const isWanted = () =>
      !this.#isClosed && !reader.isGone && this.#catchingUp.get(reader) === turn;
    const sent = this.#sendMissed(reader, isWanted).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'captions of a room could not be read');
      if (isWanted()) this.#deferHistory(reader);
    });
    const isInTime = await withinTime(sent, performance.now() + PATIENCE_MS);
    if (!isInTime && isWanted()) this.#deferHistory(reader);
    if (this.#catchingUp.get(reader) === turn) this.#catchingUp.delete(reader);
  }

  /** Lets a reader follow new lines now; the earlier ones are sent once they can be read. */
  #deferHistory(reader: Reader): void {
    this.#catchingUp.delete(reader);
    this.#lacking.add(reader);
    reader.lacksHistory = true;
    reader.sequence = Math.max(0, reader.sequence);
    this.#readAlong(reader);
    this.#sendingDeferred ??= this.#sendDeferred().finally(
      () => (this.#sendingDeferred = undefined),
    );
  }

  async #sendDeferred(): Promise<void> {
    while (this.#lacking.size > 0 && !this.#isClosed) {
      try {
        await this.#options.captions.read(this.track, 0);
        this.forgetHistory();
        this.#sendHistory([...this.#lacking]);
        this.#lacking.clear();
      } catch {
        // The error was logged when each of these readers began to catch up.
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
      reader.lacksHistory = false;
    }
    const missed = await this.#options.captions.read(this.track, reader.sequence, {
      isUrgent: reader.lacksHistory,
    });
    if (!isWanted()) return;
    const { captions, isWhole, upTo } = missed;
    if (!isWhole) {
      this.forgetHistory();
      reader.sequence = -1;
      return this.#sendMissed(reader, isWanted);
    }
    // A caption came after the read, while the reader was still being skipped.
    if (this.#newest > upTo) return this.#sendMissed(reader, isWanted);
    const [first] = captions;
    if (first !== undefined) {
      const parcel = this.#missedParcel(first.sequence, missed);
      const { encoding, lacksHistory } = reader;
      reader.write(lacksHistory ? parcel.unnumbered(encoding) : parcel.in(encoding));
      reader.sequence = parcel.sequence;
    }
    this.#readAlong(reader, { mayShowOld: first !== undefined });
  }

  /** @param options.mayShowOld whether the reader may still show tentative text from before it fell behind */
  #readAlong(reader: Reader, { mayShowOld } = { mayShowOld: false }): void {
    reader.isBehind = false;
    if (reader.isSettled || (this.#tentative === '' && !mayShowOld)) return;
    reader.write(this.#tentativeParcel().in(reader.encoding));
  }

  /** @param from sequence of the first caption that the reader lacks */
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

  /** Discards the cached messages, which are out of date. */
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

  /** Removes lines up to a sequence, as they were deleted: readers are shown what remains. */
  clear(upTo: number): void {
    this.#interpreter?.forget(upTo);
    this.startOver();
  }

  /** Replaces what readers have by what the track holds now. */
  startOver(): void {
    this.forgetHistory();
    // The last caption may have been taken back.
    this.#newest = 0;
    this.#options.fanOut.cancel(this.readers);
    // Tentative text is sent again with its next word.
    this.#tentative = '';
    this.send(this.#tentativeParcel());
    for (const reader of this.readers) this.#hadMore.add(reader);
    this.#sendHistory([...this.readers]);
  }

  /** Sends these readers the current lines in place of those they have. */
  #sendHistory(readers: readonly Reader[]): void {
    const startOver = (reader: Reader) => {
      if (this.#isClosed || !this.readers.has(reader)) return;
      reader.isBehind = true;
      reader.sequence = -1;
      this.#catchingUp.delete(reader);
      // A reader whose connection is full catches up once it has drained.
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

/** Returns the newest caption of each line, without removed lines, in order of line. */
export function latestLines(captions: readonly Caption[]): Caption[] {
  const newest = new Map(captions.map((caption) => [caption.line, caption]));
  return [...newest.values()].filter(({ text }) => text !== '').sort((a, b) => a.line - b.line);
}

function toLine({ line, text, language, startMs, endMs, author }: Caption): RoomLine {
  return { line, text, language, start_time: startMs, end_time: endMs, by: author };
}
