import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../server/setup/paths.mjs';
import { modulePath } from '../../server/setup/product.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

/** Runs vitest with this reporter on some test files. */
function runTests(files: Record<string, string>) {
  const folder = temporaryFolder();
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  for (const [name, body] of Object.entries(files)) {
    writeFileSync(
      path.join(folder, `${name}.test.js`),
      `import { describe, expect, it, afterAll } from 'vitest';\n${body}`,
    );
  }
  const reporter = path.join(root, 'test', 'support', 'suite', 'summary-reporter.ts');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[modulePath('vitest/vitest.mjs'), 'run', '--root', folder, '--reporter', reporter],
      ...['--pool=threads', '--no-isolate', '--maxWorkers=1'],
    ],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], NO_COLOR: '1' } },
  );
  return { status, stdout, stderr, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

it('prints only the totals when all tests pass, whatever they print', () => {
  const run = runTests({
    some: `
    describe('a', () => {
      it('b', () => console.log('chatter'));
      it.each([1, 2])('c %i', () => {});
    });`,
  });
  expect(run).toMatchObject({ status: 0, stdout: '3 passed, 0 failed, 0 skipped\n', stderr: '' });
});

describe('for tests with every outcome', () => {
  let mixed: ReturnType<typeof runTests> | undefined;
  /** One run for all tests below. */
  const mixedRun = () =>
    (mixed ??= runTests({
      some: `
      it('adds', () => {
        console.log('a hint');
        expect(1 + 1).toBe(3);
      });
      it('b', () => console.log('idle' + 'chatter'));
      it('c', (context) => context.skip('no such engine here'));
      it.skip('d', () => {});
      it.todo('e');
      it('hangs', () => new Promise(() => {}), 100);`,
      rejecting: `it('a', () => void Promise.reject(new Error('lost in a promise')));`,
      hook: `it('a', () => {}); afterAll(() => { throw new Error('lost in a hook'); });`,
      loading: `import './missing.js'; it('a', () => {});`,
    }));

  it('counts each test once, and one failure for each failing promise, hook and file outside of tests', () => {
    expect(mixedRun()).toMatchObject({ status: 1, lastLine: '3 passed, 5 failed, 3 skipped' });
  });

  it('shows a failure in full with the output of its test', () => {
    const run = mixedRun();
    expect(run.stderr).toContain('FAILED some.test.js > adds');
    expect(run.stderr).toContain('expected 2 to be 3');
    expect(run.stderr).toContain('a hint');
    expect(run.stdout + run.stderr).not.toContain('idlechatter');
  });

  it('shows a test that exceeds its time limit', () => {
    expect(mixedRun().stderr).toContain('FAILED some.test.js > hangs');
  });

  it('lists skipped tests with their reasons', () => {
    const run = mixedRun();
    expect(run.stdout).toContain('skipped: some.test.js > c (no such engine here)');
    expect(run.stdout).toContain('skipped: some.test.js > d (no reason given)');
    expect(run.stdout).toContain('skipped: some.test.js > e (to do)');
  });

  it('shows an unhandled rejection, a failing hook, and a file that cannot be loaded', () => {
    const { stderr } = mixedRun();
    expect(stderr).toContain('FAILED outside any test');
    expect(stderr).toContain('lost in a promise');
    expect(stderr).toContain('FAILED hook.test.js');
    expect(stderr).toContain('lost in a hook');
    expect(stderr).toContain('FAILED loading.test.js');
    expect(stderr).toContain('./missing.js');
  });
});
