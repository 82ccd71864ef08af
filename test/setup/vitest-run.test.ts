import { expect, it } from 'vitest';
import { runVitest } from '../support/suite/vitest-run.mjs';

async function run(...args: string[]) {
  const said: string[] = [];
  const totals = await runVitest(args, {
    say: (text) => void said.push(text),
    step: (_, work) => work(),
  });
  return { totals, said: said.join('\n') };
}

it('gets the totals of vitest', async () => {
  const { totals, said } = await run('test/setup/npm-packages.test.ts');
  expect(totals).toMatchObject({ failed: 0, skipped: 0 });
  expect(totals.passed).toBeGreaterThan(0);
  expect(said).toBe('');
});

it('counts one failed when no test ran', async () => {
  const { totals, said } = await run('test/no/such.test.ts');
  expect(totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(said).toContain('No test ran');
});

it('counts one failed when vitest itself breaks', async () => {
  const { totals, said } = await run('--nonsense');
  expect(totals).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(said).toContain('nonsense');
});
