/**
 * `npm run cluster`: runs three servers, PostgreSQL, Redis and a load balancer on this machine, to
 * try what happens when one of them dies. All data is deleted when it ends.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findPostgresql, findPostgresqlOwner, freePort } from './cluster/local-services.mjs';
import { clusterRequirements, serverRequirements } from './debian-packages.mjs';
import { serverModels } from './models.mjs';
import { refuseOldNode } from './node-version.mjs';
import { serverEntry } from './product.mjs';
import { setUpOrExit } from './set-up.mjs';

const SERVERS = 3;
/** Longest start of a program, in ms; generous for a busy machine. */
const START_LIMIT_MS = 120_000;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

refuseOldNode();
await setUpOrExit({
  requirements: [...serverRequirements, ...clusterRequirements],
  models: serverModels,
});

const host = process.env['HOST'] ?? '127.0.0.1';
const port = Number(process.env['PORT'] ?? 8080);
const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-cluster-'));
/** Running programs, in the order of their start. @type {Set<ChildProcess>} */
const running = new Set();
/** @type {ChildProcess[]} */
const servers = [];
let isStopping = false;

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => void stop());
}

try {
  const [database, broker] = await Promise.all([startPostgresql(), startRedis()]);
  const ports = await Promise.all(Array.from({ length: SERVERS }, freePort));
  const settings = settingsWith(database, broker);
  await Promise.all(ports.map((each, index) => keepServer(index + 1, each, settings)));
  await startBalancer(ports);
  process.stdout.write(welcome(ports));
} catch (error) {
  if (!isStopping) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    await stop();
  }
}

/**
 * Starts a program whose output goes to a log in the cluster's folder.
 *
 * @param {string} name
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
function run(name, program, args, options = {}) {
  const output = openSync(logOf(name), 'a');
  // In its own process group, so that Ctrl+C reaches only this process, which stops the others in order.
  const child = spawn(program, args, {
    ...options,
    detached: true,
    stdio: ['ignore', output, output],
  });
  running.add(child);
  child.once('error', (error) => process.stderr.write(`${name}: ${error.message}\n`));
  child.once('close', () => running.delete(child));
  return child;
}

/** @param {string} name */
function logOf(name) {
  return path.join(folder, `${name}.log`);
}

/** @returns {Promise<string>} its address */
async function startPostgresql() {
  const programs = findPostgresql();
  const owner = findPostgresqlOwner();
  const own = path.join(folder, 'postgresql');
  mkdirSync(own);
  if ('uid' in owner) {
    chownSync(own, owner.uid, owner.gid);
    // Lets the owner of PostgreSQL reach its folder inside this one.
    chmodSync(folder, 0o711);
  }
  const data = path.join(own, 'data');
  const wishes = ['--auth=trust', '--username=dragoman', '--encoding=UTF8', '--locale=C'];
  execFileSync(path.join(programs, 'initdb'), ['-D', data, ...wishes], {
    ...owner,
    cwd: own,
    stdio: 'ignore',
  });
  const ownPort = await freePort();
  const args = ['-D', data, '-p', `${ownPort}`, '-k', own, '-h', '127.0.0.1'];
  const child = run('postgresql', path.join(programs, 'postgres'), args, { ...owner, cwd: own });
  await until('postgresql', child, () => canConnect(ownPort));
  return `postgres://dragoman@127.0.0.1:${ownPort}/postgres`;
}

/** @returns {Promise<string>} its address */
async function startRedis() {
  const socket = path.join(folder, 'redis.sock');
  const args = ['--port', '0', '--unixsocket', socket, '--save', '', '--maxmemory', '512mb'];
  const child = run('redis', 'redis-server', args, { cwd: folder });
  await until('redis', child, () => canConnect(socket));
  return `unix://${socket}`;
}

/**
 * @param {string} database
 * @param {string} broker
 */
function settingsWith(database, broker) {
  return {
    DEMO: 'on',
    ...process.env,
    STORAGE_URL: database,
    BROKER_URL: broker,
    DATA_DIR: path.join(folder, 'data'),
    PUBLIC_URL: process.env['PUBLIC_URL'] ?? `http://${host}:${port}`,
    TRUST_PROXY: 'on',
    HOST: '127.0.0.1',
  };
}

