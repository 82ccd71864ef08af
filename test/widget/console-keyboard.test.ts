/** Keyboard focus in the console, for keyboard and screen-reader users. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Glossary } from '../../shared/schemas/glossaries.ts';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import { startConsole, type ConsoleBench } from './console-browser.ts';
import { answerOf, nameOfFocused, tabTo } from './console-steps.ts';

let bench: ConsoleBench;
let page: Page;
beforeAll(async () => {
  bench = await startConsole();
});
afterAll(() => bench.close());
afterEach(({ task }) => bench.leave(page, task.result?.state !== 'fail'));

const open = async (fragment: string) => (page = await bench.openAgain(fragment));
const button = (name: string) => page.getByRole('button', { name, exact: true });
const focused = (name: string) => expect.poll(() => nameOfFocused(page)).toBe(name);

/** Presses a button by keyboard. */
async function press(name: string): Promise<void> {
  await button(name).focus();
  await page.keyboard.press('Enter');
}

async function makeKey(label: string): Promise<void> {
  await button('New key').click();
  await page.getByLabel('Label', { exact: true }).fill(label);
  await button('Make key').click();
  await button('I have copied it').click();
  await button(`Edit ${label}`).waitFor();
}

async function makeGlossary(name: string, words: number): Promise<Glossary> {
  const entries = Array.from({ length: words }, (_, at) => `word ${at}\tWort ${at}`).join('\n');
  const dictionaries = [{ source_lang: 'en', target_lang: 'de', entries, entries_format: 'tsv' }];
  return answerOf<Glossary>(bench.server.post('/v3/glossaries', { name, dictionaries }));
}

const makeRoom = (name: string) =>
  answerOf<RoomInfo>(bench.server.post('/v1/rooms', { name, source_language: 'en' }));

/** Confirms the question before an action. */
async function confirm(): Promise<void> {
  await focused('Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
}

describe('when the focused element disappears', () => {
  it('the row in its place gets the focus', async () => {
    await open('#/keys');
    for (const label of ['North', 'South']) await makeKey(label);
    await press('Deactivate North');
    await confirm();
    await focused('Edit South');
  });

  it('the field for a new site gets the focus in a list of sites', async () => {
    await open('#/settings');
    await page.getByLabel('New site').fill('https://news.example.org');
    await page.keyboard.press('Enter');
    await press('Remove https://news.example.org');
    await button('Remove https://news.example.org').waitFor({ state: 'detached' });
    await focused('New site');
  });

  it('the page heading gets the focus if nothing takes its place', async () => {
    const { glossary_id: id } = await answerOf<Glossary>(
      bench.server.post('/v3/glossaries', { name: 'Harbour', dictionaries: [] }),
    );
    await open(`#/glossaries/${id}`);
    await press('Add dictionary');
    await focused('From');
    await button('Add dictionary').last().focus();
    await page.keyboard.press('Enter');
    await button('Add entry').waitFor();
    await focused('Harbour');
  });
});

describe('a temporarily disabled button', () => {
  it('gets the focus back when it is enabled, keeps it when all is saved, and a dismissed message returns it to the page', async () => {
    const { room_id: id } = await makeRoom('Stage');
    await open(`#/events/${id}`);
    // The reload removes earlier messages.
    await page.reload();
    await button('Pause').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Paused. Nothing that is said').waitFor();
    await focused('Go on');
    await press('Dismiss');
    await focused('Stage');
    await button('Go on').focus();
    for (const next of ['Pause', 'Go on']) {
      await page.keyboard.press('Enter');
      await button(next).waitFor();
      await focused(next);
    }
    await page.getByLabel('Hidden words').fill('bother');
    await press('Save');
    await page.getByText('All changes are saved.').waitFor();
    // A second press does nothing, and the page is redrawn by then.
    await page.keyboard.press('Enter');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    expect(await nameOfFocused(page)).toBe('Save');
  });

  it('keeps the focus at the end of a long list', async () => {
    const { glossary_id: id } = await makeGlossary('Two pages', 60);
    await open(`#/glossaries/${id}/en/de`);
    await press('Next');
    await page.getByText('51–60 of 60').waitFor();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    expect(await nameOfFocused(page)).toBe('Next');
  });
});

it('a form that is sent again shows no old failure, moves nothing and keeps the focus', async () => {
  await open('#/keys');
  // The page answers for a server that cannot be reached, and the second time only when told.
  let answer = (): void => undefined;
  let isHeld = false;
  await page.route('**/console/api/v2/admin/**', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    if (isHeld) await new Promise<void>((resolve) => (answer = resolve));
    return route.abort();
  });
  await button('New key').click();
  await press('Make key');
  const failure = page.getByText('The server does not answer.');
  await failure.waitFor();
  const place = await button('Make key').boundingBox();
  isHeld = true;
  await press('Make key');
  await page.locator('[aria-disabled="true"]', { hasText: 'Make key' }).waitFor();
  expect(await failure.isVisible()).toBe(false);
  expect(await button('Make key').boundingBox()).toEqual(place);
  expect(await nameOfFocused(page)).toBe('Make key');
  // Whoever closes the form meanwhile is told on the page.
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  answer();
  // Messages of earlier tests may still be shown.
  const message = page.getByRole('listitem').filter({ hasText: 'does not answer' });
  await message.getByRole('button', { name: 'Dismiss' }).click();
  await page.unrouteAll();
});

