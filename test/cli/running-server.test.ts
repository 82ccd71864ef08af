import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { announceServer } from '../../server/cli/running-server.ts';
import { askDragoman, runDragoman } from '../support/product/command-line.ts';
import { startServer } from '../support/product/server.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

/** Commands beside a running server know its data folder, but not its settings. */
const linkFor = async (dataFolder: string, settings: Record<string, string> = {}) => {
  const args = ['account', 'console-link', 'default'];
  const beside = { DATA_DIR: dataFolder, ...settings };
  return (await askDragoman<{ link: string }>(args, beside)).link;
};

it('uses the port and the public address of the running server until it stops, unless the command has its own', async () => {
  const dataFolder = temporaryFolder();
  const own = { RECOGNISER: 'silent', PUBLIC_URL: 'https://live.example.org/here/' };
  const server = await startServer({ DATA_DIR: dataFolder, ...own });
  onTestFinished(() => server.stop());
  expect(server.output()).toMatch(/Console +https:\/\/live\.example\.org\/here\/console\/#/);
  expect(await linkFor(dataFolder)).toMatch(/^https:\/\/live\.example\.org\/here\/console\/#/);
  const document = path.join(dataFolder, 'house.txt');
  writeFileSync(document, 'The house.');
  const asked = ['translate', document, '--to', 'xx'];
  expect((await runDragoman(asked, { DATA_DIR: dataFolder })).errors).toContain('target_lang');
  const other = await linkFor(dataFolder, { PUBLIC_URL: 'https://other.example.org' });
  expect(other).toMatch(/^https:\/\/other\.example\.org\/console\/#/);

  // When the key file is lost, no new one is written, as its key would not be valid.
  rmSync(path.join(dataFolder, 'api-key'));
  const second = await startServer({ DATA_DIR: dataFolder, RECOGNISER: 'silent' });
  expect(second.output()).toContain(
    'create one with: npm run dragoman -- key create --account default',
  );
  await second.stop();
  expect(second.logs()).toContain('another server uses this data folder');
  expect(readdirSync(dataFolder)).not.toContain('api-key');
  expect(await linkFor(dataFolder)).toMatch(/^https:\/\/live\.example\.org\/here\/console\/#/);
  // As when its terminal is closed.
  server.process.kill('SIGHUP');
  expect(await server.exited).toBe(0);
  expect(readdirSync(dataFolder)).not.toContain('server.json');
  expect(await linkFor(dataFolder, { PORT: '1234' })).toMatch(/^http:\/\/127\.0\.0\.1:1234\//);
});

it('ignores the record of a killed server, also when another program has its process id', () => {
  const dataFolder = temporaryFolder();
  const file = path.join(dataFolder, 'server.json');
  const server = { address: 'http://127.0.0.1:1234', publicAddress: 'http://127.0.0.1:1234' };
  announceServer(dataFolder, server);
  const note = JSON.parse(readFileSync(file, 'utf8')) as object;
  const other = { ...note, pid: process.ppid };
  writeFileSync(file, JSON.stringify(other));
  expect(announceServer(dataFolder, server)).toBeUndefined();
  const { pid: gone } = spawnSync('true');
  writeFileSync(file, JSON.stringify({ ...other, pid: gone, startTicks: undefined }));
  expect(announceServer(dataFolder, server)).toBeUndefined();
  // Other systems than Linux do not tell when a process started.
  writeFileSync(file, JSON.stringify({ ...other, startTicks: undefined }));
  expect(announceServer(dataFolder, server)).toMatchObject(server);
});

it('ignores the record of a killed server with the same process id, as in a container', () => {
  const dataFolder = temporaryFolder();
  const server = { address: 'http://127.0.0.1:1234', publicAddress: 'http://127.0.0.1:1234' };
  for (let start = 0; start < 2; start += 1) {
    expect(announceServer(dataFolder, server)).toBeUndefined();
  }
});
