import { expect, it } from 'vitest';
import { createProgress } from '../../server/setup/progress.mjs';

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, write: (text: string) => written.push(text) > 0, text: () => written.join('') };
}

it('writes a heading and a line for each finished step to a log', async () => {
  const stream = screen(false);
  const progress = createProgress({ heading: 'Setting up', stream });
  await progress.step('npm packages', async () => undefined);
  await progress.step('build', async () => undefined);
  expect(stream.text()).toMatch(/^Setting up\n {2}npm packages +0\.\d s\n {2}build +0\.\d s\n$/);
});

it('reports running steps to a log from time to time', async () => {
  const stream = screen(false);
  const progress = createProgress({ logEveryMs: 5, stream });
  let finish = (): void => undefined;
  const held = new Promise<void>((resolve) => (finish = resolve));
  const steps = [progress.step('one', () => held), progress.step('two', () => held)];
  await expect.poll(() => stream.text()).toMatch(/^ {2}one \d\.\d s, two \d\.\d s …$/m);
  finish();
  await Promise.all(steps);
});

it('counts in place on a terminal, from the start', async () => {
  const stream = screen(true);
  const progress = createProgress({ stream });
  await progress.step('build', async () => {
    expect(stream.text()).toBe('\r\x1b[K  build 0.0 s …');
    progress.say('by the way');
    expect(stream.text()).toMatch(/\r\x1b\[Kby the way\n {2}build 0\.\d s …$/);
  });
  expect(stream.text()).toMatch(/\r\x1b\[K {2}build +0\.\d s\n$/);
});

it('prints nothing for quiet steps unless they fail', async () => {
  const stream = screen(false);
  const progress = createProgress({ heading: 'Setting up', quiet: true, stream });
  await progress.step('build', async () => undefined);
  expect(stream.text()).toBe('');
  const failing = progress.step('build', () => Promise.reject(new Error('no luck')));
  await expect(failing).rejects.toThrow('no luck');
  expect(stream.text()).toMatch(/^Setting up\n {2}build +failed after 0\.\d s\n$/);
});
