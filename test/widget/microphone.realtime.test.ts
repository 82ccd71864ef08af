/** The page as people use it: a person speaks, the browser listens, captions are read. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { projectFolder, startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';

const recording = path.join(projectFolder, '../shared/speech/jfk.wav');
const SAID =
  'and so my fellow americans ask not what your country can do for you ask what you can do for your country';

it('a person who speaks into the page is read there', async (context) => {
  if (!existsSync(recording)) return context.skip(`no recording at ${recording}`);
  // The browser plays it round and round; the silence makes one round a transcript of its own.
  const microphone = path.join(temporaryFolder(), 'microphone.wav');
  execFileSync('sox', [recording, '-r', '48000', microphone, 'pad', '1', '30']);
  const server = await startServer();
  const browser = await launchChromium(microphone);
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.evaluate(() => {
      const said: string[] = [];
      const captions = document.querySelector('voice-captions')!;
      captions.addEventListener('vc-caption', ({ detail: { kind, concluded } }) => {
        if (kind === 'source') said.push(...concluded.map(({ text }) => text));
      });
      Object.assign(globalThis, { said });
    });
    await page.getByRole('button', { name: 'Start captions' }).click();
    const lastLine = page.locator('voice-captions .source .caption').last();
    await expect
      .poll(() => lastLine.innerText(), { timeout: 60_000 })
      .toMatch(/ask what you can do for your country\.\s*$/i);
    const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said);
    // The fake microphone stumbles on a busy machine, and a syllable may be lost.
    expect(wordErrorRate(SAID, said.join(' ')), said.join(' ')).toBeLessThan(0.15);
  } finally {
    await browser.close();
    await server.stop();
  }
});
