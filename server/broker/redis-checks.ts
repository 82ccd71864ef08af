/** What a Redis must be, and let us do, before a node begins to listen; each problem with what to do. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command, Greeting } from './redis-link.ts';
import { CLAIM_EVERY_MS, scripts } from './redis-scripts.ts';

type Send = Greeting['send'];

/** Why the broker cannot be used, for people; without the address, which may hold a password. */
export class BrokerProblem extends Error {}

const LEAST_VERSION = 7;
/** Of what is kept there; another one is another Dragoman's. */
const FORMAT = 1;
/** Calls that look for another product's keys, and keys looked at in each. */
const MAX_SCANS = 1_000;
const KEYS_A_SCAN = 1_000;

/**
 * Whether a new connection leads to a server that takes writes.
 *
 * @throws BrokerProblem; what sending throws
 */
export async function meet(send: Send): Promise<void> {
  const about = fieldsOf(await send(['HELLO']));
  const version = String(about.get('version'));
  if (Number.parseInt(version, 10) < LEAST_VERSION) {
    throw new BrokerProblem(
      `Redis ${version} is too old: it takes Redis ${LEAST_VERSION}, or Valkey.`,
    );
  }
  if (String(about.get('mode')) !== 'standalone') {
    throw new BrokerProblem(
      'It takes a Redis of its own kind, not a cluster of Redis, or a Sentinel.',
    );
  }
  if (String(about.get('role')) !== 'master') {
    throw new BrokerProblem(
      'It is a replica, which takes no writes: give the address of its master.',
    );
  }
}

/** Makes our scripts known to a server, which forgets them when it ends. @throws what sending throws */
export async function loadScripts(send: Send): Promise<void> {
  await Promise.all(Object.values(scripts).map(({ lua }) => send(['SCRIPT', 'LOAD', lua])));
}

/** Field by field, whether the answer is a map or a list of names and values. */
function fieldsOf(reply: unknown): Map<string, unknown> {
  if (reply instanceof Map) return new Map([...reply].map(([name, value]) => [`${name}`, value]));
  if (!Array.isArray(reply)) return new Map(Object.entries(reply as object));
  return new Map(reply.flatMap((name, i) => (i % 2 === 0 ? [[`${name}`, reply[i + 1]]] : [])));
}

/** That keys belong to a cluster. */
export interface Claim {
  /** Since when what is kept is good, by the clock of Redis: another time once something was lost. */
  sinceMs: number;
  /** When they were last claimed, by the same clock. */
  claimedMs: number;
}

/**
 * Makes the keys under a prefix those of one cluster, the one with this database, or says so once more.
 *
 * @param known what this node knows of the last claim
 * @throws BrokerProblem when they are another's; what sending throws
 */
export async function claimPrefix(
  send: Send,
  { prefix, clusterId, known }: { prefix: string; clusterId: string; known: Claim | undefined },
): Promise<Claim> {
  const key = markOf(prefix);
  const ours = `dragoman ${FORMAT} ${clusterId}`;
  const args = [ours, `${known?.claimedMs ?? 0}`];
  const found = await send(['EVALSHA', scripts.claim.sha, '1', key, ...args]).catch(
    async (error: unknown) => {
      const { message } = error as Error;
      if (message.startsWith('WRONGTYPE')) return '';
      // One that takes no writes is used for what it can do.
      const kept = TAKES_NO_WRITES.test(message) ? await send(['GET', key]) : null;
      if (kept === null) throw error;
      return kept;
    },
  );
  const mark = String(found);
  const times = mark.startsWith(ours) ? /^ (\d+) (\d+)$/.exec(mark.slice(ours.length)) : null;
  if (times !== null) return { sinceMs: Number(times[1]), claimedMs: Number(times[2]) };
  const [product, format] = mark.split(' ');
  if (product !== 'dragoman') throw othersKeys(prefix, key);
  if (format !== `${FORMAT}`) {
    throw new BrokerProblem(
      `Another version of Dragoman keeps keys there that this one cannot read (${key}). Stop its servers and delete the keys, or set CLUSTER_NAME to another name.`,
    );
  }
  throw new BrokerProblem(
    `Servers with another database use this Redis under the same name, ${prefix}: set CLUSTER_NAME to another name, or STORAGE_URL to their database. If nobody does any more, delete the key ${key}.`,
  );
}

const TAKES_NO_WRITES = /^(MISCONF|NOREPLICAS)\b/;

/** @throws BrokerProblem when there are keys under a prefix that nobody has claimed */
export async function refuseOthersKeys(send: Send, prefix: string): Promise<void> {
  if (Number(await send(['EXISTS', markOf(prefix)])) > 0) return;
  let cursor = '0';
  let hasWaited = false;
  for (let scans = 0; scans < MAX_SCANS; scans += 1) {
    const scan: Command = ['SCAN', cursor, 'MATCH', `${prefix}:*`, 'COUNT', `${KEYS_A_SCAN}`];
    const [next, keys] = (await send(scan)) as [Buffer, Buffer[]];
    const found = keys.map(String).filter((key) => key !== markOf(prefix));
    const other = found.find((key) => !OWN_KEY.test(key.slice(prefix.length)));
    if (other !== undefined) throw othersKeys(prefix, other);
    // Where the mark was lost, nodes that are there claim the keys once more.
    if (found.length > 0 && !hasWaited) await pause(CLAIM_EVERY_MS * 2);
    hasWaited ||= found.length > 0;
    cursor = String(next);
    if (cursor === '0') return;
  }
}

