/** The reader's page, against a real server with real captions. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { calm, lively, openWholeChromium } from '../support/machine/chromium.ts';
import { startResetProxy } from '../support/services/reset-proxy.ts';
import { excessWidth, faults } from './axe.ts';
import { nameOfFocused } from './console-steps.ts';
import {
  cachedPaths,
  cachePages,
  forgetAll,
  speakLanguage,
  startEvents,
  untilShown,
  untilState,
  type EventBench,
} from './event-browser.ts';
import type { RoomCaptions } from '../../widget/room-captions.ts';
import { keepPage } from './kept-page.ts';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

let bench: EventBench;
beforeAll(async () => {
  bench = await startEvents();
});
const pages = keepPage((address) => bench.open(address, phone));
let kept: Page | undefined;
afterEach(async ({ task }) => {
  if (kept !== undefined) await pages.leave(kept, task.result?.state !== 'fail');
});

/**
 * Opens an address, or a path of the server, on the phone left by the previous test, with cleared storage.
 */
async function openPage(target: string): Promise<Page> {
  if (kept?.isClosed() === false) await forgetAll(kept);
  return (kept = await pages.openAgain(new URL(target, bench.server.url).href));
}

afterAll(async () => {
  await bench.close();
  expect(bench.pageErrors).toEqual([]);
});

const languages = (page: Page) => page.getByLabel(/^(Language|Idioma|Langue)$/);

