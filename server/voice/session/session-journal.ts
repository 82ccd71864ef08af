/**
 * Journal of a running voice session: writes to the broker what another server needs to resume the
 * session, each durable message before it is sent and the audio as it arrives. Used only where servers
 * share a broker; the data is removed when the session is over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Encoder } from '@msgpack/msgpack';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { VoiceSessionRequest } from '../../../shared/schemas/voice-session.ts';
import type { Broker } from '../../broker/index.ts';
import type { MediaPiece } from '../audio/media.ts';
import type { Progress } from '../path/progress.ts';
import { AudioIntake } from './audio-entry.ts';
import type { SessionHold } from './handover.ts';
import { JournalWriter } from './journal-writer.ts';
import {
  AUDIO,
  headOf,
  type KeptAudio,
  type KeptMessage,
  type KeptSession,
  recordOf,
  type SessionRecord,
  MESSAGES,
  type MessageEntry,
} from './kept-session.ts';

export interface JournalOptions {
  broker: Pick<Broker, 'node' | 'records' | 'streams'>;
  sessionId: string;
  record: SessionRecord;
  progress: Progress;
  /** How long the data is kept after the last write, in ms. */
  ttlMs: number;
  /** Whether the audio is PCM, which can be decoded from any sample on. */
  isPcm: boolean;
}

/** Receives the journal's progress. */
export interface JournalEvents {
  /** Messages up to this sequence are stored, or cannot be stored at the moment, and may be sent. */
  onKept: (sequence: number) => void;
  /** Counted audio has been stored; its duration in ms. */
  onAudioKept: (durationMs: number) => void;
  /** The broker refused a write, as another server owns the session. */
  onRefused: () => void;
}

/** Interval at which audio is written, in ms. */
const AUDIO_EVERY_MS = 250;
/** Longest time a hand-over waits for the broker, in ms; after that the session stays on this server. */
const FLUSH_MS = 2_000;
/** Interval at which a silent session is written again, so that its data does not expire, in ms. */
const SIGN_OF_LIFE_MS = 15_000;
const encoder = new Encoder({ ignoreUndefined: true });

export class SessionJournal {
  readonly #options: JournalOptions;
  readonly #progress: Progress;
  #events: JournalEvents | undefined;
  readonly #writer: JournalWriter;
  readonly audio: AudioJournal;
  #confirmed = 0;
  #openedAtMs = performance.now();

