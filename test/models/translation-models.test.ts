import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findModels, readModel } from '../../server/models/find-models.ts';
import { installByName, type InstallByNameOptions } from '../../server/models/install-by-name.ts';
import { runDragoman } from '../support/product/command-line.ts';
import {
  startTranslationBucket,
  type TranslationBucket,
} from '../support/services/translation-bucket.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

const weights = randomBytes(400_000);
const shortlist = randomBytes(20_000);
const vocab = Buffer.from('▁the 0\n'.repeat(2000));
const large = randomBytes(500_000);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const split = { model: weights, srcVocab: vocab, trgVocab: shortlist };

let bucket: TranslationBucket;
beforeAll(async () => (bucket = await startTranslationBucket()));
afterAll(() => bucket.close());
beforeEach(() => {
  bucket.files.clear();
  bucket.faults.length = 0;
  bucket.requests.length = 0;
});

/** Publishes models as the publisher does. */
function publish(): void {
  bucket.publish(
    { pair: 'en-de', architecture: 'base', files: { model: large, vocab } },
    { pair: 'en-de', architecture: 'base-memory', files: { model: large, vocab } },
    { pair: 'en-de', files: { model: weights, lexicalShortlist: shortlist, vocab } },
    { pair: 'en-zh_hant', architecture: 'base-memory', files: split },
    { pair: 'en-no', architecture: 'base', releaseStatus: null, files: { model: large, vocab } },
    { pair: 'no-en', releaseStatus: 'Release Desktop', files: { model: weights, vocab } },
    // A model without a vocabulary is unusable.
    { pair: 'en-eo', files: { model: weights } },
  );
}
beforeEach(publish);

async function install(
  modelsFolder: string,
  name = 'translation-en-de',
  more: Partial<InstallByNameOptions> = {},
) {
  const installed = await installByName({
    name,
    modelsFolder,
    mirror: `${bucket.url}/`,
    npm: ['npm'],
    firstPauseMs: 1,
    ...more,
  });
  if (!('model' in installed)) throw new Error('No model');
  return installed;
}