describe('a reader', () => {
  it('sees earlier lines in order, and new lines, which are announced too', async () => {
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Good morning.' });
    const page = await openPage(`/events/${room.room_id}`);
    await untilShown(page, ['Good morning.']);
    expect(await page.title()).toBe('Main stage');
    const log = page.getByRole('log');
    expect(await log.getAttribute('aria-live')).toBe('polite');
    expect(await log.innerText()).toBe('');
    const line = await bench.type(room, { text: 'The train leafs at nine.' });
    await expect.poll(() => log.innerText()).toBe('The train leafs at nine.');
    await bench.type(room, { text: 'Thank you.' });
    await bench.type(room, { text: 'The train leaves at nine.', line });
    await untilShown(page, ['Good morning.', 'The train leaves at nine.', 'Thank you.']);
    await bench.type(room, { text: '', line });
    await untilShown(page, ['Good morning.', 'Thank you.']);
    expect(await page.getByRole('img', { name: /by a person/ }).count()).toBe(2);
  });

  it('chooses a language, which is remembered and can be set in the address', async () => {
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Buenos días.', language: 'es' });
    await bench.type(room, { text: 'Bonjour.', language: 'fr' });
    const page = await openPage(`/events/${room.room_id}?language=ES`);
    await untilShown(page, ['Buenos días.']);
    expect(await languages(page).inputValue()).toBe('es');
    const options = await languages(page).locator('option').allInnerTexts();
    expect(options.slice(1)).toEqual(['Español', 'Français']);
    for (const each of ['spoken', 'es', 'fr']) await languages(page).selectOption(each);
    await untilShown(page, ['Bonjour.']);
    await bench.changeRoom(room, { languages: ['fr'] });
    await languages(page).locator('option[value=es]').waitFor({ state: 'detached' });
    expect(await languages(page).inputValue()).toBe('fr');
    await page.reload();
    await untilShown(page, ['Bonjour.']);
    await page.goto(`${bench.server.url}/events/${room.room_id}`);
    await untilShown(page, ['Bonjour.']);
  });

  it('gets a language of the browser if none was chosen and the room has it', async () => {
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Buenos días.', language: 'es' });
    const page = await openPage('/');
    const speakEnglish = await speakLanguage(page, 'es-MX');
    const device = await page.context().newCDPSession(page);
    // A device with a wrong clock, which is corrected meanwhile, works as well.
    await device.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `const { now } = Date;
      Date.now = () => now() + Number(document.documentElement.dataset.late ?? 600_000);`,
    });
    await page.goto(`${bench.server.url}/events/${room.room_id}`);
    await untilShown(page, ['Buenos días.']);
    expect(await languages(page).inputValue()).toBe('es');
    await page.evaluate(() => (document.documentElement.dataset['late'] = '10800000'));
    await bench.type(room, { text: 'Gracias.', language: 'es' });
    await expect.poll(() => page.getByRole('log').innerText()).toBe('Gracias.');
    await device.detach();
    await speakEnglish();
  });

  it('scrolls back and stays there while lines arrive, and jumps to the latest', async () => {
    const room = await bench.makeRoom();
    for (let number = 1; number <= 25; number++) {
      await bench.type(room, {
        text: `This is sentence number ${number}, and it is long enough for two.`,
      });
    }
    const page = await openPage(`/events/${room.room_id}`);
    const block = page.locator('room-captions .lines');
    await page.getByText('number 25').waitFor();
    await page.emulateMedia(lively);
    const distance = () =>
      block.evaluate((each) => each.scrollHeight - each.clientHeight - each.scrollTop);
    await expect.poll(distance).toBeLessThan(2);
    await block.evaluate((each) => each.scrollBy(0, -600));
    const jump = page.getByRole('button', { name: 'Jump to now' });
    await jump.waitFor();
    const place = () =>
      page.getByText('number 18,').evaluate((each) => each.getBoundingClientRect().top);
    const before = await place();
    await bench.type(room, { text: 'Something new.' });
    await page.getByText('Something new.').first().waitFor({ state: 'attached' });
    expect(await place()).toBeCloseTo(before, 0);
    await jump.click();
    await expect.poll(distance).toBeLessThan(2);
    await expect.poll(() => jump.count()).toBe(0);
    // Printed, the page has all lines, and nothing to press.
    await page.emulateMedia({ media: 'print' });
    await page.locator('.bar').waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(1_500);
    await page.emulateMedia({ media: null });
    await expect.poll(distance).toBeLessThan(2);
    await page.emulateMedia(calm);
  });

  it('chooses the look of captions, which is remembered', async () => {
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Good morning.' });
    const page = await openPage(`/events/${room.room_id}`);
    await untilShown(page, ['Good morning.']);
    const word = page.locator('.words').first();
    const size = () => word.evaluate((each) => Number.parseFloat(getComputedStyle(each).fontSize));
    const before = await size();
    await page.getByRole('button', { name: 'Text and display' }).click();
    await page.getByRole('button', { name: 'Larger text' }).click();
    // By keyboard, to the smallest and back: the button keeps the focus at either end.
    await page.getByRole('button', { name: 'Smaller text' }).focus();
    for (let step = 0; step < 5; step++) await page.keyboard.press('Enter');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    expect(await nameOfFocused(page)).toBe('Smaller text');
    await page.getByRole('slider', { name: 'Text size' }).fill('1.125');
    await page.getByLabel('High contrast').check();
    await page.getByLabel('When they are final').check();
    // The knob of a switch is also seen in forced colours.
    await page.emulateMedia({ forcedColors: 'active' });
    const [knob, track] = await page
      .locator('.switch input')
      .evaluate((each) =>
        ['::before', ''].map((part) => getComputedStyle(each, part).backgroundColor),
      );
    expect(knob).not.toBe(track);
    await page.emulateMedia({ forcedColors: null });
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await size()).toBeGreaterThan(before);
    await page.reload();
    await untilShown(page, ['Good morning.']);
    expect(await size()).toBeGreaterThan(before);
    // In landscape, with the largest font.
    await page.setViewportSize({ width: 740, height: 260 });
    await page.locator('room-captions').evaluate((each: RoomCaptions) => (each.fontScale = 2.5));
    const below = () =>
      page.locator('room-captions').evaluate(({ shadowRoot }) => {
        const [words, block] = ['.words', '.lines'].map((name) => shadowRoot!.querySelector(name)!);
        const [word, whole] = [words!.getBoundingClientRect(), block!.getBoundingClientRect()];
        return word.bottom > whole.top + word.height / 2 && word.bottom <= whole.bottom;
      });
    await expect.poll(below).toBe(true);
    await page.setViewportSize(phone.viewport);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe('rgb(0, 0, 0)');
    expect(await page.locator('room-captions').getAttribute('calmness')).toBeNull();
    const calmness = page.evaluate(() => document.querySelector('room-captions')?.calmness);
    expect(await calmness).toBe('settled');
  });

  it('enters the passcode once on a device, and again after a change, and continues', async () => {
    const room = await bench.makeRoom({ access: 'passcode', passcode: '4711' });
    await bench.type(room, { text: 'Among us.' });
    const page = await openPage(`/events/${room.room_id}`);
    const enter = async (passcode: string) => {
      await page.getByLabel('Passcode').fill(passcode);
      await page.keyboard.press('Enter');
    };
    // The focus starts in the field, and moves to the name of the room.
    const focused = () => page.evaluate(() => document.activeElement?.tagName);
    await expect.poll(focused).toBe('INPUT');
    await page.keyboard.type('1234');
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByText('This passcode is not right.').waitFor();
    await enter('4711');
    await untilShown(page, ['Among us.']);
    await expect.poll(focused).toBe('H1');
    await page.reload();
    await untilShown(page, ['Among us.']);
    await bench.changeRoom(room, { passcode: '4712' });
    await page.getByLabel('Passcode').waitFor();
    expect(await page.getByText('Among us.').count()).toBe(0);
    await bench.type(room, { text: 'Still among us.' });
    await enter('\u0664\u0667 \u0661\u0662');
    await untilShown(page, ['Among us.', 'Still among us.']);
    await bench.changeRoom(room, { passcode: '4713' });
    await page.getByLabel('Passcode').waitFor();
    await bench.changeRoom(room, { access: 'everyone' });
    await enter('4713');
    await untilShown(page, ['Among us.', 'Still among us.']);
    // The key of the passcode is of no use any more, and in nobody's way.
    await languages(page).selectOption('es');
    await page.locator('.listen').click();
    const spoken = page.waitForResponse((each) => each.url().includes('/speech/es/') && each.ok());
    await bench.type(room, { text: 'Entre nosotros.', language: 'es' });
    await spoken;
  });

  it('sees that a room does not exist, or a link is invalid', async () => {
    const room = await bench.makeRoom({ access: 'link' });
    const page = await openPage(room.viewer_url!.slice(0, -9));
    await page.getByText('This link does not work any more').waitFor();
    // Pasted over the truncated one.
    await page.evaluate((url) => location.assign(url), room.viewer_url!);
    await untilState(page, 'waiting');
    await bench.revoke(room, 'viewer');
    await page.getByText('This link does not work any more').waitFor();
    const other = await bench.makeRoom();
    await page.goto(`${bench.server.url}/events/${other.room_id}`);
    await untilState(page, 'waiting');
    await bench.server.send(`/v1/rooms/${other.room_id}`, { method: 'DELETE' });
    await page.getByText('There is no such room').waitFor();
    // The browser revalidates its cached page.
    await page.reload();
    await page.getByText('There is no such room').waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('sees right-to-left text in its direction', async () => {
    const room = await bench.makeRoom({ source_language: 'ar' });
    await bench.type(room, { text: 'صباح الخير.' });
    const page = await openPage(`/events/${room.room_id}`);
    const line = page.locator('room-captions .caption').first();
    await line.waitFor();
    expect(await line.getAttribute('dir')).toBe('rtl');
    expect(await line.getAttribute('lang')).toBe('ar');
  });

  it('hears only new speech, and only after a click', async () => {
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Antes.', language: 'es' });
    const page = await openPage(`/events/${room.room_id}?language=es`);
    await untilShown(page, ['Antes.']);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/speech/')) asked.push(request.url());
    });
    await page.getByRole('button', { name: 'Escuchar' }).click();
    // Off, on, off and on at once.
    await page.locator('.listen').evaluate((button: HTMLButtonElement) => {
      for (let time = 0; time < 4; time += 1) button.click();
    });
    const line = await bench.type(room, { text: 'Ahora se oye.', language: 'es' });
    const answer = await page.waitForResponse((response) => response.url().includes('/speech/es/'));
    expect(answer.status()).toBe(200);
    expect(asked.map((url) => new URL(url).pathname.split('/').at(-1))).toEqual([String(line)]);
    await page.locator('.listen.playing').waitFor();
    await page.locator('.listen.waiting').waitFor();
    // After lines without words, a phone call pauses the speech; the phone may resume it.
    await page.evaluate(() => {
      const play: () => Promise<void> = Reflect.get(HTMLMediaElement.prototype, 'play');
      HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
        this.addEventListener('playing', () => this.pause(), { once: true });
        addEventListener('hung-up', () => void play.call(this), { once: true });
        return play.call(this);
      };
    });
    for (const text of ['♪', '♪', '…', 'Llaman.']) await bench.type(room, { text, language: 'es' });
    await page.locator('.listen.blocked').waitFor();
    await page.getByText('Toca «Escuchar» otra vez.').waitFor();
    await page.evaluate(() => dispatchEvent(new Event('hung-up')));
    await page.locator('.listen.waiting').waitFor();
    await page.getByRole('button', { name: 'Dejar de escuchar' }).click();
    await page.locator('.listen.off').waitFor();
  });
});

