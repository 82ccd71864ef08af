import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTAINED_PROCESSES, findContainment } from '../../server/process/containment.ts';
import { runtimeFiles } from '../../server/process/children.ts';
import { startWorkerProcess } from '../../server/process/worker-pool.ts';
import { builtModule } from '../support/suite/built-product.ts';
import { projectFolder } from '../support/product/server.ts';

const limits = { memoryBytes: 300 * 2 ** 20, processes: CONTAINED_PROCESSES, everyMs: 300 };
/** The process runs JavaScript, as the TypeScript compiler briefly takes several processors. */
const place = import.meta.url.replace(/\.ts$/, '.js');

const containment = await findContainment([process.execPath, '--version'], {
  readable: [...runtimeFiles(place), projectFolder],
});

function startGreedy(exceeded: string[]) {
  return startWorkerProcess(place, './greedy-child', {
    containment,
    execArgv: ['--max-old-space-size=256'],
    limits: { ...limits, onExceeded: (what) => exceeded.push(what) },
  });
}

describe('a contained process', () => {
  it.each(['memory', 'processes', 'processor time'])(
    'is killed with all its descendants when it exceeds its %s',
    async (take) => {
      const exceeded: string[] = [];
      const greedy = startGreedy(exceeded);
      const gone = new Promise((resolve) => greedy.on('exit', resolve));
      greedy.postMessage({ take });
      await gone;
      expect(exceeded).toEqual([take === 'processes' ? 'number of processes' : take]);
    },
  );

  it('keeps running while the system cannot report its usage for a while', () => {
    const script = path.join(import.meta.dirname, 'starved-watch.mjs');
    const built = builtModule('server/process/supervision.ts');
    const starved = ['ulimit -n 100; exec "$0" "$@"', process.execPath, script, built];
    const said = execFileSync('/bin/sh', ['-c', ...starved], { encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual({ refusal: 'EMFILE', exceeded: [] });
  });

  it('keeps running while it uses what its work needs', async () => {
    const exceeded: string[] = [];
    const modest = startGreedy(exceeded);
    let answered: () => void = () => undefined;
    modest.on('message', () => answered());
    // For longer than it takes to detect a greedy process.
    for (const endMs = performance.now() + 1_500; performance.now() < endMs;) {
      const answer = new Promise<void>((resolve) => (answered = resolve));
      modest.postMessage({ take: 'nothing' });
      await answer;
    }
    expect(exceeded).toEqual([]);
    await modest.terminate();
  });
});
