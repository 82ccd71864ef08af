/** The console's pages of glossaries, style rules and translation memories, over a real server. */
import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Glossary } from '../../shared/schemas/glossaries.ts';
import type { StyleRuleList } from '../../shared/schemas/style-rules.ts';
import type { TranslationMemoryList } from '../../shared/schemas/translation-memories.ts';
import { excessWidth, faults, faultsInBothLooks } from './axe.ts';
import { startConsole, PASSWORD, type ConsoleBench } from './console-browser.ts';
import { answerOf, drop, file, nameOfFocused } from './console-steps.ts';

let bench: ConsoleBench;
let page: Page;
beforeAll(async () => {
  bench = await startConsole();
});
afterAll(() => bench.close());
afterEach(({ task }) => bench.leave(page, task.result?.state !== 'fail'));

const open = async (fragment: string) => (page = await bench.openAgain(fragment));
const button = (name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const row = (words: string) => page.getByRole('row', { name: words });
const field = (name: string) => page.getByLabel(name, { exact: true }).filter({ visible: true });
const bar = (words: string | RegExp) => page.getByText(words).first().waitFor();
/** Creates a glossary of English and German through the public interface. */
async function makeGlossary(name: string, entries: string): Promise<string> {
  const dictionaries = [{ source_lang: 'en', target_lang: 'de', entries, entries_format: 'tsv' }];
  const answer = bench.server.post('/v3/glossaries', { name, dictionaries });
  return (await answerOf<Glossary>(answer)).glossary_id;
}

/** Returns its English-German entries through the public interface. */
async function entriesOf(glossaryId: string): Promise<string[]> {
  const answer = bench.server.send(
    `/v3/glossaries/${glossaryId}/entries?source_lang=en&target_lang=de`,
    { method: 'GET' },
  );
  const { dictionaries } = await answerOf<{ dictionaries: { entries: string }[] }>(answer);
  return dictionaries[0]!.entries.split('\n');
}

async function download(name: string): Promise<{ name: string; text: string }> {
  const [saved] = await Promise.all([page.waitForEvent('download'), button(name).click()]);
  return { name: saved.suggestedFilename(), text: readFileSync(await saved.path(), 'utf8') };
}

const focused = () => nameOfFocused(page);

async function signIn(): Promise<void> {
  await page.getByLabel('Account').fill(bench.account);
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
}

describe('console glossaries', () => {
  it('are created, filled and saved by keyboard only', async () => {
    await open('#/glossaries');
    await button('New glossary').first().focus();
    await page.keyboard.press('Enter');
    await field('Name').waitFor();
    await page.keyboard.type('Harbour terms');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Harbour terms' }).waitFor();
    await button('Add dictionary').first().focus();
    await page.keyboard.press('Enter');
    await field('Into').selectOption({ label: 'German' });
    await button('Add dictionary').last().press('Enter');
    await button('Add entry').press('Enter');
    await page.keyboard.type('berth');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Liegeplatz');
    await page.keyboard.press('Enter');
    // The next entry can be typed at once.
    await expect.poll(focused).toBe('Phrase in English');
    await page.keyboard.type('berth');
    await page.keyboard.press('Enter');
    await bar('The entry has a translation that is empty.');
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Add entry');
    await bar('Not saved yet: 1 added.');
    await button('Save').press('Enter');
    await bar('All changes are saved.');
    const { glossaries } = await answerOf<{ glossaries: Glossary[] }>(
      bench.server.send('/v3/glossaries', { method: 'GET' }),
    );
    const made = glossaries.find(({ name }) => name === 'Harbour terms')!;
    expect(await entriesOf(made.glossary_id)).toEqual(['berth\tLiegeplatz']);
  });

  it('are edited without affecting concurrent changes, and keep unsaved input', async () => {
    const id = await makeGlossary('Edited', 'a\tA\nb\tB\nc\tC');
    await open(`#/glossaries/${id}`);
    await button('Edit b').click();
    await page.getByLabel('Translation in German').fill('Be');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Edit b');
    await button('Remove a').click();
    await expect.poll(focused).toBe('Remove b');
    await bar('Not saved yet: 1 changed, 1 removed.');
    await page.getByRole('link', { name: 'Glossaries' }).first().click();
    await page.getByRole('link', { name: 'Edited' }).click();
    await bar('Not saved yet: 1 changed, 1 removed.');
    const change = { source_lang: 'en', target_lang: 'de', entries: 'd\tD\nc\tCe' };
    await bench.server.send(`/v3/glossaries/${id}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ dictionaries: [{ ...change, entries_format: 'tsv' }] }),
    });
    await button('Save').click();
    await bar('All changes are saved.');
    expect(await entriesOf(id)).toEqual(['b\tBe', 'c\tCe', 'd\tD']);
    await row('d D').waitFor();
    await button('Remove b').click();
    await button('Discard').click();
    await row('b Be').waitFor();
    await bar('All changes are saved.');
    // A row that is still being edited is saved as well, unless it is invalid.
    await button('Edit d').click();
    await page.getByLabel('Translation in German').fill('');
    await bar('Not saved yet: one being written.');
    await button('Save').click();
    await bar('The entry has a translation that is empty.');
    await page.getByLabel('Translation in German').fill('De');
    await button('Save').click();
    await bar('All changes are saved.');
    expect(await entriesOf(id)).toEqual(['b\tBe', 'c\tCe', 'd\tDe']);
  });

  it('are imported by file chooser and by drop, with problems shown first, and exported', async () => {
    const id = await makeGlossary('Imported', 'a\tA\nb\tB');
    await open(`#/glossaries/${id}/en/de`);
    await row('a A').waitFor();
    const lines = ['b;Be', 'alone', '"c; d";Ce', 'casa;house;es;en'].join('\r\n');
    await page.locator('input[type="file"]').setInputFiles(file('list.csv', lines));
    await bar('has 2 entries that can be used: 1 new, 1 with another translation');
    await bar('Line 2 has one phrase only.');
    await bar('1 line of other languages');
    await button('Take 2 entries').click();
    await bar('Not saved yet: 1 added, 1 changed.');
    expect(await download('Export CSV')).toEqual({
      name: 'Imported.en-de.csv',
      text: 'a,A,en,de\r\nb,Be,en,de\r\nc; d,Ce,en,de',
    });
    await drop(page.getByRole('heading', { name: 'English → German' }), 'all.tsv', 'x\tX\ny\tY\n');
    await field('Replace all of them').check();
    await button('Take 2 entries').click();
    await button('Save').click();
    await bar('All changes are saved.');
    expect(await entriesOf(id)).toEqual(['x\tX', 'y\tY']);
    expect(await download('Export TSV')).toEqual({
      name: 'Imported.en-de.tsv',
      text: 'x\tX\ny\tY',
    });
  });

  it('of many pages of entries are searched and paged, and send only changes', async () => {
    const terms = Array.from({ length: 1_100 }, (_, at) => `term ${at}\tWort ${at}`).join('\n');
    const id = await makeGlossary('Large', terms);
    await open(`#/glossaries/${id}`);
    await bar('1–50 of 1,100');
    await button('Last').click();
    await bar('1,051–1,100 of 1,100');
    expect(await page.getByRole('row').count()).toBe(51);
    await page.getByLabel('Search entries').fill('WORT 105');
    await bar('term 1059');
    expect(await page.getByRole('row').count()).toBe(12);
    await button('Edit term 105').click();
    await page.getByLabel('Translation in German').fill('Begriff');
    await page.keyboard.press('Enter');
    const sent: Request[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request);
    });
    await button('Save').click();
    await bar('All changes are saved.');
    expect(sent.map((request) => [request.method(), request.postData()!.length < 200])).toEqual([
      ['PATCH', true],
    ]);
    const entries = await entriesOf(id);
    expect([entries.length, entries[105]]).toEqual([1_100, 'term 105\tBegriff']);
  });

  it('keep unsaved input across an expired session, but not across a sign-out', async () => {
    const id = await makeGlossary('Interrupted', 'a\tA');
    await open(`#/glossaries/${id}`);
    await button('Add entry').click();
    await page.keyboard.type('b');
    await page.keyboard.press('Tab');
    await page.keyboard.type('B');
    await page.keyboard.press('Enter');
    await page.route('**/console/api/**', (route) => route.abort('connectionrefused'), {
      times: 1,
    });
    await button('Save').click();
    await bar('The server does not answer.');
    await page.context().clearCookies();
    await button('Save').click();
    await signIn();
    await bar('Not saved yet: 1 added.');
    await button('Save').click();
    await bar('All changes are saved.');
    expect(await entriesOf(id)).toEqual(['a\tA', 'b\tB']);
    await button('Remove b').click();
    await button('Sign out').click();
    await signIn();
    await row('b B').waitFor();
    await bar('All changes are saved.');
    // The row that is still being edited, and the form over the page.
    await button('Edit b').click();
    await field('Translation in German').fill('Bee');
    await page.getByRole('link', { name: 'Glossaries' }).first().click();
    await page.goBack();
    await expect.poll(() => field('Translation in German').inputValue()).toBe('Bee');
    await button('Rename').click();
    await field('Name').fill('Interrupted twice');
    await button('Rename').last().click();
    await page.getByRole('heading', { name: 'Interrupted twice' }).waitFor();
    await button('Cancel').click();
    await row('b B').waitFor();
  });
});

