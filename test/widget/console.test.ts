import { WebSocket } from 'ws';
import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newLink } from '../support/product/console-client.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { until } from '../support/product/server.ts';
import { connect } from '../support/product/voice-client.ts';
import {
  excessWidth,
  excessWithLargeLetters,
  faults,
  faultsInBothLooks,
  labelsOnOthers,
  laptop,
  showOn,
  widthWithin,
} from './axe.ts';
import { keepPage } from './kept-page.ts';
import {
  PASSWORD,
  sessionOf,
  setPassword,
  startConsole,
  type ConsoleBench,
} from './console-browser.ts';
import { nameOfFocused, tabTo } from './console-steps.ts';

let bench: ConsoleBench;
beforeAll(async () => {
  bench = await startConsole({ RECOGNISER: 'silent' });
});
afterAll(() => bench.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Account').fill(bench.account);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Creates a developer key on its page; returns its secret. */
async function makeKey(page: Page, label: string): Promise<string> {
  await page.getByRole('button', { name: /^New (admin )?key$/ }).click();
  await page.getByLabel('Label', { exact: true }).fill(label);
  await page.getByRole('button', { name: 'Make key' }).click();
  const secret = await page.getByLabel(`Secret of ${label}`).inputValue();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  return secret;
}

const authorised = (key: string) => ({ Authorization: `Service-Auth-Key ${key}` });
const translate = (key: string, headers: Record<string, string> = {}) =>
  bench.server.post(
    '/v2/translate',
    { text: ['Good morning, everybody.'], source_lang: 'EN', target_lang: 'ES' },
    { ...authorised(key), ...headers },
  );

/** Limits the account as the server's operator does. */
async function limiting() {
  const storage = await openEmbedded(bench.server.dataFolder);
  const { accounts } = platformOver(storage);
  const { accountId } = (await accounts.list()).find(({ name }) => name === bench.account)!;
  return {
    limit: (characters: number | null) => accounts.change(accountId, { limits: { characters } }),
    close: () => storage.close(),
  };
}

/** Session of the account that the first test has signed in. */
let session: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>;

const pages = keepPage((address) => bench.open(address, { ...laptop, storageState: session }));
let page: Page;
const open = async (fragment: string) =>
  (page = await pages.openAgain(`${bench.server.url}/console/${fragment}`));
afterEach(({ task }) => pages.leave(page, task.result?.state !== 'fail'));

describe('signing in to the console', () => {
  it('a one-time link sets the password, signs in, leaves the address, and is refused afterwards', async () => {
    page = await pages.openAgain(bench.link);
    await page.getByLabel('New password').fill('short');
    await page.getByLabel('Once more').fill('short');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('alert').getByText('at least 12 characters').waitFor();
    expect(page.url()).not.toContain('set-password');
    await setPassword(page);
    expect(await page.title()).toBe('Overview – Dragoman console');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    page = await pages.openAgain(bench.link);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('Once more').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('alert').waitFor();
    page = await pages.openAgain(`${bench.server.url}/console/`);
    await signIn(page, 'not the password');
    await page.getByRole('alert').waitFor();
    await signIn(page, PASSWORD);
    await heading(page, 'Overview').waitFor();
    session = await page.context().storageState();
  });
});

describe('keys and their usage', () => {
  it('a key is created, used, limited, shown in the plots and deactivated', async () => {
    await open('#/keys');
    const secret = await makeKey(page, 'Website');
    expect((await translate(secret, { 'X-Service-Reporting-Tag': 'greetings' })).status).toBe(200);

    await page.getByRole('button', { name: 'Edit Website' }).click();
    await page.getByLabel('Label', { exact: true }).fill('Shop');
    await page.getByRole('group', { name: 'Characters' }).getByLabel('No limit').uncheck();
    await page.getByLabel('Characters a month: at most').fill('30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('24 of 30').waitFor();
    await page.getByText('80 % used').waitFor();
    expect((await translate(secret)).status).toBe(456);
    const account = await limiting();
    const notices = [
      { name: 'Overview', limit: 25, notice: 'The account has used 96 % of its characters' },
      {
        name: 'Usage',
        limit: 24,
        notice: /reached its limit of characters.* until 1\u00a0\w+\u00a0\d+/,
      },
      {
        name: 'Developer keys',
        limit: 0,
        notice: /may use no characters: .* refused, with every key/,
      },
    ];
    for (const { name, limit, notice } of notices) {
      await account.limit(limit);
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByText(notice).waitFor();
    }
    await account.limit(null);
    await account.close();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(/in texts\s*24(?!\d)/).waitFor();
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    const plot = page.getByRole('slider');
    await plot.waitFor();
    const newestBar = () => plot.getAttribute('aria-valuetext');
    await expect.poll(newestBar).toMatch(/: Texts 24$/);
    // Paper is narrower than the window, and printing redraws nothing.
    expect(await widthWithin(plot, 300)).toBe(300);
    await expect.poll(() => labelsOnOthers(plot, '200%')).toEqual([]);
    await page.getByRole('radio', { name: 'Key' }).check();
    await expect.poll(newestBar).toMatch(/: Shop \(.*\) 24$/);
    await page.getByRole('radio', { name: 'Tag' }).check();
    await expect.poll(newestBar).toMatch(/: greetings 24$/);
    expect(await page.getByRole('radio', { name: 'Speech' }).isDisabled()).toBe(true);
    await page
      .getByRole('status')
      .getByText('Reports by tag count texts and improvements only.')
      .waitFor();
    await plot.press('ArrowLeft');
    await plot.press('ArrowLeft');
    await expect.poll(newestBar).toMatch(/: nothing$/);
    await page.getByRole('button', { name: 'CSV' }).waitFor();
    await page.getByRole('radio', { name: 'Kind' }).check();
    await page.getByRole('radio', { name: 'Speech' }).check();
    await page.getByText('No speech in these days').waitFor();

    await page.getByRole('link', { name: 'Developer keys' }).click();
    await page.getByRole('button', { name: 'Deactivate Shop' }).click();
    await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
    await page.getByText('“Shop” is deactivated.').waitFor();
    expect((await translate(secret)).status).toBe(403);
    await page.getByText('1 deactivated key').waitFor();
  });

  it('an admin key is created by keyboard only, administers, and is deactivated', async () => {
    await open('#/admin-keys');
    // The reload resets the focus.
    await page.reload();
    await page.getByText('No active keys').waitFor();
    expect(await faults(page, { within: 'main' })).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await nameOfFocused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await nameOfFocused(page)).toBe('New admin key');
    await page.keyboard.press('Enter');
    await expect.poll(() => nameOfFocused(page)).toBe('Label');
    await page.keyboard.type('Reports');
    await page.keyboard.press('Enter');
    const field = page.getByLabel('Secret of Reports');
    const secret = await field.inputValue();
    await tabTo(page, 'I have copied it');
    await page.keyboard.press('Enter');
    await expect.poll(() => nameOfFocused(page)).toBe('New admin key');
    const answer = await bench.server.get('/v2/admin/developer-keys', authorised(secret));
    expect(answer.status).toBe(200);
    expect(secret).toMatch(/:adm$/);

    await tabTo(page, 'Deactivate Reports');
    await page.keyboard.press('Enter');
    // Enter does not confirm an irreversible action.
    await expect.poll(() => nameOfFocused(page)).toBe('Cancel');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('“Reports” is deactivated.').waitFor();
    const refused = await bench.server.get('/v2/admin/developer-keys', authorised(secret));
    expect(refused.status).toBe(403);
    await page.getByText('1 deactivated key').waitFor();
  });

  it('keys are searched where there are many, including deactivated ones', async () => {
    await open('#/admin-keys');
    const secret = await makeKey(page, 'Maker');
    const labels = Array.from({ length: 8 }, (_, index) => `Kiosk ${index}`);
    const make = (label: string) =>
      bench.server.post('/v2/admin/developer-keys', { label }, authorised(secret));
    await Promise.all(labels.map(make));
    await open('#/keys');
    const search = page.getByRole('searchbox', { name: 'Search keys' });
    await search.fill('kiosk 3');
    await expect.poll(() => page.getByRole('button', { name: /^Edit / }).count()).toBe(1);
    expect(await page.getByText('deactivated key').count()).toBe(0);
    await search.fill('shop');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await page.getByRole('listitem').getByText('Shop').waitFor();
    await search.fill('');
    await page.getByText('1 deactivated key').waitFor();
    expect(await page.getByRole('listitem').getByText('Shop').isVisible()).toBe(false);
  });
});

it('the secret of a new key stays visible until the user confirms the copy', async () => {
  await open('#/settings');
  await page.getByRole('link', { name: 'Developer keys' }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Label', { exact: true }).fill('Kept');
  await page.getByRole('button', { name: 'Make key' }).click();
  const secret = page.getByLabel('Secret of Kept');
  const value = await secret.inputValue();
  // Browsers always permit the second press.
  for (let count = 0; count < 3; count += 1) await page.keyboard.press('Escape');
  await expect.poll(() => secret.isVisible()).toBe(true);
  const asked = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => location.reload()));
  expect((await asked).type()).toBe('beforeunload');
  await (await asked).dismiss();
  await page.evaluate(() => history.back());
  await page.getByRole('heading', { name: 'Settings', includeHidden: true }).waitFor();
  expect(await secret.inputValue()).toBe(value);
  await page.context().clearCookies();
  await page.evaluate(() => (location.hash = '#/engines'));
  await page.getByText('Your session is over.').waitFor();
  expect(await secret.inputValue()).toBe(value);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await signIn(page, PASSWORD);
  await heading(page, 'Engines').waitFor();
});

