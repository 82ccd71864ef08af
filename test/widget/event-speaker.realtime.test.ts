/** The speaker's page: its button and its texts. For the audio, see event-live. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import { deskWords } from '../../widget/events/desk-words.ts';
import { INSECURE_HOST } from '../support/machine/chromium.ts';
import { excessWidth, faults } from './axe.ts';
import { keepPage } from './kept-page.ts';
import { speakLanguage, startEvents, type EventBench } from './event-browser.ts';

let bench: EventBench;
/** Pages besides the kept one. */
const opened: Page[] = [];
const pages = keepPage((address) => bench.open(address));
let kept: Page | undefined;

beforeAll(async () => (bench = await startEvents()));
afterAll(() => bench.close());
afterEach(async ({ task }) => {
  for (const page of opened.splice(0)) await page.context().close();
  // Stops the speaker before the next test.
  await kept?.goto('about:blank');
  if (kept !== undefined) await pages.leave(kept, task.result?.state !== 'fail');
  kept = undefined;
});

/** @param options of its own browser; by default the page left by the previous test */
async function openSpeaker(
  room: RoomInfo,
  options?: Parameters<EventBench['open']>[1],
): Promise<Page> {
  const url = room.speaker_url!;
  const page = options === undefined ? await pages.openAgain(url) : await bench.open(url, options);
  if (options === undefined) kept = page;
  else opened.push(page);
  await floorButton(page).waitFor();
  return page;
}

