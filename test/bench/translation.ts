/** How many sentences Apertium and neural networks translate, and how long one sentence takes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type * as Apertium from '../../server/engines/translation/apertium.ts';
import type * as Bergamot from '../../server/engines/translation/bergamot.ts';
import type { LanguagePair, TranslationEngine } from '../../server/engines/engine.ts';
import type * as Neural from '../../server/engines/translation/neural.ts';
import type * as FindModels from '../../server/models/find-models.ts';
import type { LocalModel } from '../../server/models/local-model.ts';
import { plainText, type TextSegment } from '../../server/text/text-segment.ts';
import { tinySize, writeWordTranslator } from '../support/models/word-translator.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { figure, median, printTable, quantile, spread, verdict } from './figures.ts';
import { descendantsCpuS, descendantsMemory } from './process-tree.ts';
import { sentences } from './sentences.ts';

export const name = 'translation';
export const description =
  'sentences with Apertium and with neural networks of the size of real ones';

const toSpanish: LanguagePair = { source: 'en', target: 'es' };
const toFrench: LanguagePair = { source: 'en', target: 'fr' };
/** Each sentence this often, one at a time: enough for a p99. */
const REPEATS = 10;
/** Sentences under way at once. */
const AT_ONCE = 8;
const ROUNDS = 3;
const MB = 1e6;
/** What neural translation is to keep within: a caption, a core, a model. */
const AIMS = { captionMs: 80, msOfCore: 1000 / 30, megabytes: 200 };

const head = [
  '',
  'first, ms',
  'p50, ms',
  'p99, ms',
  'sentences a second',
  'processor ms a sentence',
];

