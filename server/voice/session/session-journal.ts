/**
 * Writes what another server needs to go on with a voice session, while it runs: each durable message
 * before it is told, and the audio as it comes. Only where servers share a broker; nothing stays when the
 * session is over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Encoder } from '@msgpack/msgpack';
import { ServiceError } from '../../../shared/errors.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { VoiceSessionRequest } from '../../../shared/schemas/voice-session.ts';
import type { Broker } from '../../broker/index.ts';
import type { MediaPiece } from '../audio/media.ts';
import type { Progress } from '../path/progress.ts';
import { leaseOf, type SessionHold } from './handover.ts';
import {
  AUDIO,
  type AudioEntry,
  headOf,
  type KeptMessage,
  type KeptSession,
  recordOf,
  type SessionRecord,
  streamOf,
  TOLD,
  type ToldEntry,
} from './kept-session.ts';

export interface JournalOptions {
  broker: Pick<Broker, 'node' | 'records' | 'streams'>;
  sessionId: string;
  record: SessionRecord;
  progress: Progress;
  /** How long all of it is kept when nothing more is written, in ms. */
  ttlMs: number;
  /** Whether audio of this kind can be read from anywhere. */
  isPcm: boolean;
}

/** Whom a journal tells how far it is. */
export interface JournalEvents {
  /** Messages up to that one are there, or cannot be at the moment: they may be told. */
  onKept: (sequence: number) => void;
  /** Audio that was counted is there, in ms. */
  onAudioKept: (durationMs: number) => void;
  /** The session is another server's. */
  onRefused: () => void;
}

/** How often audio is written, in ms. */
const AUDIO_EVERY_MS = 250;
/** How often what could not be written is tried again, in ms. */
const RETRY_MS = 250;
/** How long a session waits for the broker before it stays where it is, in ms. */
const FLUSH_MS = 2_000;
/** Long silence is worth a word now and then, so that nothing runs out, in ms. */
const SIGN_OF_LIFE_MS = 15_000;
/** What waits for a broker that is away, in bytes: two minutes of PCM. Of more, the oldest is given up. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** The head of a container: its tracks and their codecs. */
const MOST_HEAD_BYTES = 64 * 1024;

const encoder = new Encoder({ ignoreUndefined: true });

export class SessionJournal {
  readonly #options: JournalOptions;
  readonly #progress: Progress;
  #events: JournalEvents | undefined;
  #hold: SessionHold | undefined;
  #isOver = false;
  #confirmed = 0;

  // What is told.
  #told: KeptMessage[] = [];
  /** With the messages that wait: what the session is asked for from then on. */
  #request: VoiceSessionRequest | undefined;
  #telling: Promise<void> | undefined;
  #isAway = false;
  #toldNumber = 0;
  /** Sequence of the last message that was counted. */
  #lastSequence = 0;
  #toldAtMs = performance.now();
  /** Whether the broker has lost what it had. */
  #isForgotten = false;
  readonly #toldEntries: { id: number; lastSequence: number }[] = [];
  #placeId = 0;
  #dropped = 0;

