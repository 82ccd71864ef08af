import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { ScriptedSession } from '../support/services/scripted-gateway.ts';
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
import { amplitudeAt, tones, wav } from './sound.ts';

/** 1 kHz must pass; without a low-pass filter 11 kHz would alias to 5 kHz. */
const microphone = wav(
  tones({ 1_000: 0.25, 11_000: 0.25 }, { sampleRateHz: 48_000, lengthS: 1 }),
  48_000,
);
/** Ends within a chunk, as files do. */
const shortFile = wav(
  tones({ 500: 0.5 }, { sampleRateHz: 16_000, lengthS: 1 }).slice(0, 14_960),
  16_000,
);

/** Starts without a click, with a source that needs no permission. */
const PLAYS_BY_ITSELF = `<script type="module">
  const captions = document.querySelector('voice-captions');
  captions.source = await (await fetch('/short.wav')).blob();
  captions.start();
</script>`;

let bench: WidgetBench;
let page: Page;

beforeAll(async () => {
  bench = await startBench({
    microphone,
    pages: {
      '/page': elementPage('target-languages="es"'),
      '/json': elementPage('target-languages="es" message-format="json"'),
      '/lost': elementPage('worklet-url="/missing.js"'),
      '/open/lost': elementPage('worklet-url="/missing.js"'),
      '/open/unclicked': elementPage('target-languages="es"') + PLAYS_BY_ITSELF,
      '/short.wav': shortFile,
    },
  });
});
afterAll(() => bench.close());
afterEach(async ({ task }) => {
  await bench.leave(page, task.result?.state !== 'fail');
  bench.gateway.reset();
});

function samplesOf({ chunks }: ScriptedSession): Int16Array {
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  return new Int16Array(Uint8Array.from(bytes).buffer);
}

declare global {
  /** Times at which the page has sent data over a socket. */
  var sentAtMs: number[] | undefined;
}

/** Records times by the page's clock: a busy machine's late receipt says nothing about the pace. */
async function recordSending(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times: number[] = (globalThis.sentAtMs = []);
    const send = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'send')!
      .value as WebSocket['send'];
    WebSocket.prototype.send = function (data) {
      times.push(performance.now());
      send.call(this, data);
    };
  });
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

