import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { MessageOf } from '../../shared/protocol/messages.ts';
import { concludeAndEnd } from '../support/services/scripted-gateway.ts';
import { INSECURE_HOST } from '../support/machine/chromium.ts';
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
  bench = await startBench({
    pages: {
      '/page': elementPage('target-languages="es"'),
      '/unset': elementPage('target-languages="es"').replace('token-endpoint="/demo/token"', ''),
      '/gone': elementPage('target-languages="es" device-id="unplugged"'),
    },
  });
});
afterAll(() => bench.close());
afterEach(async ({ task }) => {
  await bench.leave(page, task.result?.state !== 'fail');
  bench.gateway.reset();
});

const stop = () => page.getByRole('button', { name: 'Stop' }).click();

describe('stopping a session', () => {
  it('sends every captured chunk, releases the microphone and waits for the last words', async () => {
    page = await bench.openAgain('/page');
    const states = await recordStates(page);
    await page.evaluate(() => {
      const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = async (constraints) => {
        const stream = await open(constraints);
        Object.assign(globalThis, { stream });
        return stream;
      };
    });
    bench.gateway.onFinish = (finished) => {
      setTimeout(() => {
        finished.send(spoken('The last words.'));
        concludeAndEnd(finished);
      }, 300);
    };
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 7 });
    heard.send(spoken('', 'the last'));
    await stop();
    await waitForState(page, 'ended');
    expect(heard.isFinished).toBe(true);
    const [text] = await page.locator('voice-captions .source .caption').allInnerTexts();
    expect(text!.trim()).toBe('The last words.');
    expect((await states()).slice(-2)).toEqual(['stopping', 'ended']);
    expect(heard.chunks).toHaveLength(await capturedChunks(page));
    const track = await page.evaluate(
      () =>
        (globalThis as unknown as { stream: MediaStream }).stream.getAudioTracks()[0]!.readyState,
    );
    expect(track).toBe('ended');
  });

  it('and starting at once begins another one after the last words', async () => {
    page = await bench.openAgain('/page');
    const states = await recordStates(page);
    await pressStart(page);
    await newestSession(bench, { chunks: 2 });
    const restart = (again: boolean) =>
      page.evaluate((stopsAgain) => {
        const captions = document.querySelector('voice-captions')!;
        void captions.stop();
        captions.start();
        if (stopsAgain) void captions.stop();
      }, again);
    await restart(false);
    await expect
      .poll(async () => (await states()).slice(-5))
      .toEqual(['stopping', 'ended', 'requesting-microphone', 'connecting', 'live']);
    await restart(true);
    await expect
      .poll(async () => (await states()).slice(-3))
      .toEqual(['live', 'stopping', 'ended']);
  });

  it('happens when the element leaves the page, but not when it moves', async () => {
    page = await bench.openAgain('/page');
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 2 });
    await page.evaluate(() => document.body.append(document.querySelector('voice-captions')!));
    await waitForState(page, 'live');
    const before = heard.chunks.length;
    await newestSession(bench, { chunks: before + 3 });
    const state = await page.evaluate(async () => {
      const captions = document.querySelector('voice-captions')!;
      const ended = new Promise((resolve) => captions.addEventListener('vc-end', resolve));
      captions.remove();
      await ended;
      return captions.state;
    });
    expect(state).toBe('ended');
  });
});

