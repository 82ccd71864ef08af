/** The two servers under load: ours as it is built, and the bare echo server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import { startServer, type TestServer } from '../../support/product/server.ts';
import { requestSession } from '../../support/product/voice-client.ts';
import { createLoad, openSocket } from './load.ts';
import { createProbe, type LoopDelay, type Probe } from './probe.ts';

export interface ServerLoadOptions {
  connections: number;
  intervalMs: number;
  /** One chunk on the wire. */
  frame: Uint8Array;
  /** The echo of a chunk on the wire, in bytes. */
  echoBytes: number;
}

/** A server in a process of its own, its clients connected and at rest. */
export interface LoadedServer {
  /** Has the clients send for this long. */
  run(durationMs: number): Promise<void>;
  /** Processor time that a chunk costs above idling, measured over this long, in µs. */
  cpuUsPerChunk(durationMs: number): Promise<number>;
  /** How late the event loop is while the clients send. */
  loopDelay(durationMs: number): Promise<LoopDelay>;
  stop(): Promise<void>;
}

/** Connections that are opened at once. */
const OPEN_AT_ONCE = 20;
const IDLE_MS = 1_000;

/** Our server with a recogniser that hears nothing: what remains is the gateway. */
export async function loadOurServer(
  format: MessageFormat,
  options: ServerLoadOptions,
  settings: Record<string, string> = {},
): Promise<LoadedServer> {
  const probe = createProbe();
  const server = await startServer({
    ...settings,
    RECOGNISER: 'silent',
    LOG_LEVEL: 'warn',
    VOICE_MAX_SESSIONS: `${options.connections}`,
    // Clients rest while the other server has its turn.
    VOICE_IDLE_SECONDS: '3600',
    ...probe.environment,
  });
  return prepare({
    options,
    probe,
    answerBytes: 0,
    address: () => voiceAddress(server, format),
    stop: () => server.stop(),
  });
}

async function voiceAddress(server: TestServer, format: MessageFormat): Promise<string> {
  const { streaming_url, token } = await requestSession(server, { message_format: format });
  return `${streaming_url}?token=${token}`;
}

/** A server that sends each frame back, or only receives them. */
export async function loadBareServer(
  kind: 'echo' | 'receive',
  options: ServerLoadOptions,
): Promise<LoadedServer> {
  const probe = createProbe();
  const program = path.join(import.meta.dirname, 'echo-server.mjs');
  const child = spawn(process.execPath, [program, kind], {
    env: { PATH: process.env['PATH'], ...probe.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return prepare({
    options,
    probe,
    answerBytes: kind === 'echo' ? options.echoBytes : 0,
    address: async () => line.trim(),
    async stop() {
      child.kill();
      await exited;
    },
  });
}

interface Started {
  options: ServerLoadOptions;
  probe: Probe;
  answerBytes: number;
  /** Where the next client connects. */
  address: () => Promise<string>;
  stop: () => Promise<void>;
}

/** Connects the clients to a server that has started; stops it when they cannot connect. */
async function prepare(started: Started): Promise<LoadedServer> {
  const { options, probe, answerBytes, address } = started;
  const { connections, intervalMs, frame } = options;
  const sockets: Socket[] = [];
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await started.stop();
    probe.close();
  };
  try {
    while (sockets.length < connections) {
      const count = Math.min(OPEN_AT_ONCE, connections - sockets.length);
      const open = async () => openSocket(await address());
      sockets.push(...(await Promise.all(Array.from({ length: count }, open))));
    }
    const load = createLoad({ sockets, frame, answerBytes, intervalMs });
    const idle = await cpuUsDuring(probe, () => delay(IDLE_MS));
    const idleUsPerMs = idle.cpuUs / idle.elapsedMs;
    return {
      async run(durationMs) {
        await load.run(durationMs);
      },
      async cpuUsPerChunk(durationMs) {
        const work = () => load.run(durationMs);
        const { result: chunks, cpuUs, elapsedMs } = await cpuUsDuring(probe, work);
        return (cpuUs - idleUsPerMs * elapsedMs) / chunks;
      },
      loopDelay: (durationMs) => probe.loopDelayDuring(() => load.run(durationMs)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function cpuUsDuring<Result>(probe: Probe, work: () => Promise<Result>) {
  const startedAt = performance.now();
  const before = await probe.cpuUs();
  const result = await work();
  const cpuUs = (await probe.cpuUs()) - before;
  return { result, cpuUs, elapsedMs: performance.now() - startedAt };
}
