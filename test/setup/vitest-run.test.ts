import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Progress } from '../../server/setup/progress.mjs';
import { runVitest } from '../support/suite/vitest-run.mjs';

async function runWith(options: { config?: string; triesAgain?: boolean }, ...args: string[]) {
  const said: string[] = [];
  const progress: Progress = { say: (text) => void said.push(text), step: (_, work) => work() };
  const totals = await runVitest(args, progress, options);
  return { totals, said: said.join('\n') };
}

it('gets the totals of vitest', async () => {
  const { totals, said } = await runWith({ config: testsThatPass(1) });
  expect(totals).toEqual({ passed: 2, failed: 0, skipped: 0 });
  expect(said).toBe('');
});

it('counts one failed when no test ran', async () => {
  const { totals, said } = await runWith({ config: testsThatPass(1) }, 'no/such.test.mjs');
  expect(totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(said).toContain('No test ran');
});

it('counts one failed when vitest itself breaks', async () => {
  const { totals, said } = await runWith({}, '--nonsense');
  expect(totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(said).toContain('nonsense');
});

/** Tests of which one passes, and one when it is run for the given time. */
function testsThatPass(at: number): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-again-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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

it('runs the few files that failed once more, and tells both', async () => {
  const { totals, said } = await runWith({ triesAgain: true, config: testsThatPass(2) });
  expect(totals).toEqual({ passed: 2, failed: 0, skipped: 0 });
  expect(said).toMatch(/FAILED .* > counts.*Once more.*They pass when nothing runs beside them/s);
});

it('counts what fails again, and what it is not to try again', async () => {
  const expected = { passed: 1, failed: 1, skipped: 0 };
  const again = await runWith({ triesAgain: true, config: testsThatPass(3) });
  expect(again.totals).toEqual(expected);
  expect((await runWith({ config: testsThatPass(2) })).totals).toEqual(expected);
});
