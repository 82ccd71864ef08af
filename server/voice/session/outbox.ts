/**
 * Messages that a session has for its client, independent of connections. Durable messages are numbered
 * and kept until the client has confirmed them; of all others only the newest counts.
 */
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { createSignal } from '../path/streams.ts';

/** Most memory for unconfirmed messages, in bytes; beyond that, the voice path waits. */
const MAX_UNCONFIRMED_BYTES = 8 * 1024 * 1024;
/**
 * How long confirmed messages are kept, in ms. A browser confirms what it has received, but a page that
 * loses its connection at that moment may never see it.
 */
const KEPT_AFTER_CONFIRMATION_MS = 30_000;

/** A message to send; `sequence` is 0 for messages that may be lost. */
export interface Outgoing {
  message: ServerMessage;
  sequence: number;
}

/** One connection's view: durable messages in order, interleaved with the newest of the others. */
export interface OutboxReader {
  /** Returns the next message; undefined when none is available at the moment. */
  take(): Outgoing | undefined;
  /** Whether the outbox has ended and the reader has taken everything. */
  readonly isDone: boolean;
  /** Resolves when a message may be available. */
  changed(): Promise<void>;
}

export interface OutboxOptions {
  /** Whether durable messages carry their sequence. */
  isNumbered: boolean;
  /** Called for each tentative update that a newer one replaces before it is sent. */
  onOvertaken?: () => void;
  /** Called with each durable message, which no reader can take before {@link Outbox.release}. */
  onKept?: ((message: ServerMessage, sequence: number) => void) | undefined;
  /** Called with the sequence up to which messages are no longer kept. */
  onDropped?: ((sequence: number) => void) | undefined;
  now?: () => number;
}

