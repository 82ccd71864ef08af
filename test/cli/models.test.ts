import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDragoman, startDragoman } from '../support/product/command-line.ts';
import { until } from '../support/product/server.ts';
import { startFileServer, type FileServer } from '../support/services/file-server.ts';
import { tarBz2 } from '../support/documents/tar-archive.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

const VOICE = 'vits-piper-en_US-amy-low';

let server: FileServer;
beforeAll(async () => (server = await startFileServer()));
afterAll(() => server.close());

const models = (dataFolder: string, ...args: string[]) =>
  runDragoman(['models', ...args], { DATA_DIR: dataFolder, MODELS_URL: server.url });

it('lists models, installs one from the configured mirror, and removes it', async () => {
  const data = temporaryFolder();
  server.files.set(
    `/tts-models/${VOICE}.tar.bz2`,
    tarBz2([
      { name: `${VOICE}/en_US-amy-low.onnx`, content: randomBytes(300_000) },
      { name: `${VOICE}/tokens.txt`, content: 'a 0\n' },
      { name: `${VOICE}/espeak-ng-data/phontab`, content: 'x' },
    ]),
  );
  const before = await models(data);
  expect(before).toMatchObject({ code: 0, errors: '' });
  expect(before.output).toMatch(/NAME +KIND +LANGUAGES +DOWNLOAD +LICENCE +SOURCE/);
  expect(before.output).toMatch(new RegExp(`^ +${VOICE} +synthesis +en +67 MB`, 'm'));

  const installed = await models(data, 'install', VOICE);
  expect(installed.code).toBe(0);
  expect(installed.errors).toMatch(/Downloading .*\n0\.0 of 0\.3 MB \(0 %\)\n[^]*\(100 %\)\n/);
  expect(installed.output).toMatch(/SHA-256 +[0-9a-f]{64} \(not published: compare it/);

  const list = JSON.parse((await models(data, 'list', '--json')).output) as {
    catalogue: { name: string; installed: boolean }[];
    installed: { name: string; files: Record<string, string> }[];
  };
  expect(list.catalogue.find(({ name }) => name === VOICE)?.installed).toBe(true);
  expect(list.installed).toMatchObject([
    { name: VOICE, files: { dataDir: path.join(data, 'models', VOICE, 'espeak-ng-data') } },
  ]);

  const address = 'http://127.0.0.1:1234';
  const note = JSON.stringify({ pid: process.pid, address, publicAddress: address });
  writeFileSync(path.join(data, 'server.json'), note);
  expect(await models(data, 'remove', VOICE)).toMatchObject({
    code: 0,
    output: `Removed ${VOICE}.\nThe server at ${address} may still use it: start that server again.\n`,
  });
  expect(await models(data, 'remove', VOICE)).toMatchObject({
    code: 1,
    errors: `No model ${VOICE} is installed.\n`,
  });
});

it('cleans up on Ctrl+C, which reaches it from the terminal and from npm', async () => {
  const data = temporaryFolder();
  server.files.set(`/tts-models/${VOICE}.tar.bz2`, randomBytes(1_000));
  server.faults.push({ stallAfterBytes: 500 });
  const settings = { DATA_DIR: data, MODELS_URL: server.url };
  const child = startDragoman(['models', 'install', VOICE], settings);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  await until(() => errors.includes('(0 %)'));
  // Often enough that one arrives while the first takes effect, which is not another request to stop.
  let left = 100;
  const sending = setInterval(() => left-- > 0 && child.kill('SIGINT'), 1);
  expect(await once(child, 'close')).toEqual([1, null]);
  clearInterval(sending);
  expect(errors).toMatch(/Stopped; repeat the command to resume\.\n$/);
  expect(readdirSync(path.join(data, 'models'))).toEqual(['.downloads']);
});

it('refuses a model that is not in the catalogue', async () => {
  const from = ['--from', `${server.url}/`];
  const { code, errors } = await models(temporaryFolder(), 'install', 'nothing', ...from);
  expect(code).toBe(1);
  expect(errors).toMatch(/^There is no nothing in the catalogue; see npm run dragoman -- models,/);
});
