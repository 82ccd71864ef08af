import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { catalogue, type CatalogueEntry } from '../../server/models/catalogue.ts';
import { findModels, readModel } from '../../server/models/find-models.ts';
import type { LocalModel } from '../../server/models/local-model.ts';
import { installModel, type InstallOptions } from '../../server/models/installation.ts';
import { runDragoman } from '../support/product/command-line.ts';
import {
  startNpmRegistry,
  type NpmRegistry,
  type RegistryFault,
} from '../support/services/npm-registry.ts';
import { smallDisk, temporaryFolder } from '../support/machine/temporary-folder.ts';

/** Incompressible data in place of a model's weights. */
const weights = randomBytes(300_000);
const pieces = ['<unk>', '<s>', '</s>', '<0x0A>', '▁the'];
const vocabulary = [...pieces, ...Array.from({ length: 31_995 }, (_, n) => `p${n}`)].join('\n');
const VERSION = '1.2.3';

let registry: NpmRegistry;
let entry: CatalogueEntry;

beforeAll(async () => {
  registry = await startNpmRegistry();
  vi.stubEnv('npm_config_registry', registry.url);
  const ear = registry.publish('@dragoman-test/ear', VERSION, {
    LICENSE: 'As you like.',
    'dist/encoder_model.onnx': weights,
    'dist/decoder_model.onnx': weights,
    'dist/silero.onnx': 'where speech is',
    'dist/other.js': 'not wanted',
  });
  const words = registry.publish('dragoman-test-words', VERSION, {
    'words.js': `const llama_vocab_base64 = "${Buffer.from(vocabulary).toString('base64')}";\n`,
  });
  entry = {
    name: 'ear',
    about: 'hears',
    kind: 'recognition',
    family: 'moonshine',
    languages: ['en'],
    licence: 'MIT',
    source: 'https://example.org/ear',
    origin: {
      from: 'npm',
      packages: [
        {
          name: '@dragoman-test/ear',
          version: VERSION,
          integrity: ear,
          licence: 'MIT',
          files: {
            'encoder.onnx': 'dist/encoder_model.onnx',
            'decoder.onnx': 'dist/decoder_model.onnx',
            'silero-vad.onnx': 'dist/silero.onnx',
            'LICENCE.txt': 'LICENSE',
          },
        },
        {
          name: 'dragoman-test-words',
          version: VERSION,
          integrity: words,
          licence: 'ISC',
          files: {},
          vocabulary: 'words.js',
        },
      ],
    },
  };
});
afterAll(() => {
  vi.unstubAllEnvs();
  return registry.close();
});
beforeEach(() => {
  registry.fault = undefined;
  registry.requests.length = 0;
  // npm's cache would hide the registry's behaviour.
  vi.stubEnv('npm_config_cache', temporaryFolder());
});

function install(modelsFolder: string, more: Partial<InstallOptions> = {}) {
  return installModel({
    entry,
    modelsFolder,
    releasesUrl: 'http://127.0.0.1:9',
    npm: ['npm'],
    ...more,
  });
}

describe('a model from npm packages', () => {
  it('has its files, tokens and licences once its terms are accepted, of one download for two calls; a later one repairs damage offline', async () => {
    const folder = await leftByTheDead();
    const terms = 'Only for those with a hat.';
    const withTerms = { entry: { ...entry, terms } };
    await expect(install(folder, withTerms)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(registry.requests).toEqual([]);
    const told: string[] = [];
    const accepting = { ...withTerms, acceptTerms: (text: string) => told.push(text) > 0 };
    const both = await Promise.all([install(folder, accepting), install(folder, accepting)]);
    expect(told).toEqual([terms, terms]);
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
    expect(registry.requests.filter((request) => request.startsWith('/-/'))).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(['.downloads', 'ear']);
    expect(readdirSync(path.join(folder, '.downloads'))).toEqual([]);
    const { model, checkedAgainst } = both.find(({ isNew }) => isNew)!;
    expect(checkedAgainst).toBe('catalogue');
    expect(await findModels(folder)).toEqual({ models: [model], unusable: [] });
    expect(readdirSync(model.folder).sort()).toEqual([
      ...['LICENCE.txt', 'LICENCES.txt', 'decoder.onnx', 'dragoman-model.json', 'encoder.onnx'],
      ...['silero-vad.onnx', 'tokens.txt'],
    ]);
    expect(readFileSync(model.files['decoder'] ?? '').equals(weights)).toBe(true);
    const tokens = readFileSync(model.files['tokens'] ?? '', 'utf8').split('\n');
    expect(tokens).toHaveLength(32_769);
    const bytes = tokens.map((line) => Buffer.from(line.split(' ')[0] ?? '', 'base64').toString());
    expect(bytes.slice(2, 6)).toEqual(['</s>', '\n', ' the', 'p0']);
    expect(tokens[32_767]).toBe(`${Buffer.from('<<ST_767>>').toString('base64')} 32767`);
    expect(readFileSync(path.join(model.folder, 'LICENCES.txt'), 'utf8')).toMatch(
      /tokens\.txt\n {2}from the npm package dragoman-test-words@1\.2\.3\n {2}licence: ISC/,
    );

    registry.requests.length = 0;
    expect(await install(folder)).toMatchObject({ isNew: false, model });
    expect(registry.requests).toEqual([]);
    await expectMending(folder, model);
  });

  /** Expects that damage is reported, and repaired by another installation. */
  async function expectMending(folder: string, model: LocalModel): Promise<void> {
    const file = model.files['encoder'] ?? '';
    // Of the same length, with a part lost.
    writeFileSync(file, Buffer.from(weights).fill(0, 1000, 2000));
    expect(await readModel(model.folder)).toMatchObject({
      reason:
        'The model ear cannot be used: its file encoder.onnx is damaged. Install it again: npm run dragoman -- models install ear',
    });
    // Reading from a pipe would never end.
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect(await readModel(model.folder)).toMatchObject({
      reason: expect.stringContaining('its file encoder.onnx is missing.') as string,
    });
    expect(await install(folder)).toMatchObject({ isNew: true, model });
    expect(readFileSync(model.files['encoder'] ?? '').equals(weights)).toBe(true);
    expect(visible(folder)).toEqual(['ear']);
  }
});

/** Creates a folder with the lock and the half of a model that a killed installation leaves. */
async function leftByTheDead(): Promise<string> {
  const folder = temporaryFolder();
  const lock = path.join(folder, '.downloads', 'ear.lock');
  mkdirSync(lock, { recursive: true });
  writeFileSync(path.join(lock, `${await numberOfTheDead()}@${hostname()}@x`), '');
  mkdirSync(`${lock}.${await numberOfTheDead()}@${hostname()}@y`);
  mkdirSync(path.join(folder, '.installing-ear'));
  writeFileSync(path.join(folder, '.installing-ear', 'encoder.onnx'), 'half');
  return folder;
}

/** Returns a process id that is no longer in use. */
async function numberOfTheDead(): Promise<string> {
  return execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
}

/** Lists a folder of models without hidden entries. */
function visible(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('.'));
}

