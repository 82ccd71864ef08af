/** The captioner's page, where captions of a room are typed and corrected, used by keyboard. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import { deskWords } from '../../widget/events/desk-words.ts';
import { excessWidth, faults } from './axe.ts';
import { keepPage } from './kept-page.ts';
import { readAlong, speakLanguage, startEvents, type EventBench } from './event-browser.ts';

let bench: EventBench;
let room: RoomInfo;
let page: Page;

beforeAll(async () => (bench = await startEvents()));
afterAll(() => bench.close());
const pages = keepPage((address) => bench.open(address));
afterEach(({ task }) => pages.leave(page, task.result?.state !== 'fail'));

/** Opens the page of a new room with these lines. */
async function open(...said: string[]): Promise<void> {
  room = await bench.makeRoom();
  for (const text of said) await bench.type(room, { text });
  page = await pages.openAgain(room.captioner_url!);
  await composer().waitFor();
  await expect.poll(rows).toEqual(said);
}

function composer() {
  return page.getByLabel(/^New line in/);
}

function rows(): Promise<string[]> {
  return page
    .locator('.rows textarea')
    .evaluateAll((fields) => fields.map((field) => (field as HTMLTextAreaElement).value));
}

const focusedValue = () =>
  page.evaluate(() => {
    const { activeElement } = document.querySelector('captioner-page')!.shadowRoot!;
    return activeElement instanceof HTMLTextAreaElement ? activeElement.value : undefined;
  });

/** Returns whether the browser would ask before it leaves the page. */
const asksToLeave = () =>
  page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));

/** Keeps changes of the room from its next track in this language: the page hears of them another way. */
function doNotTellTrack(language: string): void {
  const own = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
  Object.defineProperty(WebSocket.prototype, 'onmessage', {
    configurable: true,
    set(this: WebSocket, listener: ((event: MessageEvent<string>) => void) | null) {
      const isMeant = this.url.includes(`language=${language}`) && listener !== null;
      const without = (event: MessageEvent<string>) => {
        if (!event.data.startsWith('{"room"')) listener?.(event);
      };
      own?.set?.call(this, isMeant ? without : listener);
    },
  });
}

describe('a captioner with a keyboard', () => {
  it('types a line, sends it with Enter, and readers receive it', async () => {
    await open();
    const log = page.getByRole('log', { name: 'What was said' });
    expect(await log.getAttribute('aria-live')).toBe('polite');
    const reader = await readAlong(bench, room, 'spoken');
    await page.keyboard.type('The next talk begins at ten.');
    await page.keyboard.press('Enter');
    await expect.poll(rows).toEqual(['The next talk begins at ten.']);
    await expect
      .poll(() => reader.lines())
      .toMatchObject([{ text: 'The next talk begins at ten.', by: 'person' }]);
    expect(await focusedValue()).toBe('');
    await page.keyboard.type('And lunch at noon.');
    // Neither the Enter of an input method, as Safari sends it, nor one that is held down sends the line.
    for (const each of [{ keyCode: 229 }, { repeat: true }]) {
      await composer().dispatchEvent('keydown', { key: 'Enter', ...each });
    }
    expect(await focusedValue()).toBe('And lunch at noon.');
    await page.keyboard.press('Enter');
    await expect.poll(rows).toHaveLength(2);
    reader.close();
  });

  it('edits a line after an arrow up: Escape undoes, Enter sends, and removes an empty line', async () => {
    await open('The train leafs at nine.', 'It is Tuesday.');
    const reader = await readAlong(bench, room, 'spoken');
    await page.keyboard.press('ArrowUp');
    expect(await focusedValue()).toBe('It is Tuesday.');
    await page.keyboard.type(' Or is it?');
    await page.keyboard.press('Escape');
    await expect.poll(rows).toEqual(['The train leafs at nine.', 'It is Tuesday.']);
    await composer().press('ArrowUp');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    expect(await focusedValue()).toBe('The train leafs at nine.');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('The train leaves at nine.');
    await page.getByText('Not sent: Enter sends, Esc undoes.').waitFor();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => reader.lines().map(({ text }) => text))
      .toEqual(['The train leaves at nine.', 'It is Tuesday.']);
    await page.getByText('Not sent').waitFor({ state: 'detached' });
    expect(await focusedValue()).toBe('');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.getByText('Enter takes this line away').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(rows).toEqual(['The train leaves at nine.']);
    reader.close();
  });
});

