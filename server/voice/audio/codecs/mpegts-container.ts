/** Writes MPEG transport streams (ISO/IEC 13818-1): one program with one audio stream, AAC or Opus. */
import { crc32 } from './checksums.ts';
import type { Container, Packet } from './media-pieces.ts';
import { OPUS_PRE_SKIP } from './opus-format.ts';

const PACKET_BYTES = 188;
const PAYLOAD_BYTES = 184;
const PMT_PID = 0x1000;
const AUDIO_PID = 0x100;
const PROGRAM = 1;
/** Clock rate; times have 33 bits. */
const CLOCK_HZ = 90_000;
const CLOCK_RANGE = 2 ** 33;
/** Delay between a clock reference and its sound, which a decoder must buffer. */
const PLAYOUT_TICKS = 0.1 * CLOCK_HZ;

export interface MpegtsOptions {
  codec: 'opus' | 'aac';
  /** Rate of the samples that packets count. */
  sampleRateHz: number;
}

/** @param options describe the packets: whole ADTS frames, or Opus packets */
export function createMpegtsContainer({ codec, sampleRateHz }: MpegtsOptions): Container {
  let continuity = 0;
  let isFirst = true;
  const contentOf = ({ data }: Packet): Uint8Array[] => {
    if (codec === 'aac') return [data];
    const head = opusControlHeader(data.length, isFirst);
    isFirst = false;
    return [head, data];
  };
  return {
    headers: [table(0, programAssociation()), table(PMT_PID, programMap(codec))],
    // Clock references must come at least every 100 ms (2.7.2), and each piece has one.
    pieceMs: 100,
    wrap(packets, startSample) {
      let sample = startSample;
      // Each frame has its own timestamp, as players derive the length of a stream from the last one.
      const units = packets.map((packet, index) => {
        const ticks = Math.round((sample / sampleRateHz) * CLOCK_HZ);
        sample += packet.samples;
        const content = contentOf(packet);
        const header = pesHeader({ codec, ticks: ticks + PLAYOUT_TICKS, content });
        const clock = index === 0 ? clockReference(ticks) : undefined;
        const whole = packetise(Buffer.concat([header, ...content]), { clock, continuity });
        continuity = (continuity + whole.length / PACKET_BYTES) % 16;
        return whole;
      });
      return Buffer.concat(units);
    },
  };
}

/** Returns the control header of an Opus packet ("Opus in MPEG-TS", opus-codec.org). */
function opusControlHeader(sizeBytes: number, isFirst: boolean): Uint8Array {
  // Eleven ones, then the flag for samples to be dropped from the start.
  const head = isFirst
    ? [0x7f, 0xf0, ...lacing(sizeBytes), OPUS_PRE_SKIP >> 8, OPUS_PRE_SKIP & 0xff]
    : [0x7f, 0xe0, ...lacing(sizeBytes)];
  return Uint8Array.from(head);
}

function lacing(sizeBytes: number): number[] {
  return [...new Array<number>(Math.floor(sizeBytes / 255)).fill(255), sizeBytes % 255];
}

/** Returns the header of an elementary stream packet, with its presentation time (2.4.3.6). */
function pesHeader({
  codec,
  ticks,
  content,
}: {
  codec: 'opus' | 'aac';
  ticks: number;
  content: readonly Uint8Array[];
}): Uint8Array {
  const sizeBytes = content.reduce((sum, { length }) => sum + length, 0);
  const header = Buffer.alloc(14);
  header.writeUIntBE(1, 0, 3);
  // Stream id: the first audio stream, or a private one.
  header.writeUInt8(codec === 'aac' ? 0xc0 : 0xbd, 3);
  header.writeUInt16BE(sizeBytes + 8, 4);
  // Data alignment; a presentation timestamp of 5 bytes.
  header.writeUInt8(0x84, 6);
  header.writeUInt8(0x80, 7);
  header.writeUInt8(5, 8);
  const pts = ticks % CLOCK_RANGE;
  header.writeUInt8(0x21 | (Math.floor(pts / 2 ** 30) << 1), 9);
  header.writeUInt16BE((Math.floor(pts / 2 ** 15) % 2 ** 15) * 2 + 1, 10);
  header.writeUInt16BE((pts % 2 ** 15) * 2 + 1, 12);
  return header;
}

