/**
 * One message to thousands of readers: written once for each encoding, and handed out in slices, so that
 * nothing else waits for it. A reader who is slow loses what is tentative first, then is skipped, and
 * catches up when it has read what it was sent.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encode as packMessage } from '@msgpack/msgpack';
import type { ServiceError } from '../../../shared/errors.ts';
import type { RoomServerMessage } from '../../../shared/protocol/room-messages.ts';
import type { RoomPass } from '../room-keys.ts';

/** How a reader is written to: WebSocket frames of either format, or server-sent events. */
export const encodings = ['json', 'msgpack', 'events'] as const;
export type Encoding = (typeof encodings)[number];

/** Somebody who reads along. */
export interface Reader {
  readonly encoding: Encoding;
  /** By what it was let in. */
  readonly pass: RoomPass;
  /** Whether only what cannot change any more is read. */
  isSettled: boolean;
  /** Of the last message that was sent and must not be lost. */
  sequence: number;
  /** Whether what follows is not sent, but found when it catches up. */
  isBehind: boolean;
  /** Whether it reads along without what was said before: what it is sent is not to count as all up to there. */
  isOwed: boolean;
  readonly isGone: boolean;
  /** Bytes that were written and not sent yet. */
  readonly backlogBytes: number;
  /** Whether as much waits as is good: its `drain` will come. */
  readonly isFull: boolean;
  write(bytes: Uint8Array): void;
  /** Tells why, and closes. */
  end(reason: ServiceError, farewell: Parcel): void;
  /** Cuts the connection. */
  destroy(): void;
}

/** A message in every encoding that somebody needs. */
export interface Parcel {
  /** `tentative` may be lost, as something newer follows; `state` is for everybody at once. */
  readonly kind: 'concluded' | 'tentative' | 'state' | 'keep_alive';
  /** Of what must not be lost. */
  readonly sequence: number;
  /** Whether nothing newer may follow for long: what was tentative is taken away. */
  readonly isLast: boolean;
  in(encoding: Encoding): Uint8Array;
  /** The same without the number that says up to where a reader has everything. */
  unnumbered(encoding: Encoding): Uint8Array;
}

/** @param sequence of a message that must not be lost */
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

/** A whole unmasked WebSocket frame (RFC 6455 §5.2): built once, where the library would for each socket. */
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

export interface FanOut {
  /** Sends a parcel to everybody who reads at this moment. */
  send(readers: ReadonlySet<Reader>, parcel: Parcel): void;
  /** Does something with each of many; with `after`, once they were sent what these readers are sent before. */
  each(
    readers: readonly Reader[],
    act: (reader: Reader) => void,
    after?: ReadonlySet<Reader>,
  ): void;
  /** Sends no more of what was said. */
  cancel(readers: ReadonlySet<Reader>): void;
  /** How much of what they are to be sent some have not got. */
  waiting(readers: ReadonlySet<Reader>): number;
  /** Resolves when nothing waits to be handed out. */
  idle(): Promise<void>;
}

/** Clocks are read once for so many readers, and then others have their turn. */
const READERS_A_LOOK = 32;

interface Round {
  readers: readonly Reader[];
  /** Who is next, from the first again after the last, and for how many it is still to be done. */
  next: number;
  left: number;
  /** Undefined: something else is done with them. */
  parcel: Parcel | undefined;
  act: (reader: Reader) => void;
}

/**
 * @param options.sliceMs longest time that is written in a turn of the event loop, whatever is sent and to how many
 *   sets of readers; what follows the writes takes as long again
 */
export function createFanOut({ sliceMs = 1 }: { sliceMs?: number } = {}): FanOut {
  return new SlicedFanOut(sliceMs);
}

class SlicedFanOut implements FanOut {
  readonly #sliceMs: number;
  /** What is yet to be handed out, in its order for each set of readers; the sets have turns. */
  readonly #queues = new Map<object, Round[]>();
  /** When this turn's time is up; undefined: nothing was handed out in it. */
  #untilMs: number | undefined;
  #isRunning = false;
  /** Whether somebody was written to in this turn, and with how many something else may be done. */
  #hasSent = false;
  #actsLeft = READERS_A_LOOK;

  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  send(readers: ReadonlySet<Reader>, parcel: Parcel): void {
    if (readers.size === 0) return;
    const queue = this.#queues.get(readers) ?? [];
    const last = queue.at(-1);
    // Who catches up meanwhile would have this before what it takes away.
    if (parcel.kind === 'concluded') {
      keepRounds(queue, (round) => round === last || round.parcel?.kind !== 'tentative');
    }
    if (last?.parcel !== undefined && isReplaced(last.parcel, parcel)) {
      // Who has not got that yet is next.
      const all = [...readers];
      const next = last.next % all.length;
      Object.assign(last, { readers: all, next, left: all.length, parcel });
      return;
    }
    const round: Round = { ...roundOf([...readers]), parcel, act };
    function act(reader: Reader): void {
      // Who has left meanwhile may read another language by now.
      if (round.parcel !== undefined && readers.has(reader)) offer(reader, round.parcel);
    }
    this.#add(readers, round);
  }

  each(readers: readonly Reader[], act: (reader: Reader) => void, after: object = readers): void {
    if (readers.length > 0) this.#add(after, { ...roundOf(readers), parcel: undefined, act });
  }

  cancel(readers: ReadonlySet<Reader>): void {
    keepRounds(
      this.#queues.get(readers) ?? [],
      ({ parcel }) => parcel?.kind !== 'concluded' && parcel?.kind !== 'tentative',
    );
  }

  waiting(readers: ReadonlySet<Reader>): number {
    return this.#queues.get(readers)?.length ?? 0;
  }

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
        // What was written in this turn counts as on its way: nobody is to be taken for slow by it.
        if (round?.parcel === undefined && this.#hasSent) continue;
        if (round !== undefined) this.#handOut(round);
        if (round?.left === 0 && queue[0] === round) queue.shift();
        // This loop comes to it again after all others.
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
    // More may follow from that than from a write.
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

/** Whether what some have not got need not be sent any more when this follows. */
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
    const { encoding, isOwed } = reader;
    reader.write(isOwed ? parcel.unnumbered(encoding) : parcel.in(encoding));
    reader.sequence = sequence;
  }
}