it('the room form focuses its first field', async () => {
  await open('#/events');
  await button('New room').first().focus();
  await page.keyboard.press('Enter');
  await focused('Name');
  await page.keyboard.press('Escape');
  await focused('New room');
});

it('a question about one page is not shown on the next', async () => {
  await makeGlossary('Kept', 1);
  await open('#/glossaries');
  await page.getByRole('link', { name: 'Kept' }).click();
  await press('Delete');
  await page.getByText('Delete this glossary?').waitFor();
  await page.evaluate(() => history.back());
  await page.getByRole('heading', { name: 'Glossaries', level: 1 }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => nameOfFocused(page)).toContain('Glossaries');
  await page.getByRole('link', { name: 'Kept' }).waitFor();
});

it('no bar at an edge covers the focused element, on small windows either', async () => {
  const { glossary_id: id } = await makeGlossary('Long', 25);
  await open(`#/glossaries/${id}/en/de`);
  // The reload removes messages, which would disappear by themselves.
  await page.reload();
  await button('Edit word 3').waitFor();
  for (const size of [
    { width: 1280, height: 600 },
    { width: 320, height: 500 },
  ]) {
    await page.setViewportSize(size);
    await page.getByLabel('Search entries').focus();
    const covered: string[] = [];
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let step = 0; step < 20; step++) {
        await page.keyboard.press(key);
        if (await isCovered()) covered.push(`${key} ${await nameOfFocused(page)}`);
      }
    }
    expect({ size, covered }).toEqual({ size, covered: [] });
  }
  await page.setViewportSize({ width: 1366, height: 768 });
});

describe('a console message', () => {
  /** The message is then long and stays. */
  const refuseCopying = () =>
    page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'));
      Object.assign(document, { execCommand: () => false });
    });

  it('covers neither the focused element nor a bar, on a phone either, and appears in the open dialog, whose buttons it leaves uncovered', async () => {
    const { room_id: id } = await makeRoom('Quay');
    await page.setViewportSize({ width: 390, height: 844 });
    await open(`#/events/${id}`);
    // The reload removes earlier messages.
    await page.reload();
    await refuseCopying();
    const copy = button('Copy link: Captioners');
    await copy.focus();
    await copy.evaluate((element) => {
      scrollBy(0, element.getBoundingClientRect().bottom - innerHeight + 4);
    });
    await page.keyboard.press('Enter');
    await button('Dismiss').waitFor();
    await expect.poll(isCovered).toBe(false);
    expect(await nameOfFocused(page)).toBe('Copy link: Captioners');
    await page.getByLabel('Hidden words').fill('bother');
    await button('Save').focus();
    await expect.poll(isCovered).toBe(false);
    await button('Discard').click();
    // A long message is no wider than the window.
    const { x, width } = (await button('Dismiss').boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(390);

    // It appears in an open dialog.
    await page.setViewportSize({ width: 390, height: 400 });
    await press('New link');
    const dialog = page.getByRole('dialog', { name: 'New link' });
    await dialog.getByRole('status', { name: 'Messages' }).getByText('copy').waitFor();
    await button('Make link').focus();
    await expect.poll(isCovered).toBe(false);
    await tabTo(page, 'Dismiss');
    await page.keyboard.press('Enter');
    await button('Dismiss').waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await focused('Close');
    await page.keyboard.press('Escape');
    await focused('New link');
    await page.setViewportSize({ width: 1366, height: 768 });
  });
});

describe('the window title', () => {
  const called = (name: string) => expect.poll(() => page.title()).toBe(name);

  it('names the main content first', async () => {
    const { room_id: room } = await makeRoom('Ropewalk');
    const { glossary_id: glossary } = await makeGlossary('Knots', 1);
    const go = (fragment: string) => page.evaluate((to) => (location.hash = to), fragment);
    await open(`#/events/${room}`);
    await called('Ropewalk – Events – Dragoman console');
    await press('Rename');
    await page.getByLabel('Name', { exact: true }).fill('Sail loft');
    await page.keyboard.press('Enter');
    await called('Sail loft – Events – Dragoman console');
    await page.getByRole('link', { name: 'Events' }).first().click();
    await called('Events – Dragoman console');
    await go(`#/glossaries/${glossary}`);
    await called('Knots – Glossaries – Dragoman console');
    await go('#/nowhere');
    await called('Not found – Dragoman console');
    await go('#/overview');
    await called('Overview – Dragoman console');
  });

  it('is not changed by a page that was left', async () => {
    const { room_id: id } = await makeRoom('Slipway');
    await open(`#/events/${id}`);
    await called('Slipway – Events – Dragoman console');
    let answer = (): void => undefined;
    const left = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/rooms/*', async (route) => {
      if (route.request().method() === 'PATCH') await left;
      await route.continue();
    });
    await press('Pause');
    await page.evaluate(() => (location.hash = '#/overview'));
    await called('Overview – Dragoman console');
    answer();
    await page.getByText('Paused. Nothing that is said').waitFor();
    expect(await page.title()).toBe('Overview – Dragoman console');
    await page.unroute('**/v1/rooms/*');
  });
});

/** Returns whether the middle of the focused element is covered. */
function isCovered(): Promise<boolean> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (element === null) return false;
    const { left, top, width, height } = element.getBoundingClientRect();
    const tree = element.getRootNode() as ShadowRoot;
    const above = tree.elementFromPoint(left + width / 2, top + height / 2);
    return !element.contains(above);
  });
}
