/** `npm run cluster`: a whole cluster on one machine, one server of which is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../server/setup/cluster/local-services.mjs';
import { root } from '../../server/setup/paths.mjs';
import { requestsTo, until } from '../support/product/server.ts';

/** Settings under which a server preloads nothing. */
const settings = { RECOGNISER: 'silent', DOCUMENT_WORKER: 'off', WARM_UP: 'off' };

it('survives the kill of a server, restarts it, and leaves nothing behind', async () => {
  const port = await freePort();
  const cluster = spawn(process.execPath, [path.join(root, 'server', 'setup', 'cluster.mjs')], {
    env: { ...process.env, ...settings, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void cluster.kill('SIGTERM'));
  const ended = once(cluster, 'exit');
  let output = '';
  for (const stream of [cluster.stdout, cluster.stderr]) {
    stream.on('data', (data: Buffer) => (output += data.toString()));
  }
  const found = async (pattern: RegExp): Promise<string> => {
    await until(() => pattern.test(output) || cluster.exitCode !== null);
    return pattern.exec(output)?.[1] ?? expect.fail(output);
  };

  const key = await found(/API key +(\S+)/);
  const folder = await found(/Logs +(\S+)/);
  const victim = Number(await found(/Server 2 .*process (\d+)/));
  expect(output).toContain(`live at http://127.0.0.1:${port}, from 3 servers`);
  const balancer = requestsTo(`http://127.0.0.1:${port}`, key);
  // The key is in the database, which all servers share.
  const answers = async (): Promise<boolean> =>
    (await balancer.send('/v2/usage', { method: 'GET' })).ok;
  for (let turn = 0; turn < 3; turn += 1) await until(answers);

  process.kill(victim, 'SIGKILL');
  await found(/server 2 has ended \((SIGKILL)\)/);
  for (let turn = 0; turn < 3; turn += 1) await until(answers);
  const next = Number(await found(/server 2 is started again: process (\d+)/));
  expect(next).not.toBe(victim);

  cluster.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(existsSync(folder)).toBe(false);
  expect(() => process.kill(next, 0)).toThrow(/ESRCH/);
});
