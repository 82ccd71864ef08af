/** Documents from upload to download, over HTTP: one page, many pages, many at once. */
import { setTimeout as delay } from 'node:timers/promises';
import { startServer, type RunningServer } from '../support/product/server.ts';
import type { Print } from './benchmarks.ts';
import { pdfKinds } from './documents/pdf.ts';
import { wordKinds } from './documents/word.ts';
import { figure, median, printTable, quantile, spread, verdict } from './figures.ts';

export const name = 'document-trips';
export const description =
  'documents from upload to download: one page, PDF pages a second, 20 at once';

/** By then what is started ahead stands, and the first documents have had V8 compile. */
const READY_MS = 15_000;
const WARM_UP = 10;
const ONE_PAGE_ROUNDS = 20;
const ONE_PAGE_AIM_MS = 150;
/** Between two: a process that was used is replaced meanwhile, and has rehearsed the format. */
const REST_MS = { page: 3_000, pdf: 10_000 };
const AT_ONCE = 20;
const AT_ONCE_ROUNDS = 3;
const PDF_SHARES = [0.02, 0.1];
const PDF_AIM = 10;

interface Document {
  name: string;
  content: Uint8Array | string;
}

export async function run(print: Print): Promise<void> {
  const page = await onePage();
  const server = await startServer({ WARM_UP: 'on', RECOGNISER: 'silent', LOG_LEVEL: 'warn' });
  try {
    await delay(READY_MS);
    for (let count = 0; count < WARM_UP; count += 1) await trip(server, page);
    await measureOnePage(server, page, print);
    await measurePdf(server, print);
    await measureAtOnce(server, page, print);
  } finally {
    await server.stop();
  }
}

async function measureOnePage(server: RunningServer, page: Document, print: Print): Promise<void> {
  const timesMs: number[] = [];
  for (let count = 0; count < ONE_PAGE_ROUNDS; count += 1) {
    await delay(REST_MS.page);
    timesMs.push(await trip(server, page));
  }
  print(`one page of Word, ms: ${spread(timesMs)} (${verdict(median(timesMs), ONE_PAGE_AIM_MS)})`);
  print(`  p90 ${figure(quantile(timesMs, 0.9))}`);
}

async function measurePdf(server: RunningServer, print: Print): Promise<void> {
  const [kind] = pdfKinds;
  const rows = [['PDF, pages', 'pages a second']];
  for (const share of PDF_SHARES) {
    const pages = kind?.pages?.(share) ?? 0;
    const file = { name: 'a.pdf', content: (await kind?.make(share)) ?? '' };
    const rates: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      await delay(REST_MS.pdf);
      rates.push(pages / ((await trip(server, file)) / 1000));
    }
    rows.push([`${pages}`, `${spread(rates)} (≥ ${PDF_AIM})`]);
  }
  printTable(print, rows);
}

async function measureAtOnce(server: RunningServer, page: Document, print: Print): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < AT_ONCE_ROUNDS; round += 1) {
    const all = Array.from({ length: AT_ONCE }, () => page);
    const alone = await timed(async () => {
      for (const each of all) await trip(server, each);
    });
    const together = await timed(() => Promise.all(all.map((each) => trip(server, each))));
    ratios.push(together / alone);
  }
  print(`${AT_ONCE} at once ÷ one after the other: ${spread(ratios)} (≤ 1)`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

/** The size of a page: some 2,000 characters. */
async function onePage(): Promise<Document> {
  const [kind] = wordKinds;
  const content = (await kind?.make(30 / 14_000)) ?? '';
  return { name: 'a.docx', content };
}

/** Uploads a document, waits for it and downloads it. @returns how long that took, in ms */
async function trip(server: RunningServer, { name: file, content }: Document): Promise<number> {
  const form = new FormData();
  form.set('source_lang', 'EN');
  form.set('target_lang', 'ES');
  form.set('file', new File([content as string | Uint8Array<ArrayBuffer>], file));
  const startedAtMs = performance.now();
  const sent = await server.send('/v2/document', { method: 'POST', body: form });
  const { document_id: id, document_key } = (await sent.json()) as Record<string, string>;
  const key = JSON.stringify({ document_key });
  const ask = (path: string) =>
    server.send(`/v2/document/${id}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: key,
    });
  for (;;) {
    // It is answered as soon as the document is ready, or after a second.
    const { status } = (await (await ask('')).json()) as { status: string };
    if (status === 'done') break;
    if (status === 'error') throw new Error(`${file} was not translated.`);
    await delay(20);
  }
  await (await ask('/result')).arrayBuffer();
  return performance.now() - startedAtMs;
}
