/** A download server with range requests that fails on demand. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '../product/server.ts';

export interface FileServer {
  url: string;
  /** Files by path. */
  files: Map<string, Buffer>;
  /** Headers of the requests so far. */
  requests: { path: string; range: string | undefined; ifRange: string | undefined }[];
  /** Faults of the next answers, one after the other; afterwards answers succeed. */
  faults: Fault[];
  /** Whether ranges are supported; otherwise the whole file is sent. */
  hasRanges: boolean;
  close(): Promise<void>;
}

/**
 * A status, or a connection that breaks or stalls after some bytes. A break may discard bytes that have
 * arrived and were not read, so it waits for `whenTaken`.
 */
export type Fault =
  | { breakAfterBytes: number; whenTaken?: () => boolean }
  | { stallAfterBytes: number }
  | { status: number };

export async function startFileServer(): Promise<FileServer> {
  const server = createServer((request, response) => answer(state, request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const state: FileServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files: new Map(),
    requests: [],
    faults: [],
    hasRanges: true,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return state;
}

function answer(state: FileServer, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/';
  const { range } = request.headers;
  const ifRange = request.headers['if-range'];
  const file = state.files.get(path);
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  state.requests.push({ path, range, ifRange: ifRange?.toString() });
  const fault = path.endsWith('.txt') ? undefined : state.faults.shift();
  if (fault !== undefined && 'status' in fault) {
    response.writeHead(fault.status).end();
    return;
  }
  const etag = `"${createHash('sha256').update(file).digest('hex').slice(0, 16)}"`;
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const isPart = state.hasRanges && from > 0 && (ifRange === undefined || ifRange === etag);
  const body = isPart ? file.subarray(from) : file;
  response.writeHead(isPart ? 206 : 200, {
    etag,
    'content-length': body.length,
    ...(isPart && { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }),
  });
  if (fault === undefined) response.end(body);
  else if ('stallAfterBytes' in fault) response.write(body.subarray(0, fault.stallAfterBytes));
  else {
    const { breakAfterBytes, whenTaken = () => true } = fault;
    response.write(body.subarray(0, breakAfterBytes), () => {
      void until(whenTaken).then(() => response.socket?.end());
    });
  }
}