describe('console style rules', () => {
  it('are chosen from the catalogue, which shows who follows them, and unsaved choices are kept', async () => {
    await open('#/style-rules');
    await button('New list').first().click();
    expect(await faults(page, { within: 'main' })).toEqual([]);
    await field('Name').fill('House style');
    await field('Language it is written for').selectOption({ label: 'German' });
    await button('Make list').click();
    await page.getByRole('heading', { name: 'House style' }).waitFor();
    await field('Search rules').fill('quotation style');
    const style = page.getByRole('listitem').filter({ hasText: 'Quotation style' });
    const groups = style.locator('optgroup');
    expect(
      await groups.evaluateAll((all) => all.map((each) => each.getAttribute('label'))),
    ).toContain('Built in');
    // Without such an engine nothing follows this one.
    await field('Search rules').fill('nominal');
    await page.getByRole('listitem').getByText('Chat engine', { exact: true }).waitFor();
    await field('Search rules').fill('spanish word solo');
    await bar('No such rule');
    await page.getByLabel('All', { exact: true }).check();
    await field('Spanish word solo').waitFor();
    await page.getByLabel('For German', { exact: true }).check();
    await field('Search rules').fill('apostrophe');
    await field('Apostrophe').selectOption({ label: 'Use curly apostrophes' });
    await bar('Not saved yet: 1 rule changed.');
    await page.getByRole('link', { name: 'Style rules' }).first().click();
    await page.getByRole('link', { name: 'House style' }).click();
    await bar('Not saved yet: 1 rule changed.');
    await button('Save').click();
    await bar('All changes are saved.');
    expect((await styleList('House style')).configured_rules).toEqual({
      punctuation: { apostrophe: 'use_curly_apostrophes' },
    });
    await bar('Version 2');
    await page.getByLabel('Chosen', { exact: true }).check();
    await field('Apostrophe').selectOption('');
    await button('Discard').click();
    await bar('All changes are saved.');
    expect(await field('Apostrophe').inputValue()).toBe('use_curly_apostrophes');
  });

  it('have instructions, and report when no engine can follow them', async () => {
    const answer = bench.server.post('/v3/style_rules', { name: 'Letters', language: 'en' });
    const { style_id: id } = await answerOf<StyleRuleList>(answer);
    await open(`#/style-rules/${id}`);
    await button('Add instruction').click();
    await field('Label').fill('Warm');
    await button('Add instruction').last().click();
    await bar('Please enter an instruction.');
    await field('Instruction').fill('Write as to a colleague.');
    await field('For texts in').selectOption({ label: 'German' });
    await button('Add instruction').last().click();
    await bar('From German');
    await bar('No chat engine is running');
    await button('Edit Warm').click();
    await field('Instruction').fill('Write as to a friend.');
    await field('For texts in').selectOption('');
    await page.evaluate(() => (location.hash = '#/settings'));
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.goBack();
    await button('Add instruction').click();
    expect(await field('Label').inputValue()).toBe('');
    await button('Cancel').click();
    await button('Edit Warm').click();
    expect(await field('Label').inputValue()).toBe('Warm');
    await button('Save').last().click();
    await bar('Write as to a friend.');
    const [instruction] = (await styleList('Letters')).custom_instructions;
    expect(instruction).toEqual({
      ...{ id: instruction!.id, label: 'Warm', prompt: 'Write as to a friend.' },
    });
    await button('Delete Warm').click();
    await button('Delete instruction').click();
    await bar('No instruction yet');
    expect((await styleList('Letters')).custom_instructions).toEqual([]);
    await button('Delete').click();
    await button('Delete list').click();
    await bar('The list was deleted.');
  });

  async function styleList(name: string): Promise<StyleRuleList> {
    const answer = bench.server.send('/v3/style_rules?detailed=true', { method: 'GET' });
    const { style_rules: lists } = await answerOf<{ style_rules: StyleRuleList[] }>(answer);
    return lists.find((list) => list.name === name)!;
  }
});

