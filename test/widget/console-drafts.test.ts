/** Unsaved input in the console, over a real server. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Glossary } from '../../shared/schemas/glossaries.ts';
import type { StyleRuleList } from '../../shared/schemas/style-rules.ts';
import { faults } from './axe.ts';
import { PASSWORD, startConsole, type ConsoleBench } from './console-browser.ts';
import { answerOf, file, nameOfFocused } from './console-steps.ts';

let bench: ConsoleBench;
let page: Page;
beforeAll(async () => {
  bench = await startConsole();
});
afterAll(() => bench.close());
afterEach(({ task }) => bench.leave(page, task.result?.state !== 'fail'));

const open = async (fragment: string) => (page = await bench.openAgain(fragment));
const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true }).filter({ visible: true });
const waiting = (title: string) => page.getByText(`What you typed into ${title} is kept.`);

/** Returns whether the browser would warn before leaving the console. */
const asks = () =>
  page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));

async function go(hash: string, heading: string): Promise<void> {
  await page.evaluate((to) => (location.hash = to), hash);
  await page.getByRole('heading', { name: heading }).first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** Leaves the page with unsaved input by a link, and returns. */
async function leaveAndReturn(): Promise<void> {
  await page.evaluate(() => (location.hash = '#/settings'));
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.goBack();
}

const away = {
  status: 503,
  headers: { 'Retry-After': '5' },
  json: { message: 'The database is away.' },
};

/** Ends the session while a button is pressed, then signs in again, first in vain. */
async function interrupt(pressed: string): Promise<void> {
  await page.context().clearCookies();
  await button(pressed).last().click();
  await page.getByText('What you have typed is kept').waitFor();
  await page.getByLabel('Account').fill(bench.account);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.route('**/console/api/sign-in', (route) => route.fulfill(away), { times: 1 });
  await button('Sign in').click();
  await page.getByText(away.json.message).waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
}

async function makeKey(label: string): Promise<string> {
  await open('#/keys');
  const made = page.waitForResponse((answer) => answer.request().method() === 'POST');
  await button('New key').click();
  await field('Label').fill(label);
  await button('Make key').click();
  const { key_id: id } = (await (await made).json()) as { key_id: string };
  // The second half of a double click on the button before presses nothing.
  await button('I have copied it').hover();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await button('I have copied it').click();
  await button(`Edit ${label}`).waitFor();
  return id;
}

/** Sends a console request from elsewhere. */
const elsewhere = (method: string, path: string, body: unknown = {}) =>
  page.evaluate(
    async ([how, where, what]) => {
      const headers = { 'X-Dragoman-Console': '1', 'Content-Type': 'application/json' };
      const { ok } = await fetch(`api/${where}`, { method: how!, headers, body: what! });
      if (!ok) throw new Error(where);
    },
    [method, path, JSON.stringify(body)],
  );

async function makeGlossary(name: string): Promise<string> {
  const dictionaries = [
    { source_lang: 'en', target_lang: 'de', entries: 'a\tA', entries_format: 'tsv' },
  ];
  const answer = bench.server.post('/v3/glossaries', { name, dictionaries });
  return (await answerOf<Glossary>(answer)).glossary_id;
}

describe('an interrupted dialog', () => {
  it('is kept as a draft that the page offers to continue or discard', async () => {
    const id = await makeKey('Website');
    await button('Edit Website').click();
    // Nothing is kept when a limit was set and removed.
    const without = page.getByRole('group', { name: 'Characters' }).getByLabel('No limit');
    await without.uncheck();
    await expect.poll(asks).toBe(true);
    await page.getByLabel('Characters a month: at most').fill('5');
    await without.check();
    await expect.poll(asks).toBe(false);
    await field('Label').fill('Shop');
    // A field that depends on another.
    await without.uncheck();
    await page.getByLabel('Characters a month: at most').fill('30');
    expect(await waiting('Edit').count()).toBe(0);
    await interrupt('Save');
    await expect.poll(() => nameOfFocused(page)).toBe('Developer keys');
    await waiting('Edit “Website”').waitFor();
    expect(await faults(page, { within: 'main' })).toEqual([]);
    await elsewhere('PUT', 'v2/admin/developer-keys/label', { key_id: id, label: 'Stall' });
    await leaveAndReturn();
    await waiting('Edit “Website”').waitFor();
    await button('Edit Stall').click();
    expect(await field('Label').inputValue()).toBe('Shop');
    expect(await page.getByLabel('Characters a month: at most').inputValue()).toBe('30');
    await button('Save').click();
    await button('Edit Shop').waitFor();
    expect([await waiting('Edit').count(), await asks()]).toEqual([0, false]);

    await button('New key').click();
    await field('Label').fill('Kiosk');
    await leaveAndReturn();
    await waiting('New developer key').waitFor();
    expect(await asks()).toBe(true);
    await button('Discard New developer key').click();
    await expect.poll(() => nameOfFocused(page)).toBe('Developer keys');
    expect([await waiting('New').count(), await asks()]).toEqual([0, false]);
    await button('New key').click();
    expect(await field('Label').inputValue()).toBe('');
    await button('Cancel').click();
  });
});

describe('a draft for something deleted elsewhere', () => {
  it('is discarded by the list of keys, glossaries or style rules', async () => {
    const id = await makeKey('Gone');
    await button('Edit Gone').click();
    await field('Label').fill('Going');
    await go('#/settings', 'Settings');
    await elsewhere('PUT', 'v2/admin/developer-keys/deactivate', { key_id: id });
    expect(await asks()).toBe(true);
    await go('#/keys', 'Developer keys');
    await expect.poll(asks).toBe(false);
    expect(await waiting('Edit').count()).toBe(0);

    const glossary = await makeGlossary('Gone');
    await go(`#/glossaries/${glossary}`, 'English → German');
    await button('Remove a').click();
    await button('Rename').click();
    await field('Name').fill('Going');
    await go('#/settings', 'Settings');
    await elsewhere('DELETE', `v3/glossaries/${glossary}`);
    expect(await asks()).toBe(true);
    await go('#/glossaries', 'Glossaries');
    await expect.poll(asks).toBe(false);
  });

  it('is discarded by its own page, while other drafts stay', async () => {
    const list = { name: 'Letters', language: 'en' };
    const instruction = { label: 'Warm', prompt: 'Be warm.' };
    const answer = bench.server.post('/v3/style_rules', {
      ...list,
      custom_instructions: [instruction, { ...instruction, label: 'Short' }],
    });
    const { style_id: id, custom_instructions: made } = await answerOf<StyleRuleList>(answer);
    await open(`#/style-rules/${id}`);
    for (const label of ['Warm', 'Short']) {
      await button(`Edit ${label}`).click();
      await field('Instruction').fill('Be cool.');
      await leaveAndReturn();
      await waiting(`Edit instruction “${label}”`).waitFor();
    }
    const gone = made.find(({ label }) => label === 'Warm')!;
    await elsewhere('DELETE', `v3/style_rules/${id}/custom_instructions/${gone.id}`);
    await go('#/settings', 'Settings');
    await go(`#/style-rules/${id}`, 'Letters');
    await waiting('Edit instruction “Short”').waitFor();
    await expect.poll(() => waiting('Edit instruction “Warm”').count()).toBe(0);
    await elsewhere('DELETE', `v3/style_rules/${id}`);
    await go('#/settings', 'Settings');
    expect(await asks()).toBe(true);
    await go(`#/style-rules/${id}`, 'It is not there');
    await expect.poll(asks).toBe(false);
  });
});

describe('drafts of translation memories', () => {
  it('are separate for two memories of the same name, in a searchable list, and named by the file of an import', async () => {
    await open('#/translation-memories');
    const imported = (name: string) => `translation-memories?name=${name}&format=csv`;
    for (let at = 0; at < 27; at += 1) {
      const name = at < 2 ? 'Twin' : `Pier ${at}`;
      await elsewhere('POST', `${imported(name)}&source_lang=en&target_lang=de`, ['a,b']);
    }
    await page.reload();
    await page.getByText('1–25 of 27').waitFor();
    await button('Last').click();
    await page.getByRole('row', { name: 'Pier 26' }).waitFor();
    await field('Search memories').fill('pier 1');
    await expect.poll(() => page.getByRole('row').count()).toBe(1 + 10);
    await field('Search memories').fill('quay');
    await page.getByText('No memory has “quay” in its name.').waitFor();
    await field('Search memories').fill('twin');
    await button('Rename Twin').first().click();
    await field('Name').fill('Elder');
    await leaveAndReturn();
    await waiting('Rename memory “Twin”').waitFor();
    await button('Rename Twin').last().click();
    expect(await field('Name').inputValue()).toBe('Twin');
    await button('Cancel').click();
    await button('Rename Twin').first().click();
    expect(await field('Name').inputValue()).toBe('Elder');
    await button('Rename').click();
    await page.getByRole('row', { name: 'Elder' }).waitFor();
    expect([await button('Rename Twin').count(), await asks()]).toEqual([1, false]);

    // An import has the name of its file.
    await page.locator('input[type="file"]').setInputFiles(file('Fleet.csv', 'a,b'));
    await field('Name').fill('Navy');
    await leaveAndReturn();
    await waiting('Import memory “Fleet.csv”').waitFor();
    await button('Discard Import memory “Fleet.csv”').click();
    await expect.poll(asks).toBe(false);
  });
});

it('the draft pages throw nothing and violate no policy', () => {
  expect(bench.pageErrors).toEqual([]);
});