describe('audio capture', () => {
  it('sends 3200 bytes of s16le every 100 ms', async () => {
    page = await bench.openAgain('/page');
    const states = await recordStates(page);
    await recordSending(page);
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 12 });
    expect(heard.request).toEqual({
      source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
      message_format: 'msgpack',
      source_language: 'en',
      target_languages: ['es'],
      acknowledgements: true,
      lag_updates: true,
      session_updates: true,
    });
    expect(new Set(heard.chunks.map(({ bytes }) => bytes.length))).toEqual(new Set([3_200]));
    // The gateway accepts at most twice real time, even from a page that catches up.
    const sentAtMs = await page.evaluate(() => globalThis.sentAtMs!);
    expect(sentAtMs.length).toBeGreaterThanOrEqual(12);
    const sentMs = 100 * (sentAtMs.length - 1);
    // One chunk may be this late, by a timer or a busy machine, with the next in time.
    expect(sentAtMs.at(-1)! - sentAtMs[0]!).toBeGreaterThan(sentMs / 2 - 100);
    const cadence = await page.evaluate(
      () =>
        new Promise<number[]>((resolve) => {
          const times: number[] = [];
          document.querySelector('voice-captions')!.addEventListener('vc-level', () => {
            if (times.push(performance.now()) === 31) resolve(times);
          });
        }),
    );
    // Over three seconds, so that a late chunk and those waiting behind it do not matter.
    const paceMs = (cadence.at(-1)! - cadence[0]!) / (cadence.length - 1);
    expect(paceMs).toBeGreaterThan(85);
    expect(paceMs).toBeLessThan(115);
    expect(await states()).toEqual(['requesting-microphone', 'connecting', 'live']);
  });

  it('keeps the level of the input without aliasing', async () => {
    page = await bench.openAgain('/page');
    // A stream of the page, so that no noise suppression affects the tones.
    await page.evaluate(async () => {
      const captions = document.querySelector('voice-captions')!;
      captions.source = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
      });
      captions.start();
    });
    const samples = samplesOf(await newestSession(bench, { chunks: 21 }));
    // Quarters of a second, because the fake microphone stumbles where its file restarts.
    const quarters = Array.from({ length: 8 }, (_, index) =>
      samples.subarray(1_600 + index * 4_000, 1_600 + (index + 1) * 4_000),
    );
    const level = (hz: number) =>
      median(quarters.map((quarter) => amplitudeAt(quarter, hz, 16_000)));
    expect(level(1_000)).toBeCloseTo(0.25, 3);
    // −60 dB relative to the tone that must be absent.
    expect(level(5_000)).toBeLessThan(0.25e-3);
  });

  it('plays a file in real time to its last sample and ends by itself', async () => {
    page = await bench.openAgain('/page');
    const ended = page.evaluate(async () => {
      const captions = document.querySelector('voice-captions')!;
      captions.source = await (await fetch('/short.wav')).blob();
      const end = new Promise<string>((resolve) =>
        captions.addEventListener('vc-end', ({ detail }) => resolve(detail.reason)),
      );
      captions.start();
      return end;
    });
    expect(await ended).toBe('source-ended');
    const heard = await newestSession(bench);
    const samples = samplesOf(heard);
    expect(samples.length).toBeGreaterThan(14_960 - 200);
    expect(samples.length).toBeLessThan(14_960 + 1_700);
    expect(amplitudeAt(samples.subarray(1_000, 13_000), 500, 16_000)).toBeCloseTo(0.5, 1);
    expect(heard.isFinished).toBe(true);
  });

  it('keeps speech while connecting and catches up below twice real time', async () => {
    page = await bench.openAgain('/page');
    let release = (): void => undefined;
    bench.gateway.hold = new Promise((resolve) => (release = resolve));
    await recordSending(page);
    await pressStart(page);
    await waitForState(page, 'connecting');
    await expect.poll(() => capturedChunks(page)).toBeGreaterThan(20);
    release();
    await newestSession(bench, { chunks: 30 });
    const sentAtMs = await page.evaluate(() => globalThis.sentAtMs!);
    const speed = 2_900 / (sentAtMs[29]! - sentAtMs[0]!);
    expect(speed).toBeLessThan(2);
    // At real time, two seconds would stay behind.
    const behind = () =>
      page.evaluate(() => globalThis.record!.chunkCount - globalThis.sentAtMs!.length);
    await expect.poll(behind).toBeLessThan(5);
  });

  it('moves the meter and reports the level, and uses JSON on request', async () => {
    page = await bench.openAgain('/json');
    await pressStart(page);
    const heard = await newestSession(bench, { chunks: 3 });
    expect(heard.request.message_format).toBe('json');
    expect(heard.chunks.map(({ bytes }) => bytes.length)).toContain(3_200);
    heard.send(spoken('Heard.'));
    await page.getByText('Heard.').waitFor();
    const heights = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const captions = document.querySelector('voice-captions')!;
          captions.addEventListener('vc-level', ({ detail }) => {
            if (detail.level < 0.05) return;
            const bars = [...captions.shadowRoot!.querySelectorAll<HTMLElement>('.bar')];
            resolve(bars.map((bar) => bar.style.getPropertyValue('--_level')));
          });
        }),
    );
    expect(Math.max(...heights.map(Number))).toBeGreaterThan(0.3);
  });

  it('reports silence, and continues when sound returns', async () => {
    page = await bench.openAgain('/page');
    await page.evaluate(() => {
      const context = new AudioContext();
      const out = context.createMediaStreamDestination();
      Object.assign(globalThis, { context, out });
      const captions = document.querySelector('voice-captions')!;
      captions.source = out.stream;
      captions.start();
    });
    await waitForState(page, 'live');
    const liveAt = performance.now();
    await waitForState(page, 'quiet');
    expect(performance.now() - liveAt).toBeGreaterThan(4_500);
    expect(await statusText(page)).toContain('No sound is coming in');
    await page.evaluate(() => {
      const { context, out } = globalThis as unknown as {
        context: AudioContext;
        out: MediaStreamAudioDestinationNode;
      };
      const tone = context.createOscillator();
      tone.connect(out);
      tone.start();
    });
    await waitForState(page, 'live');
  });

  it('ends with the stream of the page, and says so when it has ended before', async () => {
    page = await bench.openAgain('/page');
    const start = () =>
      page.evaluate(() => {
        const captions = document.querySelector('voice-captions')!;
        captions.addEventListener('vc-end', ({ detail }) => (document.title = detail.reason));
        if (captions.source === 'microphone') {
          captions.source = new AudioContext().createMediaStreamDestination().stream;
        }
        captions.start();
      });
    await start();
    await waitForState(page, 'live');
    const heard = await newestSession(bench, { chunks: 2 });
    await page.evaluate(() => {
      const { source } = document.querySelector('voice-captions')!;
      const [track] = (source as MediaStream).getAudioTracks();
      track!.stop();
      // Not fired when a page stops the track itself.
      track!.dispatchEvent(new Event('ended'));
    });
    await waitForState(page, 'ended');
    expect(await page.title()).toBe('source-ended');
    expect(heard.isFinished).toBe(true);
    await start();
    await waitForState(page, 'no-microphone');
    expect(await statusText(page)).toContain('There is no sound to hear');
  });
});

describe('the capture worklet', () => {
  it('comes from the script itself where its file is missing', async () => {
    page = await bench.openAgain('/open/lost');
    await pressStart(page);
    expect((await newestSession(bench, { chunks: 3 })).chunks.length).toBeGreaterThanOrEqual(3);
  });

  it('is named in the error when neither source works', async () => {
    page = await bench.openAgain('/lost');
    await pressStart(page);
    await waitForState(page, 'failed');
    expect(await statusText(page)).toContain('pcm-capture.worklet.js');
  });
});

it('audio blocked until a click is reported, and a click starts it', async () => {
  page = await bench.browser.newPage();
  await page.goto(new URL('/open/unclicked', bench.gateway.origin).href);
  // Not before: any evaluation in the page counts as a click.
  await newestSession(bench);
  await waitForState(page, 'failed');
  expect(await statusText(page)).toContain('waits for a click');
  await pressStart(page);
  await newestSession(bench, { chunks: 5 });
});

it('the capture pages report no errors, under an enforced policy', async () => {
  expect(bench.pageErrors).toEqual([]);
  expect(bench.gateway.violations).toEqual([]);
  page = await bench.openAgain('/page');
  await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
  await expect.poll(() => bench.gateway.violations.length).toBe(1);
});
