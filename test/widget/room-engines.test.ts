/**
 * The page of a reader in the three engines that people have. Where one is not installed its test is
 * skipped, and says why.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  driveChromium,
  driveFirefox,
  driveWebkit,
  firefoxIsMissing,
  webkitIsMissing,
  type DrivenPage,
} from '../support/machine/browser-engines.ts';
import { startResetProxy } from '../support/services/reset-proxy.ts';
import { startEvents, type EventBench } from './event-browser.ts';

let bench: EventBench;
beforeAll(async () => {
  bench = await startEvents();
});
afterAll(() => bench.close());

const engines = [
  { name: 'Chromium', missing: () => undefined, drive: () => driveChromium() },
  { name: 'Firefox', missing: firefoxIsMissing, drive: () => driveFirefox() },
  { name: 'WebKit', missing: webkitIsMissing, drive: () => driveWebkit() },
];

function lines(page: DrivenPage): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...(document.querySelector('room-captions')?.shadowRoot?.querySelectorAll('.words') ?? []),
    ].map((each) => each.textContent),
  );
}

describe.each(engines)('in $name', ({ missing, drive }) => {
  let page: DrivenPage | undefined;
  afterAll(() => page?.close());

  it('captions are read, in another language, larger, and again after a drop', async (context) => {
    const reason = missing();
    if (reason !== undefined) context.skip(reason);
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Good morning.' });
    const proxy = await startResetProxy(bench.server.url);
    page = await drive();
    const reader = page;
    const shown = async (said: string[]) =>
      expect.poll(() => lines(reader), { interval: 50 }).toEqual(said);
    await reader.open(`${proxy.url}/events/${room.room_id}?language=spoken`);
    await shown(['Good morning.']);
    await reader.evaluate(() => {
      const select = document.querySelector('select')!;
      select.value = 'es';
      select.dispatchEvent(new Event('change'));
    });
    await shown(['Buenos días.']);
    const size = () =>
      reader.evaluate(() => {
        const words = document.querySelector('room-captions')!.shadowRoot!.querySelector('.words')!;
        return Number.parseFloat(getComputedStyle(words).fontSize);
      });
    const before = await size();
    await reader.click(() => document.querySelector('.bar > .round')!);
    // The sheet rises to where it is pressed.
    await reader.evaluate(async () => {
      await Promise.all(document.getAnimations().map(({ finished }) => finished));
    });
    await reader.click(() => document.querySelectorAll('.size .round')[1]!);
    await expect.poll(size).toBeGreaterThan(before);
    proxy.reset();
    await bench.type(room, { text: 'De vuelta.', language: 'es' });
    await shown(['Buenos días.', 'De vuelta.']);
    await proxy.close();
  });
});