interface Entry extends Outgoing {
  sizeBytes: number;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #now: () => number;
  /** Kept durable messages, oldest first, with consecutive sequences. */
  readonly #entries: Entry[] = [];
  /** The newest tentative captions of each track, for clients that reconnect. */
  readonly #tentative = new Map<string, ServerMessage>();
  readonly #confirmations: { sequence: number; atMs: number }[] = [];
  readonly #room = createSignal();
  #lastSequence = 0;
  #confirmed = 0;
  #unconfirmedBytes = 0;
  #released: number;
  #hasEnded = false;
  #isClosed = false;
  #reader: Reader | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#released = options.onKept === undefined ? Infinity : 0;
  }

  /** Whether no more messages follow. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Number of durable messages that the client has not confirmed. */
  get unconfirmedCount(): number {
    return this.#lastSequence - this.#confirmed;
  }

  /** Whether the outbox has ended and the client has confirmed everything. */
  get isDelivered(): boolean {
    return this.#hasEnded && this.unconfirmedCount === 0;
  }

  /** Adds a message of the voice path; resolves when the outbox has room for more. */
  async put(message: ServerMessage): Promise<void> {
    const track = trackOf(message);
    const isDurable = track === undefined || hasConcluded(message);
    if (track !== undefined) {
      this.#tentative.set(track, isDurable ? withoutConcluded(message) : message);
      if (this.#reader?.stale.delete(track) === true) this.#options.onOvertaken?.();
      if (!isDurable) this.#reader?.stale.add(track);
    }
    if (isDurable) this.#keep(message);
    if (message.type === 'end_of_target_transcript') {
      // No tentative captions may follow the end of their track.
      const { language } = message;
      this.#tentative.delete(language);
      this.#reader?.stale.delete(language);
    }
    this.#reader?.signal.raise();
    while (this.#unconfirmedBytes > MAX_UNCONFIRMED_BYTES && !this.#isClosed) {
      await this.#room.raised();
    }
  }

  /** Adds a notice that matters only now, such as how much audio has arrived. */
  notify(message: ServerMessage): void {
    this.#reader?.notices.set(message.type, message);
    this.#reader?.signal.raise();
  }

  /** Messages still kept, oldest first. */
  get kept(): readonly Outgoing[] {
    return this.#entries;
  }

  /** Lets readers take durable messages up to this sequence. */
  release(sequence: number): void {
    this.#released = Math.max(this.#released, Math.min(sequence, this.#lastSequence));
    this.#reader?.signal.raise();
  }

  /** Continues where another server's outbox stopped. */
  resume({
    messages,
    lastSequence,
    confirmed,
  }: {
    messages: readonly Outgoing[];
    lastSequence: number;
    confirmed: number;
  }): void {
    for (const { message, sequence } of messages) {
      this.#entries.push({ message, sequence, sizeBytes: sizeOf(message) });
    }
    this.#lastSequence = this.#released = this.#confirmed = lastSequence;
    this.#unconfirmedBytes = 0;
    if (messages.at(-1)?.message.type === 'end_of_stream') this.#hasEnded = true;
    this.#confirmed = Math.max(confirmed, (messages[0]?.sequence ?? lastSequence + 1) - 1);
    for (const { sequence, sizeBytes } of this.#entries) {
      if (sequence > this.#confirmed) this.#unconfirmedBytes += sizeBytes;
    }
  }

  /** Marks the end: no more messages follow. */
  end(): void {
    this.#hasEnded = true;
    this.#reader?.signal.raise();
  }

  /** Ends all waiting for room, as no client will read any more. */
  close(): void {
    this.#isClosed = true;
    this.#room.raise();
  }

  /** Records that the client has everything up to this sequence; returns the last confirmed sequence. */
  confirm(sequence: number): number {
    const upTo = Math.min(sequence, this.#lastSequence);
    let entry = this.#entryAfter(this.#confirmed);
    for (
      ;
      entry !== undefined && this.#confirmed < upTo;
      entry = this.#entryAfter(this.#confirmed)
    ) {
      this.#unconfirmedBytes -= entry.sizeBytes;
      this.#confirmed = entry.sequence;
    }
    this.#confirmations.push({ sequence: this.#confirmed, atMs: this.#now() });
    this.#dropOld();
    this.#room.raise();
    return this.#confirmed;
  }

  /**
   * Starts a reader for a connection; the previous reader gets nothing more.
   *
   * @param after sequence of the last message the client has; undefined: the last one it has confirmed
   */
  read(after?: number): OutboxReader {
    if (after !== undefined) this.confirm(after);
    const reader = new Reader(this.#tentative.keys());
    this.#reader = reader;
    const oldest = (this.#entries[0]?.sequence ?? this.#lastSequence + 1) - 1;
    reader.position = Math.min(Math.max(after ?? this.#confirmed, oldest), this.#lastSequence);
    const isDone = () => this.#hasEnded && reader.position === this.#lastSequence;
    return {
      take: () => this.#takeFor(reader),
      get isDone() {
        return isDone();
      },
      changed: () => reader.signal.raised(),
    };
  }

  #takeFor(reader: Reader): Outgoing | undefined {
    if (this.#reader !== reader) return undefined;
    const notice = reader.takeNotice();
    if (notice !== undefined) return { message: notice, sequence: 0 };
    const entry = this.#entryAfter(reader.position);
    // A tentative update must not overtake concluded segments that precede it.
    if (entry !== undefined && entry.sequence > this.#released) return undefined;
    if (entry !== undefined) {
      reader.position = entry.sequence;
      return entry;
    }
    const message = reader.takeStale(this.#tentative);
    return message && { message, sequence: 0 };
  }

  #entryAfter(sequence: number): Entry | undefined {
    return this.#entries[sequence + 1 - (this.#entries[0]?.sequence ?? 1)];
  }

  #keep(message: ServerMessage): void {
    this.#lastSequence += 1;
    const sequence = this.#lastSequence;
    if (this.#options.isNumbered) Object.assign(message, { sequence });
    const sizeBytes = sizeOf(message);
    this.#unconfirmedBytes += sizeBytes;
    this.#entries.push({ message, sequence, sizeBytes });
    this.#options.onKept?.(message, sequence);
  }

  #dropOld(): void {
    const latestMs = this.#now() - KEPT_AFTER_CONFIRMATION_MS;
    let droppable = 0;
    for (let first = this.#confirmations[0]; first !== undefined && first.atMs <= latestMs;) {
      droppable = first.sequence;
      this.#confirmations.shift();
      first = this.#confirmations[0];
    }
    const oldest = this.#entries[0]?.sequence ?? 0;
    if (droppable < oldest) return;
    this.#entries.splice(0, droppable - oldest + 1);
    this.#options.onDropped?.(droppable);
  }
}

class Reader {
  /** Sequence of the last durable message taken. */
  position = 0;
  readonly signal = createSignal();
  /** Tracks whose newest tentative captions have not been taken yet. */
  readonly stale: Set<string>;
  readonly notices = new Map<string, ServerMessage>();

  constructor(tracks: Iterable<string>) {
    this.stale = new Set(tracks);
  }

  takeNotice(): ServerMessage | undefined {
    return takeFirst(this.notices.keys(), (kind) => {
      const notice = this.notices.get(kind);
      this.notices.delete(kind);
      return notice;
    });
  }

  takeStale(tentative: ReadonlyMap<string, ServerMessage>): ServerMessage | undefined {
    return takeFirst(this.stale, (track) => {
      this.stale.delete(track);
      return tentative.get(track);
    });
  }
}

function takeFirst<T>(keys: Iterable<string>, take: (key: string) => T | undefined): T | undefined {
  for (const key of keys) return take(key);
  return undefined;
}

/** Track whose captions a message updates; undefined for other messages, all of which are durable. */
function trackOf(message: ServerMessage): string | undefined {
  if (message.type === 'source_transcript_update') return '';
  if (message.type === 'target_transcript_update') return message.language;
  return undefined;
}

function hasConcluded(message: ServerMessage): boolean {
  return 'concluded' in message && message.concluded.length > 0;
}

/** Returns an update without its concluded segments, which are kept as a durable message. */
function withoutConcluded(message: ServerMessage): ServerMessage {
  return 'concluded' in message ? { ...message, concluded: [] } : message;
}

function sizeOf(message: ServerMessage): number {
  if (message.type === 'target_media_chunk') {
    return message.data.reduce((sum, piece) => sum + piece.length, 64);
  }
  const concluded = 'concluded' in message ? message.concluded : [];
  return concluded.reduce((sum, { text }) => sum + 2 * text.length, 64);
}

// Acknowledgements of received audio.

/** Shortest interval between two acknowledgements, in ms. */
const ACKNOWLEDGEMENT_EVERY_MS = 500;
/**
 * Longest interval between two acknowledgements, in ms. They double as a keep-alive: a client that receives none
 * for longer has lost the network. While it is held back, between headers and sound, and while the last words
 * are awaited, they are the only sign that the server is alive.
 */
const KEEP_ALIVE_MS = 1_500;

/** When a session acknowledges the audio it has received. */
export class Acknowledgements {
  readonly #send: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  /** @param send sends one; returns whether another is to follow, even if no audio comes */
  constructor(send: () => boolean) {
    this.#send = send;
  }

  /** At once: also first on each connection, so that the client knows that the server counts its audio. */
  now(): void {
    this.#isDue = false;
    if (this.#send()) this.#in(KEEP_ALIVE_MS);
  }

  /** One for all audio that arrives until then. */
  soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#in(ACKNOWLEDGEMENT_EVERY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #in(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), ms).unref();
  }
}
