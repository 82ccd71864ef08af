import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { concludeAndEnd } from '../support/services/scripted-gateway.ts';
import {
  captionUpdate,
  demoOptions,
  newestSession,
  startBench,
  waitForState,
  type WidgetBench,
} from './browser.ts';
import { tones, wav } from './sound.ts';

const options = { ...demoOptions };
const pages: Record<string, string | Buffer> = {
  '/demo/sample.wav': wav(tones({ 600: 0.3 }, { sampleRateHz: 16_000, lengthS: 1 }), 16_000),
};

let bench: WidgetBench;
let page: Page;
beforeAll(async () => {
  bench = await startBench({ pages });
});
afterAll(() => bench.close());
afterEach(async ({ task }) => {
  await bench.leave(page, task.result?.state !== 'fail');
  bench.gateway.reset();
});

async function openDemo(
  changes: Partial<typeof options> & { documents?: object } = {},
): Promise<void> {
  bench.pages['/demo/options'] = JSON.stringify({ ...options, ...changes });
  page = await bench.openAgain('/');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('.chip').first().waitFor();
}

const chosen = () => page.evaluate(() => document.querySelector('voice-captions')!.targetLanguages);
const caption = (text: string) => page.locator('voice-captions .caption', { hasText: text });
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const chip = (name: string) => page.getByRole('checkbox', { name, exact: true });

it('begins with Spanish, accepts up to five languages, and lets the user hear one, which is then shown as well', async () => {
  const offer = (target: string) => ({
    ...{ source: 'en', target, size_mb: 20 },
    models: [`translation-en-${target}`],
  });
  await openDemo({ better_translations: ['es', 'pt'].map(offer) });
  expect(await chosen()).toBe('es');
  // In one line, the size of better models for the chosen pairs that only rules translate.
  const better = page.locator('#better');
  expect(await better.innerText()).toBe(
    'Rules translate English → Spanish here. Install neural translation, about 20 MB: npm run dragoman -- models install translation-en-es',
  );
  const hear = page.getByLabel('They hear');
  const speech = () => page.evaluate(() => document.querySelector('voice-captions')!.speech);
  expect(await hear.locator('option').allInnerTexts()).toEqual([
    ...['Nothing', 'French', 'Portuguese', 'Portuguese (Brazil)', 'Spanish'],
  ]);
  expect(await speech()).toBe('');
  const voice = page.locator('#voice');
  expect(await voice.isVisible()).toBe(false);
  await hear.selectOption('fr');
  expect(await voice.innerText()).toBe('French is spoken by somebody with a pleasant voice.');
  expect([await speech(), await chosen()]).toEqual(['fr', 'es fr']);
  for (const name of ['Catalan', 'Italian', 'Portuguese']) await chip(name).check();
  expect(await chosen()).toBe('es ca fr it pt');
  expect(await chip('Portuguese (Brazil)').isDisabled()).toBe(true);
  await page.getByText('5 at once is the most').waitFor();
  // The last one gives way.
  await hear.selectOption('pt-BR');
  expect([await speech(), await chosen()]).toEqual(['pt-BR', 'es ca fr it pt-BR']);
  expect(await better.innerText()).toMatch(/about 40 MB: .* translation-en-es translation-en-pt$/);
  await chip('Portuguese (Brazil)').uncheck();
  expect([await speech(), await hear.inputValue()]).toEqual(['', '']);
  expect(await voice.isVisible()).toBe(false);
  expect(await chip('Portuguese').isEnabled()).toBe(true);
  await chip('Spanish').uncheck();
  expect(await chosen()).toBe('ca fr it');
  expect(await better.isVisible()).toBe(false);
});

it('offers only what is translated from the spoken language, and plays its sample in English', async () => {
  await openDemo({
    ...{ source_languages: ['ar', 'en', 'es'], target_languages: ['ca', 'en', 'es', 'fr'] },
    documents: { target_languages: { en: ['es', 'fr'], es: ['ca', 'en'] }, formats: [] },
  });
  const spoken = page.getByLabel('You speak');
  expect(await spoken.inputValue()).toBe('en');
  const shown = () => page.locator('.chip:visible').allInnerTexts();
  expect([await shown(), await chosen()]).toEqual([['Spanish', 'French'], 'es']);
  await page.getByLabel('They hear').selectOption('es');
  await spoken.selectOption('es');
  expect([await shown(), await chosen()]).toEqual([['Catalan', 'English'], 'en']);
  expect(await page.getByLabel('They hear').inputValue()).toBe('');
  await spoken.selectOption('ar');
  expect([await shown(), await chosen()]).toEqual([[], '']);
  await page.getByRole('button', { name: 'Try it with a sample' }).click();
  await waitForState(page, 'live');
  expect((await newestSession(bench)).request.source_language).toBe('en');
  expect(await spoken.inputValue()).toBe('en');
});