describe('console translation memories', () => {
  it('are imported with visible progress, renamed and deleted', async () => {
    await open('#/translation-memories');
    await bar('No translation memory yet');
    expect(await faults(page, { within: 'main' })).toEqual([]);
    await drop(page.getByRole('heading', { name: 'No translation memory yet' }), 'notes.txt', 'x');
    await bar('Only TMX and CSV files can be imported.');
    await button('Close').last().click();
    const segments = Array.from({ length: 1_200 }, (_, at) => `Ship ${at},Schiff ${at}`);
    const csv = ['en,de', ...segments].join('\n');
    await page.locator('input[type="file"]').setInputFiles(file('Fleet.csv', csv));
    expect(await field('Name').inputValue()).toBe('Fleet');
    await button('Import').click();
    await bar('“Fleet” holds 1,200 segments.');
    await expect.poll(focused).toBe('Done');
    await page.keyboard.press('Enter');
    await row('Fleet English German 1,200').waitFor();
    await page.locator('input[type="file"]').setInputFiles(file('Bad.tmx', '<tmx version="1.4">'));
    await button('Import').click();
    await page.getByRole('alert').waitFor();
    // The input is still there.
    expect(await field('Name').inputValue()).toBe('Bad');
    await button('Cancel').click();
    await button('Rename Fleet').click();
    await field('Name').fill('Navy');
    await button('Rename').click();
    await row('Navy English German 1,200').waitFor();
    await button('Delete Navy').click();
    await button('Delete memory').click();
    await bar('No translation memory yet');
    const answer = bench.server.send('/v3/translation_memories', { method: 'GET' });
    expect((await answerOf<TranslationMemoryList>(answer)).total_count).toBe(0);
  });
});

