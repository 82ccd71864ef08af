import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Progress } from '../../server/setup/progress.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { runVitest } from '../support/suite/vitest-run.mjs';

async function runWith(options: { config?: string; triesAgain?: boolean }, ...args: string[]) {
  const said: string[] = [];
  const progress: Progress = { say: (text) => void said.push(text), step: (_, work) => work() };
  const totals = await runVitest(args, progress, options);
  return { totals, said: said.join('\n') };
}

it('counts one failure when no test ran, and when vitest itself breaks', async () => {
  const folder = temporaryFolder();
  const config = path.join(folder, 'vitest.config.mjs');
  writeFileSync(config, `export default ${JSON.stringify({ root: folder })};`);
  const none = await runWith({ config }, '--project', '*', 'no/such.test.mjs');
  expect(none.totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(none.said).toContain('No test ran (exit code 0)');
  const broken = await runWith({ config }, '--project', '*', '--nonsense');
  expect(broken.totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(broken.said).toContain('nonsense');
});

it('runs the real-time part beside the rest, and retries the failed files of both parts once, without a third attempt', async () => {
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
        expect(readFileSync(told, 'utf8').trim().split('\\n')).toHaveLength(2);
      });
      it('fails twice', () => expect(${name === 'first'}).toBe(false));`,
    );
    return { test: { name, root: folder, globals: true, include: [file] } };
  });
  const content = { root: folder, test: { pool: 'threads', projects } };
  const config = inFolder('vitest.config.mjs');
  writeFileSync(config, `export default ${JSON.stringify(content)};`);
  const { totals, said } = await runWith({ triesAgain: true, config });
  expect(totals).toEqual({ passed: 3, failed: 1, skipped: 0 });
  expect(said).toMatch(/FAILED .* > tells.*Once more.*FAILED .* > fails twice/s);
  expect(said).not.toContain('They pass');
  const [rest, clock] = ['first', 'realtime'].map((name) => {
    const lines = readFileSync(inFolder(name), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(2);
    return JSON.parse(lines[0]!) as { workers: string; niceness: number };
  });
  expect([rest?.workers, clock?.workers]).toEqual(['6', '2']);
  expect(rest!.niceness).toBe(Math.min(clock!.niceness + 5, os.constants.priority.PRIORITY_LOW));
});