function floorButton(page: Page) {
  return page.locator('button.floor');
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

function untilTitle(page: Page, title: string): Promise<void> {
  // A server restart takes its time on a busy machine.
  return page.getByRole('heading', { name: title, exact: true }).waitFor({ timeout: 90_000 });
}

async function goLive(room: RoomInfo): Promise<Page> {
  const page = await openSpeaker(room);
  await press(page, 'Start speaking');
  await untilTitle(page, 'You are live');
  // The second half of a double click on the same button does not pause.
  await floorButton(page).hover();
  for (const half of ['down', 'up'] as const) await page.mouse[half]({ clickCount: 2 });
  return page;
}

const stateOf = async (room: RoomInfo) => (await bench.roomNow(room)).state;
const untilState = (room: RoomInfo, state: string) => expect.poll(() => stateOf(room)).toBe(state);

describe('a speaker', () => {
  it('pauses with one press, which turns the microphone off, is paused by others, changes the calmness, goes on, and is disconnected with the reason when the link is revoked', async () => {
    const room = await bench.makeRoom();
    const page = await goLive(room);
    await press(page, 'Pause');
    await untilTitle(page, 'Paused');
    expect(await stateOf(room)).toBe('paused');
    expect(await page.getByRole('meter').getAttribute('aria-valuenow')).toBe('0');
    await press(page, 'Go on');
    await untilTitle(page, 'You are live');
    await untilState(room, 'live');

    await bench.changeRoom(room, { paused: true });
    await untilTitle(page, 'The room was paused');
    const first = (await bench.roomNow(room)).session_id;
    await page.getByLabel('Microphone', { exact: true }).selectOption({ index: 1 });
    await expect
      .poll(async () => (await bench.roomNow(room)).session_id ?? first, { interval: 200 })
      .not.toBe(first);
    await untilTitle(page, 'The room was paused');
    expect(await stateOf(room)).toBe('paused');
    await press(page, 'Go on');
    await untilTitle(page, 'You are live');
    expect(await stateOf(room)).toBe('live');

    const before = (await bench.roomNow(room)).session_id;
    await page.getByText('At once').click();
    await expect.poll(async () => (await bench.roomNow(room)).session_id).not.toBe(before);
    await untilTitle(page, 'You are live');

    // A pause reaches a room that cannot be reached as soon as possible.
    await page.route('**/live/state', (route) => route.abort());
    await press(page, 'Pause');
    await page.getByText('The room does not know yet that you pause.').waitFor();
    await untilTitle(page, 'Paused');
    await untilState(room, 'waiting');
    expect(await page.getByRole('meter').getAttribute('aria-valuenow')).toBe('0');
    await page.unroute('**/live/state');
    await untilState(room, 'paused');
    await press(page, 'Go on');
    await untilState(room, 'live');
    await bench.revoke(room, 'speaker');
    await untilTitle(page, 'This link does not work any more');
    await untilState(room, 'waiting');
  });

  it('takes over from another, who is informed, stays silent, and may take over again', async () => {
    const room = await bench.makeRoom();
    const first = await goLive(room);
    const second = await openSpeaker(room, {});
    await untilTitle(second, 'Somebody else is speaking');
    await press(second, 'Take over');
    await untilTitle(second, 'You are live');
    await untilTitle(first, 'Somebody else has taken over');
    expect(await second.getByRole('heading', { name: 'You are live' }).count()).toBe(1);
    await press(first, 'Take over');
    await untilTitle(first, 'You are live');
    await untilTitle(second, 'Somebody else has taken over');
    expect(await stateOf(room)).toBe('live');
  });
});

describe('before speaking', () => {
  it('the microphone can be checked without an audience', async () => {
    const room = await bench.makeRoom();
    const page = await openSpeaker(room);
    // On a phone, a hint of two lines, as while pausing, moves nothing.
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 360, height: 740 });
    const heights = await page.locator('.status.calm').evaluate((status, longHint) => {
      const copy = status.parentElement!.appendChild(status.cloneNode(true) as HTMLElement);
      copy.querySelector('p')!.textContent = longHint;
      const both = [status, copy].map((each) => each.getBoundingClientRect().height);
      copy.remove();
      return both;
    }, 'The microphone is off; the last words are on their way.');
    expect(heights[1]).toBe(heights[0]);
    await page.setViewportSize(size);
    await press(page, 'Check the microphone');
    const meter = page.getByRole('meter', { name: 'Level of the microphone' });
    const level = async () => Number(await meter.getAttribute('aria-valuenow'));
    await expect.poll(level, { interval: 50 }).toBeGreaterThan(30);
    const microphones = page.getByLabel('Microphone', { exact: true });
    expect(await microphones.locator('option').count()).toBeGreaterThan(2);
    expect(await stateOf(room)).toBe('waiting');
    await press(page, 'End the check');
    await expect.poll(level).toBe(0);
    // A microphone that is unplugged meanwhile ends the check, and the page tells why.
    await page.evaluate(() => {
      const { mediaDevices } = navigator;
      const open = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = async (wish) => {
        const stream = await open(wish);
        addEventListener('unplug', () => stream.getTracks()[0]!.dispatchEvent(new Event('ended')));
        return stream;
      };
    });
    await press(page, 'Check the microphone');
    await expect.poll(level, { interval: 50 }).toBeGreaterThan(30);
    await page.evaluate(() => dispatchEvent(new Event('unplug')));
    await page.getByText('No microphone was found. It was disconnected.').waitFor();
    expect(await level()).toBe(0);
    // Ended before the microphone is open, a check has not failed, and does not end the next one.
    await page
      .getByRole('button', { name: 'Check the microphone' })
      .evaluate((button: HTMLButtonElement) => {
        for (let time = 0; time < 3; time += 1) button.click();
      });
    await expect.poll(level, { interval: 50 }).toBeGreaterThan(30);
    expect(await page.locator('.note').count()).toBe(0);
    await press(page, 'End the check');
    for (const index of [1, 2]) await microphones.selectOption({ index });
    const chosen = await microphones.inputValue();
    const unplugged = await microphones.locator('option').nth(1).getAttribute('value');
    await page.evaluate(async (gone) => {
      const { mediaDevices } = navigator;
      const all = await mediaDevices.enumerateDevices();
      mediaDevices.enumerateDevices = async () => all.filter((each) => each.deviceId !== gone);
      mediaDevices.dispatchEvent(new Event('devicechange'));
    }, unplugged);
    await microphones.locator(`option[value="${unplugged}"]`).waitFor({ state: 'detached' });
    expect(await microphones.inputValue()).toBe(chosen);
    const insecure = new URL(room.speaker_url!);
    insecure.hostname = INSECURE_HOST;
    await page.goto(insecure.href);
    await press(page, 'Check the microphone');
    await page.getByText('The microphone needs a secure page. Open this page with').waitFor();
  });

  it('the entry code fills the screen, with the passcode', async () => {
    const room = await bench.makeRoom({ access: 'passcode', passcode: '482913' });
    const page = await openSpeaker(room);
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 1920, height: 1080 });
    await press(page, 'Show large');
    const dialog = page.getByRole('dialog', { name: 'Read along on your phone' });
    const code = dialog.getByRole('img', { name: 'QR code of the link for readers' });
    await code.waitFor();
    const { width = 0 } = (await code.boundingBox()) ?? {};
    expect(width).toBeGreaterThan(700);
    expect(await code.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    expect(await dialog.innerText()).toMatch(new RegExp(`${room.room_id}[\\s\\S]*Passcode 482913`));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.setViewportSize(usual);
  });

  it('a link without its key, and a deleted room, are reported clearly', async () => {
    const room = await bench.makeRoom();
    const [address = ''] = room.speaker_url?.split('#') ?? [];
    const page = (kept = await pages.openAgain(address));
    await untilTitle(page, 'This link does not work any more');
    // If only the fragment differs, a browser stays on its page.
    await page.goto('about:blank');
    await openSpeaker(room);
    await bench.server.send(`/v1/rooms/${room.room_id}`, { method: 'DELETE' });
    await untilTitle(page, 'There is no such room');
  });
});

