import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { OggReader, readAudioFromOgg } from '../../../../server/voice/audio/codecs/ogg-reader.ts';
import {
  MAX_PACKET_BYTES,
  parseOpusHead,
  type OpusHead,
} from '../../../../server/voice/audio/codecs/opus-format.ts';
import {
  cut,
  encoded,
  encodedFile,
  packetHashes,
  prepareEncoded,
} from '../../../support/audio/audio-files.ts';
import { readDamaged } from '../../../support/audio/damaged-streams.ts';
import { opusHead } from '../../../support/audio/matroska-writer.ts';

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const files = [
  { name: 'pages of a second', args: opus },
  { name: 'a packet a page', args: [...opus, '-page_duration', '20000'] },
  { name: 'packets of 120 ms', args: [...opus, '-frame_duration', '120'] },
  { name: 'packets that run across pages', args: ['-c:a', 'libopus', '-b:a', '256k'] },
];
beforeAll(() => prepareEncoded(files.map(({ args }) => ({ extension: 'ogg', args }))));

function read(bytes: Uint8Array, chunkBytes = bytes.length) {
  const packets: Uint8Array[] = [];
  const heads: OpusHead[] = [];
  const trims: number[] = [];
  const reader = new OggReader(
    readAudioFromOgg({
      start: (_, head) => heads.push(parseOpusHead(head)),
      packet(packet, trimEnd48k) {
        packets.push(Uint8Array.from(packet));
        trims.push(trimEnd48k);
      },
    }),
  );
  let heldBytes = 0;
  for (const chunk of cut(bytes, chunkBytes)) {
    reader.push(chunk);
    heldBytes = Math.max(heldBytes, reader.heldBytes);
  }
  return { packets, heads, trims, heldBytes };
}

interface Page {
  serial?: number;
  flags?: number;
  granule?: number;
  /** Segment sizes as in the segment table. */
  segments: number[];
  body: number[];
}

function page({ serial = 1, flags = 0, granule = -1, segments, body }: Page): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS');
  header[5] = flags;
  header.writeBigInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(serial, 14);
  header[26] = segments.length;
  return Buffer.concat([header, Buffer.from(segments), Buffer.from(body)]);
}

const CONTINUED = 1;
const BEGINS = 2;
const ENDS = 4;
/** A CELT packet of 20 ms that its last byte identifies. */
const packet = (mark: number) => [0xf8, mark];

function headers(serial = 1, head = opusHead()): Buffer {
  const tags = [...Buffer.from('OpusTags'), 0, 0, 0, 0, 0, 0, 0, 0];
  return Buffer.concat([
    page({ serial, flags: BEGINS, granule: 0, segments: [head.length], body: head }),
    page({ serial, granule: 0, segments: [tags.length], body: tags }),
  ]);
}

const audio = (mark: number, more: Partial<Page> = {}) =>
  page({ segments: [2], body: packet(mark), granule: mark * 960, ...more });

const marks = (packets: Uint8Array[]) => packets.map((bytes) => bytes.at(-1));
const refusal: unknown = expect.objectContaining({ code: 'audio_format_unsupported' });

describe.each(files)('a file with $name', ({ args }) => {
  it.each([1, 700, 1 << 30])('reads the same packets as ffprobe, %d bytes at a time', (n) => {
    const { packets, heads } = read(encoded('ogg', args), n);
    const hashes = packets.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
    expect(hashes).toEqual(packetHashes(encodedFile('ogg', args)));
    expect(heads).toEqual([{ preSkip48k: 312, outputGain: 0 }]);
  });

  it('finds where the last page trims the sound', () => {
    const { trims } = read(encoded('ogg', args), 700);
    expect(trims.slice(0, -1).every((trim) => trim === 0)).toBe(true);
    expect(trims.at(-1)).toBeGreaterThan(0);
  });
});

