/** The server that commands talk to over the network, and the key for it, where nothing else is said. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../config.ts';
import { findRunningServer } from '../process/running-server.ts';

/** Address of the server of the data folder where one runs, else of the one that the settings describe. */
export function localServer(): string {
  const { DATA_DIR, HOST, PORT, TLS_CERT_FILE } = readConfig();
  const running = findRunningServer(DATA_DIR);
  if (running !== undefined) return running.address;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const scheme = TLS_CERT_FILE === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

/** Address under which browsers reach that server. */
export function publicAddress(): string {
  const { DATA_DIR, PUBLIC_URL } = readConfig();
  return PUBLIC_URL ?? findRunningServer(DATA_DIR)?.publicAddress ?? localServer();
}

/** The key that the server made for itself. @throws Error when there is none */
export async function keyOfDataFolder(): Promise<string> {
  const file = path.resolve(readConfig().DATA_DIR, 'api-key');
  const key = await readFile(file, 'utf8').catch(() => '');
  if (key.trim() === '') throw new Error(`There is no API key in ${file}. Pass one with --key.`);
  return key.trim();
}
