/**
 * A small gateway for tests of the caption element: serves the built widget, issues tokens and speaks the
 * voice protocol, but sends only what a test tells it to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { WebSocketServer, type WebSocket } from 'ws';
import { decodeClientMessage, encodeServerMessage } from '../../../shared/protocol/codec.ts';
import type { MessageFormat, ServerMessage } from '../../../shared/protocol/messages.ts';

/** The page's request to its token endpoint. */
export interface RequestedSession {
  source_media_content_type: string;
  message_format: MessageFormat;
  source_language?: string;
  target_languages: string[];
  target_media_languages?: string[];
  target_media_content_type?: string;
  target_media_voice?: string;
}

/** A session as the token endpoint knows it, over all its connections. */
interface Ticket {
  sessionId: string;
  request: RequestedSession;
  receivedBytes: number;
}

/** One connection of a page. */
export interface ScriptedSession {
  /** Stays the same when a dropped session is resumed. */
  readonly sessionId: string;
  readonly request: RequestedSession;
  /** Audio in order of arrival, with its time of arrival in ms. */
  readonly chunks: { bytes: Uint8Array; atMs: number }[];
  /** Session updates requested by the page. */
  readonly updates: Readonly<Record<string, unknown>>[];
  /** Whether the page has ended its audio. */
  isFinished: boolean;
  send(message: ServerMessage): void;
  /** Cuts the connection without a close frame, as a broken network does. */
  drop(): void;
  close(code: number): void;
}

export interface ScriptedGateway {
  readonly origin: string;
  readonly sessions: ScriptedSession[];
  /** Content security policy reports of the browser. */
  readonly violations: string[];
  /** Refusal of the next token requests and updates; undefined to accept them. */
  refusal: { status: number; message: string } | undefined;
  /** Whether dropped sessions can be resumed; otherwise the endpoint refuses, as older ones do. */
  keepsSessions: boolean;
  /** Whether running sessions can be updated; in older gateways they cannot. */
  takesUpdates: boolean;
  /** `last_sequence` of each resumption, in order. */
  readonly resumedAfter: number[];
  /** Token requests wait for this promise. */
  hold: Promise<void> | undefined;
  /** Called at the end of the audio; by default concludes and ends the stream. */
  onFinish: (session: ScriptedSession) => void;
  /** Called for each connection. */
  onConnect: (session: ScriptedSession) => void;
  /** Resets settings and recorded sessions. */
  reset(): void;
  close(): Promise<void>;
}

/** Content security policy of the demo page, with a report address. */
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
 * @param pages further content by path: HTML, or bytes for anything else; paths under `/open` have no content
 *   security policy
 */
export async function startScriptedGateway({
  folder,
  pages = {},
}: {
  folder: string;
  pages?: Record<string, string | Buffer>;
}): Promise<ScriptedGateway> {
  const tokens = new Map<string, Ticket>();
  const spent = new Map<string, Ticket>();
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
    keepsSessions: false,
    takesUpdates: false,
    resumedAfter: [],
    hold: undefined,
    onFinish: concludeAndEnd,
    onConnect: () => undefined,
    reset: () => {
      gateway.refusal = gateway.hold = undefined;
      gateway.onFinish = concludeAndEnd;
      gateway.onConnect = () => undefined;
      gateway.sessions.length = gateway.resumedAfter.length = 0;
      gateway.keepsSessions = gateway.takesUpdates = false;
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  sockets.on('connection', (socket, { url }) => {
    const token = new URL(url ?? '/', gateway.origin).searchParams.get('token') ?? '';
    const ticket = tokens.get(token);
    tokens.delete(token);
    if (ticket === undefined) socket.close(4403);
    else connect(gateway, socket, ticket);
    if (ticket !== undefined) spent.set(token, ticket);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', gateway.origin);
    if (request.method === 'POST') {
      const body = await text(request);
      if (pathname === '/demo/token') await gateway.hold;
      if (pathname === '/csp-report') gateway.violations.push(body);
      if (pathname === '/demo/token') giveToken(JSON.parse(body) as TokenRequest, response);
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

  function giveToken(asked: TokenRequest, response: ServerResponse): void {
    const ticket = 'token' in asked ? takeUp(asked) : newTicket(asked);
    const refusal = gateway.refusal ?? (ticket === undefined ? UNKNOWN_TOKEN : undefined);
    const token = crypto.randomUUID();
    if (refusal === undefined) tokens.set(token, ticket!);
    const answer = {
      streaming_url: `ws://127.0.0.1:${port}/v3/voice/realtime/connect`,
      ...{ token, session_id: ticket?.sessionId },
      ...('token' in asked && { received_audio_bytes: ticket?.receivedBytes }),
    };
    response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(refusal === undefined ? answer : { message: refusal.message }));
  }

  function takeUp({ token, last_sequence }: { token: string; last_sequence: number }) {
    const ticket = gateway.keepsSessions ? (spent.get(token) ?? tokens.get(token)) : undefined;
    if (ticket !== undefined) gateway.resumedAfter.push(last_sequence);
    return ticket;
  }

  return gateway;
}

type TokenRequest = RequestedSession | { token: string; last_sequence: number };

const UNKNOWN_LANGUAGE = { status: 400, message: "Value for 'target_languages' not supported." };
const UNKNOWN_TOKEN = { status: 400, message: 'source_media_content_type is missing.' };

function newTicket(request: RequestedSession): Ticket {
  return { sessionId: crypto.randomUUID(), request, receivedBytes: 0 };
}

function connect(gateway: ScriptedGateway, socket: WebSocket, ticket: Ticket): void {
  const { request, sessionId } = ticket;
  const format = request.message_format;
  const session: ScriptedSession = {
    ...{ sessionId, request },
    ...{ chunks: [], updates: [] },
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
    if (message.type === 'source_media_chunk') {
      ticket.receivedBytes += message.data.length;
      session.chunks.push({ bytes: message.data, atMs: performance.now() });
      return;
    }
    if (message.type === 'session_update') {
      session.updates.push(message.update);
      const { id, ...changes } = message.update;
      const wished = (changes as Partial<RequestedSession>).target_languages ?? [];
      const refusal = wished.includes('xx') ? UNKNOWN_LANGUAGE : gateway.refusal;
      if (refusal !== undefined) {
        session.send(refused(refusal, id as string));
        return;
      }
      Object.assign(request, changes);
      session.send(inForce(request, id as string));
      return;
    }
    session.isFinished = true;
    gateway.onFinish(session);
  });
  if (gateway.takesUpdates) session.send(inForce(request));
  gateway.onConnect(session);
}

function inForce({ target_languages }: RequestedSession, id?: string): ServerMessage {
  const named = id === undefined ? {} : { id };
  return { type: 'session_updated', ...named, start_time: 0, target_languages };
}

function refused(
  { status, message }: { status: number; message: string },
  id: string,
): ServerMessage {
  const codes = { error_code: status, reason_code: status * 10_000 + 1 };
  return { type: 'session_update_refused', id, ...codes, error_message: message };
}

/** Ends a stream as the protocol requires. */
export function concludeAndEnd(session: ScriptedSession): void {
  session.send({ type: 'end_of_source_transcript' });
  for (const language of session.request.target_languages) {
    session.send({ type: 'end_of_target_transcript', language });
  }
  session.send({ type: 'end_of_stream' });
  session.close(1000);
}

async function readBuilt(folder: string, pathname: string): Promise<Buffer | undefined> {
  const file = pathname === '/' ? '/demo/index.html' : pathname;
  return readFile(path.join(folder, path.normalize(file))).catch(() => undefined);
}