  // Audio.
  #pieces: (Uint8Array | null)[] = [];
  #piecesFrom = 0;
  #waitingBytes = 0;
  #cameBytes = 0;
  #countedMs = 0;
  #unkeptMs = 0;
  #hasEnded = false;
  #isEndKept = false;
  #kept = { bytes: 0, ms: 0 };
  #hearing: Promise<void> | undefined;
  #audioNumber = 0;
  readonly #audioEntries: { id: number; endBytes: number }[] = [];
  #headPieces: Uint8Array[] = [];
  #headBytes = 0;
  #isHeadWhole: boolean;
  #openedAtMs = performance.now();

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#progress = options.progress;
    this.#isHeadWhole = options.isPcm;
  }

  get record(): SessionRecord {
    return this.#options.record;
  }

  get progress(): Progress {
    return this.#progress;
  }

  get hold(): SessionHold | undefined {
    return this.#hold;
  }

  /** How much of the audio the broker has. */
  get kept(): Readonly<{ bytes: number; ms: number }> {
    return this.#kept;
  }

  /** Audio that was counted and is not there yet, in ms. */
  get unkeptMs(): number {
    return this.#unkeptMs;
  }

  /** Writes whose the session is. @throws ServiceError broker_unavailable */
  async open(): Promise<void> {
    const { broker, sessionId, record, ttlMs } = this.#options;
    this.#openedAtMs = performance.now();
    await broker.records.write(recordOf(sessionId), JSON.stringify(record), { ttlMs });
    if (!this.#isHeadWhole || this.#headPieces.length === 0) return;
    await broker.records.write(headOf(sessionId), encoder.encode(this.#headPieces), { ttlMs });
  }

  /** Begins to write, for a server that has the session. */
  async begin(hold: SessionHold): Promise<void> {
    this.#hold = hold;
    this.#options.record.hasBegun = true;
    await this.open();
    journals.add(this);
    this.#tellSoon();
  }

  listenTo(events: JournalEvents): void {
    this.#events = events;
  }

  /** Goes on where another was. */
  resume({ audio, confirmed, lastSequence, progress, request }: KeptSession): void {
    this.#lastSequence = lastSequence;
    this.#headPieces = audio.head;
    this.#cameBytes = this.#piecesFrom = audio.receivedBytes;
    this.#countedMs = audio.receivedMs;
    this.#kept = { bytes: audio.receivedBytes, ms: audio.receivedMs };
    this.#hasEnded = this.#isEndKept = audio.hasEnded;
    this.#isHeadWhole ||= audio.receivedBytes > 0;
    this.#confirmed = confirmed;
    this.#progress.resume(progress);
    if (request !== undefined) this.#options.record.request = request;
  }

  /** A durable message is to be told. */
  told(message: ServerMessage, sequence: number): void {
    this.#told.push({ message, sequence });
    if (this.#isAway) this.#events?.onKept(sequence);
    this.#tellSoon();
  }

  /** From now on it is as if it had been asked for like this; before {@link told} says so. */
  changed(request: VoiceSessionRequest): void {
    this.#request = request;
    this.#options.record.request = request;
  }

  confirmed(sequence: number): void {
    this.#confirmed = Math.max(this.#confirmed, sequence);
  }

  /** Messages up to that one are not needed any more. */
  dropped(sequence: number): void {
    this.#dropped = sequence;
  }

  /** Audio has come, or something to be known of it. */
  came(piece: MediaPiece): void {
    if (this.#isOver) return;
    if (typeof piece === 'symbol') this.#pieces.push(null);
    else {
      this.#pieces.push(piece);
      this.#cameBytes += piece.length;
      this.#waitingBytes += piece.length;
      if (!this.#isHeadWhole) this.#keepHead(piece);
    }
  }

  /** No more audio comes. */
  ended(): void {
    this.#hasEnded = true;
  }

  /** So much audio was counted, in ms. */
  counted(durationMs: number): void {
    this.#countedMs += durationMs;
    this.#unkeptMs += durationMs;
  }

  /** Called every now and then. */
  beat(): void {
    if (this.#pieces.length > 0 || this.#hasEnded !== this.#isEndKept) void this.#hear();
    const nowMs = performance.now();
    if (nowMs - this.#openedAtMs > SIGN_OF_LIFE_MS) this.open().catch(() => undefined);
    const isSilent = nowMs - this.#toldAtMs > SIGN_OF_LIFE_MS;
    if (this.#progress.isNew || isSilent) this.#tellSoon();
  }

  /** Writes all there is. @returns whether that was possible in time */
  async flush(withinMs = FLUSH_MS): Promise<boolean> {
    return Promise.race([this.#writeAll(), delay(withinMs, false, { ref: false })]);
  }

  /** Nothing more is written. */
  stop(): void {
    this.#isOver = true;
    journals.delete(this);
  }

  /** Nothing more is written, nor on its way. */
  async close(): Promise<void> {
    this.stop();
    await Promise.allSettled([this.#telling, this.#hearing]);
  }

  /** Writes again what the broker has lost, as far as it is here. */
  restore(messages: readonly KeptMessage[]): void {
    this.open().catch(() => undefined);
    this.#toldEntries.length = this.#audioEntries.length = 0;
    const waiting = this.#told[0]?.sequence ?? Infinity;
    this.#told.unshift(...messages.filter(({ sequence }) => sequence < waiting));
    this.#isForgotten = true;
    this.#tellSoon();
  }

  async #writeAll(): Promise<boolean> {
    // What is on its way goes first.
    for (let round = 0; round < 3; round += 1) {
      this.#tellSoon();
      await Promise.all([this.#telling, this.#hear()]);
      if (this.#isAway) return false;
      if (this.#told.length === 0 && this.#pieces.length === 0) return true;
    }
    return !this.#isAway;
  }

  #keepHead(piece: Uint8Array): void {
    this.#headPieces.push(piece);
    this.#headBytes += piece.length;
    this.#isHeadWhole = this.#countedMs > 0 || this.#headBytes >= MOST_HEAD_BYTES;
    if (this.#isHeadWhole) void this.#untilDone(() => this.open());
  }

  /** With what else is told in the same turn. */
  #tellSoon(): void {
    if (this.#hold === undefined || this.#isOver) return;
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
      const isMore = this.#told.length > 0 || this.#isForgotten;
      if (isMore && !this.#isOver) this.#tellSoon();
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
    const id = await this.#append(TOLD, bytes, this.#toldNumber);
    if (id === undefined) return;
    this.#toldAtMs = performance.now();
    const lastSequence = told.at(-1)?.sequence ?? 0;
    this.#toldEntries.push({ id, lastSequence });
    if (lastSequence > 0) this.#events?.onKept(lastSequence);
    if (entry.progress !== undefined) {
      this.#placeId = id;
      this.#trimAudio(entry.progress.rest?.heard.place.fromBytes ?? 0);
    }
    this.#trimTold();
  }

  #entryOf(told: readonly KeptMessage[]): ToldEntry | undefined {
    const progress = this.#progress;
    const messages = told.map(({ sequence, message }): ToldEntry['messages'][number] => {
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

  async #hear(): Promise<void> {
    if (this.#hold === undefined || this.#isOver) return;
    this.#hearing ??= this.#writeAudio().finally(() => (this.#hearing = undefined));
    await this.#hearing;
  }

  async #writeAudio(): Promise<void> {
    const pieces = this.#pieces;
    const [endBytes, ms, countedMs] = [this.#cameBytes, this.#countedMs, this.#unkeptMs];
    const hasEnded = this.#hasEnded;
    const entry: AudioEntry = {
      ...{ fromBytes: this.#piecesFrom, receivedMs: ms, confirmed: this.#confirmed },
      ...{ pieces, hasEnded },
    };
    this.#pieces = [];
    this.#piecesFrom = endBytes;
    this.#audioNumber += 1;
    const id = await this.#append(AUDIO, encoder.encodeSharedRef(entry), this.#audioNumber);
    if (id === undefined) return;
    this.#waitingBytes = this.#cameBytes - endBytes;
    this.#isEndKept = hasEnded;
    this.#audioEntries.push({ id, endBytes });
    this.#kept = { bytes: endBytes, ms };
    this.#unkeptMs -= countedMs;
    this.#events?.onAudioKept(countedMs);
  }

  /** Appends until it is done; undefined where it need not be any more. */
  async #append(
    { name, mostEntries }: typeof TOLD,
    bytes: Uint8Array,
    number: number,
  ): Promise<number | undefined> {
    const { broker, sessionId, ttlMs } = this.#options;
    // It is written to again before it is sent.
    const entry = Buffer.from(bytes);
    return this.#untilDone(async () => {
      const hold = this.#hold;
      if (hold === undefined) return undefined;
      const { epoch } = hold;
      const id = await broker.streams.append(streamOf(sessionId, name), entry, {
        ...{ maxLength: mostEntries, ttlMs },
        fence: { lease: leaseOf(sessionId), epoch },
        by: { appender: `${broker.node} ${epoch}`, number },
      });
      if (id !== undefined) return id;
      // Another's, or the broker has lost it.
      if (!(await hold.check())) {
        this.stop();
        this.#events?.onRefused();
        return undefined;
      }
      if (hold.epoch === epoch) throw new ServiceError('broker_unavailable', 'Not now.');
      return broker.streams.append(streamOf(sessionId, name), entry, {
        ...{ maxLength: mostEntries, ttlMs },
        fence: { lease: leaseOf(sessionId), epoch: hold.epoch },
        by: { appender: `${broker.node} ${hold.epoch}`, number },
      });
    });
  }

  async #untilDone<Result>(write: () => Promise<Result>): Promise<Result | undefined> {
    while (!this.#isOver) {
      try {
        const result = await write();
        this.#isAway = false;
        return result;
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'stopping') this.stop();
        this.#goOnWithout();
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  /** The broker is away: its turn comes later. */
  #goOnWithout(): void {
    this.#isAway = true;
    this.#events?.onKept(Infinity);
    if (this.#waitingBytes <= MOST_WAITING_BYTES) return;
    this.#pieces = [];
    this.#piecesFrom = this.#cameBytes;
    this.#waitingBytes = 0;
  }

  /** Entries from before a place are not heard again. */
  #trimAudio(fromBytes: number): void {
    const needed = this.#audioEntries.findIndex(({ endBytes }) => endBytes > fromBytes);
    const [last] = this.#audioEntries.splice(0, Math.max(0, needed)).slice(-1);
    if (last !== undefined) this.#trim(AUDIO.name, last.id);
  }

  /** The last place stays, and what comes after it. */
  #trimTold(): void {
    const entries = this.#toldEntries;
    let last: number | undefined;
    for (let first = entries[0]; first !== undefined; first = entries[0]) {
      if (first.id >= this.#placeId || first.lastSequence > this.#dropped) break;
      last = first.id;
      entries.shift();
    }
    if (last !== undefined) this.#trim(TOLD.name, last);
  }

  #trim(name: string, upTo: number): void {
    const { broker, sessionId } = this.#options;
    // What stays for want of a broker goes the next time, or when its time is up.
    broker.streams.trim(streamOf(sessionId, name), upTo).catch(() => undefined);
  }
}

/** Those that are written, all in one interval. */
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
