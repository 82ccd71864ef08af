/**
 * What a session has to tell its client, whatever becomes of its connections. Messages that must not
 * be lost are numbered and kept until the client has them; of everything else only the newest counts.
 */
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { createSignal } from '../path/streams.ts';

/** What the client has not confirmed may take this much memory; then the voice path waits. */
const MAX_UNCONFIRMED_BYTES = 8 * 1024 * 1024;
/**
 * Confirmed messages are kept a while longer: a browser confirms what it has received, and a page
 * that loses its connection at that moment may never be given it.
 */
const KEPT_AFTER_CONFIRMATION_MS = 30_000;

/** A message on its way; `sequence` is 0 where losing it costs nothing. */
export interface Outgoing {
  message: ServerMessage;
  sequence: number;
}

/** One connection's view: durable messages in order, what is newest of the rest in between. */
export interface OutboxReader {
  /** The next message; undefined when there is none at the moment. */
  take(): Outgoing | undefined;
  /** Everything has been said and taken. */
  readonly isDone: boolean;
  /** Resolves when there may be something to take. */
  changed(): Promise<void>;
}

export interface Outbox {
  /** Whether everything has been said and the client has confirmed it. */
  readonly isDelivered: boolean;
  /** Whether everything has been said. */
  readonly hasEnded: boolean;
  /** Durable messages the client has not confirmed. */
  readonly unconfirmedCount: number;
  /** Takes what the voice path says; resolves when there is room for more. */
  put(message: ServerMessage): Promise<void>;
  /** Says something that only counts now, such as how much audio has arrived. */
  notify(message: ServerMessage): void;
  /** Nothing more will be put. */
  end(): void;
  /** Messages up to that one may be read. */
  release(sequence: number): void;
  /** Messages that are kept, oldest first. */
  readonly kept: readonly Outgoing[];
  /** Goes on where another was. */
  resume(before: { messages: readonly Outgoing[]; lastSequence: number; confirmed: number }): void;
  /** Nobody will read any more: whoever waits for room goes on. */
  close(): void;
  /** The client has everything up to this sequence. */
  confirm(sequence: number): number;
  /**
   * Begins to read for a connection; an earlier reader gets nothing more.
   *
   * @param after the last sequence the client has; undefined: the last one it has confirmed
   */
  read(after: number | undefined): OutboxReader;
}

export interface OutboxOptions {
  /** Whether the client is shown the sequence of durable messages. */
  isNumbered: boolean;
  /** Called for each tentative update that nobody took before a newer one came. */
  onOvertaken?: () => void;
  /** Told each durable message, which nobody reads before {@link Outbox.release}. */
  onKept?: ((message: ServerMessage, sequence: number) => void) | undefined;
  /** Told up to where messages are not kept any more. */
  onDropped?: ((sequence: number) => void) | undefined;
  now?: () => number;
}

interface Entry extends Outgoing {
  sizeBytes: number;
}

export function createOutbox(options: OutboxOptions): Outbox {
  return new KeptMessages(options);
}

class KeptMessages implements Outbox {
  readonly #options: OutboxOptions;
  readonly #now: () => number;
  /** Durable messages that are kept, oldest first, their sequences without gaps. */
  readonly #entries: Entry[] = [];
  /** The newest tentative captions of each track, for clients that come back. */
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

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get unconfirmedCount(): number {
    return this.#lastSequence - this.#confirmed;
  }

  get isDelivered(): boolean {
    return this.#hasEnded && this.unconfirmedCount === 0;
  }

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
      // Nothing of it may follow its end.
      const { language } = message;
      this.#tentative.delete(language);
      this.#reader?.stale.delete(language);
    }
    this.#reader?.signal.raise();
    while (this.#unconfirmedBytes > MAX_UNCONFIRMED_BYTES && !this.#isClosed) {
      await this.#room.raised();
    }
  }

  notify(message: ServerMessage): void {
    this.#reader?.notices.set(message.type, message);
    this.#reader?.signal.raise();
  }

  get kept(): readonly Outgoing[] {
    return this.#entries;
  }

  release(sequence: number): void {
    this.#released = Math.max(this.#released, Math.min(sequence, this.#lastSequence));
    this.#reader?.signal.raise();
  }

  resume({ messages, lastSequence, confirmed }: Parameters<Outbox['resume']>[0]): void {
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

  end(): void {
    this.#hasEnded = true;
    this.#reader?.signal.raise();
  }

  close(): void {
    this.#isClosed = true;
    this.#room.raise();
  }

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
    // What is tentative follows what was concluded before.
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
  /** Sequence of the last durable message that was taken. */
  position = 0;
  readonly signal = createSignal();
  /** Tracks whose newest tentative captions were not taken yet. */
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

/** The track whose captions a message updates; undefined for other messages, all of them durable. */
function trackOf(message: ServerMessage): string | undefined {
  if (message.type === 'source_transcript_update') return '';
  if (message.type === 'target_transcript_update') return message.language;
  return undefined;
}

function hasConcluded(message: ServerMessage): boolean {
  return 'concluded' in message && message.concluded.length > 0;
}

/** What stays of an update once its concluded segments are known. */
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
