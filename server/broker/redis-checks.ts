/**
 * Checks that a Redis is suitable and grants the needed rights, before a node begins to listen. Each problem
 * is reported with its remedy.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command, Greeting } from './redis-link.ts';
import { CLAIM_EVERY_MS, scripts } from './redis-scripts.ts';

type Send = Greeting['send'];

/** Why the broker cannot be used, for people; without the address, which may contain a password. */
export class BrokerProblem extends Error {}

const LEAST_VERSION = 7;
/** Version of the format of keys and values; another version is incompatible. */
const FORMAT = 1;
/** Maximum number of SCAN calls in search of foreign keys, and keys per call. */
const MAX_SCANS = 1_000;
const KEYS_A_SCAN = 1_000;

/**
 * Checks that a new connection leads to a suitable server that takes writes.
 *
 * @throws BrokerProblem; any error of `send`
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

/** Loads the scripts into a server, which loses them at its end. @throws any error of `send` */
export async function loadScripts(send: Send): Promise<void> {
  await Promise.all(Object.values(scripts).map(({ lua }) => send(['SCRIPT', 'LOAD', lua])));
}

/** Returns the fields of a reply, which is a map or a flat list of names and values. */
function fieldsOf(reply: unknown): Map<string, unknown> {
  if (reply instanceof Map) return new Map([...reply].map(([name, value]) => [`${name}`, value]));
  if (!Array.isArray(reply)) return new Map(Object.entries(reply as object));
  return new Map(reply.flatMap((name, i) => (i % 2 === 0 ? [[`${name}`, reply[i + 1]]] : [])));
}

/** A cluster's claim to the keys under its prefix. */
export interface Claim {
  /** Since when the data is continuous, by the clock of Redis; changes once data was lost. */
  sinceMs: number;
  /** When the keys were last claimed, by the same clock. */
  claimedMs: number;
}

/**
 * Claims the keys under a prefix for the cluster with this database, or renews the claim.
 *
 * @param known the last claim that this node knows of
 * @throws BrokerProblem if another cluster or product owns them; any error of `send`
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
      // A Redis that currently takes no writes is used for what it can do.
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

/** @throws BrokerProblem if there are unclaimed keys of another product under the prefix */
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
    // If only the mark was lost, running nodes claim the keys again in the meantime.
    if (found.length > 0 && !hasWaited) await pause(CLAIM_EVERY_MS * 2);
    hasWaited ||= found.length > 0;
    cursor = String(next);
    if (cursor === '0') return;
  }
}

/** Keys of a broker, after the prefix. */
const OWN_KEY = /^:(record|lease|seats|count|bucket|stream|last|by|check)(:|$)/;

/** Key of the mark that names the owner of a prefix. */
export function markOf(prefix: string): string {
  return `${prefix}:cluster`;
}

function othersKeys(prefix: string, key: string): BrokerProblem {
  return new BrokerProblem(
    `Something else keeps keys there under ${prefix}: (${JSON.stringify(key)}). Set CLUSTER_NAME to another name, or give Dragoman a Redis of its own.`,
  );
}

/**
 * Tries every command that is needed, on a temporary key.
 *
 * @throws BrokerProblem naming the commands that are forbidden or missing
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
  // Needed for a database number other than 0, which the address names.
  const commands: Command[] = [...commandsOn(key), ['SELECT']];
  const names = commands.map(([name]) =>
    name === 'SCRIPT' ? '+script|load' : `+${name.toLowerCase()}`,
  );
  return [...new Set([...names, '+subscribe', '+unsubscribe'])].join(' ');
}

/** Returns a sample of every command that the broker uses; the samples leave no data behind. */
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

/** Returns the eviction policy of Redis if it may drop keys; undefined if it is safe or not reported. */
export async function evictionPolicy(send: Send): Promise<string | undefined> {
  const about = String(await send(['INFO', 'memory']).catch(() => ''));
  const policy = /^maxmemory_policy:(\S+)/m.exec(about)?.[1];
  return policy === 'noeviction' ? undefined : policy;
}

/** Explains to people why the first connection to an address failed. */
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
