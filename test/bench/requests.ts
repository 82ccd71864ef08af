/** What a translation costs over HTTP: ours against the least a server can do, and against the bare pipelines. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startServer } from '../support/product/server.ts';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, quantile, spread } from './figures.ts';
import { load, type LoadResult, type LoadTarget } from './requests/load.ts';
import { startPipelineByHand } from './requests/pipeline-by-hand.ts';
import { sentences } from './sentences.ts';

export const name = 'requests';
export const description =
  'POST /v2/translate ÷ a bare Fastify route with the same engine, and ÷ pipelines driven by hand';

const CLIENTS = 16;
const ROUND_MS = 3_000;
const ROUNDS = 5;
/** Until V8 has compiled what is run: a server is at work for days. */
const WARM_UP_MS = 20_000;
/** Sentences of a request that is measured against the pipelines. */
const BATCH = 40;
const BATCHES = 10;

const single = sentences.map((text) => body([text]));
const batch = body(
  Array.from({ length: BATCH }, (_, at) => sentences[at % sentences.length] ?? ''),
);

/** How long everything takes. */
interface Extent {
  warmUpMs: number;
  roundMs: number;
}

export async function run(print: Print): Promise<void> {
  const extent = { warmUpMs: WARM_UP_MS, roundMs: ROUND_MS };
  await withOurServer(async (ours) => {
    const rounds = await compareRequests(ours, extent);
    print(`one sentence a request, ${CLIENTS} clients, ${ROUNDS} rounds of both turn by turn`);
    printTable(print, [
      ['', 'ours', 'bare', 'ours ÷ bare'],
      row('requests a second (aim ≥ 0.85)', rounds, ({ requestsPerS }) => requestsPerS),
      row('p50, ms', rounds, ({ latenciesMs }) => quantile(latenciesMs, 0.5)),
      row('p99, ms', rounds, ({ latenciesMs }) => quantile(latenciesMs, 0.99)),
    ]);
    const rates = await compareSentences(ours, extent);
    print('');
    print(`${BATCH} sentences a request, 2 clients, against one pipeline driven by hand`);
    printTable(print, [
      ['', 'ours', 'by hand', 'ours ÷ by hand'],
      [
        'sentences a second (aim ≥ 0.85)',
        figure(median(rates.map((rate) => rate.ours))),
        figure(median(rates.map((rate) => rate.byHand))),
        spread(rates.map((rate) => rate.ours / rate.byHand)),
      ],
    ]);
  });
}

/** The ratios of the tables, one for each round; shorter rounds than theirs. */
export async function requestRatios() {
  return withOurServer(async (ours) => {
    const extent = { warmUpMs: WARM_UP_MS / 2, roundMs: ROUND_MS / 2 };
    const rounds = await compareRequests(ours, extent);
    const rates = await compareSentences(ours, extent);
    return {
      requests: ratios(rounds, ({ requestsPerS }) => requestsPerS),
      p99: ratios(rounds, ({ latenciesMs }) => quantile(latenciesMs, 0.99)),
      sentences: rates.map((rate) => rate.ours / rate.byHand),
    };
  });
}

async function withOurServer<Result>(
  measure: (ours: LoadTarget) => Promise<Result>,
): Promise<Result> {
  const server = await startServer({ RECOGNISER: 'silent', LOG_LEVEL: 'warn' });
  try {
    const authorization = `Service-Auth-Key ${server.apiKey}`;
    return await measure({ url: server.url, authorization });
  } finally {
    await server.stop();
  }
}

async function compareRequests(ours: LoadTarget, extent: Extent): Promise<Round[]> {
  const bare = await startBareServer();
  try {
    return await turnByTurn(ours, bare.target, extent);
  } finally {
    bare.stop();
  }
}

interface Round {
  ours: LoadResult;
  bare: LoadResult;
}

async function turnByTurn(
  ours: LoadTarget,
  bare: LoadTarget,
  { warmUpMs, roundMs }: Extent,
): Promise<Round[]> {
  const warmUp = { clients: CLIENTS, durationMs: warmUpMs };
  for (const target of [ours, bare]) await load(target, single, warmUp);
  const rounds: Round[] = [];
  const options = { clients: CLIENTS, durationMs: roundMs };
  for (let count = 0; count < ROUNDS; count += 1) {
    const oursFirst = count % 2 === 0;
    const first = await load(oursFirst ? ours : bare, single, options);
    const second = await load(oursFirst ? bare : ours, single, options);
    rounds.push(oursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return rounds;
}

function row(label: string, rounds: readonly Round[], value: (result: LoadResult) => number) {
  const of = (side: keyof Round) => figure(median(rounds.map((round) => value(round[side]))));
  return [label, of('ours'), of('bare'), spread(ratios(rounds, value))];
}

function ratios(rounds: readonly Round[], value: (result: LoadResult) => number): number[] {
  return rounds.map(({ ours, bare }) => value(ours) / value(bare));
}

interface Rates {
  ours: number;
  byHand: number;
}

async function compareSentences(ours: LoadTarget, { warmUpMs, roundMs }: Extent): Promise<Rates[]> {
  const byHand = await startPipelineByHand();
  try {
    const many = Array.from({ length: BATCH * BATCHES }, (_, at) => at % sentences.length);
    const texts = many.map((at) => sentences[at] ?? '');
    await byHand.translate(texts);
    await load(ours, [batch], { clients: 2, durationMs: warmUpMs / 2 });
    const rates: Rates[] = [];
    for (let count = 0; count < ROUNDS; count += 1) {
      const startedAt = performance.now();
      await byHand.translate(texts);
      const seconds = (performance.now() - startedAt) / 1000;
      const options = { clients: 2, durationMs: roundMs / 2 };
      const { requestsPerS } = await load(ours, [batch], options);
      rates.push({ ours: requestsPerS * BATCH, byHand: texts.length / seconds });
    }
    return rates;
  } finally {
    byHand.stop();
  }
}

async function startBareServer(): Promise<{ target: LoadTarget; stop: () => void }> {
  const script = path.join(import.meta.dirname, 'requests', 'bare-server.mjs');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  return { target: { url: address.toString().trim() }, stop: () => child.kill() };
}

function body(text: readonly string[]): string {
  return JSON.stringify({ text, source_lang: 'EN', target_lang: 'ES' });
}