/** Cuts a unit into packets; the first carries the clock reference, if any, and the last is padded. */
function packetise(
  unit: Uint8Array,
  { clock, continuity }: { clock: Uint8Array | undefined; continuity: number },
): Buffer {
  const clockBytes = clock === undefined ? 0 : 2 + clock.length;
  const count = Math.ceil((unit.length + clockBytes) / PAYLOAD_BYTES);
  const packets = Buffer.alloc(count * PACKET_BYTES);
  let taken = 0;
  for (let index = 0; index < count; index += 1) {
    const packet = packets.subarray(index * PACKET_BYTES, (index + 1) * PACKET_BYTES);
    const room = PAYLOAD_BYTES - (index === 0 ? clockBytes : 0);
    const rest = unit.subarray(taken, taken + room);
    taken += rest.length;
    writeHead(packet, { pid: AUDIO_PID, begins: index === 0, continuity: continuity + index });
    writePayload(packet, index === 0 ? clock : undefined, rest);
  }
  return packets;
}

function writeHead(
  packet: Buffer,
  { pid, begins, continuity }: { pid: number; begins: boolean; continuity: number },
): void {
  packet.writeUInt8(0x47, 0);
  packet.writeUInt16BE((begins ? 0x4000 : 0) | pid, 1);
  // Marks a payload; writePayload may add an adaptation field before it.
  packet.writeUInt8(0x10 | (continuity & 15), 3);
}

/** Fills a packet; an adaptation field takes the space that the payload leaves (2.4.3.4). */
function writePayload(packet: Buffer, clock: Uint8Array | undefined, payload: Uint8Array): void {
  const fieldBytes = PAYLOAD_BYTES - payload.length;
  packet.set(payload, 4 + fieldBytes);
  if (fieldBytes === 0) return;
  packet[3] = 0x30 | ((packet[3] ?? 0) & 15);
  packet.writeUInt8(fieldBytes - 1, 4);
  if (fieldBytes === 1) return;
  packet.fill(0xff, 5, 4 + fieldBytes);
  // Flags: 0x10 announces a clock reference.
  packet.writeUInt8(clock === undefined ? 0 : 0x10, 5);
  if (clock !== undefined) packet.set(clock, 6);
}

/** Returns a clock reference: 33 bits, 6 reserved ones, and 9 of a finer clock, always zero (2.4.3.5). */
function clockReference(ticks: number): Uint8Array {
  const clock = Buffer.alloc(6);
  const base = ticks % CLOCK_RANGE;
  clock.writeUInt32BE(Math.floor(base / 2), 0);
  clock.writeUInt16BE(((base % 2) << 15) | 0x7e00, 4);
  return clock;
}

/** Returns the program association table: one program, described on {@link PMT_PID} (2.4.4.3). */
function programAssociation(): Uint8Array {
  const body = Buffer.alloc(4);
  body.writeUInt16BE(PROGRAM, 0);
  body.writeUInt16BE(0xe000 | PMT_PID, 2);
  return section(0, 1, body);
}

/** Returns the program map table (2.4.4.8). */
function programMap(codec: 'opus' | 'aac'): Uint8Array {
  // Registration descriptor, and extension descriptor with the number of channels.
  const descriptors =
    codec === 'aac'
      ? Buffer.alloc(0)
      : Buffer.concat([Uint8Array.of(5, 4), Buffer.from('Opus'), Uint8Array.of(0x7f, 2, 0x80, 1)]);
  const body = Buffer.alloc(9);
  body.writeUInt16BE(0xe000 | AUDIO_PID, 0);
  // No descriptors for the program as a whole.
  body.writeUInt16BE(0xf000, 2);
  // Stream type: AAC in ADTS, or private data explained by the descriptors.
  body.writeUInt8(codec === 'aac' ? 0x0f : 0x06, 4);
  body.writeUInt16BE(0xe000 | AUDIO_PID, 5);
  body.writeUInt16BE(0xf000 | descriptors.length, 7);
  return section(2, PROGRAM, Buffer.concat([body, descriptors]));
}

/** Returns a table of one section, version 0, currently applicable (2.4.4.1). */
function section(tableId: number, id: number, body: Uint8Array): Uint8Array {
  const head = Buffer.alloc(8);
  head.writeUInt8(tableId, 0);
  head.writeUInt16BE(0xb000 | (5 + body.length + 4), 1);
  head.writeUInt16BE(id, 3);
  head.writeUInt8(0xc1, 5);
  const content = Buffer.concat([head, body, Buffer.alloc(4)]);
  content.writeUInt32BE(crc32(content.subarray(0, -4), 0xffffffff), content.length - 4);
  return content;
}

/** Returns a padded packet with one section. */
function table(pid: number, content: Uint8Array): Uint8Array {
  const packet = Buffer.alloc(PACKET_BYTES, 0xff);
  writeHead(packet, { pid, begins: true, continuity: 0 });
  // The section begins at once.
  packet.writeUInt8(0, 4);
  packet.set(content, 5);
  return packet;
}
