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
const WARM_UP_MS = 6_000;
/** Sentences of a request that is measured against the pipelines. */
const BATCH = 40;
const BATCHES = 10;

const single = sentences.map((text) => body([text]));
const batch = body(
  Array.from({ length: BATCH }, (_, at) => sentences[at % sentences.length] ?? ''),
);

export async function run(print: Print): Promise<void> {
  const server = await startServer({ RECOGNISER: 'silent', LOG_LEVEL: 'warn' });
  const ours: LoadTarget = {
    url: server.url,
    authorization: `Service-Auth-Key ${server.apiKey}`,
  };
  try {
    await compareRequests(print, ours);
    await compareSentences(print, ours);
  } finally {
    await server.stop();
  }
}

async function compareRequests(print: Print, ours: LoadTarget): Promise<void> {
  const bare = await startBareServer();
  try {
    const rounds = await turnByTurn(ours, bare.target);
    print(`one sentence a request, ${CLIENTS} clients, ${ROUNDS} rounds of both turn by turn`);
    printTable(print, [
      ['', 'ours', 'bare', 'ours ÷ bare'],
      row('requests a second (aim ≥ 0.85)', rounds, ({ requestsPerS }) => requestsPerS),
      row('p50, ms', rounds, ({ latenciesMs }) => quantile(latenciesMs, 0.5)),
      row('p99, ms', rounds, ({ latenciesMs }) => quantile(latenciesMs, 0.99)),
    ]);
  } finally {
    bare.stop();
  }
}

interface Round {
  ours: LoadResult;
  bare: LoadResult;
}

async function turnByTurn(ours: LoadTarget, bare: LoadTarget): Promise<Round[]> {
  const warmUp = { clients: CLIENTS, durationMs: WARM_UP_MS };
  for (const target of [ours, bare]) await load(target, single, warmUp);
  const rounds: Round[] = [];
  const options = { clients: CLIENTS, durationMs: ROUND_MS };
  for (let count = 0; count < ROUNDS; count += 1) {
    const oursFirst = count % 2 === 0;
    const first = await load(oursFirst ? ours : bare, single, options);
    const second = await load(oursFirst ? bare : ours, single, options);
    rounds.push(oursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return rounds;
}

function row(label: string, rounds: readonly Round[], value: (result: LoadResult) => number) {
  const ratios = rounds.map(({ ours, bare }) => value(ours) / value(bare));
  const of = (side: keyof Round) => figure(median(rounds.map((round) => value(round[side]))));
  return [label, of('ours'), of('bare'), spread(ratios)];
}

async function compareSentences(print: Print, ours: LoadTarget): Promise<void> {
  const byHand = await startPipelineByHand('eng-spa');
  try {
    const many = Array.from({ length: BATCH * BATCHES }, (_, at) => at % sentences.length);
    const texts = many.map((at) => sentences[at] ?? '');
    await byHand.translate(texts);
    const rates: { ours: number; byHand: number }[] = [];
    for (let count = 0; count < ROUNDS; count += 1) {
      const startedAt = performance.now();
      await byHand.translate(texts);
      const seconds = (performance.now() - startedAt) / 1000;
      const options = { clients: 2, durationMs: ROUND_MS / 2 };
      const { requestsPerS } = await load(ours, [batch], options);
      rates.push({ ours: requestsPerS * BATCH, byHand: texts.length / seconds });
    }
    print('');
    print(`${BATCH} sentences a request, 2 clients, against one pipeline driven by hand`);
    const ratios = rates.map((rate) => rate.ours / rate.byHand);
    printTable(print, [
      ['', 'ours', 'by hand', 'ours ÷ by hand'],
      [
        'sentences a second (aim ≥ 0.8)',
        figure(median(rates.map((rate) => rate.ours))),
        figure(median(rates.map((rate) => rate.byHand))),
        spread(ratios),
      ],
    ]);
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
