/**
 * A small gateway for tests of the caption element: it serves the built widget, gives out tokens and
 * speaks the voice protocol, but says only what a test tells it to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import { decodeClientMessage, encodeServerMessage } from '../../shared/protocol/codec.ts';
import type { MessageFormat, ServerMessage } from '../../shared/protocol/messages.ts';

/** What the page asked its token endpoint for. */
export interface RequestedSession {
  source_media_content_type: string;
  message_format: MessageFormat;
  source_language?: string;
  target_languages: string[];
}

/** One connection of a page, as the gateway sees it. */
export interface ScriptedSession {
  readonly request: RequestedSession;
  /** Audio in the order it came, with the times of arrival in ms. */
  readonly chunks: { bytes: Uint8Array; atMs: number }[];
  /** Whether the page has said that its audio is over. */
  isFinished: boolean;
  send(message: ServerMessage): void;
  /** Cuts the connection without a word, as a broken network does. */
  drop(): void;
  close(code: number): void;
}

export interface ScriptedGateway {
  readonly origin: string;
  readonly sessions: ScriptedSession[];
  /** Reports of the browser about the content security policy. */
  readonly violations: string[];
  /** Answer of the next token requests instead of a token; undefined for tokens again. */
  refusal: { status: number; message: string } | undefined;
  /** Token requests wait for it. */
  hold: Promise<void> | undefined;
  /** What follows the end of the audio; concludes and ends the stream unless a test changes it. */
  onFinish: (session: ScriptedSession) => void;
  /** What follows a connection. */
  onConnect: (session: ScriptedSession) => void;
  /** Forgets what a test has set and what it has heard. */
  reset(): void;
  close(): Promise<void>;
}

/** The policy of the demo page, with a place to report to. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws: wss:; " +
  "media-src blob: 'self'; img-src 'self' data:; report-uri /csp-report";

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wav': 'audio/wav',
  '.json': 'application/json',
};

/**
 * Starts the gateway on a free port of this machine.
 *
 * @param folder the built widget
 * @param pages further content by path: HTML, or bytes for anything else; what lies under `/open`
 *   comes without a content security policy
 */
export async function startScriptedGateway({
  folder,
  pages = {},
}: {
  folder: string;
  pages?: Record<string, string | Buffer>;
}): Promise<ScriptedGateway> {
  const tokens = new Map<string, RequestedSession>();
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.writeHead(500).end());
  });
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const gateway: ScriptedGateway = {
    origin: `http://127.0.0.1:${port}`,
    sessions: [],
    violations: [],
    refusal: undefined,
    hold: undefined,
    onFinish: concludeAndEnd,
    onConnect: () => undefined,
    reset: () => {
      gateway.refusal = gateway.hold = undefined;
      gateway.onFinish = concludeAndEnd;
      gateway.onConnect = () => undefined;
      gateway.sessions.length = 0;
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  sockets.on('connection', (socket, { url }) => {
    const token = new URL(url ?? '/', gateway.origin).searchParams.get('token') ?? '';
    const request = tokens.get(token);
    tokens.delete(token);
    if (request === undefined) socket.close(4403);
    else connect(gateway, socket, request);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', gateway.origin);
    if (request.method === 'POST') {
      const body = await readBody(request);
      if (pathname === '/demo/token') await gateway.hold;
      if (pathname === '/csp-report') gateway.violations.push(body);
      if (pathname === '/demo/token') giveToken(JSON.parse(body) as RequestedSession, response);
      else response.writeHead(204).end();
      return;
    }
    const page = pages[pathname] ?? (await readBuilt(folder, pathname));
    const extension = path.extname(pathname) || '.html';
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': contentTypes[extension] ?? 'application/octet-stream',
      ...(pathname.startsWith('/open') ? {} : { 'content-security-policy': POLICY }),
    });
    response.end(page);
  }

  function giveToken(asked: RequestedSession, response: ServerResponse): void {
    const { refusal } = gateway;
    const token = crypto.randomUUID();
    if (refusal === undefined) tokens.set(token, asked);
    const streamingUrl = `ws://127.0.0.1:${port}/v3/voice/realtime/connect`;
    response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        refusal === undefined
          ? { streaming_url: streamingUrl, token, session_id: crypto.randomUUID() }
          : { message: refusal.message },
      ),
    );
  }

  return gateway;
}

function connect(gateway: ScriptedGateway, socket: WebSocket, request: RequestedSession): void {
  const format = request.message_format;
  const session: ScriptedSession = {
    request,
    chunks: [],
    isFinished: false,
    send: (message) => {
      if (socket.readyState === socket.OPEN) socket.send(encodeServerMessage(message, format));
    },
    drop: () => socket.terminate(),
    close: (code) => socket.close(code),
  };
  gateway.sessions.push(session);
  socket.on('message', (frame: Buffer) => {
    const message = decodeClientMessage(frame, format);
    if ('source_media_chunk' in message) {
      session.chunks.push({ bytes: message.source_media_chunk.data, atMs: performance.now() });
      return;
    }
    session.isFinished = true;
    gateway.onFinish(session);
  });
  gateway.onConnect(session);
}

/** The end of a stream as the protocol wants it. */
export function concludeAndEnd(session: ScriptedSession): void {
  session.send({ end_of_source_transcript: {} });
  for (const language of session.request.target_languages) {
    session.send({ end_of_target_transcript: { language } });
  }
  session.send({ end_of_stream: {} });
  session.close(1000);
}

async function readBuilt(folder: string, pathname: string): Promise<Buffer | undefined> {
  const file = pathname === '/' ? '/demo/index.html' : pathname;
  return readFile(path.join(folder, path.normalize(file))).catch(() => undefined);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
