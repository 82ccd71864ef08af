import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { MINIMUM_BILLED_CHARACTERS } from '../../../server/documents/formats/index.ts';
import type { DocumentHandle, DocumentStatusView } from '../../../shared/schemas/documents.ts';
import { executeOn } from '../../storage/database-access.ts';
import { startLibreTranslateServer } from '../../support/services/libretranslate-server.ts';
import { descendantsOf } from '../../support/machine/processes.ts';
import { pseudoTranslate } from '../../support/documents/pseudo-translation.ts';
import { projectFolder, until } from '../../support/product/server.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { linesOf, paragraph, wordDocument } from '../../support/documents/word-document.ts';

/** Each is killed once; a document is submitted before each kill, and has not ended by then. */
const VICTIMS = ['server and worker', 'worker', 'child'] as const;

const START_MS = 60_000;

type Victim = (typeof VICTIMS)[number];

/** Returns the address that the server with this process id has left in its data folder. */
function announced(dataFolder: string, pid?: number): string | false {
  const file = path.join(dataFolder, 'server.json');
  if (!existsSync(file)) return false;
  const note = JSON.parse(readFileSync(file, 'utf8') || '{}') as { pid?: number; address?: string };
  return note.pid === pid && note.address !== undefined && note.address;
}

/** Starts a server that restarts with the same data after any kill. */
function startMortalServer(settings: Record<string, string>) {
  const dataFolder = temporaryFolder();
  let child: ChildProcess;
  let address: Promise<string>;
  /** All processes ever started below it. */
  const seen = new Set<number>();

  function start(): void {
    // What the server says at its start cannot be written.
    const full = openSync('/dev/full', 'w');
    const started = spawn(process.execPath, ['dist/bundle/main.js'], {
      cwd: projectFolder,
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: dataFolder,
        LOG_LEVEL: 'silent',
        ...settings,
      },
      stdio: ['ignore', full, 'inherit'],
    });
    closeSync(full);
    child = started;
    address = until(() => announced(dataFolder, started.pid), START_MS);
  }

  function below(pattern: RegExp): number[] {
    const found = descendantsOf(child.pid ?? 0, pattern);
    for (const pid of found) seen.add(pid);
    return found;
  }

  start();
  return {
    dataFolder,
    /** Sends a request to the current server. */
    async send(pathname: string, init: RequestInit): Promise<Response> {
      const key = readFileSync(path.join(dataFolder, 'api-key'), 'utf8').trim();
      const headers = new Headers(init.headers);
      headers.set('Authorization', `DeepL-Auth-Key ${key}`);
      return fetch((await address) + pathname, { ...init, headers });
    },
    up: () => address,
    /** Kills a process of that kind; returns whether one was running. */
    async kill(victim: Victim): Promise<boolean> {
      const workers = below(/bundle\/worker\.js/);
      const children = below(/document-child/);
      const [pid] = victim === 'child' ? children : workers;
      if (pid === undefined) return false;
      if (victim !== 'server and worker') return signal(pid, 'SIGKILL');
      const ended = new Promise((resolve) => void child.once('exit', resolve));
      child.kill('SIGKILL');
      for (const each of workers) signal(each, 'SIGKILL');
      await ended;
      start();
      return true;
    },
    async stop() {
      const ended = new Promise((resolve) => void child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      // The children of a killed process end by themselves.
      await until(() => [...seen].every((pid) => !signal(pid, 0)));
    },
  };
}

/** @returns whether the process exists */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function textOf(index: number): string {
  return Array.from(
    { length: 20 + index },
    (_, place) => `The old house is in the city ${index}, and the door is number ${place}.`,
  ).join('\n\n');
}

/** The last is a Word document: the same text, written by another format. */
const isWord = (index: number) => index === VICTIMS.length - 1;

function fileOf(index: number): File {
  if (!isWord(index)) return new File([textOf(index)], 'document.txt');
  const file = wordDocument(
    textOf(index)
      .split('\n\n')
      .map((each) => paragraph(each))
      .join(''),
  );
  return new File([new Uint8Array(file)], 'document.docx');
}

async function textIn(result: Response, index: number): Promise<string> {
  const file = new Uint8Array(await result.arrayBuffer());
  return isWord(index) ? (await linesOf(file)).join('\n\n') : Buffer.from(file).toString();
}

it('ends documents done once each, whatever is killed meanwhile', async () => {
  const engine = await startLibreTranslateServer();
  onTestFinished(() => engine.close());
  const server = startMortalServer({
    LIBRETRANSLATE_URL: engine.url,
    TRANSLATION_ENGINES: '*: libretranslate',
    // Repeated kills are no fault of the documents here.
    DOCUMENT_ATTEMPTS: '100',
    RECOGNISER: 'silent',
    WARM_UP: 'off',
  });
  onTestFinished(() => server.stop());
  await server.up();

  const handles: DocumentHandle[] = [];
  async function send(file: File): Promise<void> {
    const body = new FormData();
    body.set('source_lang', 'EN');
    body.set('target_lang', 'ES');
    body.set('file', file);
    const response = await server.send('/v2/document', { method: 'POST', body });
    expect(response.status).toBe(200);
    handles.push((await response.json()) as DocumentHandle);
  }
  const post = (index: number, what = '') => {
    const { document_id, document_key } = handles[index]!;
    return server.send(`/v2/document/${document_id}${what}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ document_key }),
    });
  };

  const victims = VICTIMS.map((victim) => ({ victim, order: Math.random() })).sort(
    (one, other) => one.order - other.order,
  );
  for (const { victim } of victims) {
    await send(fileOf(handles.length));
    // A deliberate random delay: the moment of the kill is up to chance.
    await delay(Math.random() * 600);
    await until(() => server.kill(victim));
  }

  let billed = 0;
  for (const index of handles.keys()) {
    const { billed_characters = 0, ...status } = await until(async () => {
      const response = await post(index);
      const view = (await response.json().catch(() => undefined)) as DocumentStatusView | undefined;
      return (view?.status === 'done' || view?.status === 'error') && view;
    });
    expect(status).toEqual({ document_id: handles[index]?.document_id, status: 'done' });
    const least = isWord(index) ? MINIMUM_BILLED_CHARACTERS : 0;
    expect(billed_characters).toBe(Math.max(least, textOf(index).length));
    billed += billed_characters;
  }
  const usage = await server.send('/v2/usage', {});
  expect(await usage.json()).toMatchObject({ character_count: billed });

  for (const index of handles.keys()) {
    const result = await post(index, '/result');
    expect(await textIn(result, index)).toBe(pseudoTranslate(textOf(index)));
  }
  const place = { url: undefined, dataFolder: server.dataFolder };
  await until(async () => {
    const rows = await executeOn(place, 'select document_id from documents');
    return rows.length === 0;
  });
  expect(await executeOn(place, 'select document_id from document_parts')).toEqual([]);
});
