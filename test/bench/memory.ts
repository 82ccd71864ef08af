/** Whether searching a translation memory takes longer when it is a hundred times as large. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type * as Memories from '../../server/memories/translation-memories.ts';
import type { MemorySearch } from '../../server/memories/memory-search.ts';
import type * as OpenStorage from '../../server/storage/open-storage.ts';
import type { Storage } from '../../server/stores.ts';
import type * as Texts from '../../server/memories/matching/memory-text.ts';
import { openAccount } from '../storage/samples.ts';
import { openPostgresql } from '../support/machine/postgresql.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { figure, median, printTable, quantile, spread, verdict } from './figures.ts';
import { createCorpus, type Corpus } from './memory/corpus.ts';

export const name = 'memory';
export const description =
  'searches of a translation memory: 1,000,000 segments ÷ 10,000, both databases';

const SMALL = 10_000;
const LARGE = 1_000_000;
const AIM = 3;
const THRESHOLD = 75;
/** Never aborted. */
const untilEnd = new AbortController().signal;
const ROUNDS = 5;
const SEARCHES = 400;
/** Compared with all segments of the small memory, one by one. */
const COMPARED = 200;

/** A text, and what its match in the memory must at least score: 0 for one that was made for nothing. */
interface Query {
  text: string;
  score: number;
}

interface Sized {
  size: number;
  search: MemorySearch;
  queries: readonly Query[];
  importS: number;
  mediansMs: number[];
  timesMs: number[];
}

export async function run(print: Print): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-bench-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const postgresql = await openPostgresql();
  try {
    const rows = [
      [
        '',
        'segments',
        'import, s',
        'median search, ms',
        'p99, ms',
        'large ÷ small',
        '',
        'of matches found',
      ],
    ];
    for (const url of [undefined, await postgresql.createDatabase()]) {
      rows.push(...(await measureDatabase(url, folder, print)));
    }
    printTable(print, rows);
  } finally {
    await postgresql.stop();
    removeFolder();
    process.off('exit', removeFolder);
  }
}

async function measureDatabase(
  url: string | undefined,
  folder: string,
  print: Print,
): Promise<string[][]> {
  const { openStorage } = await importBuilt<typeof OpenStorage>('server/storage/open-storage.ts');
  const storage = await openStorage({ url, dataFolder: folder, log: quietLog });
  try {
    const small = await fill(storage, SMALL);
    if (url === undefined) await compare(small, print);
    const large = await fill(storage, LARGE);
    for (let round = 0; round <= ROUNDS; round += 1) {
      // The first round warms up; they take turns, so that the machine's moods touch both.
      for (const sized of round % 2 === 0 ? [small, large] : [large, small]) {
        const timesMs = await measure(sized);
        if (round === 0) continue;
        sized.mediansMs.push(median(timesMs));
        sized.timesMs.push(...timesMs);
      }
    }
    const ratio = median(large.mediansMs) / median(small.mediansMs);
    return [
      row(storage.name, small, ['', '', await shareFound(small)]),
      row('', large, [figure(ratio), verdict(ratio, AIM), await shareFound(large)]),
    ];
  } finally {
    await storage.close();
  }
}

function row(label: string, sized: Sized, more: readonly string[]): string[] {
  return [
    label,
    sized.size.toLocaleString('en'),
    figure(sized.importS),
    spread(sized.mediansMs),
    figure(quantile(sized.timesMs, 0.99)),
    ...more,
  ];
}

/** The share of queries for which the search finds the segment that they were made of, or a better one. */
async function shareFound({ search, queries }: Sized): Promise<string> {
  const made = queries.filter(({ score }) => score >= THRESHOLD);
  const found = await search.find(
    made.map(({ text }) => [text]),
    untilEnd,
  );
  const count = made.filter(({ score }, index) => (found[index]?.[0]?.score ?? 0) >= score).length;
  return `${figure((100 * count) / made.length)} %`;
}

