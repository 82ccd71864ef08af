/**
 * Fan-out of one message to thousands of readers: encoded once per encoding, and handed out in slices so that
 * no other work waits for it. A slow reader first loses tentative text, then is skipped, and catches up once
 * it has read what it was sent.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encode as packMessage } from '@msgpack/msgpack';
import type { ServiceError } from '../../../shared/errors.ts';
import type { RoomServerMessage } from '../../../shared/protocol/room-messages.ts';
import type { RoomPass } from '../room-keys.ts';

/** Encodings of readers: WebSocket frames of either format, or server-sent events. */
export const encodings = ['json', 'msgpack', 'events'] as const;
export type Encoding = (typeof encodings)[number];

/** The connection of one reader. */
export interface Reader {
  readonly encoding: Encoding;
  /** The pass by which the reader was admitted. */
  readonly pass: RoomPass;
  /** Whether the reader wants only text that cannot change any more. */
  isSettled: boolean;
  /** Sequence of the last message sent that must not be lost. */
  sequence: number;
  /** Whether the reader is skipped for now, and finds what it misses when it catches up. */
  isBehind: boolean;
  /**
   * Whether the reader lacks earlier lines: messages must then not claim completeness up to their sequence.
   */
  lacksHistory: boolean;
  readonly isGone: boolean;
  /** Bytes written and not sent yet. */
  readonly backlogBytes: number;
  /** Whether the write buffer is full: a `drain` will follow. */
  readonly isFull: boolean;
  write(bytes: Uint8Array): void;
  /** Sends the reason, and closes. */
  end(reason: ServiceError, farewell: Parcel): void;
  /** Cuts the connection. */
  destroy(): void;
}

/** A message, encoded on demand in each encoding. */
export interface Parcel {
  /** `tentative` may be lost, as something newer follows; `state` goes to every reader regardless. */
  readonly kind: 'concluded' | 'tentative' | 'state' | 'keep_alive';
  /** Sequence of a message that must not be lost; else 0. */
  readonly sequence: number;
  /** Whether nothing newer may follow for long, as when tentative text is cleared. */
  readonly isLast: boolean;
  in(encoding: Encoding): Uint8Array;
  /** The same message without its sequence, which would claim that a reader has everything up to it. */
  unnumbered(encoding: Encoding): Uint8Array;
}

/** @param sequence given for a message that must not be lost */
export function createParcel(message: RoomServerMessage, sequence?: number): Parcel {
  const made: Partial<Record<Encoding, Uint8Array>> = {};
  const madeUnnumbered: Partial<Record<Encoding, Uint8Array>> = {};
  const { type } = message;
  return {
    kind:
      sequence !== undefined
        ? 'concluded'
        : type === 'captions'
          ? 'tentative'
          : type === 'keep_alive'
            ? type
            : 'state',
    sequence: sequence ?? 0,
    isLast: message.type === 'captions' && message.tentative === '',
    in: (encoding) => (made[encoding] ??= encodeFor(encoding, message)),
    unnumbered: (encoding) =>
      (madeUnnumbered[encoding] ??= encodeFor(encoding, withoutNumber(message))),
  };
}

function withoutNumber(message: RoomServerMessage): RoomServerMessage {
  if (message.type !== 'captions' && message.type !== 'history') return message;
  const { language, lines } = message;
  return { type: 'captions', language, lines, tentative: '' };
}

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;

function encodeFor(encoding: Encoding, { type, ...payload }: RoomServerMessage): Uint8Array {
  if (encoding === 'msgpack') return frame(FINAL_BINARY, packMessage({ [type]: payload }));
  const text = JSON.stringify({ [type]: payload });
  if (encoding === 'json') return frame(FINAL_TEXT, Buffer.from(text));
  const id = 'sequence' in payload ? `id: ${payload.sequence}\n` : '';
  return Buffer.from(`${id}data: ${text}\n\n`);
}

/**
 * Builds a whole unmasked WebSocket frame (RFC 6455 §5.2), once; the library would build one for each socket.
 */
function frame(head: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const bytes = Buffer.allocUnsafe(2 + lengthBytes + length);
  bytes[0] = head;
  if (lengthBytes === 0) bytes[1] = length;
  else if (lengthBytes === 2) {
    bytes[1] = 126;
    bytes.writeUInt16BE(length, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(length), 2);
  }
  bytes.set(payload, 2 + lengthBytes);
  return bytes;
}

/** Readers handled between two looks at the clock; then other queues get their turn. */
const READERS_A_LOOK = 32;

interface Round {
  readers: readonly Reader[];
  /** Index of the next reader, wrapping around, and number of readers still to do. */
  next: number;
  left: number;
  /** Undefined for an action other than sending. */
  parcel: Parcel | undefined;
  act: (reader: Reader) => void;
}

export class FanOut {
  readonly #sliceMs: number;
  /** Pending rounds, in order for each set of readers; the sets take turns. */
  readonly #queues = new Map<object, Round[]>();
  /** When this turn's slice ends; undefined: nothing was handed out in this turn. */
  #untilMs: number | undefined;
  #isRunning = false;
  /** Whether anything was sent in this turn, and how many actions are left in it. */
  #hasSent = false;
  #actsLeft = READERS_A_LOOK;

  /**
   * @param options.sliceMs longest time spent writing in one turn of the event loop, over all messages and
   *   sets of readers; the work that follows the writes takes as long again
   */
  constructor({ sliceMs = 1 }: { sliceMs?: number } = {}) {
    this.#sliceMs = sliceMs;
  }

