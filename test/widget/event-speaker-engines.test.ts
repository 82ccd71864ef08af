/** The page of who speaks in the three engines that people have, each with its own fake microphone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import {
  driveChromium,
  driveFirefox,
  driveWebkit,
  firefoxIsMissing,
  openSoundDevice,
  soundDeviceIsMissing,
  webkitIsMissing,
  type DrivenPage,
} from '../support/machine/browser-engines.ts';
import { startEvents, type EventBench } from './event-browser.ts';

let bench: EventBench;
let device: Awaited<ReturnType<typeof openSoundDevice>> | undefined;

beforeAll(async () => {
  bench = await startEvents();
  if (soundDeviceIsMissing() === undefined) device = await openSoundDevice();
});
afterAll(async () => {
  await device?.close();
  await bench.close();
});

const engines = [
  { name: 'Chromium', missing: () => undefined, drive: () => driveChromium() },
  {
    name: 'Firefox',
    missing: () => firefoxIsMissing() ?? soundDeviceIsMissing(),
    drive: () => driveFirefox(device?.env),
  },
  { name: 'WebKit', missing: webkitIsMissing, drive: () => driveWebkit(device?.env) },
];

/** Everything that the page says, outside of the captions. */
function words(page: DrivenPage): Promise<string> {
  return page.evaluate(() => {
    const { shadowRoot } = document.querySelector('speaker-page')!;
    return (shadowRoot?.querySelector('main')?.innerText ?? '').replace(/\s+/g, ' ');
  });
}

function untilSaid(page: DrivenPage, said: RegExp): Promise<void> {
  return expect.poll(() => words(page), { interval: 100 }).toMatch(said);
}

function pressFloor(page: DrivenPage): Promise<void> {
  return page.click(() =>
    document.querySelector('speaker-page')!.shadowRoot!.querySelector('button.floor')!,
  );
}

describe.each(engines)('in $name', ({ missing, drive }) => {
  it('somebody speaks, is heard, pauses and goes on', async (context) => {
    const reason = missing();
    if (reason !== undefined) context.skip(reason);
    const room: RoomInfo = await bench.makeRoom();
    const page = await drive();
    try {
      await page.open(room.speaker_url!);
      await expect
        .poll(() => page.evaluate(() => customElements.get('speaker-page') !== undefined))
        .toBe(true);
      await untilSaid(page, /Start speaking/);
      await pressFloor(page);
      await untilSaid(page, /You are live/);
      const level = () =>
        page.evaluate(() => {
          const { shadowRoot } = document.querySelector('speaker-page')!;
          return Number(shadowRoot!.querySelector('.level')!.getAttribute('aria-valuenow'));
        });
      await expect.poll(level, { interval: 30 }).toBeGreaterThan(10);
      await expect.poll(async () => (await bench.roomNow(room)).state).toBe('live');
      await pressFloor(page);
      await untilSaid(page, /Paused/);
      await expect.poll(async () => (await bench.roomNow(room)).state).toBe('paused');
      await pressFloor(page);
      await untilSaid(page, /You are live/);
    } finally {
      await page.close();
    }
  });

  it('the code for the audience is shown large', async (context) => {
    const reason = missing();
    if (reason !== undefined) context.skip(reason);
    const room = await bench.makeRoom();
    const page = await drive();
    try {
      await page.open(room.speaker_url!);
      const shown = () =>
        page.evaluate(() => {
          const code = document
            .querySelector('speaker-page')
            ?.shadowRoot?.querySelector('audience-code')?.shadowRoot;
          const image = code?.querySelector<HTMLImageElement>('dialog[open] img, .glance img');
          return {
            isOpen: code?.querySelector('dialog[open]') !== null,
            width: image?.naturalWidth,
          };
        });
      await expect.poll(async () => (await shown()).width ?? 0).toBeGreaterThan(0);
      await page.click(() =>
        document
          .querySelector('speaker-page')!
          .shadowRoot!.querySelector('audience-code')!
          .shadowRoot!.querySelector('button.primary')!,
      );
      await expect.poll(async () => (await shown()).isOpen).toBe(true);
    } finally {
      await page.close();
    }
  });
});