describe('a translation model', () => {
  it('is unpacked, the quickest released one, and found from then on', async () => {
    const folder = temporaryFolder();
    const shares: number[] = [];
    const { model, checkedAgainst } = await install(folder, 'translation-EN-de', {
      onProgress: (bytes, totalBytes) => shares.push(bytes / (totalBytes ?? NaN)),
    });
    expect(checkedAgainst).toBe('publisher');
    expect(model).toMatchObject({
      name: 'translation-en-de',
      kind: 'translation',
      family: 'marian',
      languages: ['en', 'de'],
      modelType: 'tiny',
      licence: 'MPL-2.0',
      sums: { 'model.bin': sha256(weights), 'vocab.spm': sha256(vocab) },
    });
    const contents = Object.entries(model.files).map(([role, file]) => [
      role,
      sha256(readFileSync(file)),
    ]);
    expect(Object.fromEntries(contents)).toEqual({
      ...{ model: sha256(weights), shortlist: sha256(shortlist), vocab: sha256(vocab) },
    });
    expect(shares.at(-1)).toBe(1);
    expect(shares.toSorted((one, other) => one - other)).toEqual(shares);
    expect(await findModels(folder)).toEqual({ models: [model], unusable: [] });
    expect(readdirSync(path.join(folder, '.downloads'))).toEqual([]);

    bucket.requests.length = 0;
    expect(await install(folder)).toMatchObject({ isNew: false });
    expect(bucket.requests).toEqual([]);
  });

  it('may have a vocabulary for each language, and another architecture on request', async () => {
    const folder = temporaryFolder();
    const chinese = await install(folder, 'translation-en-zh-hant');
    expect(chinese.model.languages).toEqual(['en', 'zh-Hant']);
    expect(Object.keys(chinese.model.files).sort()).toEqual([
      'model',
      'sourceVocab',
      'targetVocab',
    ]);
    const german = await install(folder, 'translation-en-de', { architecture: 'base-memory' });
    expect(german.model).toMatchObject({
      modelType: 'base-memory',
    });
    const norwegian = await install(folder, 'translation-no-en');
    expect(norwegian.model.languages).toEqual(['nb', 'en']);

    rmSync(chinese.model.files['sourceVocab'] ?? '');
    expect(await readModel(chinese.model.folder)).toMatchObject({
      reason: expect.stringMatching(/source-vocab\.spm is missing. Install it again/) as string,
    });
  });

  it('resumes an interrupted download', async () => {
    const folder = temporaryFolder();
    const broken = Array.from({ length: 5 }, () => ({ status: 500 }));
    // The list, then the model.
    bucket.faults.push({ breakAfterBytes: 1e6 }, { breakAfterBytes: 150_000 }, ...broken);
    await expect(install(folder)).rejects.toThrow(/download failed.*goes on where it ended/);
    expect(readdirSync(folder)).toEqual(['.downloads']);
    bucket.faults.length = 0;
    bucket.requests.length = 0;
    await install(folder);
    expect(bucket.requests.map(({ range }) => range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=[1-9]/),
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['fr', /There is no translation-en-fr on the list .*see npm run dragoman -- models available/],
    ['no', /translation-en-no is not released yet.* --architecture base\./],
    ['eo', /There is no translation-en-eo on the list/],
  ])('for %s is unavailable', async (language, message) => {
    await expect(install(temporaryFolder(), `translation-en-${language}`)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('a deviation from the model list leaves nothing', () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const faults: [what: string, spoil: () => void, because: RegExp][] = [
    [
      'another content of the same size',
      () => bucket.replace('en-de', 'tiny', 'model', gzipSync(randomBytes(weights.length))),
      /model\.bin\.gz of translation-en-de .*its SHA-256 is .* instead of/,
    ],
    [
      'a shorter file',
      () => bucket.replace('en-de', 'tiny', 'vocab', gzipSync(vocab.subarray(1))),
      /it has 17999 bytes instead of 18000/,
    ],
    [
      'a file that unpacks to far more',
      () => bucket.replace('en-de', 'tiny', 'model', bomb),
      /it is larger than 400000 bytes/,
    ],
    [
      'a file that is far larger as it is',
      () => bucket.replace('en-de', 'tiny', 'model', randomBytes(3_000_000)),
      /is too large/,
    ],
    [
      'a file that ends before its end',
      () => bucket.replace('en-de', 'tiny', 'model', gzipSync(weights).subarray(0, 200_000)),
      /it is damaged/,
    ],
    [
      'a file that is not there',
      () => bucket.files.delete('/models/en-de/tiny/exported/lex.bin.gz'),
      /answered 404/,
    ],
    [
      'no list',
      () => bucket.files.delete('/db/models.json'),
      /list of translation models cannot be had: .* answers 404/,
    ],
    [
      'something else than a list',
      () => bucket.files.set('/db/models.json', Buffer.from('<html></html>')),
      /is no list of translation models/,
    ],
  ];

  it.each(faults)('%s', async (_what, spoil, because) => {
    const folder = temporaryFolder();
    spoil();
    await expect(install(folder)).rejects.toThrow(because);
    expect(readdirSync(folder).filter((name) => name !== '.downloads')).toEqual([]);
  });

  it('an unreachable server', async () => {
    const mirror = 'http://127.0.0.1:9';
    await expect(install(temporaryFolder(), undefined, { mirror })).rejects.toThrow(
      /cannot be reached .* name a mirror with MODELS_URL/,
    );
  });
});

it('a description of a translation model requires a source, a target, and all vocabularies', async () => {
  const folder = temporaryFolder();
  const { model } = await install(folder);
  const file = path.join(model.folder, 'dragoman-model.json');
  const description = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...description, languages: ['en'] }));
  expect(await readModel(model.folder)).toMatchObject({
    reason: expect.stringContaining('has two languages: source and target') as string,
  });
  const { files, sums } = { files: { model: 'model.bin' }, sums: {} };
  writeFileSync(file, JSON.stringify({ ...description, files, sums }));
  rmSync(model.files['vocab'] ?? '');
  expect(await readModel(model.folder)).toMatchObject({
    reason: expect.stringContaining('one of these: vocab; sourceVocab with targetVocab') as string,
  });
});

it('the command line lists the models, and two concurrent processes install a model once', async () => {
  const settings = { DATA_DIR: temporaryFolder(), MODELS_URL: bucket.url };
  const models = (...args: string[]) => runDragoman(['models', ...args], settings);
  const both = await Promise.all(
    [1, 2].map(() => models('install', 'translation-en-de', '--timeout', '30')),
  );
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const outputs = both.map(({ output }) => output.split('\n')[0]).sort();
  expect(outputs[0]).toBe('Installed  translation-en-de');
  expect(outputs[1]).toMatch(/^translation-en-de is installed already/);
  const asked = bucket.requests.filter(({ path: file }) => file.endsWith('model.bin.gz'));
  expect(asked).toHaveLength(1);
  expect(both.map(({ errors }) => errors).join('')).toContain(
    'Downloading translation-en-de (tiny, 0.4 MB unpacked, licence MPL-2.0)',
  );

  const { output } = await models('available');
  expect(output).toMatch(/^yes +translation-en-de +en → de +tiny +yes +0\.4 MB +MPL-2\.0$/m);
  expect(output).toMatch(/^ +translation-en-zh-hant +en → zh-Hant +base-memory +yes/m);
});
