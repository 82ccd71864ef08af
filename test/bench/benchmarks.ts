/** The list of benchmarks. A new one is a file of its own and one line here. */
import { availableParallelism, cpus, loadavg } from 'node:os';
import * as captions from './captions.ts';
import * as decode from './decode.ts';
import * as documentTrips from './document-trips.ts';
import * as documents from './documents.ts';
import * as fanout from './fanout.ts';
import * as fanoutNodes from './fanout-nodes.ts';
import * as firstMinute from './first-minute.ts';
import * as gateway from './gateway.ts';
import * as glossary from './glossary.ts';
import { guard, record } from './guard.ts';
import * as hostile from './hostile.ts';
import * as memory from './memory.ts';
import * as peers from './peers.ts';
import * as recogniser from './recogniser.ts';
import * as requests from './requests.ts';
import * as soak from './soak.ts';
import * as soakCluster from './soak-cluster.ts';
import * as store from './store.ts';
import * as translation from './translation.ts';
import * as voice from './voice.ts';
import * as voices from './voices.ts';

/** Prints one line. */
export type Print = (line: string) => void;

/** What a benchmark's file exports. */
export interface Benchmark {
  /** By which it is chosen on the command line. */
  readonly name: string;
  /** What is measured, in a line. */
  readonly description: string;
  /** Left out when no names are given. */
  readonly isOnRequest?: boolean;
  /** Measures and prints, cleans up after itself; throws when it cannot measure. */
  readonly run: (print: Print) => Promise<void>;
}

const benchmarks: readonly Benchmark[] = [
  gateway,
  fanout,
  fanoutNodes,
  voice,
  peers,
  recogniser,
  voices,
  captions,
  decode,
  store,
  translation,
  glossary,
  requests,
  hostile,
  memory,
  documents,
  documentTrips,
  firstMinute,
  soak,
  soakCluster,
  guard,
  record,
];

/**
 * Runs the benchmarks with these names, all of them without names, one after the other.
 *
 * @returns exit code: 0 when all could be measured, whatever the figures
 */
export async function runBenchmarks(names: readonly string[], print: Print): Promise<number> {
  const unknown = names.filter((name) => benchmarks.every((each) => each.name !== name));
  if (unknown.length > 0) {
    print(`No benchmark is called ${unknown.join(', ')}. There are:`);
    for (const { name, description } of benchmarks) print(`  ${name.padEnd(12)} ${description}`);
    return 2;
  }
  print(machine());
  const chosen = benchmarks.filter(({ name, isOnRequest = false }) =>
    names.length === 0 ? !isOnRequest : names.includes(name),
  );
  let exitCode = 0;
  for (const { name, description, run } of chosen) {
    print(`\n${name}: ${description}`);
    try {
      await run((line) => print(`  ${line}`.trimEnd()));
    } catch (error) {
      print(`  could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      exitCode = 1;
    }
  }
  return exitCode;
}

function machine(): string {
  const [load = 0] = loadavg();
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return [
    `Node ${process.versions.node}, ${availableParallelism()} cores, ${model}, load ${load.toFixed(1)} at the start.`,
    'Three numbers joined by … are the least, the median and the greatest of several measurements.',
  ].join('\n');
}
