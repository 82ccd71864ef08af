/**
 * A process that translates documents: beside a server, which starts it with an id and a channel, or
 * anywhere by `node dist/bundle/worker.js`, with the settings of the server.
 */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { createWorkerApp, type WorkerApp } from './worker-app.ts';

/** After a stop that hangs, the process still ends; what it had is found by others. */
const STOP_LIMIT_MS = 8_000;

async function main(): Promise<void> {
  const [givenId] = process.argv.slice(2);
  const workerId = givenId ?? randomUUID();
  const config = readConfig();
  const log = pino({ level: config.LOG_LEVEL }, pino.destination({ dest: 2, sync: false }));
  const started: { app?: WorkerApp } = {};
  stopOnSignal({ started, log, hasServer: givenId !== undefined });
  const app = await createWorkerApp({ config, log, workerId, report });
  started.app = app;
  process.on('message', () => app.ring());
  log.info({ workerId }, 'ready for documents');
}

/** Tells the server, if there is one. */
function report(told: object): void {
  // A server that is gone is noticed by its channel.
  if (process.connected) process.send?.(told, undefined, undefined, () => undefined);
}

/** On a signal, and when the server that has started it is no more. */
function stopOnSignal({
  started,
  log,
  hasServer,
}: {
  /** Empty while it starts. */
  started: { readonly app?: WorkerApp };
  log: pino.Logger;
  hasServer: boolean;
}): void {
  let isStopping = false;
  const stop = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    // It has taken nothing yet.
    const stopped = started.app?.stop() ?? Promise.resolve();
    stopped.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  process.on('disconnect', () => stop('disconnect'));
  // The server ended while this process was being loaded.
  if (hasServer && !process.connected) stop('disconnect');
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) console.error(error.message);
  else console.error(error);
  process.exit(1);
});
