import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  startTranslationBucket,
  type TranslationBucket,
} from '../support/services/translation-bucket.ts';
import { excessWidth, faults } from './axe.ts';
import { startConsole } from './console-browser.ts';
import type { ConsoleBench } from './console-browser.ts';
import { nameOfFocused } from './console-steps.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-'));
let bench: ConsoleBench;
let page: Page;
let bucket: TranslationBucket;
beforeAll(async () => {
  bucket = await startTranslationBucket();
  const files = { model: randomBytes(3_000_000), vocab: randomBytes(10_000) };
  bucket.publish({ pair: 'en-es', files }, { pair: 'fi-en', files });
  const npm = {
    ...{ npm_config_registry: 'http://127.0.0.1:9', npm_config_cache: folder },
    // It would wait for ten seconds before its second attempt.
    npm_config_fetch_retry_mintimeout: '100',
  };
  bench = await startConsole(
    { MODELS_DIR: folder, MODELS_URL: bucket.url, ...npm },
    { isAlone: true },
  );
});
afterAll(async () => {
  await bench.close();
  await bucket.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a better translation model is installed by one click, with progress, and can be removed', async () => {
  const viewport = { width: 390, height: 844 };
  const looks = { colorScheme: 'dark', reducedMotion: 'reduce', viewport } as const;
  page = await bench.openSignedIn('#/engines', { ...looks, isMobile: true, hasTouch: true });
  await page.getByRole('button', { name: 'See the models' }).press('Enter');
  await expect.poll(() => nameOfFocused(page)).toBe('Models');
  const row = page.getByRole('listitem', { name: 'English → Spanish', exact: true });
  await row.getByText('Better').waitFor();
  await row.getByText('about 20 MB').waitFor();
  expect(bucket.requests).toEqual([]);

  // A server that stalls within the file: the progress so far is shown.
  bucket.faults.push({ breakAfterBytes: 1e9 }, { stallAfterBytes: 1_000_000 });
  await row.getByRole('button', { name: /^Install/ }).click();
  await row.getByText(/Downloading [1-9]\d %/).waitFor();
  expect(await faults(page)).toEqual([]);
  await row.getByRole('button', { name: /^Cancel/ }).click();
  await row.getByRole('button', { name: /^Install/ }).click();
  await row.getByText('Installed: restart the server to use it').waitFor();
  expect(bucket.requests.some(({ range }) => range?.startsWith('bytes=') === true)).toBe(true);

  await page.getByRole('button', { name: 'Ask Firefox' }).click();
  await page.getByLabel('Search models').fill('finn');
  await page.getByRole('listitem', { name: 'Finnish → English' }).waitFor();
  expect(await row.count()).toBe(0);
  await page.getByLabel('Search models').fill('');
  await row.getByRole('button', { name: /^Remove/ }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await row.getByRole('button', { name: /^Install/ }).waitFor();
  expect(await excessWidth(page)).toBe(0);
});

it('terms must be accepted first, and failures show the remedy', async () => {
  await page.getByLabel('Recognition').check();
  const row = page.getByRole('listitem', { name: 'moonshine-base-es' });
  await row.getByRole('button', { name: /^Install/ }).click();
  await page.getByText('less than 1,000,000 US dollars').waitFor();
  expect(await faults(page, { isSeen: true })).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await row.getByRole('alert').count()).toBe(0);
  await row.getByRole('button', { name: /^Install/ }).click();
  await page.getByRole('button', { name: 'Accept and install' }).click();
  await row.getByText('The npm registry cannot be reached').waitFor();
  await row.getByRole('button', { name: /^Dismiss/ }).click();
  await row.getByRole('button', { name: /^Install/ }).waitFor();
  expect(bench.pageErrors).toEqual([]);
});
