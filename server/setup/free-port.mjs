/** A port of 127.0.0.1 that nobody has at the moment. */
import { once } from 'node:events';
import net from 'node:net';

/** @returns {Promise<number>} */
export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return address.port;
}