describe('a dropped connection', () => {
  it('is replaced with a new token, keeping the captions and sending the audio in between', async () => {
    page = await bench.openAgain('/page');
    const states = await recordStates(page);
    await pressStart(page);
    const first = await newestSession(bench, { chunks: 3 });
    first.send(spoken('Before the drop.', ' Perhaps'));
    await page.getByText('Before the drop.').waitFor();
    first.drop();
    await waitForState(page, 'reconnecting');
    await waitForState(page, 'live');
    const second = await newestSession(bench, { chunks: 12 });
    expect(second).not.toBe(first);
    second.send(spoken('After the drop.'));
    await page.getByText('After the drop.').waitFor();
    const lines = await page.locator('voice-captions .source .caption').allInnerTexts();
    expect(lines.map((line) => line.trim())).toEqual([
      'Before the drop.',
      'Perhaps…',
      'After the drop.',
    ]);
    expect(await states()).toContain('reconnecting');
    await stop();
    await waitForState(page, 'ended');
    const captured = await capturedChunks(page);
    // Nothing between the drop and the new connection is missing; chunks in transit may be repeated.
    expect(first.chunks.length + second.chunks.length).toBeGreaterThanOrEqual(captured);
    expect(second.chunks.length).toBeLessThanOrEqual(captured);
  });

  it('resumes the same session without interruption, repetition or loss', async () => {
    page = await bench.openAgain('/page');
    bench.gateway.keepsSessions = true;
    await pressStart(page);
    const first = await newestSession(bench, { chunks: 3 });
    const numbered = (sequence: number, text: string, tentative = ''): void => {
      const update = spoken(text, tentative) as MessageOf<'source_transcript_update'>;
      (bench.gateway.sessions.at(-1) ?? first).send({ ...update, sequence });
    };
    numbered(1, 'Before the drop.', ' Perhaps');
    await page.getByText('Perhaps').waitFor();
    first.drop();
    await waitForState(page, 'reconnecting');
    await waitForState(page, 'live');
    const second = await newestSession(bench, { chunks: 3 });
    expect(second.sessionId).toBe(first.sessionId);
    expect(bench.gateway.resumedAfter).toEqual([1]);
    numbered(1, 'Before the drop.', ' Perhaps');
    numbered(2, ' Perhaps not.');
    await page.getByText('Perhaps not.').waitFor();
    const lines = await page.locator('voice-captions .source .caption').allInnerTexts();
    expect(lines.map((line) => line.trim())).toEqual(['Before the drop.', 'Perhaps not.']);
    await stop();
    await waitForState(page, 'ended');
    expect(bench.gateway.sessions).toHaveLength(2);
  });

  it('is replaced after a network outage, a gateway restart or a gateway fault', async () => {
    page = await bench.openAgain('/page');
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 2 });
    await page.context().setOffline(true);
    heard.drop();
    await waitForState(page, 'offline');
    expect(await statusText(page)).toContain('cannot be reached');
    await page.context().setOffline(false);
    await waitForState(page, 'live');

    const stopping = await newestSession(bench, { chunks: 2 });
    stopping.send(spoken('Before the stop.'));
    stopping.send({ type: 'end_of_stream' });
    stopping.close(1001);
    await waitForState(page, 'reconnecting');
    await waitForState(page, 'live');

    const faulty = await newestSession(bench, { chunks: 2 });
    expect(faulty).not.toBe(stopping);
    faulty.send({
      type: 'error',
      request_type: 'session',
      error_code: 503,
      reason_code: 5030005,
      error_message: 'The gateway is stopping.',
    });
    faulty.close(4503);
    await waitForState(page, 'reconnecting');
    await waitForState(page, 'live');
  });
});

describe('a failed start', () => {
  it('or a permanent error of the gateway shows its message, and can be repeated', async () => {
    page = await bench.openAgain('/page');
    let release = (): void => undefined;
    bench.gateway.hold = new Promise((resolve) => (release = resolve));
    await pressStart(page);
    await waitForState(page, 'connecting');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await waitForState(page, 'idle');
    bench.gateway.hold = undefined;
    release();
    bench.gateway.refusal = { status: 403, message: 'Please sign in to use captions.' };
    const error = page.evaluate(
      () =>
        new Promise((resolve) =>
          document
            .querySelector('voice-captions')!
            .addEventListener('vc-error', ({ detail }) => resolve(detail)),
        ),
    );
    await pressStart(page);
    await waitForState(page, 'failed');
    expect(await error).toEqual({
      code: 'token-refused',
      message: 'Please sign in to use captions.',
    });
    expect(await statusText(page)).toContain('Please sign in to use captions.');
    bench.gateway.refusal = undefined;
    const before = bench.gateway.sessions.length;
    await pressStart(page);
    await waitForState(page, 'live');
    const heard = await newestSession(bench, { chunks: 2 });
    heard.send({
      type: 'error',
      request_type: 'source_media_chunk',
      error_code: 400,
      reason_code: 4000403,
      error_message: 'This audio format is not supported.',
    });
    heard.close(4400);
    await waitForState(page, 'failed');
    expect(await statusText(page)).toContain('This audio format is not supported.');
    expect(bench.gateway.sessions).toHaveLength(before + 1);
  });

  it('names the missing attribute, and a page may bring its own token provider', async () => {
    page = await bench.openAgain('/unset');
    await pressStart(page);
    await waitForState(page, 'failed');
    expect(await statusText(page)).toContain('token-endpoint');
    expect(bench.gateway.sessions).toHaveLength(0);
    await page.evaluate(() => {
      const captions = document.querySelector('voice-captions')!;
      captions.tokenEndpoint = '/nowhere';
      captions.tokenProvider = async (request, signal) => {
        const body = JSON.stringify(request);
        const answer = await fetch('/demo/token', { method: 'POST', body, signal });
        return (await answer.json()) as Awaited<ReturnType<typeof captions.tokenProvider & object>>;
      };
    });
    await pressStart(page);
    await newestSession(bench, { chunks: 1 });
  });

  it('reports a missing chosen microphone', async () => {
    page = await bench.openAgain('/gone');
    await pressStart(page);
    await waitForState(page, 'no-microphone');
    expect(await statusText(page)).toContain('No microphone was found');
  });

  it('reports an insecure page', async () => {
    const { port } = new URL(bench.gateway.origin);
    page = await bench.openAgain(`http://${INSECURE_HOST}:${port}/page`);
    await pressStart(page);
    await waitForState(page, 'insecure-context');
    expect(await statusText(page)).toContain('https://');
  });
});

it('the session pages report no errors', () => {
  expect(bench.pageErrors).toEqual([]);
  expect(bench.gateway.violations).toEqual([]);
});