  /** Sends a parcel to the current readers. */
  send(readers: ReadonlySet<Reader>, parcel: Parcel): void {
    if (readers.size === 0) return;
    const queue = this.#queues.get(readers) ?? [];
    const last = queue.at(-1);
    // A reader that catches up meanwhile would get tentative text before the caption that clears it.
    if (parcel.kind === 'concluded') {
      keepRounds(queue, (round) => round === last || round.parcel?.kind !== 'tentative');
    }
    if (last?.parcel !== undefined && isReplaced(last.parcel, parcel)) {
      // Readers that have not got the old parcel come first.
      const all = [...readers];
      const next = last.next % all.length;
      Object.assign(last, { readers: all, next, left: all.length, parcel });
      return;
    }
    const round: Round = { ...roundOf([...readers]), parcel, act };
    function act(reader: Reader): void {
      // A reader that left meanwhile may be reading another language by now.
      if (round.parcel !== undefined && readers.has(reader)) offer(reader, round.parcel);
    }
    this.#add(readers, round);
  }

  /** Acts on each of many readers; with `after`, once messages queued for that set have been sent. */
  each(readers: readonly Reader[], act: (reader: Reader) => void, after: object = readers): void {
    if (readers.length > 0) this.#add(after, { ...roundOf(readers), parcel: undefined, act });
  }

  /** Cancels the captions queued for these readers. */
  cancel(readers: ReadonlySet<Reader>): void {
    keepRounds(
      this.#queues.get(readers) ?? [],
      ({ parcel }) => parcel?.kind !== 'concluded' && parcel?.kind !== 'tentative',
    );
  }

  /** Returns how many messages some of these readers have not got yet. */
  waiting(readers: ReadonlySet<Reader>): number {
    return this.#queues.get(readers)?.length ?? 0;
  }

  /** Resolves when nothing is queued. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await nextTurn();
  }

  #add(of: object, round: Round): void {
    const queue = this.#queues.get(of);
    if (queue === undefined) this.#queues.set(of, [round]);
    else queue.push(round);
    if (!this.#isRunning) this.#run();
  }

  #run(): void {
    if (this.#untilMs === undefined) {
      this.#untilMs = performance.now() + this.#sliceMs;
      setImmediate(() => this.#beginTurn());
    } else if (performance.now() >= this.#untilMs) return;
    this.#isRunning = true;
    try {
      for (const [of, queue] of this.#queues) {
        const [round] = queue;
        // Bytes written in this turn have not left yet, and must not make a reader look slow.
        if (round?.parcel === undefined && this.#hasSent) continue;
        if (round !== undefined) this.#handOut(round);
        if (round?.left === 0 && queue[0] === round) queue.shift();
        // Moved to the end of the map, where this loop reaches it after all others.
        this.#queues.delete(of);
        if (queue.length > 0) this.#queues.set(of, queue);
        if (performance.now() >= this.#untilMs) break;
      }
    } finally {
      this.#isRunning = false;
    }
  }

  #beginTurn(): void {
    this.#untilMs = undefined;
    this.#hasSent = false;
    this.#actsLeft = READERS_A_LOOK;
    if (this.#queues.size > 0) this.#run();
  }

  #handOut(round: Round): void {
    const isSent = round.parcel !== undefined;
    const most = Math.min(round.left, isSent ? READERS_A_LOOK : this.#actsLeft);
    for (let count = 0; count < most; count += 1) {
      const reader = round.readers[round.next];
      round.next = (round.next + 1) % round.readers.length;
      round.left -= 1;
      if (reader !== undefined) round.act(reader);
    }
    this.#hasSent ||= isSent;
    if (isSent) return;
    // An action may cause more work than a write does.
    this.#actsLeft -= most;
    if (this.#actsLeft === 0) this.#untilMs = 0;
  }
}

function roundOf(readers: readonly Reader[]): Pick<Round, 'readers' | 'next' | 'left'> {
  return { readers, next: 0, left: readers.length };
}

function keepRounds(queue: Round[], isKept: (round: Round) => boolean): void {
  queue.splice(0, queue.length, ...queue.filter(isKept));
}

/** Whether a parcel need not be sent to the remaining readers once `next` follows. */
function isReplaced({ kind }: Parcel, next: Parcel): boolean {
  if (kind === 'concluded') return false;
  return kind === next.kind || (kind === 'tentative' && next.kind === 'concluded');
}

function offer(reader: Reader, parcel: Parcel): void {
  if (reader.isGone) return;
  const { kind, sequence } = parcel;
  if (kind === 'state') reader.write(parcel.in(reader.encoding));
  else if (kind === 'keep_alive') {
    if (reader.backlogBytes === 0) reader.write(parcel.in(reader.encoding));
  } else if (reader.isBehind) return;
  else if (kind === 'tentative') {
    const isSpared = reader.isSettled || (reader.backlogBytes > 0 && !parcel.isLast);
    if (!isSpared) reader.write(parcel.in(reader.encoding));
  } else if (reader.isFull) reader.isBehind = true;
  else if (sequence > reader.sequence) {
    const { encoding, lacksHistory } = reader;
    reader.write(lacksHistory ? parcel.unnumbered(encoding) : parcel.in(encoding));
    reader.sequence = sequence;
  }
}
