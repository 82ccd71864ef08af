/** Common base of the stub recognisers with WebSockets, and the ways in which their connections can fail. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** A failure of a connection. */
export type ConnectionFailure =
  /** Refuses the connection with a status. */
  | { kind: 'status'; status: number }
  /** Breaks the connection after some audio, in ms. */
  | { kind: 'cut'; afterMs: number }
  /** Accepts the connection and the audio, but never sends anything. */
  | { kind: 'mute' }
  /** Stops reading after some audio, in ms. */
  | { kind: 'frozen'; afterMs: number }
  /** Sends unexpected data after some audio, in ms. */
  | { kind: 'says'; afterMs: number; data: string | Buffer };

/** A connection as a protocol sees it. */
export interface SpeechConnection {
  readonly request: IncomingMessage;
  /** Sends a message, unless the connection is mute. */
  send(message: object): void;
  /** Reports how much more audio has arrived, in ms. */
  hasHeard(lengthMs: number): void;
  close(code?: number): void;
}

/** Handlers of a protocol for one connection. */
export interface SpeechProtocol {
  onText(text: string): void;
  onBytes(bytes: Buffer): void;
  onClose?(): void;
}

export interface SpeechSockets {
  readonly url: string;
  /** Requests of all accepted connections. */
  readonly requests: IncomingMessage[];
  /** Failures of the next connections, one each; undefined for none. */
  readonly next: (ConnectionFailure | undefined)[];
  /** Failure of all connections, while set. */
  always: ConnectionFailure | undefined;
  readonly openCount: number;
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startSpeechSockets({
  key,
  host = '127.0.0.1',
  serve,
}: {
  /** The key that clients must send. */
  key?: string;
  /** Address at which it listens. */
  host?: string | undefined;
  serve: (connection: SpeechConnection) => SpeechProtocol;
}): Promise<SpeechSockets> {
  const http = createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  http.on('upgrade', (request, socket, head) => {
    const failure = state.always ?? state.next.shift();
    const isWelcome = key === undefined || request.headers.authorization === `Bearer ${key}`;
    const status = isWelcome ? undefined : 401;
    const refusal = failure?.kind === 'status' ? failure.status : status;
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      state.requests.push(request);
      attend(webSocket, { request, failure, serve });
    });
  });
  await new Promise<void>((resolve) => http.listen(0, host, resolve));
  const state: SpeechSockets = {
    url: `ws://${host}:${(http.address() as AddressInfo).port}`,
    requests: [],
    next: [],
    always: undefined,
    get openCount() {
      return sockets.clients.size;
    },
    cut() {
      for (const client of sockets.clients) client.terminate();
    },
    async close() {
      this.cut();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return state;
}

function attend(
  webSocket: WebSocket,
  {
    request,
    failure,
    serve,
  }: {
    request: IncomingMessage;
    failure: ConnectionFailure | undefined;
    serve: (connection: SpeechConnection) => SpeechProtocol;
  },
): void {
  let heardMs = 0;
  let hasFailed = false;
  const failNow = (): void => {
    hasFailed = true;
    if (failure?.kind === 'cut') webSocket.terminate();
    if (failure?.kind === 'frozen') webSocket.pause();
    if (failure?.kind === 'says') {
      webSocket.send(failure.data, { binary: typeof failure.data !== 'string' });
    }
  };
  const protocol = serve({
    request,
    send(message) {
      if (failure?.kind !== 'mute' && webSocket.readyState === webSocket.OPEN) {
        webSocket.send(JSON.stringify(message));
      }
    },
    hasHeard(lengthMs) {
      heardMs += lengthMs;
      const isDue = failure !== undefined && 'afterMs' in failure && heardMs >= failure.afterMs;
      if (isDue && !hasFailed) failNow();
    },
    close: (code) => webSocket.close(code),
  });
  webSocket.on('message', (data, isBinary) => {
    if (isBinary) protocol.onBytes(data as Buffer);
    else protocol.onText((data as Buffer).toString());
  });
  webSocket.on('close', () => protocol.onClose?.());
  webSocket.on('error', () => {});
}
