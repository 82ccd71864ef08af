/** Tests of the reader's and speaker's pages, for any browser engine. */
import { expect, it, type TestContext } from 'vitest';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import type { DrivenPage } from '../support/machine/browser-engines.ts';
import { startResetProxy } from '../support/services/reset-proxy.ts';
import type { EventBench } from './event-browser.ts';

function lines(page: DrivenPage): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...(document.querySelector('room-captions')?.shadowRoot?.querySelectorAll('.words') ?? []),
    ].map((each) => each.textContent),
  );
}

/** Returns all text of the page outside the captions. */
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

/** Shows the code for the audience enlarged, and closes it again. */
async function enlargeCode(page: DrivenPage): Promise<void> {
  const shown = () =>
    page.evaluate(() => {
      const code = document
        .querySelector('speaker-page')
        ?.shadowRoot?.querySelector('audience-code')?.shadowRoot;
      const image = code?.querySelector<HTMLImageElement>('dialog[open] img, .glance img');
      return { isOpen: code?.querySelector('dialog[open]') !== null, width: image?.naturalWidth };
    });
  await expect.poll(async () => (await shown()).width ?? 0).toBeGreaterThan(0);
  await page.click(() =>
    document
      .querySelector('speaker-page')!
      .shadowRoot!.querySelector('audience-code')!
      .shadowRoot!.querySelector('button.primary')!,
  );
  await expect.poll(async () => (await shown()).isOpen).toBe(true);
  await page.evaluate(() =>
    document
      .querySelector('speaker-page')!
      .shadowRoot!.querySelector('audience-code')!
      .shadowRoot!.querySelector('dialog')!
      .close(),
  );
}

/**
 * Declares the tests of readers and speakers.
 *
 * @param options.deafness why this engine cannot capture audio; undefined when it can
 */
export function testEventPages({
  bench,
  open,
  deafness,
}: {
  bench: () => EventBench;
  open: (context: TestContext, url: string) => Promise<DrivenPage>;
  deafness: () => string | undefined;
}): void {
  it('captions are shown, in another language, larger, and again after a lost connection', async (context) => {
    const room = await bench().makeRoom();
    await bench().type(room, { text: 'Good morning.' });
    const proxy = await startResetProxy(bench().server.url);
    const reader = await open(context, `${proxy.url}/events/${room.room_id}?language=spoken`);
    const shown = async (said: string[]) =>
      expect.poll(() => lines(reader), { interval: 50 }).toEqual(said);
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
    // Waits until the sheet has risen to its final position.
    await reader.evaluate(async () => {
      await Promise.all(document.getAnimations().map(({ finished }) => finished));
    });
    await reader.click(() => document.querySelectorAll('.size .round')[1]!);
    await expect.poll(size).toBeGreaterThan(before);
    proxy.reset();
    await bench().type(room, { text: 'De vuelta.', language: 'es' });
    await shown(['Buenos días.', 'De vuelta.']);
    await proxy.close();
  });

  it('a speaker sees the code for the audience enlarged, is live and pauses', async (context) => {
    const reason = deafness();
    if (reason !== undefined) context.skip(reason);
    const room: RoomInfo = await bench().makeRoom();
    const page = await open(context, room.speaker_url!);
    await expect
      .poll(() => page.evaluate(() => customElements.get('speaker-page') !== undefined))
      .toBe(true);
    await untilSaid(page, /Start speaking/);
    await enlargeCode(page);
    await pressFloor(page);
    await untilSaid(page, /You are live/);
    await expect.poll(async () => (await bench().roomNow(room)).state).toBe('live');
    await pressFloor(page);
    await untilSaid(page, /Paused/);
    await expect.poll(async () => (await bench().roomNow(room)).state).toBe('paused');
  });
}