describe("a reader's page", () => {
  it('reports an unreachable server, opens offline, and continues after the reconnection', async () => {
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Before the cut.' });
    const proxy = await startResetProxy(bench.server.url);
    const page = await openPage(`${proxy.url}/events/${room.room_id}`);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    // Cached on the second visit, when the service worker runs, unlike what was cached long ago.
    await cachePages(page, 60);
    await page.reload();
    await untilShown(page, ['Before the cut.']);
    await expect.poll(() => cachedPaths(page)).toHaveLength(60);
    // Named by content, so that a page never mixes files of two versions.
    expect(await cachedPaths(page)).toContainEqual(expect.stringMatching(/viewer-[\w-]{8}\.js$/));
    let restore = proxy.cut();
    await untilState(page, 'offline');
    await page.getByText('No connection').first().waitFor();
    await bench.type(room, { text: 'During the cut.' });
    restore();
    await untilShown(page, ['Before the cut.', 'During the cut.']);
    restore = proxy.cut();
    await page.reload();
    await page.getByText('No connection').first().waitFor();
    restore();
    await bench.type(room, { text: 'After another.' });
    await untilShown(page, ['Before the cut.', 'During the cut.', 'After another.']);
    await proxy.close();
  });

  it('can be added to a home screen under the name of its room', async () => {
    const name = 'Twenty-two letters and 👩‍🚀👍🏽 family';
    const room = await bench.makeRoom({ name });
    const page = await openPage(`/events/${room.room_id}`);
    const address = await page.locator('link[rel="manifest"]').getAttribute('href');
    const manifest = (await (await fetch(address!)).json()) as {
      start_url: string;
      icons: { src: string }[];
    };
    // It is cut between characters.
    expect(manifest).toMatchObject({ name, short_name: 'Twenty-two letters and 👩‍🚀' });
    expect(new URL(manifest.start_url, address!).pathname).toBe(`/events/${room.room_id}`);
    for (const { src } of manifest.icons) {
      const icon = await fetch(new URL(src, address!));
      expect(icon.headers.get('content-type')).toBe('image/png');
    }
    const hidden = await bench.makeRoom({ name: 'Secret plans', access: 'link' });
    const secret = await fetch(`${bench.server.url}/events/${hidden.room_id}/manifest.webmanifest`);
    expect(await secret.text()).not.toContain('Secret');
  });
});

