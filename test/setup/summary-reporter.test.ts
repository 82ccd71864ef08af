import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../server/setup/paths.mjs';
import { modulePath } from '../../server/setup/product.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

/** Runs vitest with our reporter on one test file. */
function runTests(body: string) {
  const folder = temporaryFolder();
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(
    path.join(folder, 'some.test.js'),
    `import { describe, expect, it, afterAll } from 'vitest';\n${body}`,
  );
  const reporter = path.join(root, 'test', 'support', 'suite', 'summary-reporter.ts');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [modulePath('vitest/vitest.mjs'), 'run', '--root', folder, '--reporter', reporter],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], NO_COLOR: '1' } },
  );
  return { status, stdout, stderr, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

it('says nothing but the totals when all is well, whatever the tests print', () => {
  const run = runTests(`
    describe('a', () => {
      it('b', () => console.log('chatter'));
      it.each([1, 2])('c %i', () => {});
    });`);
  expect(run).toMatchObject({ status: 0, stdout: '3 passed, 0 failed, 0 skipped\n', stderr: '' });
});

describe('of tests that end in every way', () => {
  let mixed: ReturnType<typeof runTests> | undefined;
  /** One run for all that it shows. */
  const mixedRun = () =>
    (mixed ??= runTests(`
      it('adds', () => {
        console.log('a hint');
        expect(1 + 1).toBe(3);
      });
      it('b', () => console.log('idle' + 'chatter'));
      it('c', (context) => context.skip('no such engine here'));
      it.skip('d', () => {});
      it.todo('e');
      it('hangs', () => new Promise(() => {}), 100);`));

  it('counts each once', () => {
    expect(mixedRun()).toMatchObject({ status: 1, lastLine: '1 passed, 2 failed, 3 skipped' });
  });

  it('shows a failure in full with what its test printed', () => {
    const run = mixedRun();
    expect(run.stderr).toContain('FAILED some.test.js > adds');
    expect(run.stderr).toContain('expected 2 to be 3');
    expect(run.stderr).toContain('a hint');
    expect(run.stdout + run.stderr).not.toContain('idlechatter');
  });

  it('shows what exceeds its time', () => {
    expect(mixedRun().stderr).toContain('FAILED some.test.js > hangs');
  });

  it('lists skipped tests with their reasons', () => {
    const run = mixedRun();
    expect(run.stdout).toContain('skipped: some.test.js > c (no such engine here)');
    expect(run.stdout).toContain('skipped: some.test.js > d (no reason given)');
    expect(run.stdout).toContain('skipped: some.test.js > e (to do)');
  });
});

it.each([
  [
    'a promise that nobody waits for rejects',
    `it('a', () => void Promise.reject(new Error('lost')));`,
  ],
  ['a hook fails', `it('a', () => {}); afterAll(() => { throw new Error('lost'); });`],
])('counts one failed when %s', (_, body) => {
  const run = runTests(body);
  expect(run).toMatchObject({ status: 1, lastLine: '1 passed, 1 failed, 0 skipped' });
  expect(run.stderr).toContain('lost');
});

it('counts one failed when a file cannot be loaded', () => {
  const run = runTests(`import './missing.js'; it('a', () => {});`);
  expect(run).toMatchObject({ status: 1, lastLine: '0 passed, 1 failed, 0 skipped' });
  expect(run.stderr).toContain('FAILED some.test.js');
  expect(run.stderr).toContain('./missing.js');
});
