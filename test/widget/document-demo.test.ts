/** The document translation card of the demo page: the built server, a real file, a real browser. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newContext, takeChromium } from '../support/machine/chromium.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { excessWidth, faults, laptop, showOn } from './axe.ts';
import { keepPage } from './kept-page.ts';

let server: RunningServer;
let chromium: Awaited<ReturnType<typeof takeChromium>>;
let page: Page;
const pageErrors: string[] = [];
beforeAll(async () => {
  [server, chromium] = await Promise.all([sharedServer(), takeChromium()]);
});
afterAll(() => chromium.giveBack());
afterEach(({ task }) => pages.leave(page, task.result?.state !== 'fail'));

const pages = keepPage(async (address) => {
  const context = await newContext(chromium.browser, laptop);
  const opened = await context.newPage();
  opened.on('pageerror', (error) => pageErrors.push(error.message));
  opened.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) pageErrors.push(message.text());
  });
  await opened.goto(address);
  return opened;
});

async function openPage(): Promise<void> {
  page = await pages.openAgain(server.url);
  await from().locator('option').nth(1).waitFor({ state: 'attached' });
}

interface Upload {
  name: string;
  content: string;
}

const letter: Upload = { name: 'letter.txt', content: 'The house is big.\n\nThe red car.\n' };
/** Large enough to take a while. */
const novel: Upload = {
  name: 'novel.txt',
  content: Array.from(
    { length: 1_500 },
    (_, at) => `The red car number ${at} is in the garden. My friend ${at * 7} has an old book.`,
  ).join('\n\n'),
};

const card = () => page.getByRole('region', { name: 'Translate a document' });
// By role: a label around a list includes the names of its options.
const from = () => card().getByRole('combobox', { name: /^From/ });
const to = () => card().getByRole('combobox', { name: /^To/ });
const button = (name: string | RegExp) => card().getByRole('button', { name });
const said = () => card().getByRole('status').textContent();
const progress = () => card().getByRole('progressbar');

function choose({ name, content }: Upload): Promise<void> {
  const file = { name, mimeType: '', buffer: Buffer.from(content) };
  return card().getByLabel('Choose a file to translate').setInputFiles(file);
}

async function download(): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    card().getByRole('link', { name: 'Download' }).click(),
  ]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