describe('in a full browser', () => {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'reader-profile-'));
  afterAll(() => rmSync(profile, { recursive: true, force: true }));

  it("a reader's page keeps the screen on as long as requested, and can be installed", async (test) => {
    const browser = await openWholeChromium(profile);
    if (browser === undefined) return test.skip('only the shell of Chromium is installed');
    const room = await bench.makeRoom();
    const page = await browser.newPage();
    // Every wake lock that the page has taken.
    await page.addInitScript(() => {
      const locks: WakeLockSentinel[] = [];
      Object.assign(globalThis, { locks });
      const request = navigator.wakeLock.request.bind(navigator.wakeLock);
      navigator.wakeLock.request = async (type) => {
        const lock = await request(type);
        locks.push(lock);
        return lock;
      };
    });
    const held = () =>
      page.evaluate(() => {
        const { locks } = globalThis as unknown as { locks: WakeLockSentinel[] };
        return locks.filter(({ released }) => !released).length;
      });
    await page.goto(`${bench.server.url}/events/${room.room_id}`);
    await expect.poll(held).toBe(1);
    await page.getByRole('button', { name: 'Text and display' }).click();
    await page.getByText('The screen stays on while this page is in view.').waitFor();
    const choice = page.getByRole('switch', { name: 'Keep the screen on' });
    await choice.uncheck();
    await page.getByText('The screen goes off as usual.').waitFor();
    await expect.poll(held).toBe(0);
    await choice.check();
    await expect.poll(held).toBe(1);

    const devtools = await browser.newCDPSession(page);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const { errors, data } = await devtools.send('Page.getAppManifest');
    expect({ errors, isThere: data?.includes('Main stage') }).toEqual({
      errors: [],
      isThere: true,
    });
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors).toEqual([]);
    // Browsers offer it only to frequent visitors.
    await page.evaluate(() => {
      const offer = new Event('beforeinstallprompt', { cancelable: true });
      const prompt = () => void (document.body.dataset['was'] = 'asked');
      dispatchEvent(Object.assign(offer, { prompt }));
    });
    await page.getByRole('button', { name: 'Add to home screen' }).click();
    await page.locator('body[data-was=asked]').waitFor();
    await browser.close();
  });
});

it("in a reader's page axe finds no faults, nothing is wider than a phone, and all text has 7:1 in light and dark", async () => {
  const room = await bench.makeRoom();
  const look = async (page: Page, state: string) => {
    const light = await faults(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await faults(page, { isSeen: true });
    await page.emulateMedia({ colorScheme: 'light' });
    const found = { light, dark, excess: await excessWidth(page) };
    expect({ state, ...found }).toEqual({ state, light: [], dark: [], excess: 0 });
  };
  await bench.type(room, { text: 'Good morning.' });
  await bench.changeRoom(room, { paused: true });
  const page = await openPage(`/events/${room.room_id}`);
  await untilShown(page, ['Good morning.']);
  await page.getByText('Captions go on when the speaker does.').waitFor();
  await look(page, 'paused');
  await page.getByRole('button', { name: 'Text and display' }).click();
  await page.getByRole('button', { name: 'Done' }).waitFor();
  await look(page, 'settings');
  await page.getByRole('button', { name: 'Done' }).click();
  await bench.changeRoom(room, { access: 'passcode', passcode: '4711' });
  await page.getByLabel('Passcode').fill('4711');
  await look(page, 'locked');
});