describe('an installation from npm leaves nothing and reports the remedy when', () => {
  const faults: [what: string, fault: RegistryFault, because: RegExp][] = [
    ['the registry falls silent in a tarball', 'stalled', /cannot be reached .*Check the network/],
    ['a tarball is not what the registry states', 'altered', /is not what it has published/],
    ['the registry states another tarball', 'forged', /is not what its publisher made/],
  ];

  it.each(faults)('%s', async (_what, fault, because) => {
    const folder = temporaryFolder();
    registry.fault = fault;
    await expect(
      install(folder, fault === 'stalled' ? { stallTimeoutMs: 2_000 } : {}),
    ).rejects.toMatchObject({
      code: 'model_not_installed',
      message: expect.stringMatching(because) as string,
    });
    expect(readdirSync(folder)).toEqual(['.downloads']);
    expect(readdirSync(path.join(folder, '.downloads'))).toEqual([]);
  });

  it('npm does not come to an end', async () => {
    const folder = temporaryFolder();
    const endless = { npm: ['sh', '-c', 'exec sleep 600'] as const, stallTimeoutMs: 10 };
    await expect(install(folder, endless)).rejects.toMatchObject({
      code: 'model_not_installed',
      message: expect.stringMatching(/too slow to send .*ear@1\.2\.3/) as string,
    });
    expect(readdirSync(folder)).toEqual(['.downloads']);
    expect(readdirSync(path.join(folder, '.downloads'))).toEqual([]);
  });

  it('the disk is full', async ({ skip }) => {
    const folder = smallDisk('400k', skip);
    const told = `There is no room left for the model in ${folder}. Make room, or set MODELS_DIR`;
    await expect(install(folder)).rejects.toThrow(told);
    expect(visible(folder)).toEqual([]);
  });
});

describe('the model catalogue', () => {
  it('contains Moonshine for English, and for Spanish with the terms of its licence', async () => {
    const spanish = catalogue.find(({ name }) => name === 'moonshine-base-es');
    expect(spanish?.terms).toMatch(/less than 1,000,000 US dollars/);
    // Without npm nothing is downloaded.
    const settings = { DATA_DIR: temporaryFolder(), PATH: temporaryFolder() };
    const install = (...args: string[]) =>
      runDragoman(['models', 'install', 'moonshine-base-es', ...args], settings);
    const refused = await install();
    expect(refused.code).toBe(1);
    expect(refused.errors).toBe(`${spanish?.terms}\nTo accept that, add --accept-licence.\n`);
    expect((await install('--accept-licence')).errors).toMatch(
      /\(75 MB, licence Moonshine AI Community License\)\nnpm, which downloads this model, cannot be started/,
    );
  });

  it('provides the speech model of every installation', async ({ skip }) => {
    const folder = process.env['MODELS_DIR'] ?? '';
    const model = await readModel(path.join(folder, 'moonshine-tiny-en'));
    if ('reason' in model) return skip('it could not be downloaded here');
    expect(model).toMatchObject({ family: 'moonshine', languages: ['en'], punctuates: true });
    expect(Object.keys(model.files).sort()).toEqual(['decoder', 'encoder', 'tokens', 'vad']);
  });
});
