import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfSecret } from '../../server/accounts/api-keys.ts';
import type { Storage } from '../../server/stores.ts';
import { askDragoman, runDragoman, runDragomanAlone } from '../support/product/command-line.ts';
import { openEmbedded } from '../support/product/platform.ts';

interface AccountJson {
  account_id: string;
  name: string;
}

interface KeyJson {
  key_id: string;
  masked: string;
  secret: string;
}

const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-cli-'));
// Open during all tests, as in a running server.
let storage: Storage;
beforeAll(async () => (storage = await openEmbedded(dataFolder)));
afterAll(async () => {
  await storage.close();
  rmSync(dataFolder, { recursive: true });
});

const settings = { DATA_DIR: dataFolder };
const run = (...args: string[]) => runDragoman(args, settings);
const ask = <T>(...args: string[]) => askDragoman<T>(args, settings);

it('manages an account from its creation to its keys, beside a running server', async () => {
  const account = await ask<AccountJson>(
    ...['account', 'create', '--name', 'editors', '--plan', 'pro', '--characters', '5000'],
    ...['--speech-minutes', '2', '--feature', 'admin', '--feature', 'detection'],
  );
  expect(account).toMatchObject({
    name: 'editors',
    plan: 'pro',
    features: ['admin', 'detection'],
    usage_limits: { characters: 5000, speech_to_text_milliseconds: 120_000 },
  });
  expect(await storage.accounts.find(account.account_id)).toMatchObject({ name: 'editors' });

  const byName = ['--account', 'editors'];
  const key = await ask<KeyJson>('key', 'create', ...byName, '--label', 'web', '--characters', '7');
  expect(key).toMatchObject({
    kind: 'developer',
    label: 'web',
    is_deactivated: false,
    deactivated_time: null,
    usage_limits: { characters: 7, speech_to_text_milliseconds: null },
  });
  const authenticate = () => storage.apiKeys.authenticate(hashOfSecret(key.secret));
  const caller = await authenticate();
  expect(caller?.key.keyId).toBe(key.key_id);

  const charge = { accountId: account.account_id, keyId: key.key_id, kind: 'text' } as const;
  await storage.usage.charge({ ...charge, amount: 5, atMs: Date.now(), tag: null });
  await ask('key', 'rename', key.key_id, 'website');
  await ask('key', 'limits', key.key_id, '--characters', 'none', '--speech-minutes', '0');
  const admin = await ask<KeyJson>('key', 'create', '--account', account.account_id, '--admin');
  expect(admin.secret).toMatch(/:adm$/);

  expect(await ask('account', 'show', 'editors')).toMatchObject({
    account_id: account.account_id,
    usage: { characters: 5, speech_to_text_milliseconds: 0 },
    keys: [
      {
        label: 'website',
        usage_limits: { characters: null, speech_to_text_milliseconds: 0 },
      },
      { kind: 'admin', label: 'Service API Key' },
    ],
  });

  await ask('key', 'deactivate', key.key_id);
  expect(await authenticate()).toBeUndefined();
  const keys = await ask<object[]>('key', 'list', ...byName);
  expect(keys).toMatchObject([{ is_deactivated: true }, { is_deactivated: false }]);
});

it('changes only the given properties of an account', async () => {
  const { account_id: id } = await ask<AccountJson>(
    ...['account', 'create', '--name', 'desk', '--plan', 'free', '--feature', 'admin'],
  );
  await ask('account', 'change', 'desk', '--name', 'news desk', '--characters', '10');
  await ask('account', 'change', id, '--plan', 'pro', '--add-feature', 'detection');
  await ask('account', 'change', id, '--remove-feature', 'admin');
  expect(await storage.accounts.find(id)).toMatchObject({
    name: 'news desk',
    plan: 'pro',
    features: ['detection'],
    limits: { characters: 10, speechMs: null },
  });
});

