/** Helpers for services on this machine: a free port, and PostgreSQL as Debian installs it. */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';

/**
 * Returns a port of 127.0.0.1 that is currently free.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return address.port;
}

/**
 * Returns the folder of the newest PostgreSQL; Debian keeps its programs out of the PATH.
 *
 * @returns {string}
 * @throws Error when there is none
 */
export function findPostgresql() {
  const inPath = (process.env['PATH'] ?? '').split(path.delimiter);
  const debian = '/usr/lib/postgresql';
  const versions = (existsSync(debian) ? readdirSync(debian) : [])
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => path.join(debian, version, 'bin'));
  const found = [...versions, ...inPath].find((folder) => existsSync(path.join(folder, 'initdb')));
  if (found === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  return found;
}

/**
 * Returns the user that runs PostgreSQL, which refuses to run as root.
 *
 * @returns {{ uid: number, gid: number } | {}} for `spawn`
 * @throws Error when there is no suitable user
 */
export function findPostgresqlOwner() {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and neither the user postgres nor nobody exists.',
  );
}
