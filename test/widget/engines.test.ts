/**
 * The main paths in browser engines besides Chromium, which all other tests use: Firefox and WebKit, each
 * with its own fake microphone. They cover the element and the event pages. The tests of a missing engine
 * are skipped with a reason.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import {
  driveFirefox,
  driveWebkit,
  firefoxIsMissing,
  openSoundDevice,
  soundDeviceIsMissing,
  webkitIsMissing,
  type DrivenPage,
} from '../support/machine/browser-engines.ts';
import type { ScriptedSession } from '../support/services/scripted-gateway.ts';
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import {
  captionUpdate,
  frameOf,
  elementPage,
  longCaption,
  newestSession,
  sliversOfLines,
  startBench,
  type WidgetBench,
} from './browser.ts';
import { startEvents, type EventBench } from './event-browser.ts';
import { testEventPages } from './event-engines.ts';
import { amplitudeAt, tones, wav } from './sound.ts';

const SAMPLE_HZ = 600;
const SAMPLE = tones({ [SAMPLE_HZ]: 0.3 }, { sampleRateHz: 16_000, lengthS: 2 });

type SoundDevice = Awaited<ReturnType<typeof openSoundDevice>>;

let bench: WidgetBench;
let events: EventBench;
let device: SoundDevice | undefined;

beforeAll(async () => {
  bench = await startBench({
    pages: {
      '/demo/sample.wav': wav(SAMPLE, 16_000),
      '/page': elementPage('target-languages="es"'),
    },
  });
  events = await startEvents();
  if (soundDeviceIsMissing() === undefined) device = await openSoundDevice();
});
afterAll(async () => {
  await device?.close();
  await events.close();
  await bench.close();
});
afterEach(() => bench.gateway.reset());

const engines = [
  { name: 'WebKit', missing: webkitIsMissing, drive: () => driveWebkit(device?.env) },
  {
    name: 'Firefox',
    missing: firefoxIsMissing,
    deaf: soundDeviceIsMissing,
    drive: () => driveFirefox(device?.env),
  },
];

function stateOf(page: DrivenPage): Promise<string> {
  return page.evaluate(() => document.querySelector('voice-captions')!.state);
}

async function untilState(page: DrivenPage, state: string): Promise<void> {
  await expect.poll(() => stateOf(page), { interval: 50 }).toBe(state);
}

/** Returns the sentences of a track in reading order. */
function sentences(page: DrivenPage, kind: 'source' | 'target'): Promise<string[]> {
  return page.evaluate(
    (track) =>
      [
        ...document
          .querySelector('voice-captions')!
          .shadowRoot!.querySelectorAll(`.${track} .caption`),
      ].map((line) => line.textContent.trim()),
    kind,
  );
}

async function untilSaid(page: DrivenPage, kind: 'source' | 'target', said: string[]) {
  await expect.poll(() => sentences(page, kind), { interval: 50 }).toEqual(said);
}

/** Presses the button that starts and stops. */
function pressMain(page: DrivenPage): Promise<void> {
  return page.click(() =>
    document.querySelector('voice-captions')!.shadowRoot!.querySelector('.button.main')!,
  );
}

function samplesOf(sessions: readonly ScriptedSession[]): Int16Array {
  const chunks = sessions.flatMap((session) => session.chunks.map(({ bytes }) => bytes));
  return new Int16Array(Uint8Array.from(Buffer.concat(chunks)).buffer);
}

function loudest(samples: Int16Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 32_768;
}

