/** A reader whose connection behaves as a test says. */
import { decode } from '@msgpack/msgpack';
import type { Encoding, Reader } from '../../../server/events/reading/fan-out.ts';
import { anybody, type RoomPass } from '../../../server/events/room-keys.ts';

export interface ScriptedReader extends Reader {
  /** Messages written to it, decoded. */
  readonly received: Record<string, Record<string, unknown>>[];
  backlogBytes: number;
  isGone: boolean;
  readonly ended: string[];
}

export function scriptedReader({
  encoding = 'json',
  pass = anybody,
  isSettled = false,
}: { encoding?: Encoding; pass?: RoomPass; isSettled?: boolean } = {}): ScriptedReader {
  const received: ScriptedReader['received'] = [];
  const ended: string[] = [];
  return {
    ...{ encoding, pass, isSettled, received, ended },
    sequence: -1,
    isBehind: true,
    lacksHistory: false,
    isGone: false,
    backlogBytes: 0,
    get isFull() {
      return this.backlogBytes > 32 * 1024;
    },
    write(bytes) {
      received.push(unwrap(encoding, Buffer.from(bytes)));
    },
    end(reason) {
      ended.push(reason.message);
      this.isGone = true;
    },
    destroy() {
      this.isGone = true;
    },
  };
}

function unwrap(encoding: Encoding, bytes: Buffer): Record<string, Record<string, unknown>> {
  type Message = Record<string, Record<string, unknown>>;
  if (encoding === 'events') {
    const [, data = ''] = /^(?:id: \d+\n)?data: (.*)\n\n$/s.exec(bytes.toString()) ?? [];
    return JSON.parse(data) as Message;
  }
  const length = bytes[1] ?? 0;
  const size = length < 126 ? length : length === 126 ? bytes.readUInt16BE(2) : -1;
  const at = length < 126 ? 2 : length === 126 ? 4 : 10;
  const payload = bytes.subarray(at);
  if (size === -1 ? payload.length !== Number(bytes.readBigUInt64BE(2)) : payload.length !== size) {
    throw new Error('a frame whose length is wrong');
  }
  return (encoding === 'json' ? JSON.parse(payload.toString()) : decode(payload)) as Message;
}
