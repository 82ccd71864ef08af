import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Progress } from '../../server/setup/progress.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { runVitest } from '../support/suite/vitest-run.mjs';

/** Selects one of the two parts of a run. */
const ONE_PART = ['--project', 'first'];

async function runWith(options: { config?: string; triesAgain?: boolean }, ...args: string[]) {
  const said: string[] = [];
  const progress: Progress = { say: (text) => void said.push(text), step: (_, work) => work() };
  const totals = await runVitest(args, progress, options);
  return { totals, said: said.join('\n') };
}

it('counts one failure when no test ran', async () => {
  const config = testsThatPass(1);
  const { totals, said } = await runWith({ config }, ...ONE_PART, 'no/such.test.mjs');
  expect(totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(said).toContain('No test ran');
});

it('counts one failure when vitest itself breaks', async () => {
  const { totals, said } = await runWith({}, ...ONE_PART, '--nonsense');
  expect(totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(said).toContain('nonsense');
});

/** Two tests, one of which passes only in the given run. */
function testsThatPass(at: number): string {
  const folder = temporaryFolder();
  const [config, tests] = ['vitest.config.mjs', 'again.test.mjs'].map((name) =>
    path.join(folder, name),
  );
  const projects = ['first', 'realtime'].map((name) => ({
    test: { name, root: folder, globals: true, include: name === 'first' ? [tests] : [] },
  }));
  const content = { root: folder, test: { projects } };
  writeFileSync(config!, `export default ${JSON.stringify(content)};`);
  writeFileSync(
    tests!,
    `import { appendFileSync, readFileSync } from 'node:fs';
    const runs = import.meta.dirname + '/runs';
    it('passes', () => undefined);
    it('counts', () => {
      appendFileSync(runs, '.');
      expect(readFileSync(runs)).toHaveLength(${at});
    });`,
  );
  return config!;
}

it('counts a test that fails twice, without a third attempt', async () => {
  const config = testsThatPass(3);
  const { totals } = await runWith({ triesAgain: true, config }, ...ONE_PART);
  expect(totals).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

it('runs the real-time part beside the rest, and retries the failed files of both parts once', async () => {
  vi.stubEnv('VITEST_MAX_WORKERS', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = temporaryFolder();
  const inFolder = (name: string) => path.join(folder, name);
  const projects = ['first', 'realtime'].map((name) => {
    const file = inFolder(`${name}.test.mjs`);
    writeFileSync(
      file,
      `import { appendFileSync, readFileSync } from 'node:fs';
      import os from 'node:os';
      const told = ${JSON.stringify(inFolder(name))};
      it('tells how it runs, and passes the second time', () => {
        const line = { workers: process.env.VITEST_MAX_WORKERS, niceness: os.getPriority() };
        appendFileSync(told, JSON.stringify(line) + '\\n');
        if (${name === 'realtime'}) return;
        expect(readFileSync(told, 'utf8').trim().split('\\n')).toHaveLength(2);
      });`,
    );
    return { test: { name, root: folder, globals: true, include: [file] } };
  });
  const content = { root: folder, test: { projects } };
  const config = inFolder('vitest.config.mjs');
  writeFileSync(config, `export default ${JSON.stringify(content)};`);
  const { totals, said } = await runWith({ triesAgain: true, config });
  expect(totals).toEqual({ passed: 2, failed: 0, skipped: 0 });
  expect(said).toMatch(/FAILED .* > tells.*Once more.*They pass when nothing runs beside them/s);
  const [rest, clock] = ['first', 'realtime'].map((name) => {
    const [first = ''] = readFileSync(inFolder(name), 'utf8').split('\n');
    return JSON.parse(first) as { workers: string; niceness: number };
  });
  expect([rest?.workers, clock?.workers]).toEqual(['6', '2']);
  expect(rest!.niceness).toBe(Math.min(clock!.niceness + 5, os.constants.priority.PRIORITY_LOW));
});