async function fill(storage: Storage, size: number): Promise<Sized> {
  const { createTranslationMemories } = await importBuilt<typeof Memories>(
    'server/memories/translation-memories.ts',
  );
  const memories = createTranslationMemories({
    memories: storage.translationMemories,
    log: quietLog,
  });
  const { account } = await openAccount(storage, { account: { name: randomUUID() } });
  const queries: Query[] = [];
  const score = await scoring();
  // Of its own, so that the sentences are the same whether queries are made of them or not.
  const corpus = createCorpus(size + 1);
  const startedAtMs = performance.now();
  const memory = await memories.import(account.accountId, {
    ...{ name: 'bench', format: 'csv' as const },
    bytes: file(size, (sentence) => {
      queries.push(queryOf(sentence, queries.length, { corpus, score }));
    }),
  });
  const importS = (performance.now() - startedAtMs) / 1000;
  const search = await memories.searchFor({
    ...{ accountId: account.accountId, id: memory.translation_memory_id, threshold: THRESHOLD },
    ...{ source: 'en', target: 'de' },
  });
  return { size, search, queries, importS, mediansMs: [], timesMs: [] };
}

/** Lines of CSV in large pieces; some of the sentences are told, to make queries of. */
async function* file(
  size: number,
  onSample: (sentence: string) => void,
): AsyncGenerator<Uint8Array> {
  const corpus = createCorpus(size);
  const each = Math.floor(size / SEARCHES);
  let text = 'en,de\n';
  for (let number = 0; number < size; number += 1) {
    const sentence = corpus.sentence();
    text += `"${sentence}","Übersetzt ${number}: ${sentence}"\n`;
    if (number % each === 0) onSample(sentence);
    if (text.length < 64 * 1024) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/** A fifth of the queries is in the memory as it is, a fifth is not, the rest is much like something. */
function queryOf(
  sentence: string,
  number: number,
  { corpus, score }: { corpus: Corpus; score: (one: string, other: string) => number },
): Query {
  if (number % 5 === 0) return { text: sentence, score: 100 };
  if (number % 5 === 1) return { text: corpus.sentence(), score: 0 };
  const text = corpus.changed(sentence, 0.25);
  return { text, score: score(text, sentence) };
}

/** The score of two texts, 0 below the threshold. */
async function scoring(): Promise<(one: string, other: string) => number> {
  const { matchScore } = await importBuilt<typeof Texts>('server/memories/matching/memory-text.ts');
  const { readMemoryText } = await importBuilt<typeof Texts>(
    'server/memories/matching/memory-text.ts',
  );
  return (one, other) =>
    one === other ? 100 : matchScore(readMemoryText([one]), readMemoryText([other]), THRESHOLD);
}

async function measure({ search, queries }: Sized): Promise<number[]> {
  const timesMs: number[] = [];
  for (const { text } of queries) {
    const startedAtMs = performance.now();
    await search.find([[text]], untilEnd);
    timesMs.push(performance.now() - startedAtMs);
  }
  return timesMs;
}

/** How many of the best matches that there are the search finds. */
async function compare({ search, queries, size }: Sized, print: Print): Promise<void> {
  const { matchScore } = await importBuilt<typeof Texts>('server/memories/matching/memory-text.ts');
  const { readMemoryText } = await importBuilt<typeof Texts>(
    'server/memories/matching/memory-text.ts',
  );
  const texts: string[] = [];
  for await (const piece of file(size, () => undefined)) texts.push(Buffer.from(piece).toString());
  const all = texts
    .join('')
    .split('\n')
    .slice(1, -1)
    .map((line) => readMemoryText([line.slice(1, line.indexOf('","'))]));
  let expected = 0;
  let found = 0;
  for (const { text: query } of queries.slice(0, COMPARED)) {
    const text = readMemoryText([query]);
    let best = 0;
    for (const each of all) {
      const score = each.text === text.text ? 100 : matchScore(text, each, THRESHOLD);
      if (score > best) best = score;
    }
    if (best < THRESHOLD) continue;
    expected += 1;
    const [matches = []] = await search.find([[query]], untilEnd);
    if ((matches[0]?.score ?? 0) >= best) found += 1;
  }
  print(
    `of ${expected} best matches with a score of ${THRESHOLD} or more among ${size.toLocaleString('en')} segments, ${found} were found`,
  );
}
