/** What documents of each format cost, from small ones to the largest that are taken. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Print } from './benchmarks.ts';
import { measureDocument } from './documents/measure.ts';
import { officeKinds } from './documents/office.ts';
import { pdfKinds } from './documents/pdf.ts';
import { pictureKinds } from './documents/pictures.ts';
import { textKinds } from './documents/text-formats.ts';
import { wordKinds } from './documents/word.ts';
import { figure, printTable } from './figures.ts';

export const name = 'documents';
export const description = 'documents of each format, every text changed; time by size, memory';

const kinds = [...wordKinds, ...officeKinds, ...pdfKinds, ...textKinds, ...pictureKinds];
/** Of the largest document of each kind: the time grows with the size. */
const SHARES = [0.25, 0.5, 1];
const MB = 1_000_000;
/** Of text in an everyday layout. */
const CHARACTERS_OF_PAGE = 2500;
const AIM_MEMORY_MB = 600;

/** Measures each document in a process of its own. */
export async function run(print: Print): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dragoman-bench-'));
  const titles = ['', 'file', 'pages', 's', 'pages/s', 'MB/s', 'MB of memory', '÷ by hand'];
  let mostBytes = 0;
  try {
    for (const kind of kinds) {
      const rows = [titles];
      for (const share of SHARES) {
        const cost = await measureDocument(folder, kind, await kind.make(share));
        const seconds = cost.totalMs / 1000;
        const pages = kind.pages?.(share) ?? Math.ceil(cost.characters / CHARACTERS_OF_PAGE);
        mostBytes = Math.max(mostBytes, cost.peakBytes);
        rows.push([
          ...[kind.name, `${figure(cost.sizeBytes / MB)} MB`, pages.toLocaleString('en')],
          ...[figure(seconds), figure(pages / seconds), figure(cost.sizeBytes / MB / seconds)],
          figure(cost.peakBytes / MB),
          cost.handMs === undefined ? '–' : figure(cost.totalMs / cost.handMs),
        ]);
      }
      printTable(print, rows);
      print('');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const most = mostBytes / MB;
  print(
    `greatest memory ${figure(most)} MB: ${most <= AIM_MEMORY_MB ? 'met' : 'not met'} (aim ${AIM_MEMORY_MB})`,
  );
}
