/** A TCP proxy that simulates network faults: resets connections, or goes silent. */
import net, { type AddressInfo } from 'node:net';

export interface ResetProxy {
  /** Address that leads to the server, such as `http://127.0.0.1:12345`. */
  url: string;
  /** Resets every connection; returns how many existed. */
  reset(): number;
  /** Stops forwarding on existing connections, without notice to either end. */
  silence(): void;
  /**
   * Resets every connection, and each new one, as if the server were down; returns a function that ends it.
   */
  cut(): () => void;
  close(): Promise<void>;
}

/** @param target address of the server */
export async function startResetProxy(target: string): Promise<ResetProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<[net.Socket, net.Socket]>();
  let isCut = false;
  const proxy = net.createServer((client) => {
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const server = net.connect(Number(port), hostname);
    const pair: [net.Socket, net.Socket] = [client, server];
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true).on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const reset = () => {
    const count = pairs.size;
    for (const pair of pairs) for (const end of pair) end.resetAndDestroy();
    return count;
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    reset,
    silence: () => {
      for (const [client, server] of pairs) {
        client.unpipe(server).pause();
        server.unpipe(client).pause();
      }
    },
    cut: () => {
      isCut = true;
      reset();
      return () => {
        isCut = false;
      };
    },
    close: () =>
      new Promise<void>((resolve) => {
        proxy.close(() => resolve());
        // Clients keep idle connections for more than a minute.
        reset();
      }),
  };
}
