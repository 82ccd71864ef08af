import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleModel, ConsoleModels } from '../../shared/schemas/models.ts';
import {
  firstLink,
  newLink,
  signedIn,
  type ConsoleClient,
} from '../support/product/console-client.ts';
import { startNpmRegistry, type NpmRegistry } from '../support/services/npm-registry.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { startServer, until, type TestServer } from '../support/product/server.ts';
import {
  startTranslationBucket,
  type TranslationBucket,
} from '../support/services/translation-bucket.ts';

let server: TestServer;
let bucket: TranslationBucket;
let registry: NpmRegistry;
let operator: ConsoleClient;
const place = mkdtempSync(path.join(tmpdir(), 'dragoman-'));
const folder = path.join(place, 'models');

beforeAll(async () => {
  [bucket, registry] = await Promise.all([startTranslationBucket(), startNpmRegistry()]);
  const files = { model: randomBytes(300_000), vocab: randomBytes(10_000) };
  bucket.publish({ pair: 'en-es', files }, { pair: 'fi-en', files });
  server = await startServer({
    CONSOLE: 'on',
    MODELS_DIR: folder,
    MODELS_URL: bucket.url,
    npm_config_registry: registry.url,
    npm_config_cache: path.join(place, 'npm'),
  });
  operator = await signedIn(server, firstLink(server));
});
afterAll(async () => {
  await server.stop();
  await Promise.all([bucket.close(), registry.close()]);
  rmSync(place, { recursive: true, force: true });
});

const ask = (method: string, where = 'models', body?: unknown) =>
  operator.ask<ConsoleModels & { message: string }>(method, where, body);

async function modelOf(name: string): Promise<ConsoleModel | undefined> {
  return (await ask('GET')).body.models.find((model) => model.name === name);
}

const install = (name: string, more: object = {}) =>
  ask('POST', 'models/installations', { name, ...more });

it('a model is installed with visible progress, and removed again', async () => {
  expect(await modelOf('translation-en-es')).toMatchObject({
    kind: 'translation',
    pairs: [{ source: 'en', target: 'es' }],
    licence: 'MPL-2.0',
    is_installed: false,
    is_better: true,
    size_mb: 20,
    installation: null,
  });
  // The list has not been requested yet.
  expect(await modelOf('translation-fi-en')).toBeUndefined();
  expect(bucket.requests).toEqual([]);
  expect((await ask('POST', 'models/translations', {})).status).toBe(200);
  expect(await modelOf('translation-fi-en')).toMatchObject({ size_mb: 1, is_better: false });

  const begun = await install('translation-en-es');
  expect(begun.status).toBe(200);
  const model = await until(async () => {
    const found = await modelOf('translation-en-es');
    return found?.is_installed === true && found.installation === null && found;
  });
  expect(model).toMatchObject({ is_in_use: false, is_better: false, problem: null });
  expect(existsSync(path.join(folder, 'translation-en-es', 'model.bin'))).toBe(true);

  truncateSync(path.join(folder, 'translation-en-es', 'model.bin'), 10);
  expect((await modelOf('translation-en-es'))?.problem).toMatch(/damaged\. Install it again/);

  expect((await ask('DELETE', 'models/translation-en-es')).status).toBe(200);
  expect(await modelOf('translation-en-es')).toMatchObject({ is_installed: false });
  expect((await ask('DELETE', 'models/translation-en-es')).status).toBe(404);
});

it('a failed installation reports the remedy and can be repeated; a cancelled one leaves nothing', async () => {
  registry.fault = 'absent';
  await install('moonshine-tiny-en');
  const failed = await until(async () => {
    const model = await modelOf('moonshine-tiny-en');
    return model?.installation?.state === 'failed' && model;
  });
  expect(failed.installation?.message).toMatch(/The npm registry does not have all of .*E404/);

  // Another attempt, and one that must wait: neither gets a response.
  registry.fault = 'silent';
  registry.requests.length = 0;
  await install('moonshine-tiny-en');
  await until(() => registry.requests.length > 0);
  await install('translation-en-es');
  expect((await modelOf('moonshine-tiny-en'))?.installation).toMatchObject({
    state: 'running',
    step: 'download',
    message: null,
  });
  expect((await modelOf('translation-en-es'))?.installation?.state).toBe('waiting');
  for (const name of ['translation-en-es', 'moonshine-tiny-en']) {
    expect((await ask('DELETE', `models/installations/${name}`)).status).toBe(200);
    expect((await modelOf(name))?.installation).toBeNull();
  }
  await until(() => readdirSync(folder).every((name) => name === '.downloads'));
  expect((await ask('DELETE', 'models/installations/moonshine-tiny-en')).status).toBe(404);
});

it('terms must be accepted, and names must be known', async () => {
  const spanish = await modelOf('moonshine-base-es');
  expect(spanish?.terms).toContain('1,000,000 US dollars');
  expect(await install('moonshine-base-es')).toMatchObject({
    status: 400,
    body: { message: 'Accept the terms of moonshine-base-es to install it.' },
  });
  for (const name of ['nothing', '../../etc', 'translation-../x', '.downloads']) {
    expect((await install(name)).status, name).toBe(404);
    expect((await ask('DELETE', `models/${encodeURIComponent(name)}`)).status, name).toBe(404);
  }
  expect((await ask('POST', 'models/installations', {})).status).toBe(400);
});

it('only the first account of the server may manage models', async () => {
  const storage = await openEmbedded(server.dataFolder);
  const { account } = await platformOver(storage).newcomer();
  const tenant = await signedIn(server, await newLink(storage, account.accountId));
  for (const [method, where, body] of [
    ['GET', 'models'],
    ['POST', 'models/translations', {}],
    ['POST', 'models/installations', { name: 'moonshine-tiny-en' }],
    ['DELETE', 'models/installations/moonshine-tiny-en'],
    ['DELETE', 'models/moonshine-tiny-en'],
  ] as const) {
    const { status, body: answer } = await tenant.ask<{ message: string }>(method, where, body);
    expect([where, status]).toEqual([where, 403]);
    expect(answer.message).toContain('Only the first account');
  }
});
