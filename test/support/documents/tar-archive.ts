/** Writes tar archives, valid and hostile ones. */
import { execFileSync } from 'node:child_process';

/** An archive entry (POSIX ustar): a file unless `type` says otherwise. */
export interface ArchiveEntry {
  name: string;
  content?: Buffer | string;
  /** `0` file, `1` hard link, `2` symbolic link, `3` character device, `5` folder. */
  type?: '0' | '1' | '2' | '3' | '5';
  /** Target of a link. */
  target?: string;
  /** Size stated in the header, if it is to be false. */
  statedBytes?: number;
}

const BLOCK_BYTES = 512;

/** Makes an archive, compressed with bzip2. */
export function tarBz2(entries: readonly ArchiveEntry[]): Buffer {
  const input = tar(entries);
  return execFileSync('bzip2', ['-c'], { input, maxBuffer: 1_000_000_000 });
}

/** Makes an uncompressed archive. */
export function tar(entries: readonly ArchiveEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
    return [header(entry, content.length), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header({ name, type = '0', target = '', statedBytes }: ArchiveEntry, sizeBytes: number) {
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, length: number) =>
    `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0, 100);
  block.write(octal(0o777, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(statedBytes ?? sizeBytes, 12), 124);
  block.write(octal(1_700_000_000, 12), 136);
  block.fill(' ', 148, 156);
  block.write(type, 156);
  block.write(target, 157, 100);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
