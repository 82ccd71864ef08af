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

/** Readers with whom something is done without letting anything else happen. */
const AT_ONCE = 50;

/** Does something with many, so many at a time: what else there is to do comes in between. */
export function inSlices<T>(all: T[], act: (each: T) => void): void {
  for (const each of all.splice(-AT_ONCE)) act(each);
  if (all.length > 0) setImmediate(() => inSlices(all, act));
}

export interface FanOut {
  /** Sends a parcel to everybody who reads at this moment. */
  send(readers: ReadonlySet<Reader>, parcel: Parcel): void;
}

/**
 * @param options.sliceMs longest time that is written without letting anything else happen; what follows the writes
 *   takes as long again
 */
export function createFanOut({ sliceMs = 1 }: { sliceMs?: number } = {}): FanOut {
  const rounds: Round[] = [];
  let isRunning = false;

  function run(): void {
    const untilMs = performance.now() + sliceMs;
    for (let round = rounds[0]; round !== undefined; round = rounds[0]) {
      if (!goOn(round, untilMs)) {
        setImmediate(run);
        return;
      }
      rounds.shift();
    }
    isRunning = false;
  }

  return {
    send(readers, parcel) {
      if (readers.size === 0) return;
      if (parcel.kind === 'tentative') {
        // It replaces what is tentative: who has not got that yet need not.
        const last = rounds.findLast(({ of }) => of === readers);
        if (last?.parcel.kind === 'tentative') {
          last.parcel = parcel;
          last.readers.push(...last.readers.splice(0, last.next));
          last.next = 0;
          return;
        }
      }
      rounds.push({ of: readers, readers: [...readers], parcel, next: 0 });
      if (isRunning) return;
      isRunning = true;
      run();
    },
  };
}

interface Round {
  of: ReadonlySet<Reader>;
  readers: Reader[];
  parcel: Parcel;
  next: number;
}

/** Clocks are read once for so many readers. */
const READERS_A_LOOK = 32;

/** @returns whether everybody has it; else time was up */
function goOn(round: Round, untilMs: number): boolean {
  const { readers, parcel } = round;
  while (round.next < readers.length) {
    const end = Math.min(round.next + READERS_A_LOOK, readers.length);
    for (; round.next < end; round.next += 1) {
      const reader = readers[round.next];
      // Who has left meanwhile may read another language by now.
      if (reader !== undefined && round.of.has(reader)) offer(reader, parcel);
    }
    if (performance.now() >= untilMs && round.next < readers.length) return false;
  }
  return true;
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