describe('a captioner beside the recogniser', () => {
  it('corrects a translation beside the original, for its readers', async () => {
    await open('Good morning.');
    const reader = await readAlong(bench, room, 'es');
    await page.getByLabel('You write').selectOption('es');
    await expect.poll(rows).toEqual([expect.stringMatching(/d[ií]as?/i)]);
    expect(await page.locator('.line .spoken').allInnerTexts()).toEqual(['Good morning.']);
    await composer().press('ArrowUp');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Muy buenos días.');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => reader.lines())
      .toEqual([expect.objectContaining({ text: 'Muy buenos días.', by: 'person' })]);
    await page.getByText('by hand').waitFor();
    const spoken = await readAlong(bench, room, 'spoken');
    await expect.poll(() => spoken.lines().map(({ text }) => text)).toEqual(['Good morning.']);
    for (const each of [reader, spoken]) each.close();
  });

  it('is warned when an edited line changes, and keeps the typed words', async () => {
    await open();
    const line = await bench.type(room, { text: 'It is Tuesday.' });
    await expect.poll(rows).toEqual(['It is Tuesday.']);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type(' Truly.');
    await bench.server.post(`/v1/rooms/${room.room_id}/captions`, {
      line,
      text: 'It is Wednesday.',
    });
    await page.getByText('It has become “It is Wednesday.” meanwhile.').waitFor();
    expect(await rows()).toEqual(['It is Tuesday. Truly.']);
    await page.keyboard.press('Escape');
    await expect.poll(rows).toEqual(['It is Wednesday.']);
    let arrive: () => void = () => undefined;
    const isOnItsWay = page.waitForRequest('**/live/captions');
    await page.route('**/live/captions', async (route) => {
      await new Promise<void>((resolve) => (arrive = resolve));
      await route.continue();
    });
    await composer().press('ArrowUp');
    await page.keyboard.type(' Truly.');
    await page.keyboard.press('Enter');
    await isOnItsWay;
    await composer().press('ArrowUp');
    await page.keyboard.type(' And sunny.');
    const isThere = page.waitForResponse('**/live/captions');
    arrive();
    await isThere;
    // Readers have the first edit, and the second waits for Enter.
    await page.getByText('Not sent: Enter sends, Esc undoes.').waitFor();
    expect(await rows()).toEqual(['It is Wednesday. Truly. And sunny.']);
    await page.unroute('**/live/captions');
  });

  it('sees the language that is written, also when the room loses another or this one', async () => {
    await open('Good morning.');
    await composer().press('ArrowUp');
    await page.keyboard.type(' Again.');
    const language = page.getByLabel('You write');
    for (const each of ['es', 'fr', 'spoken']) await language.selectOption(each);
    // An edit that is not sent yet waits in its language.
    await expect.poll(rows).toEqual(['Good morning. Again.']);
    await language.selectOption('fr');
    await bench.changeRoom(room, { languages: ['fr'] });
    await language.locator('option[value=es]').waitFor({ state: 'detached' });
    expect(await language.inputValue()).toBe('fr');
    await page.getByLabel('New line in Français').fill('Bonne soirée.');
    await bench.changeRoom(room, { languages: ['es'] });
    await language.locator('option[value=fr]').waitFor({ state: 'detached' });
    expect(await language.inputValue()).toBe('spoken');
    // What was begun in the lost language does not become what was said.
    await page.getByLabel('New line in Français').press('Enter');
    await page.getByText('Not sent: Value for').waitFor();
    await page.getByText('Bonne soirée.', { exact: true }).waitFor();
    await page.getByLabel('New line in what is said').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    // Nor does the rest of a correction, whose line has become the original.
    await page.evaluate(doNotTellTrack, 'es');
    await composer().press('ArrowUp');
    await page.keyboard.press('Escape');
    await language.selectOption('es');
    await composer().press('ArrowUp');
    await page.keyboard.type(' Otra');
    await bench.changeRoom(room, { languages: ['fr'] });
    await language.locator('option[value=es]').waitFor({ state: 'detached' });
    await page.keyboard.type(' vez.');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent: Value for').waitFor();
    await expect.poll(rows).toEqual(['Good morning.']);
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await asksToLeave()).toBe(false);
  });
});