  // Durable messages and progress.
  #told: KeptMessage[] = [];
  /** Changed session request, to be written with the waiting messages. */
  #request: VoiceSessionRequest | undefined;
  #telling: Promise<void> | undefined;
  #toldNumber = 0;
  /** Sequence of the last message that was counted. */
  #lastSequence = 0;
  #toldAtMs = performance.now();
  /** Whether the broker has lost what was stored. */
  #isForgotten = false;
  readonly #toldEntries: { id: number; lastSequence: number }[] = [];
  #placeId = 0;
  #dropped = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#progress = options.progress;
    this.#writer = new JournalWriter({
      ...options,
      onAway: () => {
        this.#events?.onKept(Infinity);
        this.audio.giveUpBeyondMost();
      },
      onRefused: () => {
        this.stop();
        this.#events?.onRefused();
      },
    });
    this.audio = new AudioJournal({
      writer: this.#writer,
      isPcm: options.isPcm,
      confirmed: () => this.#confirmed,
      onHead: () => void this.#writer.untilDone(() => this.open()),
      onKept: (durationMs) => this.#events?.onAudioKept(durationMs),
    });
  }

  get record(): SessionRecord {
    return this.#options.record;
  }

  get progress(): Progress {
    return this.#progress;
  }

  get hold(): SessionHold | undefined {
    return this.#writer.hold;
  }

  /** Writes the session's record and the head of its audio. @throws ServiceError broker_unavailable */
  async open(): Promise<void> {
    const { broker, sessionId, record, ttlMs } = this.#options;
    this.#openedAtMs = performance.now();
    await broker.records.write(recordOf(sessionId), JSON.stringify(record), { ttlMs });
    const { head } = this.audio;
    if (head === undefined) return;
    await broker.records.write(headOf(sessionId), encoder.encode(head), { ttlMs });
  }

  /** Begins to write, once this server owns the session. */
  async begin(hold: SessionHold): Promise<void> {
    this.#writer.hold = hold;
    this.#options.record.hasBegun = true;
    await this.open();
    journals.add(this);
    this.#tellSoon();
  }

  listenTo(events: JournalEvents): void {
    this.#events = events;
  }

  /** Continues where another server's journal stopped. */
  resume({ audio, confirmed, lastSequence, progress, request }: KeptSession): void {
    this.#lastSequence = lastSequence;
    this.audio.resume(audio);
    this.#confirmed = confirmed;
    this.#progress.resume(progress);
    if (request !== undefined) this.#options.record.request = request;
  }

  /** Records a durable message that is about to be sent. */
  told(message: ServerMessage, sequence: number): void {
    this.#told.push({ message, sequence });
    if (this.#writer.isAway) this.#events?.onKept(sequence);
    this.#tellSoon();
  }

  /** Records a changed session request; must precede {@link told} for the message that reports it. */
  changed(request: VoiceSessionRequest): void {
    this.#request = request;
    this.#options.record.request = request;
  }

  confirmed(sequence: number): void {
    this.#confirmed = Math.max(this.#confirmed, sequence);
  }

  /** Messages up to this sequence are no longer needed. */
  dropped(sequence: number): void {
    this.#dropped = sequence;
  }

  /** Called at a regular interval. */
  beat(): void {
    if (this.audio.isNew || this.audio.isSilentFor(SIGN_OF_LIFE_MS)) void this.audio.write();
    const nowMs = performance.now();
    if (nowMs - this.#openedAtMs > SIGN_OF_LIFE_MS) this.open().catch(() => undefined);
    const isSilent = nowMs - this.#toldAtMs > SIGN_OF_LIFE_MS;
    if (this.#progress.isNew || isSilent) this.#tellSoon();
  }

  /** Writes everything that waits. @returns whether that succeeded in time */
  async flush(withinMs = FLUSH_MS): Promise<boolean> {
    return Promise.race([this.#writeAll(), delay(withinMs, false, { ref: false })]);
  }

  /** Stops writing. */
  stop(): void {
    this.#writer.stop();
    journals.delete(this);
  }

  /** Stops writing and waits for the writes in flight. */
  async close(): Promise<void> {
    this.stop();
    await Promise.allSettled([this.#telling, this.audio.settled()]);
  }

  /** Writes again what the broker has lost, as far as this server still has it. */
  restore(messages: readonly KeptMessage[]): void {
    this.open().catch(() => undefined);
    this.#toldEntries.length = 0;
    this.audio.forgotten();
    const waiting = this.#told[0]?.sequence ?? Infinity;
    this.#told.unshift(...messages.filter(({ sequence }) => sequence < waiting));
    this.#isForgotten = true;
    this.#tellSoon();
  }

  async #writeAll(): Promise<boolean> {
    // Data already in flight must be written first, so one round may not be enough.
    for (let round = 0; round < 3; round += 1) {
      this.#tellSoon();
      await Promise.all([this.#telling, this.audio.write()]);
      if (this.#writer.isAway) return false;
      if (this.#told.length === 0 && !this.audio.isNew) return true;
    }
    return !this.#writer.isAway;
  }

  /** Writes soon, together with everything else that is recorded in the same turn. */
  #tellSoon(): void {
    if (!this.#writer.isWriting) return;
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
      const isMore = this.#told.length > 0 || this.#isForgotten;
      if (isMore) this.#tellSoon();
    });
  }

  async #tell(): Promise<void> {
    await new Promise(setImmediate);
    const told = this.#told;
    this.#told = [];
    const entry = this.#entryOf(told);
    if (entry === undefined) return;
    const bytes = encoder.encode(entry);
    this.#toldNumber += 1;
    const trimUpTo = this.#takeOld();
    const id = await this.#writer.append(MESSAGES, { bytes, number: this.#toldNumber, trimUpTo });
    if (id === undefined) return;
    this.#toldAtMs = performance.now();
    const lastSequence = told.at(-1)?.sequence ?? 0;
    this.#toldEntries.push({ id, lastSequence });
    if (lastSequence > 0) this.#events?.onKept(lastSequence);
    if (entry.progress !== undefined) {
      this.#placeId = id;
      this.audio.trim(entry.progress.rest?.heard.place.fromBytes ?? 0);
    }
  }

  #entryOf(told: readonly KeptMessage[]): MessageEntry | undefined {
    const progress = this.#progress;
    const messages = told.map(({ sequence, message }): MessageEntry['messages'][number] => {
      const mark = progress.markOf(message);
      if (sequence > this.#lastSequence) progress.told(message, mark);
      this.#lastSequence = Math.max(this.#lastSequence, sequence);
      return [sequence, message, mark?.sentence ?? null];
    });
    const isSilent = performance.now() - this.#toldAtMs > SIGN_OF_LIFE_MS;
    const isSignOfLife = this.#isForgotten || isSilent;
    this.#isForgotten = false;
    const isNew = progress.isNew;
    if (messages.length === 0 && !isNew && !isSignOfLife) return undefined;
    const { state } = progress;
    const request = this.#request;
    this.#request = undefined;
    return {
      messages,
      lastSequence: this.#lastSequence,
      sentences: state.sentences,
      ...((isNew || isSignOfLife) && { progress: state }),
      ...(request !== undefined && { request, targets: state.targets }),
      ...(isSignOfLife && { request: this.#options.record.request }),
    };
  }

  /** Keeps the last resume point and all entries after it. @returns the id up to which entries can go */
  #takeOld(): number | undefined {
    const entries = this.#toldEntries;
    let last: number | undefined;
    for (let first = entries[0]; first !== undefined; first = entries[0]) {
      if (first.id >= this.#placeId || first.lastSequence > this.#dropped) break;
      last = first.id;
      entries.shift();
    }
    return last;
  }
}

/** Journals that are being written, all served by one interval. */
const journals = new (class {
  readonly #all = new Set<SessionJournal>();
  #interval: NodeJS.Timeout | undefined;

  add(journal: SessionJournal): void {
    this.#all.add(journal);
    this.#interval ??= setInterval(() => {
      for (const each of this.#all) each.beat();
    }, AUDIO_EVERY_MS).unref();
  }

  delete(journal: SessionJournal): void {
    this.#all.delete(journal);
    if (this.#all.size > 0) return;
    clearInterval(this.#interval);
    this.#interval = undefined;
  }
})();

/** Most audio to hold during a broker outage, in bytes: two minutes of PCM. Beyond that, it is dropped. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Most bytes to keep of a container's head, which describes its tracks and codecs. */
const MOST_HEAD_BYTES = 64 * 1024;

interface AudioJournalOptions {
  writer: JournalWriter;
  /** Whether the audio is PCM, which can be decoded from any sample on. */
  isPcm: boolean;
  /** Sequence of the last message that the client has confirmed. */
  confirmed: () => number;
  /** The head is complete and must be written. */
  onHead: () => void;
  /** Counted audio has been stored; its duration in ms. */
  onKept: (durationMs: number) => void;
}

/** Writes a session's audio as it arrives, and drops what precedes the last resume point. */
class AudioJournal {
  readonly #options: AudioJournalOptions;
  readonly #intake = new AudioIntake();
  #intakeFrom = 0;
  #waitingBytes = 0;
  #cameBytes = 0;
  #countedMs = 0;
  #unkeptMs = 0;
  #hasEnded = false;
  #isEndKept = false;
  #kept = { bytes: 0, ms: 0 };
  #writing: Promise<void> | undefined;
  #writtenAtMs = performance.now();
  #number = 0;
  readonly #entries: { id: number; endBytes: number }[] = [];
  /** Id up to which the next append removes entries. */
  #trimUpTo: number | undefined;
  #headPieces: Uint8Array[] = [];
  #headBytes = 0;
  #isHeadWhole: boolean;

  constructor(options: AudioJournalOptions) {
    this.#options = options;
    this.#isHeadWhole = options.isPcm;
  }

  /** Audio that the broker has stored. */
  get kept(): Readonly<{ bytes: number; ms: number }> {
    return this.#kept;
  }

  /** Returns the counted audio that is not stored yet, in ms, and never reports it through `onKept`. */
  takeUnkept(): number {
    const unkeptMs = this.#unkeptMs;
    this.#unkeptMs = 0;
    return unkeptMs;
  }

  /** Bytes that a decoder needs first; undefined when it needs none or they are incomplete. */
  get head(): readonly Uint8Array[] | undefined {
    return this.#isHeadWhole && this.#headPieces.length > 0 ? this.#headPieces : undefined;
  }

  /** Whether anything waits to be written. */
  get isNew(): boolean {
    return !this.#intake.isEmpty || this.#hasEnded !== this.#isEndKept;
  }

  /** Whether nothing was written for this long. Stored audio must not expire while the session lives. */
  isSilentFor(ms: number): boolean {
    return this.#cameBytes > 0 && performance.now() - this.#writtenAtMs > ms;
  }

  /** Continues where another server stopped. */
  resume({ head, receivedBytes, receivedMs, hasEnded }: KeptAudio): void {
    this.#headPieces = head;
    this.#cameBytes = this.#intakeFrom = receivedBytes;
    this.#countedMs = receivedMs;
    this.#kept = { bytes: receivedBytes, ms: receivedMs };
    this.#hasEnded = this.#isEndKept = hasEnded;
    this.#isHeadWhole ||= receivedBytes > 0;
  }

  /** Takes a piece of media. */
  came(piece: MediaPiece): void {
    if (this.#options.writer.isOver) return;
    this.#intake.add(piece);
    if (!(piece instanceof Uint8Array)) return;
    this.#cameBytes += piece.length;
    this.#waitingBytes += piece.length;
    if (!this.#isHeadWhole) this.#keepHead(piece);
  }

  /** Marks the end of the audio. */
  ended(): void {
    this.#hasEnded = true;
  }

  /** Counts received audio, in ms. */
  counted(durationMs: number): void {
    this.#countedMs += durationMs;
    this.#unkeptMs += durationMs;
  }

  /** Writes what waits; resolves when the write is done. */
  write(): Promise<void> {
    if (!this.#options.writer.isWriting) return Promise.resolve();
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Resolves when no write is in flight. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** While the broker is unreachable, gives up the waiting audio once it exceeds the limit. */
  giveUpBeyondMost(): void {
    if (this.#waitingBytes <= MOST_WAITING_BYTES) return;
    this.#intake.clear();
    this.#intakeFrom = this.#cameBytes;
    this.#waitingBytes = 0;
  }

  /** Releases audio before a resume point, which will not be recognised again. */
  trim(fromBytes: number): void {
    const needed = this.#entries.findIndex(({ endBytes }) => endBytes > fromBytes);
    const [last] = this.#entries.splice(0, Math.max(0, needed)).slice(-1);
    this.#trimUpTo = last?.id ?? this.#trimUpTo;
  }

  /** Forgets the stored entries, as the broker has lost them. */
  forgotten(): void {
    this.#entries.length = 0;
  }

  async #write(): Promise<void> {
    const { writer, confirmed, onKept } = this.#options;
    const [endBytes, ms, countedMs] = [this.#cameBytes, this.#countedMs, this.#unkeptMs];
    const hasEnded = this.#hasEnded;
    const head = { fromBytes: this.#intakeFrom, receivedMs: ms, confirmed: confirmed(), hasEnded };
    const bytes = this.#intake.take(head);
    const trimUpTo = this.#trimUpTo;
    this.#trimUpTo = undefined;
    this.#intakeFrom = endBytes;
    this.#number += 1;
    const id = await writer.append(AUDIO, { bytes, number: this.#number, trimUpTo });
    this.#intake.givenBack();
    if (id === undefined) return;
    this.#writtenAtMs = performance.now();
    this.#waitingBytes = this.#cameBytes - endBytes;
    this.#isEndKept = hasEnded;
    this.#entries.push({ id, endBytes });
    this.#kept = { bytes: endBytes, ms };
    const keptMs = Math.min(countedMs, this.#unkeptMs);
    this.#unkeptMs -= keptMs;
    onKept(keptMs);
  }

  #keepHead(piece: Uint8Array): void {
    this.#headPieces.push(piece);
    this.#headBytes += piece.length;
    this.#isHeadWhole = this.#countedMs > 0 || this.#headBytes >= MOST_HEAD_BYTES;
    if (this.#isHeadWhole) this.#options.onHead();
  }
}
