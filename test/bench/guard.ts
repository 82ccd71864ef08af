/**
 * Whether what is fast has become slower: the ratios that matter, in three minutes, beside those that were
 * kept with the code (`guard.json`). Ratios alone are kept: figures of another machine say nothing.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, spread } from './figures.ts';
import { overheadRatios } from './gateway.ts';
import { requestRatios } from './requests.ts';

const KEPT = path.join(import.meta.dirname, 'guard.json');
/** Of four rounds. */
const GATEWAY_GROUPS = 5;

interface Ratio {
  name: string;
  values: readonly number[];
  /** Which of two is better. */
  better: 'less' | 'more';
}

/** By the name of the ratio: least, median and greatest. */
type Kept = Record<string, readonly [least: number, median: number, greatest: number]>;

export const guard = {
  name: 'guard',
  description: 'ratios that matter beside those kept in guard.json; before and after a change',
  isOnRequest: true,
  async run(print: Print): Promise<void> {
    const kept = JSON.parse(await readFile(KEPT, 'utf8')) as Kept;
    const ratios = await measureAll();
    printTable(print, [
      ['', 'now', 'kept', ''],
      ...ratios.map((ratio) => {
        const before = kept[ratio.name];
        const told = before === undefined ? 'not kept yet' : judged(ratio, before);
        return [ratio.name, spread(ratio.values), before?.map(figure).join(' … ') ?? '', told];
      }),
    ]);
  },
};

export const record = {
  name: 'record',
  description: 'measures as guard does, and keeps the ratios in guard.json',
  isOnRequest: true,
  async run(print: Print): Promise<void> {
    const lines = (await measureAll()).map(({ name, values }) => {
      print(`${name}: ${spread(values)}`);
      const three = [Math.min(...values), median(values), Math.max(...values)];
      return `  ${JSON.stringify(name)}: [${three.map((each) => Number(each.toPrecision(3))).join(', ')}]`;
    });
    await writeFile(KEPT, `{\n${lines.join(',\n')}\n}\n`);
  },
};

async function measureAll(): Promise<Ratio[]> {
  const msgpack = await overheadRatios('msgpack', GATEWAY_GROUPS);
  const json = await overheadRatios('json', GATEWAY_GROUPS);
  const { requests, p99, sentences } = await requestRatios();
  return [
    { name: 'gateway ÷ echo, msgpack', values: msgpack, better: 'less' },
    { name: 'gateway ÷ echo, json', values: json, better: 'less' },
    { name: 'requests ÷ bare route', values: requests, better: 'more' },
    { name: 'p99 ÷ bare route', values: p99, better: 'less' },
    { name: 'sentences ÷ by hand', values: sentences, better: 'more' },
  ];
}

/** What a median outside of all that was measured before says. */
function judged({ values, better }: Ratio, [least, , greatest]: Kept[string]): string {
  const now = median(values);
  if (now >= least && now <= greatest) return 'as before';
  const isLess = now < least;
  return isLess === (better === 'less') ? 'better' : 'WORSE by more than its noise';
}