it('the language pages fit a laptop and a phone, axe finds no faults, and many glossaries are searched by name', async () => {
  const glossary = await makeGlossary('Seen', 'a\tA');
  await Promise.all(Array.from({ length: 8 }, (_, at) => makeGlossary(`Pier ${at}`, 'a\tA')));
  const { style_id: style } = await answerOf<StyleRuleList>(
    bench.server.post('/v3/style_rules', {
      ...{
        name: 'Seen',
        language: 'en',
        configured_rules: { punctuation: { serial_comma: 'use' } },
      },
      custom_instructions: [{ label: 'Warm', prompt: 'Be warm.', source_language: 'de' }],
    }),
  );
  await open(`#/glossaries/${glossary}`);
  await page.getByRole('heading', { name: 'English → German' }).first().waitFor();
  // The loading indicator fades in.
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await button('Add entry').click();
  await page.keyboard.press('Enter');
  await bar('The entry has');
  const entry = await faultsInBothLooks(page, { within: 'main', leastContrast: 4.5 });
  expect(entry).toEqual({ laptop: [], phone: [], excess: 0 });
  await page.locator('input[type="file"]').setInputFiles(file('b.csv', 'a;AA\nb\n'));
  await bar('Line 2');
  await page.getByRole('dialog').waitFor();
  const look = async (within: string) => [
    await faults(page, { within, leastContrast: 4.5 }),
    await excessWidth(page),
  ];
  expect(await look('console-dialog')).toEqual([[], 0]);
  await page.keyboard.press('Escape');
  for (const [hash, name] of [
    [`#/style-rules/${style}`, 'Seen'],
    ['#/glossaries', 'Glossaries'],
  ] as const) {
    await page.evaluate((to) => (location.hash = to), hash);
    await page.getByRole('heading', { name }).first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect({ hash, found: await look('main') }).toEqual({ hash, found: [[], 0] });
  }
  await field('Search glossaries').fill('PIER 7');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await field('Search glossaries').fill('quay');
  await bar('No glossary has “quay” in its name.');
});

it('the language pages throw nothing and violate no policy', () => {
  expect(bench.pageErrors).toEqual([]);
});
