/** The least a WebSocket server can do with `ws`, set up as ours is: each frame goes back as it came. */
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({
  host: '127.0.0.1',
  port: 0,
  perMessageDeflate: false,
  clientTracking: false,
  maxPayload: 160 * 1024,
});
server.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
server.on('listening', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`ws://127.0.0.1:${port}/`);
});
