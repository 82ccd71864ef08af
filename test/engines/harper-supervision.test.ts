/** Supervision of Harper: what happens to texts when its process dies, stays away or hangs. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { createHarper } from '../../server/engines/improvement/harper.ts';
import { startWorkerProcess } from '../../server/process/worker-pool.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { improveTexts } from './improvement-conformance.ts';

/** A worker that answers with no lints until it receives a bad text. */
function startFragileWorker(atBad: string): Worker {
  return new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.postMessage({ kind: 'ready' });
     parentPort.on('message', ({ kind, streamId, texts }) => {
       if (kind !== 'lint') return;
       const at = texts.findIndex((text) => text.includes('bad'));
       if (at >= 0) { ${atBad} }
       parentPort.postMessage({ streamId, lints: texts.map(() => []), hasFailed: false });
     });`,
    { eval: true },
  );
}

const fail =
  'parentPort.postMessage({ streamId, lints: texts.slice(0, at).map(() => []), hasFailed: true }); return;';

it.each([
  ['crashes', 'throw new Error("broken");'],
  ['ends', 'process.exit(1);'],
  ['does not come back', 'for (;;);'],
])('a worker that %s fails its waiting callers, and the next worker serves', async (_, atBad) => {
  const log = recordLog();
  const startWorker = () => startFragileWorker(atBad);
  const engine = await createHarper({ log, startWorker, watchdogMs: 400 });
  const improve = (text: string) => improveTexts(engine, [text], { language: 'en' });
  expect(await improve('It rained. we stayed.')).toEqual(['It rained. We stayed.']);
  await expect(improve('This is bad.')).rejects.toMatchObject({ code: 'engine_unavailable' });
  expect(await improve('It rained. we stayed.')).toEqual(['It rained. We stayed.']);
  expect(log.lines.map(({ message }) => message).join()).toMatch(/worker of harper/);
  expect(JSON.stringify(log.lines)).not.toContain('This is');
  await engine.close();
});

it('a text beside one that hangs the worker is corrected', async () => {
  const startWorker = () => startFragileWorker('for (;;);');
  const engine = await createHarper({ log: recordLog(), startWorker, watchdogMs: 400 });
  const improve = (text: string) => improveTexts(engine, [text], { language: 'en' });
  const bad = expect(improve('This is bad.')).rejects.toMatchObject({ code: 'engine_unavailable' });
  expect(await improve('It rained. we stayed.')).toEqual(['It rained. We stayed.']);
  await bad;
  await engine.close();
});

it('a text that makes Harper fail stays unchanged without harm to others', async () => {
  let workers = 0;
  const startWorker = () => {
    workers += 1;
    return startFragileWorker(fail);
  };
  const engine = await createHarper({ log: recordLog(), startWorker });
  const texts = ['It rained. we stayed.', 'This is bad.', 'The sun shone. we went out.'];
  expect(await improveTexts(engine, texts, { language: 'en' })).toEqual([
    ...['It rained. We stayed.', 'This is bad.', 'The sun shone. We went out.'],
  ]);
  expect(workers).toBe(2);
  await engine.close();
});

it('prepare starts one worker, which serves the first text and stays as long as permitted', async () => {
  const workers: Worker[] = [];
  const startWorker = () => {
    const worker = startFragileWorker(fail);
    workers.push(worker);
    return worker;
  };
  const used = await createHarper({ log: recordLog(), startWorker, idleMs: 100 });
  let timesAsked = 0;
  await used.prepare?.(() => {
    timesAsked += 1;
    return timesAsked <= 20;
  });
  expect(workers).toHaveLength(1);
  const [worker] = workers;
  // By now the worker has been idle several times.
  await until(() => timesAsked >= 3);
  expect(worker?.threadId).not.toBe(-1);
  await improveTexts(used, ['It rained. we stayed.'], { language: 'en' });
  expect(workers).toHaveLength(1);
  await until(() => worker?.threadId === -1);
  expect(timesAsked).toBe(21);
  await used.close();
  await expect(used.prepare?.(() => true)).rejects.toMatchObject({ code: 'engine_unavailable' });
});

it('a text whose process is stopped is corrected by the next one', async () => {
  let started = 0;
  const folder = temporaryFolder();
  const place = pathToFileURL(path.join(folder, 'caller.js')).href;
  writeFileSync(
    path.join(folder, 'still.js'),
    `process.send({ kind: 'ready' }, () => process.kill(process.pid, 'SIGSTOP'));`,
  );
  writeFileSync(
    path.join(folder, 'well.js'),
    `process.on('message', ({ kind, streamId, texts }) => {
       if (kind === 'lint') process.send({ streamId, lints: texts.map(() => []), hasFailed: false });
     });
     process.send({ kind: 'ready' });`,
  );
  const startWorker = () => {
    started += 1;
    return startWorkerProcess(place, started === 1 ? './still' : './well', { execArgv: [] });
  };
  const engine = await createHarper({ log: recordLog(), startWorker, watchdogMs: 2_000 });
  onTestFinished(() => engine.close());
  expect(await improveTexts(engine, ['It rained. we stayed.'], { language: 'en' })).toEqual([
    'It rained. We stayed.',
  ]);
  expect(started).toBe(2);
});
