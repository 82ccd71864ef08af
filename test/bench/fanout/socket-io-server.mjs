/** Socket.IO, as it sends what is posted to everybody there is. */
import { createServer } from 'node:http';
import { Server } from 'socket.io';

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  readers.emit('caption', JSON.parse(text));
  response.end();
});
const readers = new Server(server, {
  transports: ['websocket'],
  perMessageDeflate: false,
  // Readers that are only counted do not answer.
  pingInterval: 3_600_000,
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`127.0.0.1:${port}`);
});