describe.each(engines)('in $name', ({ missing, deaf, drive }) => {
  let page: DrivenPage | undefined;

  afterAll(() => page?.close());

  const deafness = () => missing() ?? deaf?.();

  /** Opens the page that all tests of this engine share. */
  async function openPage(context: TestContext, url: string): Promise<DrivenPage> {
    const reason = missing();
    if (reason !== undefined) context.skip(reason);
    page ??= await drive();
    await page.open(url);
    return page;
  }

  /** Opens a bench page, in an engine that can capture audio. */
  async function open(context: TestContext, target: string): Promise<DrivenPage> {
    const reason = deafness();
    if (reason !== undefined) context.skip(reason);
    const opened = await openPage(context, new URL(target, bench.gateway.origin).href);
    const isDefined = () => customElements.get('voice-captions') !== undefined;
    await expect.poll(() => opened.evaluate(isDefined)).toBe(true);
    return opened;
  }

  testEventPages({ bench: () => events, open: openPage, deafness });

  it('the sample is played with captions', async (context) => {
    const demo = await open(context, '/');
    const isReady = () => !document.querySelector<HTMLButtonElement>('#sample')!.disabled;
    await expect.poll(() => demo.evaluate(isReady)).toBe(true);
    await demo.click(() => document.querySelector('#sample')!);
    const session = await newestSession(bench, { chunks: 3 });
    session.send(captionUpdate('en', { concluded: 'Good morning.' }));
    session.send(captionUpdate('es', { concluded: 'Buenos días.', tentative: ' Y ahora' }));
    await untilSaid(demo, 'target', ['Buenos días.', 'Y ahora']);
    await untilState(demo, 'ended');
    expect(await sentences(demo, 'source')).toEqual(['Good morning.']);
    const heard = samplesOf([session]);
    expect(heard.length).toBeGreaterThan(0.95 * SAMPLE.length);
    expect(amplitudeAt(heard.slice(8_000, 24_000), SAMPLE_HZ, 16_000)).toBeGreaterThan(0.2);
  });

  it('the microphone is captured until it is stopped, and a dropped session is resumed without loss or repetition', async (context) => {
    const element = await open(context, '/page');
    bench.gateway.keepsSessions = true;
    await pressMain(element);
    const first = await newestSession(bench, { chunks: 12 });
    expect(await stateOf(element)).toBe('live');
    expect(loudest(samplesOf([first]))).toBeGreaterThan(0.02);
    const numbered = (sequence: number, text: string): ServerMessage => {
      const concluded = [{ language: 'en', text, start_time: 0, end_time: 100 }];
      return { type: 'source_transcript_update', concluded, tentative: [], sequence };
    };
    first.send(numbered(1, 'Before the drop.'));
    await untilSaid(element, 'source', ['Before the drop.']);
    first.drop();
    await expect.poll(() => bench.gateway.sessions.length).toBe(2);
    const second = await newestSession(bench, { chunks: 5 });
    expect(second.sessionId).toBe(first.sessionId);
    expect(bench.gateway.resumedAfter).toEqual([1]);
    second.send(numbered(1, 'Before the drop.'));
    second.send(numbered(2, ' After it.'));
    await untilSaid(element, 'source', ['Before the drop.', 'After it.']);
    await untilState(element, 'live');
    await pressMain(element);
    await untilState(element, 'ended');
    expect(second.isFinished).toBe(true);
  });

  it('tentative text has a dotted underline, and a block holds whole lines at every font size', async (context) => {
    const element = await open(context, '/page');
    const style = await element.evaluate(
      async (frame) => {
        const captions = document.querySelector('voice-captions')!;
        captions.receive(frame);
        await captions.updateComplete;
        const words = captions.shadowRoot!.querySelector('.target .tentative')!;
        const { textDecorationLine, textDecorationStyle } = getComputedStyle(words);
        return [textDecorationLine, textDecorationStyle];
      },
      frameOf(captionUpdate('es', { concluded: 'Buenos días.', tentative: ' Y ahora' })),
    );
    expect(style).toEqual(['underline', 'dotted']);
    const slivers = await element.evaluate(sliversOfLines, longCaption('es'));
    expect(Math.max(...slivers), JSON.stringify(slivers)).toBeLessThan(0.1);
  });

  if (deaf !== undefined) {
    // The last test of all, because it removes the sound device.
    it('the element reports a missing sound device', async (context) => {
      const element = await open(context, '/page');
      await device!.close();
      await pressMain(element);
      await untilState(element, 'failed');
      const status = await element.evaluate(
        () =>
          document.querySelector('voice-captions')!.shadowRoot!.querySelector('[role=status]')!
            .textContent,
      );
      expect(status).toContain('No sound device was found. Connect headphones or a loudspeaker');
    });
  }
});
