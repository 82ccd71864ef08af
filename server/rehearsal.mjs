/**
 * Runs the built server once with a throw-away data folder and calls each of its routes, even if
 * only to be refused, so that V8's code cache (`process/code-cache.ts`) contains the code that
 * later runs need.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocket } from 'ws';

/** Matches the address in the start-up message of the server. */
const LISTENING = /live at (http:\S+)/;
/** Upper limit for each step, in ms; longer than a slow machine needs. */
const LIMIT_MS = 120_000;
/** Fills path parameters for which no id is known. */
const SOME_ID = '00000000-0000-4000-8000-000000000000';

/** Size of one second of silence: the most that one message may carry. */
const SPOKEN_BYTES = 32_000;

const pair = { source_lang: 'en', target_lang: 'es' };
const terms = { ...pair, entries: 'house\tmorada', entries_format: 'tsv' };
const audio = {
  source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
  source_language: 'en',
};

/**
 * First requests; ids in their answers fill the path parameters of all other routes.
 *
 * @type {[route: string, body: object][]}
 */
const beginnings = [
  ['/v2/translate', { text: ['Good morning, <b>everybody</b>.'], ...pair, tag_handling: 'html' }],
  // Language detection reads its dictionaries, and keeps them for later processes.
  ['/v2/translate', { text: ['Good morning'], target_lang: 'es' }],
  ['/v2/glossaries', { name: 'Terms', ...terms }],
  ['/v3/glossaries', { name: 'Terms', dictionaries: [terms] }],
  ['/v3/spoken_terms', { name: 'Names', language: 'en', terms: ['Dragoman'] }],
  ['/v3/style_rules', { name: 'House', language: 'en' }],
  ['/v1/rooms', { name: 'Main stage', languages: ['es'] }],
  ['/v3/voice/realtime', { ...audio, target_languages: ['es'] }],
];

/**
 * @param {string} server entry file of the server
 * @param {string} mark file whose presence makes the server write its code cache on exit
 * @throws Error when the server does not start, or takes too long
 */
async function rehearse(server, mark) {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'dragoman-rehearsal-'));
  // The builder's own settings are not passed on: they may name a real database.
  const env = {
    ...Object.fromEntries(['PATH', 'HOME'].map((name) => [name, process.env[name] ?? ''])),
    ...{ DATA_DIR: dataFolder, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' },
    ...{ RECOGNISER: 'silent', WARM_UP: 'off', CONSOLE: 'on' },
  };
  process.once('exit', () => {
    for (const file of [mark, dataFolder]) rmSync(file, { recursive: true, force: true });
  });
  writeFileSync(mark, '');
  const running = start(server, env);
  // If this process ends early, the server must end too.
  process.once('exit', () => running.stop('SIGKILL'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  const url = await running.said(LISTENING);
  await askEverything(url, readFileSync(path.join(dataFolder, 'api-key'), 'utf8').trim());
  running.stop();
  await running.ended;
}

/**
 * @param {string} url
 * @param {string} key
 */
async function askEverything(url, key) {
  const headers = { Authorization: `DeepL-Auth-Key ${key}`, 'Content-Type': 'application/json' };
  const ask = async (/** @type {string} */ method, /** @type {string} */ route, body = {}) => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const options = { method, headers, signal };
    const isRead = method === 'GET';
    const answer = await fetch(
      `${url}${route}`,
      isRead ? options : { ...options, body: JSON.stringify(body) },
    );
    return answer.text();
  };
  /** @type {Record<string, string>} */
  const ids = {};
  for (const [route, body] of beginnings) {
    const text = await ask('POST', route, body);
    Object.assign(ids, JSON.parse(text));
  }
  await speak(`${ids['streaming_url']}?token=${ids['token']}`);
  const { paths } = JSON.parse(await ask('GET', '/openapi.json'));
  for (const [route, methods] of Object.entries(paths)) {
    const filled = route.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? SOME_ID);
    for (const method of Object.keys(methods)) await ask(method.toUpperCase(), filled);
  }
}

/**
 * Streams silence to a session until it ends.
 *
 * @param {string} url
 */
async function speak(url) {
  const data = Buffer.alloc(SPOKEN_BYTES).toString('base64');
  const socket = new WebSocket(url);
  const ended = once(socket, 'close', { signal: AbortSignal.timeout(LIMIT_MS) });
  socket.once('open', () => {
    for (const message of [{ source_media_chunk: { data } }, { end_of_source_media: {} }])
      socket.send(JSON.stringify(message));
  });
  await ended;
}

/**
 * @param {string} entry
 * @param {Record<string, string>} env
 */
function start(entry, env) {
  const child = spawn(process.execPath, [entry], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (told += text));
  return {
    ended,
    /** @param {NodeJS.Signals} [signal] */
    stop: (signal) => child.kill(signal),
    /**
     * Resolves with the first match of the pattern in the output.
     *
     * @param {RegExp} pattern
     * @throws Error when the process ends without one
     */
    async said(pattern) {
      for (;;) {
        const found = pattern.exec(told)?.[1];
        if (found !== undefined) return found;
        const event = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)]);
        if (event === undefined) throw new Error(`It ended, having said: ${told}`);
      }
    },
  };
}

const [server = '', mark = ''] = process.argv.slice(2);
await rehearse(server, mark);
