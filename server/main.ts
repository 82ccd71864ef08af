/** Entry point of the server: settings → engines and adapters → app → listen → stop. */
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { pino } from 'pino';
import { createApp, type App, type Overview } from './app.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { announceServer } from './cli/running-server.ts';
import { createLog } from './process/log.ts';

/** Time after STOP_SECONDS at which a hanging stop ends the process, in ms. */
const STOP_MARGIN_MS = 10_000;

/** Time after the first signal from which another one counts as a second request to stop, in ms. */
const ASKED_AGAIN_MS = 1_000;

/** Free space that counts as a full disk, in bytes: a database needs a few pages even for tiny writes. */
const NO_ROOM_BYTES = 256 * 1024;

/** The disk is full; the message names the folder and the remedy. */
class LackOfRoom extends Error {}

/** Returns an error if the disk of a folder is full, else undefined. */
async function lackOfRoom(folder: string): Promise<LackOfRoom | undefined> {
  const disk = await statfs(folder).catch(() => undefined);
  if (disk === undefined) return undefined;
  const freeBytes = disk.bavail * disk.bsize;
  if (freeBytes >= NO_ROOM_BYTES) return undefined;
  const freeKb = Math.floor(freeBytes / 1000);
  return new LackOfRoom(
    `The disk of ${folder} is full (${freeKb} kB free). Free some space and start again.`,
  );
}

async function main(): Promise<void> {
  const config = readConfig();
  await start(config).catch(async (error: unknown) => {
    // A full disk is the real cause of whichever operation failed first, so it is reported instead.
    throw (await lackOfRoom(config.DATA_DIR)) ?? error;
  });
}

async function start(config: Config): Promise<void> {
  // Standard output is reserved for messages to people; logs go to standard error.
  const log = createLog(config.LOG_LEVEL);
  const app = await createApp(config, log);
  const address = await app.listen();
  const publicAddress = config.PUBLIC_URL ?? address;
  const other = announceServer(config.DATA_DIR, { address, publicAddress });
  if (other !== undefined && config.STORAGE_URL === undefined) {
    log.warn(
      { address: other.address },
      'another server uses this data folder: each has rooms and limits of ' +
        'its own (to share them, see server/docs/cluster.md)',
    );
  }
  // Whoever reads it may have gone, or the disk of its file may be full.
  process.stdout.on('error', (err) => log.warn({ err }, 'the welcome cannot be printed'));
  process.stdout.write(welcome(config, address, app.overview));
  stopOnSignal(app, config, log);
}

function stopOnSignal(app: App, config: Config, log: pino.Logger): void {
  let stoppingSinceMs: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSinceMs !== undefined) {
      // npm and the terminal both forward Ctrl+C, so one key press can arrive twice. A later signal
      // means that the user does not want to wait.
      if (performance.now() - stoppingSinceMs > ASKED_AGAIN_MS) process.exit(1);
      return;
    }
    stoppingSinceMs = performance.now();
    log.info({ signal }, 'stopping');
    const limitMs = config.STOP_SECONDS * 1000 + STOP_MARGIN_MS;
    setTimeout(() => process.exit(1), limitMs).unref();
    app.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  // SIGHUP comes when the terminal is closed.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
}

/** The start-up message for the person who started the server. */
function welcome(config: Config, address: string, overview: Overview): string {
  const url = config.PUBLIC_URL ?? address;
  const lines = [
    '',
    `  Dragoman is live at ${url}`,
    config.DEMO === 'off'
      ? '  The demo page is off because it needs no API key. DEMO=on ' +
        'serves it to everyone who can reach this server.'
      : '  Open it in a browser to speak and read along.',
    '',
    ...(config.PUBLIC_URL === undefined ? [] : [`  Listening   ${address}`]),
    ...(overview.apiKey === undefined
      ? [
          '  API key     create one with: npm run dragoman -- key create --account default',
          `              and save it for commands in ${path.resolve(config.DATA_DIR, 'api-key')}`,
        ]
      : [
          `  API key     ${overview.apiKey.secret}`,
          `              stored in ${overview.apiKey.file}`,
        ]),
    ...(overview.console === undefined
      ? []
      : [`  Console     ${url.replace(/\/$/, '')}${overview.console}`]),
    `  Data        ${overview.storage}`,
    ...overview.recognition.map(
      ({ engine, languages }) => `  Hears       ${shortList(languages)} (${engine})`,
    ),
    ...overview.translation.map(({ engine, pairs }, index) =>
      columns(index === 0 ? '  Translates  ' : '              ', directions(pairs), engine),
    ),
    ...overview.synthesis
      .filter(({ languages }) => languages.length > 0)
      .map(({ engine, languages }) => `  Speaks      ${shortList(languages)} (${engine})`),
    ...overview.problems.map((problem) => `  Missing     ${problem}`),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** Formats language pairs as `en → ca es fr`, one source language per line. */
function directions(pairs: readonly { source: string; target: string }[]): string[] {
  const bySource = new Map<string, string[]>();
  for (const { source, target } of pairs) {
    bySource.set(source, [...(bySource.get(source) ?? []), target]);
  }
  return [...bySource].map(([source, targets]) => `${source} → ${targets.sort().join(' ')}`);
}

function columns(label: string, rows: readonly string[], engine: string): string {
  const [first = 'nothing', ...rest] = rows;
  return [`${label}${first} (${engine})`, ...rest.map((row) => `${' '.repeat(14)}${row}`)].join(
    '\n',
  );
}

function shortList(languages: readonly string[]): string {
  const shown = languages.slice(0, 8).join(' ');
  return languages.length > 8 ? `${shown} and ${languages.length - 8} more` : shown;
}

/** Advice for start-up errors that a person can fix, by error code. */
const startProblems: Partial<Record<string, string>> = {
  EADDRINUSE: 'Another program uses this port: set PORT to a different one.',
  EACCES: 'Permission denied: set PORT above 1023, or check the permissions of the files named.',
  EADDRNOTAVAIL: 'HOST is not an address of this machine.',
  ENOTFOUND: 'HOST cannot be resolved.',
  storage_unavailable: 'Start the database, or check address, user and password in STORAGE_URL.',
  broker_unavailable: 'Start the broker, or check address, user and password in BROKER_URL.',
};

main().catch((error: unknown) => {
  const { code, cause, message } = error as NodeJS.ErrnoException;
  const advice = startProblems[code ?? ''];
  const isExplained = error instanceof ConfigError || error instanceof LackOfRoom;
  if (isExplained || code === 'unusable_database') console.error(message);
  else if (advice === undefined) console.error(error);
  else {
    // The message of a ServiceError is written for clients; the cause is what the operator needs.
    const reason = cause instanceof Error ? cause.message : message;
    console.error(`${reason}\n${advice}`);
  }
  process.exit(1);
});