it('continues in the new languages after a live change, keeps the scroll position, and copies the text of every language', async () => {
  await openDemo();
  await page.setViewportSize({ width: 390, height: 420 });
  // A double click starts, and does not stop again.
  await page.getByRole('button', { name: 'Start captions' }).dblclick();
  await waitForState(page, 'live');
  bench.gateway.onFinish = (finished) => {
    const isFirst = finished.request.target_languages.join() === 'es';
    if (isFirst) finished.send(captionUpdate('es', { concluded: ' Las últimas palabras.' }));
    concludeAndEnd(finished);
  };
  bench.gateway.sessions.at(-1)!.send(captionUpdate('es', { concluded: 'Hola.' }));
  await caption('Hola.').waitFor();
  await page.getByRole('button', { name: 'Copy the text' }).click();
  await expect.poll(clipboard).toBe('Hola.');
  await page.evaluate(() => scrollTo(0, 0));
  await chip('French').dispatchEvent('click');
  await expect.poll(() => bench.gateway.sessions.length).toBe(2);
  expect(bench.gateway.sessions.at(-1)!.request.target_languages).toEqual(['es', 'fr']);
  await waitForState(page, 'live');
  await expect.poll(() => bench.gateway.sessions.at(-1)!.chunks.length).toBeGreaterThan(1);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await chip('Spanish').uncheck();
  await expect.poll(() => bench.gateway.sessions.at(-1)!.request.target_languages).toEqual(['fr']);
  bench.gateway.sessions.at(-1)!.send(captionUpdate('fr', { concluded: 'Bonjour.' }));
  await caption('Bonjour.').waitFor();
  // The text of a language that is not chosen any more is copied as well.
  await page.getByRole('button', { name: 'Copy the text' }).click();
  await expect
    .poll(clipboard)
    .toBe('French\n\nBonjour.\n\n\nSpanish\n\nHola.\nLas últimas palabras.');
  await chip('Spanish').check();
  await caption('Las últimas palabras.').waitFor();
  await page.setViewportSize({ width: 1280, height: 720 });
});

it('plays the sample through the element and returns to the microphone', async () => {
  await openDemo();
  const sample = page.getByRole('button', { name: 'Try it with a sample' });
  await sample.press('Enter');
  await waitForState(page, 'live');
  await page.getByText('Listening to the sample').waitFor();
  // It keeps the focus, and plays once.
  await sample.press('Enter');
  expect(await sample.isDisabled()).toBe(true);
  expect(await sample.evaluate((button) => button === document.activeElement)).toBe(true);
  await waitForState(page, 'ended');
  await expect.poll(() => sample.isEnabled()).toBe(true);
  const [session] = bench.gateway.sessions;
  expect(session!.isFinished).toBe(true);
  const heardBytes = session!.chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  expect(heardBytes).toBeGreaterThan(0.95 * 32_000);
  expect(await page.evaluate(() => document.querySelector('voice-captions')!.source)).toBe(
    'microphone',
  );
});

it('explains a missing sample, and what is not installed', async () => {
  await openDemo({
    ...{ sample: false, speech_languages: [] },
    problems: ['No speech recogniser is installed.'],
  });
  expect(await page.getByLabel('They hear').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Try it with a sample' }).isDisabled()).toBe(true);
  await page.getByText('this server has no voice').waitFor();
  const notice = page.getByRole('region', { name: 'Not everything is ready yet' });
  expect(await notice.innerText()).toContain('No speech recogniser is installed.');
});

it('shows what stands below the languages once it knows them, or that the server does not answer', async () => {
  await openDemo();
  let fail: (() => void) | undefined;
  const failing = new Promise<void>((resolve) => (fail = resolve));
  await page.route('**/demo/options', async (route) => {
    await failing;
    await route.abort();
  });
  await page.reload();
  const heading = page.getByRole('heading', { name: 'Speak. They read along.' });
  await heading.waitFor();
  expect(await page.locator('#captions').isVisible()).toBe(false);
  fail?.();
  await page.getByText('The server does not answer. Reload the page when it is back.').waitFor();
  expect(await page.locator('#captions').isVisible()).toBe(true);
  await page.unrouteAll();
});

it('offers the code with the chosen languages, and copies it, also under a path of the address, as a proxy may serve it', async () => {
  await openDemo();
  await page.route('**/live/**', (route) =>
    route.continue({ url: route.request().url().replace('/live/', '/') }),
  );
  await page.goto(`${bench.gateway.origin}/live/`);
  await page.locator('.chip').first().waitFor();
  expect(await page.locator('#page-code').innerText()).toContain(
    `${bench.gateway.origin}/live/voice-captions.js`,
  );
  const addresses = await page.evaluate(() => [
    document.querySelector<HTMLAnchorElement>('nav a[href*=openapi]')!.href,
    new URL(document.querySelector('voice-captions')!.tokenEndpoint, document.baseURI).href,
  ]);
  const under = `${bench.gateway.origin}/live`;
  expect(addresses).toEqual([`${under}/openapi.json`, `${under}/demo/token`]);
  await chip('French').check();
  const press = (part: string) =>
    page.getByRole('figure', { name: part }).getByRole('button').click();
  // Twice in a row.
  await page.locator('#copy-page').evaluate(async (button: HTMLButtonElement) => {
    button.click();
    while (button.textContent !== 'Copied') await new Promise(requestAnimationFrame);
    button.click();
  });
  await expect.poll(clipboard).toContain('target-languages="es fr"');
  const html = await clipboard();
  expect(html).toContain(`${under}/voice-captions.js`);
  await press('Server');
  await expect.poll(clipboard).toContain(`${under}/v3/voice/realtime`);
  const server = await clipboard();
  await page.getByText('Copied.', { exact: true }).waitFor({ state: 'attached' });
  await expect
    .poll(() => page.getByRole('button', { name: /^Cop(y|ied) (Page|Server)$/ }).allInnerTexts())
    .toEqual(['Copy', 'Copy']);
  // On an insecure page, or without the permission, the browser's own command copies.
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  });
  await press('Page');
  await expect.poll(clipboard).toBe(html);
  await page.evaluate(() => Object.assign(document, { execCommand: () => false }));
  await press('Server');
  await page.getByRole('button', { name: 'Not copied' }).waitFor();
  expect(await clipboard()).toBe(html);
  expect(server).not.toContain('<');
  expect(`${html}\n${server}`.split('\n').length).toBeLessThanOrEqual(15);
  await page.unrouteAll();
});

it('violates no policy and throws nothing', () => {
  expect(bench.gateway.violations).toEqual([]);
  expect(bench.pageErrors).toEqual([]);
});
