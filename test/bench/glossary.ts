/** What a glossary costs a translation, and whether its size matters. */
import type * as Apertium from '../../server/engines/translation/apertium.ts';
import type * as EngineRoutes from '../../server/translation/engine-routes.ts';
import type * as TermIndexes from '../../server/glossaries/terms/term-index.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { figure, median, printTable, spread, verdict } from './figures.ts';
import { sentences } from './sentences.ts';

export const name = 'glossary';
export const description = 'translation with glossaries of 200 and 200,000 entries ÷ without one';

type TermIndex = TermIndexes.TermIndex;

const AIM = 1.2;
const LARGE = 200_000;
const SMALL = 200;
const MAX_BYTES = 10 * 1024 * 1024;
const pair = { source: 'en', target: 'es' };
/** Some that the sentences have, so that terms are bound and settled; in both glossaries. */
const known = ['meeting', 'river', 'old trees', 'city', 'next week', 'engineers', 'children'];
const ROUNDS = 15;
/** Searches of one measurement: enough for a clock of microseconds. */
const SEARCHES = 200;

export async function run(print: Print): Promise<void> {
  const { buildTermIndex } = await importBuilt<typeof TermIndexes>(
    'server/glossaries/terms/term-index.ts',
  );
  const build = async (count: number) => {
    const startedAtMs = performance.now();
    const index = await buildTermIndex(entries(count), { language: 'en', targetLanguage: 'es' });
    return { index, tookMs: performance.now() - startedAtMs };
  };
  const small = await build(SMALL);
  const large = await build(LARGE);
  print(`${LARGE} entries of 10 MiB were made ready in ${figure(large.tookMs)} ms`);

  const source = 'server/engines/translation/apertium.ts';
  const { createApertium } = await importBuilt<typeof Apertium>(source);
  const engine = await createApertium({ log: quietLog });
  if ('reason' in engine) throw new Error(engine.reason);
  const { translateWith } = await importBuilt<typeof EngineRoutes>(
    'server/translation/engine-routes.ts',
  );
  const { signal } = new AbortController();
  const translate = async (glossary: TermIndex | undefined) => {
    const startedAtMs = performance.now();
    for (const sentence of sentences) {
      await translateWith({ engine, pair }, [[sentence]], {
        signal,
        ...(glossary && { glossary }),
      });
    }
    return (performance.now() - startedAtMs) / sentences.length;
  };
  try {
    const variants = [undefined, small.index, large.index];
    for (const glossary of variants) await translate(glossary);
    // They take turns, so that whatever else the machine does touches all of them.
    const rounds: number[][] = [];
    for (let count = 0; count < ROUNDS; count += 1) {
      const round: number[] = [];
      for (const glossary of variants) round.push(await translate(glossary));
      rounds.push(round);
    }
    report(print, rounds, [small.index, large.index]);
  } finally {
    await engine.close();
  }
}

function report(print: Print, rounds: readonly number[][], indices: readonly TermIndex[]): void {
  const columnOf = (column: number) => rounds.map((round) => round[column] ?? 0);
  const rows = [['entries', 'ms a sentence', '÷ without', '', 'µs to search a sentence']];
  rows.push(['none', spread(columnOf(0)), '', '', '']);
  for (const [number, index] of indices.entries()) {
    const ratios = rounds.map((round) => (round[number + 1] ?? 0) / (round[0] ?? 1));
    rows.push([
      [SMALL, LARGE][number]?.toLocaleString('en') ?? '',
      spread(columnOf(number + 1)),
      spread(ratios),
      verdict(median(ratios), AIM),
      spread(Array.from({ length: ROUNDS }, () => searchUs(index))),
    ]);
  }
  printTable(print, rows);
}

function searchUs(index: TermIndex): number {
  const startedAtMs = performance.now();
  for (let count = 0; count < SEARCHES; count += 1) {
    for (const sentence of sentences) index.find(sentence);
  }
  return ((performance.now() - startedAtMs) * 1000) / SEARCHES / sentences.length;
}

/** Entries of which many begin as the sentences' phrases do; 200,000 of them fill 10 MiB. */
function entries(count: number): string {
  const first = ['the', 'a', 'new', 'building', 'three', 'good', 'people', 'last'];
  const width = Math.floor(MAX_BYTES / LARGE) - 1;
  const others = Array.from({ length: count - known.length }, (_, index) =>
    `${first[index % first.length] ?? ''} thing ${index}\tcosa ${index} `.padEnd(width, 'x'),
  );
  return [...known.map((phrase) => `${phrase}\tcosa`), ...others].join('\n');
}
