/** How many sentences Apertium translates, and how long one sentence takes. */
import type * as Apertium from '../../server/engines/translation/apertium.ts';
import type { LanguagePair, TranslationEngine } from '../../server/engines/engine.ts';
import type { Print } from './benchmarks.ts';
import { plainText } from '../../server/text/text-segment.ts';
import { importBuilt, quietLog } from './built.ts';
import { figure, printTable, quantile, spread } from './figures.ts';
import { descendantsCpuS } from './process-tree.ts';
import { sentences } from './sentences.ts';

export const name = 'translation';
export const description = 'sentences with Apertium, one at a time and many at once';

const pairs: { label: string; pair: LanguagePair }[] = [
  { label: 'en → es', pair: { source: 'en', target: 'es' } },
  { label: 'en → es → fr', pair: { source: 'en', target: 'fr' } },
];
/** Each sentence this often, one at a time: enough for a p99. */
const REPEATS = 10;
/** Sentences under way at once. */
const AT_ONCE = 8;
const ROUNDS = 3;

export async function run(print: Print): Promise<void> {
  const source = 'server/engines/translation/apertium.ts';
  const { createApertium } = await importBuilt<typeof Apertium>(source);
  const engine = await createApertium({ log: quietLog });
  if ('reason' in engine) throw new Error(engine.reason);
  try {
    const rows = [
      ['', 'first, ms', 'p50, ms', 'p99, ms', 'sentences a second', 'processor ms a sentence'],
    ];
    for (const { label, pair } of pairs) rows.push([label, ...(await measure(engine, pair))]);
    print(`one sentence at a time for p50 and p99, ${AT_ONCE} at once for the throughput`);
    printTable(print, rows);
  } finally {
    await engine.close();
  }
}

async function measure(engine: TranslationEngine, pair: LanguagePair): Promise<string[]> {
  const { signal } = new AbortController();
  const translate = async (sentence: string) => {
    const startedAt = performance.now();
    const [translated] = await engine.translate([[sentence]], { ...pair, signal });
    if (!plainText(translated ?? []).trim()) throw new Error('A sentence came back empty.');
    return performance.now() - startedAt;
  };

  const firstMs = await translate(sentences[0] ?? '');
  const timesMs: number[] = [];
  for (let count = 0; count < REPEATS; count += 1) {
    for (const sentence of sentences) timesMs.push(await translate(sentence));
  }
  const rates: number[] = [];
  const cpuMs: number[] = [];
  for (let count = 0; count < ROUNDS; count += 1) {
    const before = { cpuS: descendantsCpuS(), atMs: performance.now() };
    const queue = Array.from({ length: REPEATS }, () => sentences).flat();
    const total = queue.length;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) await translate(next);
      }),
    );
    rates.push(total / ((performance.now() - before.atMs) / 1000));
    cpuMs.push(((descendantsCpuS() - before.cpuS) / total) * 1000);
  }
  const latencies = [firstMs, quantile(timesMs, 0.5), quantile(timesMs, 0.99)];
  return [...latencies.map(figure), spread(rates), spread(cpuMs)];
}
