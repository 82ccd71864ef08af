/**
 * One message to thousands of readers: written once for each encoding, and handed out in slices, so that
 * nothing else waits for it. A reader who is slow loses what is tentative first, then is skipped, and
 * catches up when it has read what it was sent.
 */
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
  in(encoding: Encoding): Uint8Array;
}

/** @param sequence of a message that must not be lost */
export function createParcel(message: RoomServerMessage, sequence?: number): Parcel {
  const made: Partial<Record<Encoding, Uint8Array>> = {};
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
    in: (encoding) => (made[encoding] ??= encodeFor(encoding, message)),
  };
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
  /** Does something with each of many, after all that was sent before. */
  each(readers: readonly Reader[], act: (reader: Reader) => void): void;
}

/** Clocks are read once for so many readers. */
const READERS_A_LOOK = 32;
/** Readers with whom something is done in a turn of the event loop: more may follow from that than from a write. */
const READERS_A_TURN = 50;

interface Round {
  readers: Reader[];
  next: number;
  /** Undefined: something else is done with them. */
  sent: { of: ReadonlySet<Reader>; parcel: Parcel } | undefined;
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
  /** What is yet to be handed out, one after the other. */
  readonly #rounds: Round[] = [];
  /** When this turn's time is up; undefined: nothing was handed out in it. */
  #untilMs: number | undefined;

  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  send(readers: ReadonlySet<Reader>, parcel: Parcel): void {
    if (readers.size === 0) return;
    if (parcel.kind === 'tentative' && this.#replaceTentative(readers, parcel)) return;
    const sent = { of: readers, parcel };
    const act = (reader: Reader) => {
      // Who has left meanwhile may read another language by now.
      if (readers.has(reader)) offer(reader, sent.parcel);
    };
    this.#add({ readers: [...readers], next: 0, sent, act });
  }

  /** What replaces a tentative text that is being handed out: who has not got that yet need not. */
  #replaceTentative(readers: ReadonlySet<Reader>, parcel: Parcel): boolean {
    const last = this.#rounds.findLast(({ sent }) => sent?.of === readers);
    if (last?.sent?.parcel.kind !== 'tentative') return false;
    last.sent.parcel = parcel;
    last.readers.push(...last.readers.splice(0, last.next));
    last.next = 0;
    return true;
  }

  each(readers: readonly Reader[], act: (reader: Reader) => void): void {
    if (readers.length > 0) this.#add({ readers: [...readers], next: 0, sent: undefined, act });
  }

  #add(round: Round): void {
    this.#rounds.push(round);
    // Otherwise it is handed out at this moment, or in the next turn.
    if (this.#rounds.length === 1) this.#run();
  }

  #run(): void {
    if (this.#untilMs === undefined) {
      this.#untilMs = performance.now() + this.#sliceMs;
      setImmediate(() => this.#beginTurn());
    } else if (performance.now() >= this.#untilMs) return;
    for (let round = this.#rounds[0]; round !== undefined; round = this.#rounds[0]) {
      this.#handOut(round);
      if (round.next >= round.readers.length) this.#rounds.shift();
      if (performance.now() >= this.#untilMs) return;
    }
  }

  #beginTurn(): void {
    this.#untilMs = undefined;
    if (this.#rounds.length > 0) this.#run();
  }

  /** To as many as there is time for, some at least. */
  #handOut(round: Round): void {
    const { readers, sent, act } = round;
    const most = sent === undefined ? READERS_A_TURN : Infinity;
    const end = Math.min(readers.length, round.next + most);
    while (round.next < end) {
      const look = Math.min(round.next + READERS_A_LOOK, end);
      for (; round.next < look; round.next += 1) act(readers[round.next] as Reader);
      if (performance.now() >= (this.#untilMs ?? 0)) return;
    }
    if (sent === undefined) this.#untilMs = 0;
  }
}

function offer(reader: Reader, parcel: Parcel): void {
  if (reader.isGone) return;
  const { kind, sequence } = parcel;
  if (kind === 'state') reader.write(parcel.in(reader.encoding));
  else if (kind === 'keep_alive') {
    if (reader.backlogBytes === 0) reader.write(parcel.in(reader.encoding));
  } else if (reader.isBehind) return;
  else if (kind === 'tentative') {
    if (!reader.isSettled && reader.backlogBytes === 0) reader.write(parcel.in(reader.encoding));
  } else if (reader.isFull) reader.isBehind = true;
  else if (sequence > reader.sequence) {
    reader.write(parcel.in(reader.encoding));
    reader.sequence = sequence;
  }
}
