/** PostgreSQL as Debian installs it: where its programs are, and who may run them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The folder of the newest that is installed; Debian keeps it out of the PATH.
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
 * PostgreSQL refuses to be run by root: somebody else then owns what it writes.
 *
 * @returns {{ uid: number, gid: number } | {}} for `spawn`
 * @throws Error when there is nobody else
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
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.');
}