async function drop(files: readonly Upload[]): Promise<void> {
  await page.evaluate((dropped) => {
    const dataTransfer = new DataTransfer();
    for (const { name, content } of dropped) dataTransfer.items.add(new File([content], name));
    const target = document.querySelector('.drop-title') ?? document.body;
    for (const type of ['dragenter', 'dragover', 'drop']) {
      target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, files);
}

describe('the document card', () => {
  it('accepts a dropped file, and detects its language', async () => {
    await openPage();
    await drop([{ name: 'short.txt', content: 'A' }]);
    await card().getByText('1 byte', { exact: true }).first().waitFor();
    await button('Another file').click();
    await drop([letter]);
    await button('Translate into Spanish').click();
    expect(await download()).toEqual({
      name: 'letter.es.txt',
      text: 'La casa es grande.\n\nEl coche rojo.\n',
    });
    await button('Another file').click();
    await drop([letter, letter]);
    await card().getByText('One file at a time').first().waitFor();
  });

  it('is usable by keyboard only, with a focus that follows the steps, and survives a short server outage', async () => {
    await openPage();
    // Registered before the key is pressed, because the event could otherwise be missed.
    const asked = page.waitForEvent('filechooser');
    const focused = () => page.evaluate(() => document.activeElement?.textContent.trim());
    const label = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? undefined);
    await to().focus();
    await page.keyboard.press('Tab');
    await expect.poll(label).toBe('Choose a file to translate');
    await page.keyboard.press('Space');
    await (
      await asked
    ).setFiles({
      name: 'letter.txt',
      mimeType: '',
      buffer: Buffer.from(letter.content),
    });
    await expect.poll(focused).toBe('Translate into Spanish');
    let failures = 0;
    await page.route(/\/demo\/document\/[0-9A-F]+$/, (route) =>
      (failures += 1) <= 3 ? route.abort('connectionrefused') : route.continue(),
    );
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Download');
    expect(failures).toBeGreaterThan(3);
    await page.unrouteAll();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Another file');
    await page.keyboard.press('Enter');
    await expect.poll(label).toBe('Choose a file to translate');
  });
});

it('the card keeps its height in every state, and axe finds no faults, on a light laptop and a dark phone', async () => {
  await openPage();
  const heights = { laptop: new Set<number>(), phone: new Set<number>() };
  const look = async (state: string, isSeen = true): Promise<void> => {
    const found: string[] = [];
    for (const on of ['laptop', 'phone'] as const) {
      await showOn(page, on);
      const look = { within: '#document', leastContrast: 4.5 };
      found.push(...(await faults(page, { ...look, isSeen: isSeen || on === 'phone' })));
      const box = await page.locator('#document-card').boundingBox();
      heights[on].add(Math.round(box!.height));
      expect(await excessWidth(page)).toBe(0);
    }
    expect({ state, found }).toEqual({ state, found: [] });
  };
  await look('choose');
  const long = `${'a long name of a yearly report '.repeat(4)}.PDF`;
  await choose({ name: long, content: '%PDF-1.7 and nothing else' });
  const kinds = card().getByLabel('What to make of it').locator('option');
  expect(await kinds.allInnerTexts()).toEqual(['As PDF', 'As DOCX']);
  await from().selectOption({ label: 'English' });
  const targets = await to().locator('option').allInnerTexts();
  expect(targets).toContain('French');
  expect(targets).not.toContain('English');
  await look('ready', false);
  await button('Another file').click();
  const refused = [
    [{ name: 'program.exe', content: 'x' }, 'A .exe file cannot be translated.'],
    [{ name: 'empty.txt', content: '' }, 'The file is empty.'],
    [{ name: 'long.srt', content: 'x'.repeat(150_001) }, 'a .srt file may have 150 kB'],
  ] as const;
  for (const [upload, problem] of refused) {
    await choose(upload);
    await card().getByText(problem).first().waitFor();
    expect(await button('Try again').isVisible()).toBe(false);
    if (upload.content === '') await look('refused');
    await button('Another file').click();
  }
  await choose({ name: 'broken.xlf', content: '<xliff version="2.1"><file>' });
  await button(/^Translate into/).click();
  await card().getByText('not well-formed XML').first().waitFor();
  expect(await said()).toContain('not well-formed XML');
  await button('Try again').waitFor();
  await look('failed');
  await button('Another file').click();
  await choose(novel);
  await button(/^Translate into/).click();
  await card()
    .getByText(/^About .* left$/)
    .waitFor();
  await look('work');
  await expectProgress();
  await button('Cancel').click();
  await button(/^Translate into/).waitFor();
  expect(await said()).toBe('Cancelled.');
  // The next file is translated, and can be downloaded repeatedly.
  await button('Another file').click();
  await to().selectOption({ label: 'French' });
  await choose(letter);
  await button('Translate into French').click();
  const first = await download();
  expect(first).toEqual({
    name: 'letter.fr.txt',
    text: 'La maison est grande.\n\nLa voiture rouge.\n',
  });
  expect(await download()).toEqual(first);
  expect(await said()).toBe('letter.fr.txt is ready.');
  await look('done', false);
  expect(heights.laptop).toHaveProperty('size', 1);
  expect(heights.phone).toHaveProperty('size', 1);
  await showOn(page, 'laptop');
});

/** Progress never decreases. */
async function expectProgress(): Promise<void> {
  const values: number[] = [];
  await expect
    .poll(
      async () => {
        values.push(Number(await progress().getAttribute('value')));
        return new Set(values).size;
      },
      { timeout: 40_000, interval: 100 },
    )
    .toBeGreaterThan(1);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  expect(values.at(-1)).toBeLessThan(1);
}

it('the document page throws nothing and violates no policy', () => {
  expect(pageErrors).toEqual([]);
});
