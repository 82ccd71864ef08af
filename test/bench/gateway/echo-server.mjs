/**
 * The least a WebSocket server can do with `ws`, set up as ours is: each frame goes back as it came, or, with
 * the argument `receive`, is only received.
 */
import { WebSocketServer } from 'ws';

const answers = process.argv[2] !== 'receive';
const server = new WebSocketServer({
  host: '127.0.0.1',
  port: 0,
  perMessageDeflate: false,
  clientTracking: false,
  maxPayload: 160 * 1024,
});
server.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => {
    if (answers) socket.send(data, { binary: isBinary });
  });
});
server.on('listening', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`ws://127.0.0.1:${port}/`);
});