describe('a captioner, when something fails,', () => {
  it('sees the reason beside an unsent line or correction, which stays and can be sent again', async () => {
    await open();
    await page.route('**/live/captions', (route) => route.abort());
    await page.keyboard.type('Kept in spite of everything.');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent: The server cannot be reached.').waitFor();
    // The browser asks before it leaves what is not sent.
    expect(await asksToLeave()).toBe(true);
    await page.unroute('**/live/captions');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(rows).toEqual(['Kept in spite of everything.']);
    await page.getByText('Not sent').waitFor({ state: 'detached' });
    // It asks until the server has it.
    await expect.poll(asksToLeave).toBe(false);
    await composer().fill('And');
    expect(await asksToLeave()).toBe(true);
    await composer().fill('');
    await page.route('**/live/captions', (route) =>
      route.fulfill({ status: 400, json: { message: 'That is not possible.' } }),
    );
    await composer().press('ArrowUp');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('That is not possible.').waitFor();
    expect(await rows()).toEqual(['Kept in spite of everything.!']);
    expect(await asksToLeave()).toBe(true);
    const field = page.locator('.rows textarea');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
  });

  it("with a reader's link is refused with a clear message", async () => {
    room = await bench.makeRoom();
    const [address = ''] = room.captioner_url?.split('#') ?? [];
    page = await pages.openAgain(address);
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
  });
});

describe("the captioner's page", () => {
  const looks = [
    // Its words are the longest.
    { locale: 'de-DE', colorScheme: 'light', viewport: { width: 390, height: 844 } },
    { locale: 'ar', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  ] as const;

  it.each(looks)('has no fault by axe, no faint and no truncated text: $locale', async (look) => {
    room = await bench.makeRoom();
    for (const text of [
      'Good morning.',
      'The next train leaves from the second platform at half past nine.',
    ]) {
      await bench.type(room, { text });
    }
    page = await pages.openAgain('about:blank');
    const speakEnglish = await speakLanguage(page, look.locale);
    await page.setViewportSize(look.viewport);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.goto(room.captioner_url!);
    const { roles, captioner: words } = deskWords(look.locale);
    await page.getByText(roles.captioner, { exact: true }).waitFor();
    await page.getByLabel(words.youWrite).selectOption('fr');
    await page.locator('.line .spoken').first().waitFor();
    await page.locator('#new-line').press('ArrowUp');
    await page.keyboard.type('!');
    expect(await faults(page, { isSeen: look.colorScheme === 'dark' })).toEqual([]);
    expect(await excessWidth(page)).toBe(0);
    // With letters of twice the size, a line has words and not single letters.
    const setSize = (size: string) =>
      page.evaluate((each) => (document.documentElement.style.fontSize = each), size);
    await setSize('200%');
    expect(await excessWidth(page)).toBe(0);
    for (const field of ['.rows .own', '#new-line', '#language']) {
      const { x, width } = (await page.locator(field).first().boundingBox())!;
      expect(width).toBeGreaterThan(180);
      expect(x + width).toBeLessThanOrEqual(look.viewport.width);
    }
    await setSize('');
    // At a zoom of 400 %, the page scrolls to the new line, and the list still shows some.
    await page.setViewportSize({ width: 320, height: 256 });
    await page.locator('#new-line').focus();
    const box = async (name: string) => (await page.locator(name).boundingBox())!;
    const [sheet, rows, button] = [
      await box('.sheet'),
      await box('.rows'),
      await box('.compose > button'),
    ];
    expect(button.y + button.height).toBeLessThan(256);
    expect(rows.height).toBeGreaterThan(100);
    for (const { x, width } of [button, await box('#language')]) {
      expect(x).toBeGreaterThan(sheet.x);
      expect(x + width).toBeLessThan(sheet.x + sheet.width);
    }
    await speakEnglish();
  });

  it('reports no errors and violates no policy', () => {
    expect(bench.pageErrors).toEqual([]);
  });
});