/** What a broker makes, behind the prefix. */
const OWN_KEY = /^:(record|lease|seats|count|bucket|stream|last|by|check)(:|$)/;

/** Of the key that says whose the others are. */
export function markOf(prefix: string): string {
  return `${prefix}:cluster`;
}

function othersKeys(prefix: string, key: string): BrokerProblem {
  return new BrokerProblem(
    `Something else keeps keys there under ${prefix}: (${JSON.stringify(key)}). Set CLUSTER_NAME to another name, or give Dragoman a Redis of its own.`,
  );
}

/**
 * Tries every command that is needed, on a key of its own.
 *
 * @throws BrokerProblem that names those that may not be used, or are not there
 */
export async function checkRights({ send, tryChannel }: Greeting, prefix: string): Promise<void> {
  const key = `${prefix}:check:${randomUUID()}`;
  const tries: [name: string, trying: Promise<unknown>][] = commandsOn(key).map((command) => [
    command[0] === 'SCRIPT' ? 'SCRIPT LOAD' : command[0],
    send(command),
  ]);
  tries.push(['SUBSCRIBE', tryChannel(key)]);
  const results = await Promise.allSettled(tries.map(([, trying]) => trying));
  const said = results.map((result) =>
    result.status === 'rejected' ? (result.reason as Error) : undefined,
  );
  const failing = (pattern: RegExp) => [
    ...new Set(tries.flatMap(([name], i) => (pattern.test(said[i]?.message ?? '') ? [name] : []))),
  ];
  const unknown = failing(/^ERR unknown (sub)?command/);
  if (unknown.length > 0) {
    throw new BrokerProblem(
      `This Redis lacks what is needed: ${unknown.join(', ')}. It takes Redis ${LEAST_VERSION}, or Valkey, with these commands.`,
    );
  }
  const forbidden = failing(/^NOPERM/);
  if (forbidden.length > 0) {
    throw new BrokerProblem(
      `The user of BROKER_URL lacks rights: ${forbidden.join(', ')}. On keys and channels ${prefix}:* it needs all of: ACL SETUSER … ~${prefix}:* &${prefix}:* ${rightsFor(key)}`,
    );
  }
}

function rightsFor(key: string): string {
  // For those who keep it in a database of another number, which their addresses name.
  const commands: Command[] = [...commandsOn(key), ['SELECT']];
  const names = commands.map(([name]) =>
    name === 'SCRIPT' ? '+script|load' : `+${name.toLowerCase()}`,
  );
  return [...new Set([...names, '+subscribe', '+unsubscribe'])].join(' ');
}

/** One of each; those that write leave nothing. */
function commandsOn(key: string): Command[] {
  const nothing = scripts.leaveSeats;
  return [
    ['PING'],
    ['TIME'],
    ['EXISTS', key],
    ['SCAN', '0', 'COUNT', '1'],
    ['SCRIPT', 'LOAD', nothing.lua],
    ['EVALSHA', nothing.sha, '0', ''],
    ['SET', key, '0', 'PX', '10000'],
    ['GET', key],
    ['GETRANGE', key, '0', '0'],
    ['INCRBY', key, '1'],
    ['PTTL', key],
    ['PEXPIRE', key, '10000'],
    ['GETDEL', key],
    ['HSET', key, 'field', '0'],
    ['HMGET', key, 'field'],
    ['HDEL', key, 'field'],
    ['ZADD', key, '0', 'member'],
    ['ZCARD', key],
    ['ZSCORE', key, 'member'],
    ['ZRANGE', key, '0', '0', 'BYSCORE'],
    ['ZREMRANGEBYSCORE', key, '1', '1'],
    ['ZREM', key, 'member'],
    ['XADD', key, 'MAXLEN', '1', '1-0', 'field', '0'],
    ['XRANGE', key, '-', '+', 'COUNT', '1'],
    ['XREVRANGE', key, '+', '-', 'COUNT', '1'],
    ['XTRIM', key, 'MINID', '2'],
    ['DEL', key],
    ['PUBLISH', key, ''],
  ];
}

/** What Redis does when it is full, if that could drop keys; undefined when it is not told. */
export async function evictionPolicy(send: Send): Promise<string | undefined> {
  const about = String(await send(['INFO', 'memory']).catch(() => ''));
  const policy = /^maxmemory_policy:(\S+)/m.exec(about)?.[1];
  return policy === 'noeviction' ? undefined : policy;
}

/** What kept a node from its first connection to an address, for people. */
export function connectionProblem(error: unknown, url: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof BrokerProblem) return message;
  if (/^WRONGPASS/.test(message)) return 'The user or the password is not right.';
  if (/^NOAUTH/.test(message)) return 'It takes a password: redis://user:password@host:6379.';
  if (/^NOPERM/.test(message)) return `The user lacks rights: ${message.replace(/^NOPERM /, '')}`;
  if (/^ERR unknown command/.test(message)) {
    return `That server lacks a command (${message.replace(/^ERR /, '')}): it takes Redis ${LEAST_VERSION}, or Valkey.`;
  }
  if (/^LOADING/.test(message)) return 'Redis is still reading its data. Start again in a moment.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'There is no host of that name.';
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'Nothing listens there.';
  if (code === 'ETIMEDOUT') {
    const isTls = url.startsWith('rediss:');
    return `Nothing answers there${isTls ? ', or it speaks no TLS: then it is redis://' : ''}.`;
  }
  return `Redis cannot be used there (${message}).`;
}