describe('output for people', () => {
  it('has its columns below each other, also with wide characters', async () => {
    await ask('account', 'create', '--name', '東京支社', '--plan', 'pro');
    const lines = (await run('account', 'list')).output.split('\n');
    const wide = lines.find((line) => line.startsWith('東京支社 '));
    // Each of the four takes two columns.
    expect(wide?.indexOf(' pro ')).toBe(lines[0]!.indexOf(' PLAN ') - 4);
  });

  it('shows a secret once, lists keys without it, and leaves none on disk', async () => {
    await run('account', 'create', '--name', 'readers', '--plan', 'free');
    const made = await run('key', 'create', '--account', 'readers', '--label', 'phone');
    const [secret = ''] = /[0-9a-f-]{36}:fx/.exec(made.output) ?? [];
    expect(secret).not.toBe('');
    expect(made.output.split(secret)).toHaveLength(2);
    expect(made.errors).toBe('');
    const listed = await run('key', 'list', '--account', 'readers');
    expect(listed.output).toMatch(
      /LABEL +KIND +SECRET +STATE.*\nphone +developer +\w{4}\*{4}\w{4}/,
    );
    const shown = await run('account', 'show', 'readers');
    expect(shown.output).toMatch(/Plan +free\n[^]*Characters +0 of unlimited this month/);
    const accounts = await run('account', 'list');
    expect(accounts.output).toMatch(/NAME +PLAN[^]*\nreaders +free/);
    for (const { output } of [listed, shown, accounts]) expect(output).not.toContain(secret);

    const [masked = ''] = /\w{4}\*{4}\w{4}/.exec(listed.output) ?? [];
    const files = readdirSync(dataFolder).map((name) => readFileSync(path.join(dataFolder, name)));
    expect(files.some((content) => content.includes(masked))).toBe(true);
    expect(files.some((content) => content.includes(secret.slice(0, 36)))).toBe(false);
  });

  it.each([[[]], [['account']], [['key', 'create']]])('explains %j', async (command) => {
    const { code, output } = await run(...command, '--help');
    expect(code).toBe(0);
    expect(output).toContain(`Usage: npm run dragoman --${['', ...command].join(' ')} `);
  });

  it.each([
    [['account', 'show', 'nobody'], /^There is no account 'nobody'\.$/],
    [['account', 'create', '--plan', 'pro'], /--name/],
    [['account', 'create', '--name', 'x', '--plan', 'gold'], /pro, free/],
    [['account', 'create', '--name', 'readers', '--plan', 'pro'], /named 'readers' already/],
    [['account', 'create', '--name', 'x', '--plan', 'pro', '--characters', '-1'], /whole number/],
    [['account', 'create', '--name', 'x', '--plan', 'pro', '--feature', 'flight'], /detection/],
    [['key', 'create', '--account', 'readers', '--admin'], /feature 'admin'/],
    [['key', 'deactivate', 'a:b'], /no key with this id/],
    [['key', 'rename', 'a:b'], /label/],
    [['frobnicate'], /unknown command/],
    [['key', 'list', '--account', 'readers', 'more'], /too many arguments/],
  ])('exits %j with 1 and one clear line', async (args, message) => {
    const { code, output, errors } = await run(...args);
    expect(code).toBe(1);
    expect(output).toBe('');
    expect(errors.trim()).toMatch(message);
    expect(errors).not.toMatch(/\n {4}at /);
  });

  it('explains a wrong setting or database', async () => {
    const badSetting = await runDragomanAlone(['account', 'list'], { ...settings, PORT: 'x' });
    expect(badSetting).toMatchObject({ code: 1, output: '' });
    expect(badSetting.errors).toMatch(/^The settings cannot be used:\n {2}PORT/);

    const folder = path.join(dataFolder, 'elsewhere');
    const nothingThere = await runDragoman(['account', 'list'], { DATA_DIR: folder });
    expect(nothingThere).toMatchObject({ code: 1, output: '' });
    expect(nothingThere.errors).toContain(
      `no database ${path.join(folder, 'dragoman.sqlite')}. Set`,
    );
    expect(existsSync(folder)).toBe(false);

    // The reason is for those who run the machine; clients of the server are not told it.
    const away = { STORAGE_URL: 'postgres://127.0.0.1:1/dragoman' };
    const noServer = await runDragoman(['account', 'list'], away);
    expect(noServer).toMatchObject({ code: 1, output: '' });
    expect(noServer.errors).toMatch(/ECONNREFUSED/);
  });
});
