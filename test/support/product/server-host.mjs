/**
 * Runs any number of built servers in one process, each with its own settings, data folder and port, so that
 * modules are loaded and compiled once. Controlled over HTTP at the port it sends to its parent; ends with
 * its parent.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { pino } from 'pino';

const built = (/** @type {string} */ name) =>
  import(new URL(`../../../dist/server/${name}.js`, import.meta.url).href);
/** @type {[typeof import('../../../server/app.ts'), typeof import('../../../server/config.ts')]} */
const [{ createApp }, { readConfig }] = await Promise.all([built('app'), built('config')]);

/** @type {Map<string, { logs: () => string, stop: () => Promise<void> }>} by address */
const running = new Map();
const folders = new Set();

/** @param {Record<string, string>} settings */
async function start(settings) {
  const folder = settings['DATA_DIR'] ?? mkdtempSync(path.join(os.tmpdir(), 'dragoman-data-'));
  const isOurs = settings['DATA_DIR'] === undefined;
  if (isOurs) folders.add(folder);
  const config = readConfig({ ...settings, DATA_DIR: folder });
  let logs = '';
  const log = pino({ level: config.LOG_LEVEL }, { write: (line) => (logs += line) });
  const app = await createApp(config, log);
  const url = await app.listen();
  running.set(url, {
    logs: () => logs,
    async stop() {
      await app.stop();
      if (isOurs) rmSync(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  });
  const { apiKey, console: entrance } = app.overview;
  return {
    ...{ url, apiKey: apiKey?.secret ?? '', dataFolder: folder, pid: process.pid },
    ...{ entrance: entrance ?? '' },
  };
}

/** @param {string} url */
async function stop(url) {
  const server = running.get(url);
  running.delete(url);
  await server?.stop();
  return { logs: server?.logs() ?? '' };
}

const http = createServer((request, response) => {
  const answer = async () => {
    const told = /** @type {Record<string, string>} */ (await json(request));
    if (request.url === '/start') return start(told);
    const { url = '' } = told;
    return request.url === '/logs' ? { logs: running.get(url)?.logs() ?? '' } : stop(url);
  };
  answer().then(
    (answered) => response.end(JSON.stringify(answered)),
    (error) => response.writeHead(500).end(String(error)),
  );
});

// Only the client closes idle connections: if both sides did, a request could race with a close.
http.keepAliveTimeout = 0;

function end() {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  process.exit();
}
process.on('disconnect', end);
process.on('SIGTERM', end);
http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
