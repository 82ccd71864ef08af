/** A proxy for Redis that simulates network faults: lost answers, broken connections, another destination. */
import net, { type AddressInfo } from 'node:net';

export interface RedisProxy {
  /** `redis://…`, for `BROKER_URL`. */
  readonly url: string;
  /** From now on, drops the answers on existing connections; commands still arrive. */
  loseAnswers(): void;
  /** Sets the destination of new connections: a port of 127.0.0.1, or the path of a socket. */
  leadTo(target: number | string): void;
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startRedisProxy(first: number | string): Promise<RedisProxy> {
  let target = first;
  const pairs = new Set<[client: net.Socket, server: net.Socket]>();
  const proxy = net.createServer((client) => {
    const server =
      typeof target === 'number' ? net.connect(target, '127.0.0.1') : net.connect(target);
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
  const cut = () => {
    for (const [client, server] of pairs) {
      // Commands already sent still arrive.
      server.end();
      client.resetAndDestroy();
    }
  };
  return {
    url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    loseAnswers() {
      for (const [client, server] of pairs) server.unpipe(client).resume();
    },
    leadTo: (next) => void (target = next),
    cut,
    close: () =>
      new Promise<void>((resolve) => {
        proxy.close(() => resolve());
        cut();
      }),
  };
}