describe("the speaker's page", () => {
  const looks = [
    {
      // Its words are the longest.
      locale: 'fr-FR',
      colorScheme: 'light',
      viewport: { width: 360, height: 640 },
      hasTouch: true,
    },
    {
      locale: 'ar',
      colorScheme: 'dark',
      viewport: { width: 1280, height: 800 },
      hasTouch: false,
    },
  ] as const;

  it.each(looks)(
    'has no fault by axe, no faint or truncated text, and a button in view and large enough for a thumb: $locale',
    async (look) => {
      const { audience, speaker } = deskWords(look.locale);
      const room = await bench.makeRoom({ languages: ['es', 'fr', 'it', 'pt', 'ca'] });
      const page = (kept = await pages.openAgain('about:blank'));
      const speakEnglish = await speakLanguage(page, look.locale);
      const device = await page.context().newCDPSession(page);
      await device.send('Emulation.setTouchEmulationEnabled', { enabled: look.hasTouch });
      await page.setViewportSize(look.viewport);
      await page.emulateMedia({ colorScheme: look.colorScheme });
      await page.goto(room.speaker_url!);
      await floorButton(page).waitFor();
      const { y = 0, height = 0 } = (await floorButton(page).boundingBox()) ?? {};
      expect(height).toBeGreaterThanOrEqual(72);
      expect(y + height).toBeLessThanOrEqual(look.viewport.height);
      // With letters of twice the size, nothing is cut off or covers what the microphone does.
      const setSize = (size: string) =>
        page.evaluate((each) => (document.documentElement.style.fontSize = each), size);
      await setSize('200%');
      await page.getByRole('img', { name: audience.code }).waitFor();
      expect(await excessWidth(page)).toBe(0);
      const status = (await page.locator('.status h2').boundingBox())!;
      const controls = (await page.locator('.controls').boundingBox())!;
      expect(status.y + status.height).toBeLessThanOrEqual(controls.y);
      await setSize('');
      // At a zoom of 400 %, no control covers another or is cut off.
      await page.setViewportSize({ width: 320, height: 256 });
      const check = await page.getByRole('button', { name: speaker.check }).boundingBox();
      const floor = await floorButton(page).boundingBox();
      expect(check!.y + check!.height).toBeLessThanOrEqual(floor!.y);
      const isCut = floorButton(page).evaluate((each) => each.scrollWidth > each.clientWidth);
      expect(await isCut).toBe(false);
      expect(await excessWidth(page)).toBe(0);
      await page.setViewportSize(look.viewport);
      await press(page, audience.showLarge);
      const isSeen = look.colorScheme === 'dark';
      expect(await faults(page, { isSeen: true })).toEqual([]);
      await press(page, audience.close);
      if (!isSeen) await failAndGoLive(page, look.locale, room);
      expect(await faults(page, { isSeen })).toEqual([]);
      expect(await excessWidth(page)).toBe(0);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await faults(page, { isSeen: true })).toEqual([]);
      await device.detach();
      await speakEnglish();
    },
  );

  /** Failures are reported in the language of the page, whoever reports them. */
  async function failAndGoLive(page: Page, locale: string, room: RoomInfo): Promise<void> {
    const { failures, speaker } = deskWords(locale);
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () =>
        Promise.reject(new DOMException('', 'NotReadableError'));
    });
    await press(page, speaker.start);
    await page.getByRole('status').getByText(speaker.errors['microphone-busy']!).waitFor();
    expect(await stateOf(room)).toBe('waiting');
    await page.reload();
    await page.route('**/live/session', (route) =>
      route.fulfill({ status: 456, json: { message: 'The quota is used up.' } }),
    );
    await press(page, speaker.start);
    await page.getByRole('status').getByText(failures.usedUp).waitFor();
    await page.unroute('**/live/session');
    await floorButton(page).click();
    await untilTitle(page, speaker.live);
  }

  it('reports no errors and violates no policy', () => {
    expect(bench.pageErrors).toEqual([]);
  });
});
