/** One document of a benchmark, in a process of its own. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { DocumentFormatName } from '../../../server/documents/formats/index.ts';

/** A kind of document that is measured in several sizes. */
export interface DocumentKind {
  name: string;
  format: DocumentFormatName;
  /** Makes one of about a share of the largest that is taken. */
  make: (share: number) => Uint8Array | string | Promise<Uint8Array>;
  /** How many pages it has; without it, 2,500 characters are one. */
  pages?: (share: number) => number;
  /** Whether it has a container that can be read and written by hand. */
  hasContainer: boolean;
}

/** What `child.mjs` answers. */
interface Measured {
  openMs: number;
  totalMs: number;
  peakBytes: number;
  blocks: number;
  characters: number;
}

const child = path.join(import.meta.dirname, 'child.mjs');

async function measure(
  format: DocumentFormatName,
  file: string,
  mode: 'translate' | 'container',
): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, format, file, mode]);
  return JSON.parse(stdout) as Measured;
}

/** What a document costs, and what its container costs by hand; files are written into `folder`. */
export async function measureDocument(
  folder: string,
  { format, hasContainer }: DocumentKind,
  content: Uint8Array | string,
): Promise<Measured & { sizeBytes: number; handMs: number | undefined }> {
  const file = path.join(folder, `document.${format}`);
  await writeFile(file, content);
  const translated = await measure(format, file, 'translate');
  const packed = hasContainer ? await measure(format, file, 'container') : undefined;
  return { ...translated, sizeBytes: Buffer.byteLength(content), handMs: packed?.totalMs };
}