/**
 * Runs a server, and restarts it whenever it dies.
 *
 * @param {number} number from 1
 * @param {number} ownPort
 * @param {NodeJS.ProcessEnv} settings
 */
async function keepServer(number, ownPort, settings) {
  const name = `server${number}`;
  const start = () =>
    run(name, process.execPath, [serverEntry], {
      env: { ...settings, PORT: String(ownPort) },
    });
  /** @param {ChildProcess} child */
  const keep = (child) => {
    servers[number - 1] = child;
    child.once('exit', async (code, signal) => {
      if (isStopping) return;
      process.stdout.write(`  server ${number} has ended (${signal ?? `exit code ${code}`})\n`);
      await delay(1000);
      if (isStopping) return;
      keep(start());
      process.stdout.write(
        `  server ${number} is started again: process ${servers[number - 1]?.pid}\n`,
      );
    });
  };
  const child = start();
  await until(name, child, () => answers(ownPort));
  keep(child);
}

/** @param {number[]} ports */
async function startBalancer(ports) {
  const addresses = ports.map((each, index) => [`SERVER_${index + 1}`, `127.0.0.1:${each}`]);
  const config = path.join(import.meta.dirname, 'cluster', 'haproxy.cfg');
  const child = run('balancer', 'haproxy', ['-db', '-f', config], {
    env: { ...process.env, BALANCER: `${host}:${port}`, ...Object.fromEntries(addresses) },
  });
  await until('balancer', child, () => answers(port));
}

/**
 * Waits until a started program works.
 *
 * @param {string} name
 * @param {ChildProcess} child
 * @param {() => Promise<boolean>} works
 * @throws Error with the end of its output when it ends, or takes too long
 */
async function until(name, child, works) {
  const deadlineMs = performance.now() + START_LIMIT_MS;
  while (!(await works())) {
    const hasEnded = !running.has(child);
    if (!hasEnded && performance.now() < deadlineMs) await delay(50);
    else {
      const output = readFileSync(logOf(name), 'utf8').trimEnd().split('\n').slice(-20).join('\n');
      throw new Error(`${name} ${hasEnded ? 'has ended' : 'does not answer'}:\n${output}`);
    }
  }
}

/**
 * @param {number | string} place a port of this machine, or the path of a socket
 * @returns {Promise<boolean>}
 */
async function canConnect(place) {
  const socket = typeof place === 'number' ? net.connect(place, '127.0.0.1') : net.connect(place);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** @param {number} ownPort */
async function answers(ownPort) {
  const answer = await fetch(`http://127.0.0.1:${ownPort}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}

/** @param {number[]} ports */
function welcome(ports) {
  const [first] = servers;
  const apiKey = readFileSync(path.join(folder, 'data', 'api-key'), 'utf8').trim();
  const lines = [
    '',
    `  Dragoman is live at http://${host}:${port}, from ${SERVERS} servers behind a load balancer`,
    '',
    `  API key     ${apiKey}`,
    ...ports.map(
      (each, index) =>
        `  Server ${index + 1}    http://127.0.0.1:${each}, process ${servers[index]?.pid}`,
    ),
    `  Logs        ${folder}`,
    '',
    `  To see a hand-over, speak and then run: kill -9 ${first?.pid}. Another server takes over.`,
    '  All data is deleted when it stops.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** Stops the servers first, so that they hand over their sessions; a second signal exits at once. */
async function stop() {
  if (isStopping) process.exit(1);
  isStopping = true;
  const others = [...running].filter((child) => !servers.includes(child));
  await Promise.all(servers.map((child) => end(child, 'SIGTERM')));
  // SIGINT: on SIGTERM, PostgreSQL would wait for its clients.
  await Promise.all(others.map((child) => end(child, 'SIGINT')));
  process.exit();
}

/**
 * @param {ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
async function end(child, signal) {
  if (!running.has(child)) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}
