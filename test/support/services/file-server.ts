/** Serves files as a download server does, with ranges, and fails on demand. */
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
  /** How the next answers fail, one after the other; then all is well. */
  faults: Fault[];
  /** Whether ranges are answered; a server that cannot sends the whole file. */
  hasRanges: boolean;
  close(): Promise<void>;
}

/**
 * A connection that breaks or falls silent after some bytes, or a status. What has arrived and was not taken
 * in may be lost when it breaks, so it waits for that on `whenTaken`.
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