it('a page of one account does not affect another account that signs in in the same browser', async () => {
  const storage = await openEmbedded(bench.server.dataFolder);
  const { accountId } = await platformOver(storage).accounts.create({ name: 'shop', plan: 'pro' });
  const token = await newLink(storage, accountId);
  await storage.close();
  await open('#/keys');
  const context = page.context();
  await context.addCookies((await sessionOf(bench.server, token)).cookies);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Label', { exact: true }).fill('Astray');
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByText('shop has signed in in this browser').waitFor();
  expect(await page.getByText('Secret of Astray').count()).toBe(0);
  await page.getByRole('button', { name: 'Go on as shop' }).click();
  await heading(page, 'Developer keys').waitFor();
  await page.getByText('No active keys').waitFor();
  await context.clearCookies();
  await context.addCookies(session.cookies);
  await page.reload();
});

describe('the server pages of the console', () => {
  it('show a live session with its languages and can end it', async () => {
    await open('#/overview');
    const isList = (request: Request) => request.url().endsWith('/voice-sessions');
    const asked = page.waitForRequest((request) => isList(request) && !isPoll(request));
    const isPoll = (request: Request) => request.headers()['x-dragoman-poll'] === '1';
    const polled = page.waitForRequest((request) => isList(request) && isPoll(request));
    await page.getByRole('link', { name: 'Live sessions' }).first().click();
    await Promise.all([asked, polled]);
    await page.getByText('Nobody is speaking').waitFor();
    const client = await connect(bench.server, { target_languages: ['es'] });
    client.sendAudio(new Uint8Array(32_000));
    const row = page.getByRole('row', { name: /English/ });
    await row.getByText('into Spanish').waitFor();
    await row.getByText('Connected').waitFor();
    await row.getByRole('cell', { name: '1 s', exact: true }).first().waitFor();
    await row.getByRole('button', { name: 'End English' }).click();
    await page.getByRole('button', { name: 'End session' }).click();
    await client.closed;
    await page.getByText('Nobody is speaking').waitFor();
    expect(client.socket.readyState).toBe(WebSocket.CLOSED);
  });

  it('show engines with their tasks and live counters', async () => {
    await open('#/engines');
    const apertium = page.getByRole('listitem').filter({ hasText: 'apertium' });
    await apertium.getByText('Running').waitFor();
    await apertium.getByText(/language pairs/).click();
    await apertium.getByText('English', { exact: true }).first().waitFor();
    const requests = async () =>
      Number(
        await apertium.getByRole('definition').filter({ hasText: /^\d+$/ }).first().innerText(),
      );
    const before = await requests();
    expect((await translate(bench.server.apiKey)).status).toBe(200);
    await until(async () => (await requests()) > before);
  });

  it('keep sites and addresses in the settings, and report invalid ones', async () => {
    await open('#/settings');
    const site = page.getByLabel('New site');
    const wrong = ['news example', 'localhost:3000', 'http://news.example.org:8080/?a=b'];
    for (const written of wrong) {
      await site.fill(written);
      await site.press('Enter');
      const problem = page.getByRole('alert').filter({ hasText: `“${written}”` });
      await problem.filter({ hasText: /Write (it as|http:\/\/\S+ (instead|alone))/ }).waitFor();
    }
    await page.getByLabel('New address').fill('desk');
    await page.getByLabel('New address').press('Enter');
    await page.getByText('“desk” is no mail address.').waitFor();
    await site.fill('https://news.example.org');
    await site.press('Enter');
    await page.getByRole('button', { name: 'Remove https://news.example.org' }).waitFor();
    await page.getByLabel('New address').fill('desk@example.org');
    await page.getByLabel('New address').press('Enter');
    await page.getByRole('button', { name: 'Remove desk@example.org' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove desk@example.org' }).click();
    await page.getByText('None yet.').waitFor();
    await page.getByText('https://news.example.org', { exact: true }).waitFor();
  });

  it('report an unreachable server, and continue by a button', async () => {
    await open('#/settings');
    await heading(page, 'Settings').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByText('No connection to the server').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('slider').waitFor();
  });
});

it('changing the password requires the old one', async () => {
  await open('#/settings');
  const change = async (current: string) => {
    await page.getByLabel('Current password').fill(current);
    await page.getByLabel('New password').fill('twelve green lanterns');
    await page.getByLabel('Once more').fill('twelve green lanterns');
    await page.getByRole('button', { name: 'Change password' }).click();
  };
  await change('not the password');
  await page.getByRole('alert').waitFor();
  await change(PASSWORD);
  await page.getByText('The password is changed.').waitFor();
});

it('console pages have no faults by axe and a contrast of 7:1, on a light laptop and a dark phone', async () => {
  const titles = {
    '#/usage': 'Usage',
    '#/engines': 'Engines',
    '#/settings': 'Settings',
    '#/keys': 'Developer keys',
  };
  await open('#/overview');
  const look = async (place: string, within?: string): Promise<void> => {
    const found = await faultsInBothLooks(page, { within, isEnlarged: true });
    expect({ place, ...found }).toEqual({ place, laptop: [], phone: [], excess: 0 });
  };
  // The surroundings of all pages, and the tokens of their colours, are checked once.
  await heading(page, 'Overview').waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await look('#/overview');
  for (const [fragment, title] of Object.entries(titles)) {
    await page.goto(`${bench.server.url}/console/${fragment}`);
    await heading(page, title).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    const found = await faults(page, { within: 'main' });
    const excess = (await excessWidth(page)) + (await excessWithLargeLetters(page));
    expect({ fragment, found, excess }).toEqual({ fragment, found: [], excess: 0 });
  }
  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  await page.getByLabel('Label', { exact: true }).waitFor();
  await look('key', 'console-key-dialog');
  await page.keyboard.press('Escape');
  await showOn(page, 'phone');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Developer keys' }).waitFor();
  expect(await faults(page, { within: 'dialog.menu' })).toEqual([]);
  await page.getByRole('link', { name: 'Developer keys' }).click();
  await page.context().clearCookies();
  await page.reload();
  await heading(page, 'Sign in').waitFor();
  expect([await faults(page), await excessWithLargeLetters(page)]).toEqual([[], 0]);
});

it('the console pages throw nothing and violate no policy', () => {
  expect(bench.pageErrors).toEqual([]);
});
