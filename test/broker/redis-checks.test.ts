/** The errors for an unusable Redis before the server listens. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openBroker } from '../../server/broker/index.ts';
import { ConfigError } from '../../server/config.ts';
import { openRedis, type TestRedis } from '../support/machine/redis.ts';
import { recordLog } from '../support/product/log-record.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await openRedis({ tcp: true });
});
afterAll(() => redis.stop());

interface Wish {
  url?: string;
  name?: string;
  /** Id of the installation's database. */
  database?: string;
}

/** Opens a broker as the server does; resolves to the problems, or else to what was logged. */
async function problemOf({ url = redis.url, name = randomUUID(), database = 'ours' }: Wish = {}) {
  const log = recordLog();
  try {
    const broker = await openBroker({
      config: { BROKER_URL: url, CLUSTER_NAME: name },
      storage: { installation: { id: async () => database } },
      log,
    });
    onTestFinished(() => broker.close());
    return log.lines.map(({ level, message }) => `${level}: ${message}`).join('\n');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems.join('\n');
  }
}

const tcp = (credentials = '') => `redis://${credentials}127.0.0.1:${redis.port}`;

async function listening(server: net.Server): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('accepts a usable Redis at either address', async () => {
  expect(await problemOf()).toBe('');
  expect(await problemOf({ url: tcp() })).toBe('');
});

it('reports an address where nothing listens', async () => {
  const gone = await openRedis({ tcp: true });
  await gone.stop();
  const url = `redis://127.0.0.1:${gone.port}`;
  expect(await problemOf({ url })).toBe('BROKER_URL: Nothing listens there.');
  expect(await problemOf({ url: 'unix:///nowhere/redis.sock' })).toContain('Nothing listens there');
  expect(await problemOf({ url: 'redis://nowhere.invalid' })).toContain('no host of that name');
});

it('reports a server that is not Redis, and one that does not answer', async () => {
  const web = await listening(createServer((_request, response) => response.end('Hello')));
  expect(await problemOf({ url: web })).toContain('Redis cannot be used there');
  const silent = await listening(net.createServer());
  expect(await problemOf({ url: silent })).toContain('Nothing answers there');
});

it('reports a Redis without TLS at a TLS address', async () => {
  expect(await problemOf({ url: `rediss://127.0.0.1:${redis.port}` })).toContain('no TLS');
});

it('reports a Redis version that is too old', async () => {
  const about = ['version', '6.2.14', 'mode', 'standalone', 'role', 'master'];
  const answer = `%3\r\n${about.map((each) => `$${each.length}\r\n${each}\r\n`).join('')}`;
  const old = await listening(
    net.createServer((socket) => socket.on('data', () => socket.write(answer))),
  );
  expect(await problemOf({ url: old })).toContain('Redis 6.2.14 is too old');
});

it('reports a missing or wrong password without repeating it', async () => {
  await redis.ask('ACL', 'SETUSER', 'known', 'on', '>right', '~*', '&*', '+@all');
  expect(await problemOf({ url: tcp('known:right@') })).toBe('');
  const wrong = await problemOf({ url: tcp('known:guessed@') });
  expect(wrong).toContain('The user or the password is not right');
  expect(wrong).not.toContain('guessed');
  const closed = await openRedis({ tcp: true });
  onTestFinished(() => closed.stop());
  await closed.ask('CONFIG', 'SET', 'requirepass', 'secret');
  expect(await problemOf({ url: closed.url })).toContain('It takes a password');
});

it('reports missing rights, with the rights that suffice', async () => {
  const name = randomUUID();
  const url = tcp('limited:right@');
  const rights = [`~${name}:*`, '+@all', '-xadd', '-getdel', '-eval', '-script|load'];
  await redis.ask('ACL', 'SETUSER', 'limited', 'reset', 'on', '>right', ...rights);
  const said = await problemOf({ url, name });
  expect(said).toContain('lacks rights: SCRIPT LOAD, GETDEL, XADD, PUBLISH, SUBSCRIBE.');
  const enough = /ACL SETUSER … (.*)$/.exec(said)![1]!.split(' ');
  await redis.ask('ACL', 'SETUSER', 'limited', 'reset', 'on', '>right', ...enough);
  expect(await problemOf({ url, name })).toBe('');
  expect(await problemOf({ url: `${url}/2`, name })).toBe('');
  expect(await problemOf({ url, name: 'elsewhere' })).toContain('lacks rights: EXISTS');
});

it('reports a missing command', async () => {
  const crippled = await openRedis({ args: ['--rename-command', 'GETDEL', ''] });
  onTestFinished(() => crippled.stop());
  expect(await problemOf({ url: crippled.url })).toContain('lacks what is needed: GETDEL.');
});

it('reports keys of another product', async () => {
  const [name, other] = [randomUUID(), randomUUID()];
  await redis.ask('SET', `${name}:queue`, 'of something else');
  expect(await problemOf({ name })).toContain(`"${name}:queue"`);
  await redis.ask('LPUSH', `${other}:cluster`, 'of something else');
  expect(await problemOf({ name: other })).toContain(`"${other}:cluster"`);
});

it('reports two clusters under one name', async () => {
  const name = randomUUID();
  expect(await problemOf({ name })).toBe('');
  expect(await problemOf({ name })).toBe('');
  expect(await problemOf({ name, database: 'theirs' })).toContain('set CLUSTER_NAME');
  expect(await problemOf({ name: `${name}-2`, database: 'theirs' })).toBe('');
});

it('reports a replica, and warns of a Redis that evicts keys', async () => {
  const other = await openRedis();
  onTestFinished(() => other.stop());
  await other.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await problemOf({ url: other.url })).toMatch(/^warn: Redis drops keys.*noeviction$/);
  await other.ask('REPLICAOF', '127.0.0.1', `${redis.port}`);
  expect(await problemOf({ url: other.url })).toContain('It is a replica');
});