export async function run(print: Print): Promise<void> {
  print(`one sentence at a time for p50 and p99, ${AT_ONCE} at once for the throughput`);
  await measureApertium(print);
  const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-bench-'));
  try {
    await measureNeural(print, writeRealSize(path.join(folder, 'zeros')));
    await measureMemory(print, writeRealSize(path.join(folder, 'dense'), { isDense: true }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureApertium(print: Print): Promise<void> {
  const source = 'server/engines/translation/apertium.ts';
  const { createApertium } = await importBuilt<typeof Apertium>(source);
  const engine = await createApertium({ log: quietLog });
  if ('reason' in engine) {
    print(`Apertium is left out: ${engine.reason}`);
    return;
  }
  try {
    const direct = ['Apertium, en → es', ...(await measure(engine, toSpanish)).cells];
    const pivot = ['Apertium, en → es → fr', ...(await measure(engine, toFrench)).cells];
    printTable(print, [head, direct, pivot]);
  } finally {
    await engine.close();
  }
}

/**
 * A network of the depth, width and vocabulary of Firefox's smallest, which cuts words into as many
 * pieces as those do (1.35 each). It says the letters of words backwards; each multiplication costs
 * what it costs with weights that were learned. Many of its weights are 0 unless it is dense, and pages
 * of zeros may cost no memory; dense it says anything.
 */
function writeRealSize(modelsFolder: string, { isDense = false } = {}): string {
  const folder = path.join(modelsFolder, 'translation-en-es');
  const beginnings = sentences.flatMap((text) =>
    [...text.matchAll(/\p{L}+/gu)].map(([word]) => word.slice(0, 6)),
  );
  const words = Object.fromEntries(
    beginnings.map((word) => [word, Array.from(word).reverse().join('') + 'o']),
  );
  writeWordTranslator(folder, { ...toSpanish, words, ...tinySize, isDense });
  return folder;
}

async function openNeural(folder: string) {
  const neural = await importBuilt<typeof Neural>('server/engines/translation/neural.ts');
  const { readModel } = await importBuilt<typeof FindModels>('server/models/find-models.ts');
  const model = await readModel(folder);
  if ('reason' in model) throw new Error(model.reason);
  const [engine] = await neural.createNeural({ log: quietLog, models: [model] });
  if (engine === undefined || 'reason' in engine) throw new Error(engine?.reason);
  return { engine, model };
}

async function measureNeural(print: Print, folder: string): Promise<void> {
  const { engine, model } = await openNeural(folder);
  try {
    const before = descendantsCpuS();
    const plain = await measure(engine, toSpanish);
    const marked = await measure(engine, toSpanish, (text) => markedHalf(text));
    printTable(print, [
      head,
      ['neural', ...plain.cells],
      ['neural, a word in a tag', ...marked.cells],
    ]);
    print('');
    print(`to load and to begin: ${figure((plain.firstCpuS - before) * 1000)} ms of processor`);
    print(`a caption, p50 in ms: ${verdict(plain.p50Ms, AIMS.captionMs)}`);
    print(
      `thirty sentences a second of a core: ${verdict(plain.cpuMs, Number(AIMS.msOfCore.toFixed(1)))}`,
    );
    const bareMs = await bareRuntime(model);
    print(
      `the runtime by itself takes ${figure(bareMs)} ms a sentence; ratio ${figure(plain.cpuMs / bareMs)}`,
    );
  } finally {
    await engine.close();
  }
}

/** Of a model that has been in use. */
async function measureMemory(print: Print, folder: string): Promise<void> {
  const { engine } = await openNeural(folder);
  const { signal } = new AbortController();
  const translate = (segment: TextSegment) => engine.translate([segment], { ...toSpanish, signal });
  try {
    // What it says is of no sense; a sentence that becomes nothing is refused, and as good.
    for (let count = 0; count < REPEATS; count += 1) {
      const segments = sentences.flatMap((text) => [[text], markedHalf(text)]);
      await Promise.allSettled(segments.map(translate));
    }
    // Beside it there may be a compiler.
    const memory = descendantsMemory().sort(
      (one, other) => other.residentBytes - one.residentBytes,
    );
    const [residentMb, ownMb] = [memory[0]?.residentBytes, memory[0]?.proportionalBytes].map(
      (bytes = 0) => bytes / MB,
    );
    print(
      `memory: ${figure(residentMb ?? 0)} MB, ${figure(ownMb ?? 0)} MB without what Node shares, ${verdict(Math.round(ownMb ?? 0), AIMS.megabytes)}`,
    );
  } finally {
    await engine.close();
  }
}

/** The sentence with a tag around the word in the middle. */
function markedHalf(text: string): TextSegment {
  const words = text.split(' ');
  const middle = Math.floor(words.length / 2);
  const at = (from: number, to?: number) => words.slice(from, to).join(' ');
  return [
    ...[`${at(0, middle)} `, { mark: 'open', id: 1 } as const, at(middle, middle + 1)],
    ...[{ mark: 'close', id: 1 } as const, ` ${at(middle + 1)}`],
  ];
}

/** Processor time of the runtime alone, in this process, as many sentences at a time as we send it. */
async function bareRuntime({ files }: LocalModel): Promise<number> {
  const source = 'server/engines/translation/bergamot.ts';
  const { loadBergamot } = await importBuilt<typeof Bergamot>(source);
  const read = (role: string) => readFileSync(files[role] ?? '');
  const vocabulary = read('vocab');
  const translator = await loadBergamot(
    {
      ...{ model: read('model'), shortlist: read('shortlist') },
      ...{ sourceVocabulary: vocabulary, targetVocabulary: vocabulary },
      precision: 'int8shiftAlphaAll',
    },
    () => undefined,
  );
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const queue = Array.from({ length: REPEATS }, () => sentences).flat();
    const count = queue.length;
    const before = process.cpuUsage();
    while (queue.length > 0) {
      const batch = queue.splice(0, AT_ONCE);
      translator.translate(batch.map((text) => ({ text, isHtml: false })));
    }
    const { user, system } = process.cpuUsage(before);
    // The first round compiles.
    if (round > 0) times.push((user + system) / 1000 / count);
  }
  return median(times);
}

interface Figures {
  cells: string[];
  p50Ms: number;
  /** Processor time of a sentence among others, median. */
  cpuMs: number;
  /** Processor time of all processes so far when the first sentence was there, in s. */
  firstCpuS: number;
}

async function measure(
  engine: TranslationEngine,
  pair: LanguagePair,
  segmentOf: (sentence: string) => TextSegment = (sentence) => [sentence],
): Promise<Figures> {
  const { signal } = new AbortController();
  const translate = async (sentence: string) => {
    const startedAt = performance.now();
    const [translated] = await engine.translate([segmentOf(sentence)], { ...pair, signal });
    if (!plainText(translated ?? []).trim()) throw new Error('A sentence came back empty.');
    return performance.now() - startedAt;
  };

  const firstMs = await translate(sentences[0] ?? '');
  const firstCpuS = descendantsCpuS();
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
  return {
    cells: [...latencies.map(figure), spread(rates), spread(cpuMs)],
    ...{ p50Ms: median(timesMs), cpuMs: median(cpuMs), firstCpuS },
  };
}
