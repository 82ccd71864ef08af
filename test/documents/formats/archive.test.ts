/** Archives that different programs would read differently. */
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import { openArchive } from '../../../server/documents/formats/office/archive.ts';

interface Entry {
  name: string;
  data: string | Buffer;
  isDeflated?: boolean;
  /** Extra fields in the directory, and in the local header. */
  extra?: Buffer;
  localExtra?: Buffer;
  /** Packed size and flags in the local header. */
  localBytes?: number;
  localFlags?: number;
}

const NO_EXTRA = Buffer.alloc(0);

/** Writes a zip file with the given fields. */
function zip(entries: readonly Entry[]): Buffer {
  const written: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, listed } = records(entry, offset);
    written.push(local);
    directory.push(listed);
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...written, listing, end]);
}

function records(entry: Entry, offset: number): { local: Buffer; listed: Buffer } {
  const { extra = NO_EXTRA, localExtra = NO_EXTRA, localFlags = 0, isDeflated = false } = entry;
  const name = Buffer.from(entry.name);
  const data = Buffer.from(entry.data);
  const packed = isDeflated ? deflateRawSync(data) : data;
  const local = Buffer.alloc(30);
  local.write('PK\x03\x04', 'latin1');
  local.writeUInt16LE(localFlags, 6);
  local.writeUInt16LE(isDeflated ? 8 : 0, 8);
  local.writeUInt32LE(crc32(data), 14);
  local.writeUInt32LE(entry.localBytes ?? packed.length, 18);
  local.writeUInt32LE(entry.localBytes === 0xffffffff ? 0xffffffff : data.length, 22);
  local.writeUInt16LE(name.length, 26);
  local.writeUInt16LE(localExtra.length, 28);
  const listed = Buffer.alloc(46);
  listed.write('PK\x01\x02', 'latin1');
  listed.writeUInt16LE(isDeflated ? 8 : 0, 10);
  listed.writeUInt32LE(crc32(data), 16);
  listed.writeUInt32LE(packed.length, 20);
  listed.writeUInt32LE(data.length, 24);
  listed.writeUInt16LE(name.length, 28);
  listed.writeUInt16LE(extra.length, 30);
  listed.writeUInt32LE(offset, 42);
  return {
    local: Buffer.concat([local, name, localExtra, packed]),
    listed: Buffer.concat([listed, name, extra]),
  };
}

/** Returns an extra field. */
function field(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** Returns Info-ZIP's Unicode path field for an entry. */
function secondName(first: string, second: string): Buffer {
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeUInt32LE(crc32(Buffer.from(first)), 1);
  return field(0x7075, Buffer.concat([head, Buffer.from(second)]));
}

/** Returns the 64-bit sizes of an entry. */
function longSizes(bytes: number, packedBytes: number): Buffer {
  const sizes = Buffer.alloc(16);
  sizes.writeBigUInt64LE(BigInt(bytes), 0);
  sizes.writeBigUInt64LE(BigInt(packedBytes), 8);
  return field(1, sizes);
}

const one = { name: 'one.xml', data: '<one/>' };
const hidden = zip([{ name: 'two.xml', data: '<hidden/>' }]).subarray(0, -22 - 46 - 7);
const two = { name: 'two.xml', data: '<two/>' };
const around = Buffer.concat([Buffer.from('ab'), hidden, Buffer.from('cd')]);
const SIZES_FOLLOW = 8;

describe('the archive reader refuses an archive', () => {
  const files: Record<string, readonly Entry[]> = {
    'with an entry of two names': [{ ...one, extra: secondName('one.xml', 'vba.bin') }, two],
    'with an entry that has another name before its data': [
      { ...one, localExtra: secondName('one.xml', 'two.xml') },
      two,
    ],
    'with a name that ends earlier for some': [one, { ...two, name: 'one.xml\0.png' }],
    'with an entry that ends earlier by its own header': [
      { name: 'a.zip', data: around, localBytes: 2 },
      two,
    ],
    'with an entry that goes on over the next by its own header': [
      { ...one, localBytes: one.data.length + hidden.length },
      { name: 'two.xml', data: '<longer/>' },
      { name: 'three.xml', data: '<three/>' },
    ],
    'with an entry that ends earlier by its own larger header': [
      {
        name: 'a.zip',
        data: around,
        localBytes: 0xffffffff,
        localExtra: longSizes(around.length, 2),
      },
      two,
    ],
    'with entries in an entry of which nobody can say where it ends': [
      { name: 'a.zip', data: around, localBytes: 0, localFlags: SIZES_FOLLOW },
      two,
    ],
  };
  it.each(Object.entries(files))('%s', async (_, entries) => {
    const opening = openArchive(zip(entries));
    await expect(opening).rejects.toThrow(/damaged/);
    await expect(opening).rejects.toBeInstanceOf(DocumentError);
  });

  it('with entries behind the end of a packed stream', async () => {
    const packed = Buffer.concat([deflateRawSync(Buffer.from('x')), Buffer.alloc(16), hidden]);
    const file = zip([{ name: 'a', data: packed, localBytes: 0, localFlags: SIZES_FOLLOW }, two]);
    // Both headers declare it deflated, with a size of one byte.
    for (const at of [8, file.lastIndexOf('PK\x01\x02', -80) + 10]) file.writeUInt16LE(8, at);
    await expect(openArchive(file)).rejects.toThrow(/damaged/);
  });
});

it('the archive reader opens an archive with a nested archive, and one whose entries omit their sizes', async () => {
  const files: readonly Entry[][] = [
    [{ name: 'a.zip', data: around }, two],
    [
      {
        name: 'a.zip',
        data: around,
        localBytes: 0xffffffff,
        localExtra: longSizes(around.length, around.length),
      },
      two,
    ],
    [
      { name: 'a.zip', data: around, isDeflated: true, localBytes: 0, localFlags: SIZES_FOLLOW },
      two,
    ],
    [{ ...one, localBytes: 0 }, two],
    [{ ...one, extra: secondName('one.xml', 'one.xml') }, two],
  ];
  for (const entries of files) {
    const archive = await openArchive(zip(entries));
    expect(archive.entries.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));
    expect(Buffer.from(await archive.read(archive.find('two.xml')!)).toString()).toBe('<two/>');
  }
});
