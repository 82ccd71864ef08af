/**
 * Requests that offer an upgrade we do not take, such as `Upgrade: h2c`: they are plain requests and
 * are to be answered as such (RFC 9110 §7.8). Node hands every upgrade to the one listener there is
 * and takes the request for one without a body, so the rest of it is read here.
 */
import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { lingerUntilClosed } from './raw-answer.ts';

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
  const request = new PlainRequest(socket);
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } =
    offer;
  Object.assign(request, { method, url, headers, rawHeaders });
  Object.assign(request, { httpVersion, httpVersionMajor, httpVersionMinor });
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  const stopReading = readBody(request, socket, head);
  response.once('finish', () => {
    stopReading();
    socket.end();
    lingerUntilClosed(socket);
  });
  // Also with bytes that nobody has read yet: whoever works on the request works for nobody.
  socket.once('close', () => {
    request.destroy(response.writableFinished ? undefined : connectionReset());
  });
  server.emit('request', request, response);
}

/** A request whose body we push ourselves, and only as fast as it is read. */
class PlainRequest extends IncomingMessage {
  override _read(): void {
    this.socket.resume();
  }
}

/** Hands the body over as it comes. @returns stops doing so: nobody wants the rest */
function readBody(request: PlainRequest, socket: Socket, head: Buffer): () => void {
  let missing = Number(request.headers['content-length'] ?? 0);
  const take = (bytes: Buffer) => {
    const part = bytes.subarray(0, missing);
    missing -= part.length;
    if (part.length > 0 && !request.push(part)) socket.pause();
    if (missing > 0) return;
    stop();
    request.complete = true;
    request.push(null);
  };
  const stop = () => {
    socket.off('data', take);
    // What comes after it is thrown away; unread, it would hide that the client is gone.
    socket.resume();
  };
  socket.on('data', take);
  // Half a connection is none, as for every other request.
  socket.once('end', () => (request.complete ? socket.end() : socket.destroy()));
  take(head);
  return stop;
}

/** What Node says of a request whose client is gone. */
function connectionReset(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
}
