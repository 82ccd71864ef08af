/** Changing the languages of a live element. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { concludeAndEnd } from '../support/services/scripted-gateway.ts';
import {
  capturedChunks,
  elementPage,
  newestSession,
  pressStart,
  recordStates,
  spoken,
  startBench,
  statusText,
  waitForState,
  type WidgetBench,
} from './browser.ts';

let bench: WidgetBench;
let page: Page;

beforeAll(async () => {
  bench = await startBench({ pages: { '/page': elementPage('target-languages="es"') } });
});
afterAll(() => bench.close());
afterEach(async ({ task }) => {
  await bench.leave(page, task.result?.state !== 'fail');
  bench.gateway.reset();
});

const stop = () => page.getByRole('button', { name: 'Stop' }).click();

describe('a live language change', () => {
  const changeTargets = (languages: string) =>
    page.evaluate(async (targets) => {
      const captions = document.querySelector('voice-captions')!;
      captions.targetLanguages = targets;
      await captions.updateComplete;
    }, languages);

  it('starts without a gap, and the words in the old languages arrive', async () => {
    page = await bench.openAgain('/page');
    bench.gateway.onFinish = (finished) => {
      if (finished.request.target_languages.length === 1) finished.send(spoken('Old words.'));
      concludeAndEnd(finished);
    };
    await pressStart(page);
    const first = await newestSession(bench, { chunks: 5 });
    await page.evaluate(() => {
      document.querySelector('voice-captions')!.targetLanguages = 'es fr';
    });
    await expect.poll(() => bench.gateway.sessions.length).toBe(2);
    const second = await newestSession(bench, { chunks: 10 });
    expect(second.request.target_languages).toEqual(['es', 'fr']);
    await page.getByText('Old words.').waitFor();
    expect(await page.getByRole('group').count()).toBe(3);
    await stop();
    await waitForState(page, 'ended');
    // Each chunk was sent to one of the two sessions.
    expect(first.chunks.length + second.chunks.length).toBe(await capturedChunks(page));
  });

  it('waits until the sentence is concluded, uses the newest choice, and keeps the state', async () => {
    page = await bench.openAgain('/page');
    await pressStart(page);
    const first = await newestSession(bench, { chunks: 2 });
    const states = await recordStates(page);
    first.send(spoken('', 'A sentence that'));
    await page.getByText('A sentence that').waitFor();
    await changeTargets('es fr');
    await changeTargets('es it');
    const before = first.chunks.length;
    await expect.poll(() => first.chunks.length).toBeGreaterThan(before + 5);
    expect(first.isFinished).toBe(false);
    first.send(spoken('A sentence that ends.'));
    await expect.poll(() => bench.gateway.sessions.length).toBe(2);
    const second = await newestSession(bench, { chunks: 3 });
    expect(second.request.target_languages).toEqual(['es', 'it']);
    await page.getByText('A sentence that ends.').waitFor();
    expect(await states()).toEqual([]);
  });

  it('happens within the session where the gateway supports it, even in mid-sentence, unless the spoken language changes too', async () => {
    page = await bench.openAgain('/page');
    bench.gateway.takesUpdates = true;
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 2 });
    expect(heard.request).toMatchObject({ session_updates: true });
    const states = await recordStates(page);
    heard.send(spoken('', 'A sentence that'));
    await changeTargets('es fr');
    await expect.poll(() => heard.updates.length).toBe(1);
    await changeTargets('fr');
    await expect.poll(() => heard.updates.length).toBe(2);
    expect(heard.updates).toMatchObject([
      { target_languages: ['es', 'fr'], target_media_languages: null },
      { target_languages: ['fr'] },
    ]);
    const times = { start_time: 0, end_time: 900 };
    for (const [language, text] of Object.entries({ es: 'Una frase.', fr: 'Une phrase.' })) {
      const concluded = [{ text, ...times }];
      heard.send({ type: 'target_transcript_update', language, concluded, tentative: [] });
    }
    heard.send({ type: 'end_of_target_transcript', language: 'es' });
    await page.getByText('Une phrase.').first().waitFor();
    // The last words of a removed language are kept but not shown.
    await expect.poll(() => page.getByText('Una frase.').count()).toBe(0);
    const kept = () => document.querySelector('voice-captions')!.transcript('es');
    expect(await page.evaluate(kept)).toBe('Una frase.');
    expect(bench.gateway.sessions).toHaveLength(1);
    expect(await states()).toEqual([]);
    // Another spoken language needs another session.
    heard.send(spoken('A sentence that ends.'));
    await page.evaluate(() => {
      document.querySelector('voice-captions')!.sourceLanguage = 'fr';
    });
    await expect.poll(() => bench.gateway.sessions.length).toBe(2);
    expect((await newestSession(bench, { chunks: 1 })).request.source_language).toBe('fr');
    expect(heard.updates).toHaveLength(2);
  });

  it('to unsupported languages is reported, and the captions continue in the previous ones', async () => {
    page = await bench.openAgain('/page');
    bench.gateway.takesUpdates = true;
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 2 });
    const states = await recordStates(page);
    const refusal = { status: 400, message: "Value for 'target_languages' not supported." };
    bench.gateway.refusal = refusal;
    const error = page.evaluate(
      () =>
        new Promise((resolve) =>
          document
            .querySelector('voice-captions')!
            .addEventListener('vc-error', ({ detail }) => resolve(detail)),
        ),
    );
    heard.send(spoken('', 'A sentence'));
    await changeTargets('xx');
    expect(await error).toEqual({
      code: 'update-refused',
      message: refusal.message,
      reasonCode: 4000001,
    });
    await expect.poll(() => statusText(page)).toContain('Captions go on as they were.');
    const concluded = [{ text: 'Una frase.', start_time: 0, end_time: 900 }];
    heard.send({ type: 'target_transcript_update', language: 'es', concluded, tentative: [] });
    heard.send(spoken('A sentence.'));
    await page.locator('voice-captions .target').getByText('Una frase.').waitFor();
    const before = heard.chunks.length;
    await newestSession(bench, { chunks: before + 3 });

    bench.gateway.refusal = undefined;
    await changeTargets('es fr');
    await expect.poll(() => heard.updates.length).toBe(2);
    await expect.poll(() => statusText(page)).not.toContain('go on as they were');
    await expect.poll(() => page.getByRole('group').count()).toBe(3);
    expect(bench.gateway.sessions).toHaveLength(1);
    expect(await states()).toEqual([]);

    // After a restart it requests the languages of the page.
    await changeTargets('es');
    await expect.poll(() => heard.updates.length).toBe(3);
    bench.gateway.refusal = refusal;
    await changeTargets('es xx');
    await expect.poll(() => page.getByRole('group').count()).toBe(2);
    await stop();
    await waitForState(page, 'ended');
    await expect.poll(() => statusText(page)).not.toContain('go on as they were');
    bench.gateway.refusal = undefined;
    await pressStart(page);
    await expect.poll(() => bench.gateway.sessions.length).toBe(2);
    expect(bench.gateway.sessions[1]!.request.target_languages).toEqual(['es', 'xx']);
    await expect.poll(() => page.getByRole('group').count()).toBe(3);
  });

  it('to an unsupported language does not prevent other changes', async () => {
    page = await bench.openAgain('/page');
    bench.gateway.takesUpdates = true;
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 2 });
    await changeTargets('xx');
    await page.getByText('Captions go on as they were.').waitFor();
    await page.locator('voice-captions').evaluate((element) => {
      (element as HTMLElement & { speech: string }).speech = 'es';
    });
    // Both changes may be requested together, and again one by one after a refusal.
    const languages = () =>
      heard.updates.map(({ target_languages, target_media_languages }) => ({
        text: target_languages,
        speech: target_media_languages,
      }));
    await expect.poll(languages).toContainEqual({ text: undefined, speech: ['es'] });
    expect(heard.request.target_languages).toEqual(['es']);
  });

  it('waits at most five seconds for an unfinished sentence', async () => {
    page = await bench.openAgain('/page');
    await pressStart(page);
    const first = await newestSession(bench, { chunks: 2 });
    bench.gateway.onFinish = (finished) => {
      finished.send(spoken('On and on'));
      concludeAndEnd(finished);
    };
    first.send(spoken('', 'On and on'));
    await page.getByText('On and on').waitFor();
    const askedAt = performance.now();
    await changeTargets('fr');
    await expect.poll(() => first.isFinished).toBe(true);
    expect(performance.now() - askedAt).toBeGreaterThan(4_900);
    await page.getByText('On and on').waitFor();
  });
});

it('the language change pages report no errors', () => {
  expect(bench.pageErrors).toEqual([]);
  expect(bench.gateway.violations).toEqual([]);
});
