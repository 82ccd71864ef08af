/** A small npm registry that serves package metadata and tarballs, and fails on demand. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { tar, type ArchiveEntry } from '../documents/tar-archive.ts';

export interface NpmRegistry {
  url: string;
  /** Paths requested so far. */
  requests: string[];
  /** Fault that is currently simulated. */
  fault: RegistryFault | undefined;
  /** Publishes a version; returns its integrity. */
  publish(name: string, version: string, files: Readonly<Record<string, string | Buffer>>): string;
  close(): Promise<void>;
}

/**
 * `silent` never answers, `stalled` stops in the middle of a tarball, `altered` sends
 * other content than it states, and `forged` states the other content as well.
 */
export type RegistryFault = 'absent' | 'silent' | 'stalled' | 'altered' | 'forged';

interface Published {
  version: string;
  tarball: Buffer;
}

export async function startNpmRegistry(): Promise<NpmRegistry> {
  const packages = new Map<string, Published>();
  const server = createServer((request, response) => {
    registry.requests.push(request.url ?? '');
    answer(packages, registry, request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const registry: NpmRegistry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fault: undefined,
    publish(name, version, files) {
      const tarball = packed({ 'package.json': JSON.stringify({ name, version }), ...files });
      packages.set(name, { version, tarball });
      return integrityOf(tarball);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return registry;
}

function packed(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const entries = Object.entries(files).map(([file, content]): ArchiveEntry => ({
    name: `package/${file}`,
    content,
  }));
  return gzipSync(tar(entries));
}

function integrityOf(tarball: Buffer): string {
  return `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
}

/**
 * Answers `GET /@scope%2fname` with a package's metadata, and `GET /-/@scope%2fname.tgz` with its tarball.
 */
function answer(
  packages: ReadonlyMap<string, Published>,
  { url, fault }: NpmRegistry,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = decodeURIComponent(new URL(request.url ?? '/', url).pathname);
  const [, isTarball, name = ''] = /^\/(-\/)?(.+?)(?:\.tgz)?$/.exec(path) ?? [];
  const published = packages.get(name);
  if (fault === 'silent') return;
  if (published === undefined || fault === 'absent') {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
    return;
  }
  const { version, tarball } = published;
  const other = packed({ 'package.json': '{"name":"other"}' });
  if (isTarball !== undefined) {
    const content = fault === 'altered' || fault === 'forged' ? other : tarball;
    response.writeHead(200, { 'content-length': content.length });
    if (fault === 'stalled') response.write(content.subarray(0, content.length / 2));
    else response.end(content);
    return;
  }
  const stated = fault === 'forged' ? other : tarball;
  const dist = {
    tarball: `${url}/-/${encodeURIComponent(name)}.tgz`,
    integrity: integrityOf(stated),
    shasum: createHash('sha1').update(stated).digest('hex'),
  };
  const versions = { [version]: { name, version, dist } };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
}
