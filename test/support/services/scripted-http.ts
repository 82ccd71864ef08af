/** A real HTTP server on a free port that answers as a test tells it to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** A request as received. */
export interface HeardRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** Parsed JSON; undefined without a body. */
  body: unknown;
  /** Whether the client went away before it was answered. */
  isAbandoned: boolean;
  atMs: number;
}

/** How a request is answered. */
export type Behaviour =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Never answers. */
  | 'hang'
  /** Breaks the connection. */
  | 'cut'
  /** Sends a JSON string without an end. */
  | 'endless';

export interface ScriptedHttp {
  readonly url: string;
  readonly requests: HeardRequest[];
  /** Behaviour of the next requests, one each. */
  readonly next: Behaviour[];
  /** Behaviour of every request, while set. */
  always: Behaviour | undefined;
  /** Answers wait for this promise. */
  hold: Promise<unknown> | undefined;
  /** Most requests under way at once. */
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

/** @param answer the normal answer, possibly asynchronous */
export async function startScriptedHttp(
  answer: (request: HeardRequest) => Behaviour | Promise<Behaviour>,
  port = 0,
  host = '127.0.0.1',
): Promise<ScriptedHttp> {
  let running = 0;
  const scripted = {
    url: '',
    requests: [] as HeardRequest[],
    next: [] as Behaviour[],
    always: undefined as Behaviour | undefined,
    hold: undefined as Promise<unknown> | undefined,
    mostAtOnce: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((message, response) => {
    running++;
    scripted.mostAtOnce = Math.max(scripted.mostAtOnce, running);
    response.once('close', () => running--);
    void hear(message)
      .then(async (request) => {
        scripted.requests.push(request);
        response.once('close', () => (request.isAbandoned = !response.writableFinished));
        await scripted.hold;
        const behaviour = scripted.always ?? scripted.next.shift() ?? (await answer(request));
        await behave(behaviour, response);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  scripted.url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return scripted;
}

async function hear(message: IncomingMessage): Promise<HeardRequest> {
  const body = await text(message);
  return {
    method: message.method ?? '',
    path: message.url ?? '',
    headers: message.headers,
    body: body === '' ? undefined : JSON.parse(body),
    isAbandoned: false,
    atMs: performance.now(),
  };
}

function* endlessText() {
  for (;;) yield 'a'.repeat(65_536);
}

async function behave(behaviour: Behaviour, response: ServerResponse): Promise<void> {
  if (behaviour === 'hang') return;
  if (behaviour === 'cut') {
    response.destroy();
    return;
  }
  if (behaviour === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' }).write('"');
    await pipeline(Readable.from(endlessText()), response);
    return;
  }
  const { status, headers, body } = behaviour;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
}