describe('an Ogg stream', () => {
  it.each([1, 13, 1 << 20])(
    'yields a packet as soon as its last byte arrives, %d bytes at a time',
    (n) => {
      const whole = Buffer.concat([
        headers(),
        page({ segments: [2, 2, 2], body: [1, 2, 3].flatMap(packet) }),
      ]);
      expect(marks(read(whole.subarray(0, whole.length - 2), n).packets)).toEqual([1, 2]);
    },
  );

  it.each([1, 300, 1 << 20])(
    'may have packets that span several pages, %d bytes at a time',
    (n) => {
      const body = (bytes: number) => new Array<number>(bytes).fill(5);
      const whole = Buffer.concat([
        headers(),
        page({ segments: [2, 255], body: [...packet(1), ...body(255)] }),
        page({ flags: CONTINUED, segments: [255, 255], body: body(510) }),
        page({ serial: 9, segments: [3], body: [9, 9, 9] }),
        page({ flags: CONTINUED, segments: [0, 2], body: packet(2) }),
      ]);
      expect(read(whole, n).packets.map(({ length }) => length)).toEqual([2, 765, 2]);
    },
  );

  it('loses only the packet whose beginning or end is missing', () => {
    const lostEnd = page({
      segments: [2, 255],
      body: [...packet(1), ...new Array<number>(255).fill(0)],
    });
    const lostBeginning = page({
      flags: CONTINUED,
      segments: [4, 2],
      body: [0, 0, 0, 0, ...packet(4)],
    });
    const { packets } = read(
      Buffer.concat([headers(), lostEnd, audio(2), audio(3), lostBeginning, audio(5)]),
    );
    expect(marks(packets)).toEqual([1, 2, 3, 4, 5]);
  });

  it('may have tags that fill several pages (a cover picture), which are not buffered', () => {
    const tags = new Array<number>(65_025).fill(0);
    tags.splice(0, 8, ...Buffer.from('OpusTags'));
    const segments = new Array<number>(255).fill(255);
    const [head] = [headers().subarray(0, 27 + 1 + 19)];
    const whole = Buffer.concat([
      head,
      page({ segments, body: tags }),
      page({ flags: CONTINUED, segments, body: tags }),
      page({ flags: CONTINUED, granule: 0, segments: [9], body: tags.slice(0, 9) }),
      audio(1),
    ]);
    const { packets, heldBytes } = read(whole, 1000);
    expect(marks(packets)).toEqual([1]);
    expect(heldBytes).toBeLessThan(MAX_PACKET_BYTES + 1000);
  });

  it('may be chained: each link begins with its own header', () => {
    const links = [
      headers(1),
      audio(1),
      headers(2, opusHead({ preSkip: 80 })),
      audio(2, { serial: 2 }),
    ];
    const { packets, heads } = read(Buffer.concat(links), 3);
    expect(marks(packets)).toEqual([1, 2]);
    expect(heads.map(({ preSkip48k }) => preSkip48k)).toEqual([0, 80]);
  });

  it('may be multiplexed with other streams: the first Opus stream is read', () => {
    const other = page({ serial: 7, flags: BEGINS, segments: [4], body: [1, 2, 3, 4] });
    const second = headers(8).subarray(0, 27 + 1 + 19);
    const { packets, heads } = read(
      Buffer.concat([
        ...[other, headers(1).subarray(0, 47), second, headers(1).subarray(47)],
        ...[audio(1), audio(2, { serial: 7 }), audio(3, { serial: 8 }), audio(4)],
      ]),
    );
    expect(marks(packets)).toEqual([1, 4]);
    expect(heads.length).toBe(1);
  });

  it('is trimmed where its last page says, and not at all when that position is impossible', () => {
    const last = (granule: number) => audio(2, { flags: ENDS, granule });
    const trims = (granule: number) =>
      read(Buffer.concat([headers(), audio(1), last(granule)])).trims;
    expect(trims(960 + 500)).toEqual([0, 460]);
    expect(trims(960)).toEqual([0, 960]);
    expect(trims(1e9)).toEqual([0, 0]);
    expect(trims(5)).toEqual([0, 0]);
  });

  it.each([
    ['is no Ogg', Buffer.from('RIFF')],
    ['loses its pages', Buffer.concat([headers(), Buffer.from('Og!')])],
    ['has another version of Ogg', Buffer.concat([Buffer.from('OggS\x01'), Buffer.alloc(22)])],
    ['has no Opus', Buffer.concat([page({ flags: BEGINS, segments: [1], body: [1] }), audio(1)])],
    ['begins in the middle', audio(1)],
    ['has a head that is cut off', headers(1, opusHead().slice(0, 12))],
  ])('that %s is rejected', (_, bytes) => {
    for (const chunkBytes of [1, 1 << 20]) expect(() => read(bytes, chunkBytes)).toThrow(refusal);
  });
});

it('decodes or rejects each of 200 damaged streams quickly and in little memory', () => {
  const outcome = readDamaged({
    ...{ seed: 2, runs: 200, chunkBytes: [1, 100, 1500, 6000] },
    sources: files.map(({ args }) => ({ bytes: encoded('ogg', args).subarray(0, 6000) })),
    read: (bytes, chunkBytes) => expect(read(bytes, chunkBytes).heldBytes).toBeLessThan(70_000),
    refusals: ['audio_format_unsupported', 'audio_not_mono'],
  });
  expect(outcome.read).toBeGreaterThan(50);
  expect(outcome.refused).toBeGreaterThan(50);
  expect(outcome.slowestMs).toBeLessThan(4_000);
});
