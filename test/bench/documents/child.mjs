/**
 * Translates one document of a format by putting capitals in the place of its letters, or reads and
 * writes its container by hand, in a process of its own: so its greatest memory can be told.
 *
 * Arguments: format, path of the file, `translate` or `container`. Answers one line of JSON.
 */
import { readFileSync } from 'node:fs';

/** @import { DocumentFormatName } from '../../../server/documents/formats/index.ts' */
/** @import { TextSegment } from '../../../server/text/text-segment.ts' */

const built = new URL('../../../dist/server/documents/formats/index.js', import.meta.url);
/** @type {typeof import('../../../server/documents/formats/index.ts')} */
const { loadFormat } = await import(built.href);

const [, , name = '', file = '', mode] = process.argv;
const bytes = readFileSync(file);
const startedAtMs = performance.now();
let openedAtMs = startedAtMs;
let blocks = 0;
let characters = 0;
if (mode === 'translate') {
  const output = /** @type {DocumentFormatName} */ (name);
  const format = await loadFormat(output);
  const limits = { maxCharacters: 1_000_000 };
  const document = await format.open(bytes, {
    source: 'en',
    target: 'es',
    output,
    ...limits,
  });
  openedAtMs = performance.now();
  blocks = document.blocks.length;
  characters = document.characters;
  // Every text changes, so that every part is written anew.
  /** @type {(part: TextSegment[number]) => typeof part} */
  const changed = (part) => (typeof part === 'string' ? part.toUpperCase() : part);
  const translated = document.blocks.map(({ segment }) => segment.map(changed));
  await document.write(translated, { source: 'en', target: 'es' });
} else if (name === 'pdf') {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  await (await PDFDocument.load(bytes)).save();
} else {
  const { unzipSync, zipSync } = await import('fflate');
  zipSync(unzipSync(bytes), { level: 6 });
}
const measured = {
  openMs: openedAtMs - startedAtMs,
  totalMs: performance.now() - startedAtMs,
  peakBytes: peakBytes(),
  blocks,
  characters,
};
process.stdout.write(JSON.stringify(measured));

/** Of this process alone: what `resourceUsage` tells includes the process that it was forked from. */
function peakBytes() {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
