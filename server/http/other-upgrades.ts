/**
 * Requests that offer an upgrade we do not take, such as `Upgrade: h2c`: they are plain requests and
 * are to be answered as such (RFC 9110 §7.8). Node hands every upgrade to the one listener there is
 * and takes the request for one without a body, so the rest of it is read here.
 */
import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Whether an upgrade is one to a WebSocket. */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Answers an upgrade request as if it had offered none; the connection ends with the answer. */
export function serveAsRequest(
  server: Server,
  offer: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  if (!(socket instanceof Socket)) {
    socket.destroy();
    return;
  }
  const request = new IncomingMessage(socket);
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } =
    offer;
  Object.assign(request, { method, url, headers, rawHeaders });
  Object.assign(request, { httpVersion, httpVersionMajor, httpVersionMinor });
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  readBody(request, socket, head);
  server.emit('request', request, response);
}

function readBody(request: IncomingMessage, socket: Socket, head: Buffer): void {
  let missing = Number(request.headers['content-length'] ?? 0);
  const take = (bytes: Buffer) => {
    const part = bytes.subarray(0, missing);
    missing -= part.length;
    if (part.length > 0) request.push(part);
    if (missing > 0) return;
    socket.off('data', take);
    request.complete = true;
    request.push(null);
  };
  socket.on('data', take);
  socket.once('close', () => request.complete || request.destroy());
  take(head);
}
