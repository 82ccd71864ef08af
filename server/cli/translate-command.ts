/** `translate FILE… --to es`: translates documents through a server. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { documentFormats } from '../documents/formats/index.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import type { DocumentHandle } from '../../shared/schemas/documents.ts';
import { localServer, usableKey } from './running-server.ts';
import {
  createTranslationDisplay,
  type TranslationDisplay,
  planTasks,
  type TranslationTask,
} from './translate-output.ts';
import {
  notNotified,
  TranslateError,
  translateService,
  type TranslateService,
} from './translate-service.ts';

interface Options {
  to: string[];
  from?: string;
  output?: string;
  formality?: string;
  glossary?: string;
  url?: string;
  server?: string;
  key?: string;
  force?: boolean;
}

/**
 * Time after which another signal counts as a second request to stop, in ms; npm and the terminal
 * both forward Ctrl+C.
 */
const ASKED_AGAIN_MS = 1_000;
/** Exit code that shells use for a program ended by Ctrl+C. */
const STOPPED_EXIT_CODE = 130;

/** `translate FILE… --to es`. */
export function translateCommand(): Command {
  const endings = documentFormats.map(({ extensions }) => extensions[0]);
  const command = new Command('translate')
    .description('translate documents: report.docx becomes report.es.docx')
    .argument('<file...>', `${endings.slice(0, -1).join(', ')} or ${endings.at(-1) ?? ''} files`)
    .requiredOption(
      '--to <languages>',
      'languages to translate into, separated by commas',
      parseLanguages,
    )
    .option('--from <language>', 'language of the files; default: it is detected')
    .option(
      '--output <file>',
      'where to write: a file (for a PDF also report.docx), a folder, or an extension such as docx',
    )
    .option('--force', 'replace existing files')
    .addOption(
      new Option('--formality <formality>', 'formality of the translations').choices(
        'default more less prefer_more prefer_less'.split(' '),
      ),
    )
    .option('--glossary <id>', 'glossary to apply to the translations; requires --from')
    .option('--url <address>', 'address of the server; default: from the settings')
    .addOption(new Option('--server <address>', 'the same as --url').hideHelp())
    .option('--key <key>', 'API key; default: the one in the data folder');
  return command.action(async (files: string[]) => run(files, command.opts<Options>()));
}

async function run(inputs: readonly string[], options: Options): Promise<void> {
  const { to, output, force = false, from, glossary } = options;
  if (glossary !== undefined && from === undefined) {
    throw new Error('--glossary: name the language of the files with --from.');
  }
  const tasks = await planTasks({ inputs, targets: to, output, force });
  const service = translateService({
    url: options.url ?? options.server ?? localServer(),
    apiKey: await usableKey(options.key),
  });
  const stop = stopOnSignal();
  try {
    let failures = 0;
    for (const task of tasks) {
      const hasFailed = await translateTask(task, { service, options, signal: stop.signal });
      if (hasFailed) failures += 1;
    }
    if (failures > 0) process.exitCode = 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const rest = error instanceof TranslateError ? ` ${error.message}` : '';
    process.stderr.write(`Stopped.${rest}\n`);
    process.exitCode = STOPPED_EXIT_CODE;
  } finally {
    stop.forget();
  }
}

/**
 * Translates one file. Returns whether it failed, after reporting the failure.
 *
 * @throws TranslateError that concerns all files, or the signal's reason
 */
async function translateTask(
  task: TranslationTask,
  {
    service,
    options,
    signal,
  }: { service: TranslateService; options: Options; signal: AbortSignal },
): Promise<boolean> {
  const { force = false } = options;
  const label = path.basename(task.input) + (options.to.length > 1 ? ` (${task.target})` : '');
  const display = createTranslationDisplay({ out: process.stderr, label });
  try {
    const fields = fieldsOf(options);
    const { characters } = await translateFile({
      service,
      task,
      fields,
      display,
      force,
      signal,
    });
    display.end();
    process.stdout.write(`${task.output}\n`);
    if (process.stderr.isTTY) process.stderr.write(`  ${billText(characters)}\n`);
    return false;
  } catch (error) {
    display.end();
    if (signal.aborted) throw error;
    if (error instanceof TranslateError && error.concernsAll) throw error;
    process.stderr.write(`${task.input}: ${error instanceof Error ? error.message : 'failed.'}\n`);
    return true;
  }
}

function fieldsOf({ from, formality, glossary }: Options): Record<string, string> {
  return {
    ...(from !== undefined && { source_lang: from }),
    ...(formality !== undefined && { formality }),
    ...(glossary !== undefined && { glossary_id: glossary }),
  };
}

function billText(characters: number): string {
  if (characters === 0) return 'not billed';
  return `${characters.toLocaleString('en')} characters billed`;
}

/** Aborts on the first signal, with a message as the reason, and ends the process on a later one. */
export function stopOnSignal(message = 'Stopped.'): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  const forget = whenAskedToStop({
    first: () => controller.abort(new Error(message)),
    again: () => process.exit(STOPPED_EXIT_CODE),
  });
  return { signal: controller.signal, forget };
}

/**
 * Calls `first` on the first signal to stop, and `again` on one that comes {@link ASKED_AGAIN_MS} later: before,
 * it is the same request, which reaches a command from the terminal and from npm.
 *
 * @returns a function that lets signals end the process again, unless one has asked it to stop: then it ends by
 *   itself, and not by the same request once more
 */
export function whenAskedToStop(reactions: { first(): void; again(): void }): () => void {
  let askedAtMs: number | undefined;
  let askedAgain = (): void => reactions.again();
  const stop = (): void => {
    const nowMs = performance.now();
    if (askedAtMs === undefined) reactions.first();
    else if (nowMs - askedAtMs > ASKED_AGAIN_MS) askedAgain();
    askedAtMs ??= nowMs;
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    if (askedAtMs === undefined) {
      for (const signal of signals) process.off(signal, stop);
      return;
    }
    askedAgain = () => process.exit();
    // A process that ends without this call gives up its handlers some milliseconds before its end.
    process.once('beforeExit', () => process.exit());
  };
}

function parseLanguages(value: string): string[] {
  const languages = value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(canonicalLanguage);
  const known = languages.filter((language) => language !== undefined);
  if (known.length === 0 || known.length < languages.length) {
    throw new InvalidArgumentError('Name languages such as es or es,pt-BR.');
  }
  return [...new Set(known)];
}

interface FileTranslation {
  service: TranslateService;
  task: TranslationTask;
  /** Form fields that are the same for all files. */
  fields: Readonly<Record<string, string>>;
  display: TranslationDisplay;
  /** Whether existing files may be replaced. */
  force: boolean;
  signal: AbortSignal;
}

/** First and longest interval between status requests, in ms. */
const POLL_MS = { first: 250, most: 2_000 };
/** Longest outage of the server to wait out, in ms: a restarted server goes on with its documents. */
const PATIENCE_MS = 60_000;
/**
 * Interval between uploads while the account has too many documents, in ms; each attempt sends the
 * whole file.
 */
const ROOM_POLL_MS = 10_000;
const ROOM_PATIENCE_MS = 120_000;

/**
 * Translates a file and writes the result. Resolves with the charge.
 *
 * @throws TranslateError, the signal's reason, or Error of the disk
 */
async function translateFile(options: FileTranslation): Promise<{ characters: number }> {
  const { service, task, display, fields, signal } = options;
  const { target, outputFormat, input } = task;
  const upload = () =>
    service.upload({
      file: input,
      fields: {
        ...fields,
        target_lang: target,
        ...(outputFormat !== undefined && { output_format: outputFormat }),
      },
      onShare: (share) => display.show('sending', share),
      signal,
    });
  display.show('sending', 0);
  const handle = await whenThereIsRoom(upload, { display, signal });
  try {
    const characters = await untilDone(handle, options);
    display.show('fetching', 0);
    await fetchResult(handle, options);
    return { characters };
  } catch (error) {
    if (signal.aborted) await forgotten(handle, service);
    throw error;
  }
}

/**
 * Deletes the document on the server.
 *
 * @throws TranslateError when the server may go on with the document
 */
async function forgotten(handle: DocumentHandle, service: TranslateService): Promise<void> {
  try {
    await service.forget(handle);
  } catch (cause) {
    // The server no longer knows a document that was downloaded.
    if (cause instanceof TranslateError && cause.status === 404) return;
    throw notNotified(cause);
  }
}

/** Uploads a file. While the account has reached its limit of documents, waits and tries again. */
async function whenThereIsRoom(
  upload: () => Promise<DocumentHandle>,
  { display, signal }: Pick<FileTranslation, 'display' | 'signal'>,
): Promise<DocumentHandle> {
  const untilMs = performance.now() + ROOM_PATIENCE_MS;
  for (;;) {
    try {
      return await upload();
    } catch (error) {
      if (!(error instanceof TranslateError) || error.status !== 429) throw error;
      if (performance.now() > untilMs) throw error;
      display.show('waiting', 0);
      await delay(ROOM_POLL_MS, undefined, { signal });
    }
  }
}

/** Waits for the translation. Returns the number of characters billed. */
async function untilDone(
  handle: DocumentHandle,
  { service, display, signal }: FileTranslation,
): Promise<number> {
  let startedAtMs: number | undefined;
  let lastAnswerAtMs = performance.now();
  for (let waitMs = POLL_MS.first; ; waitMs = Math.min(POLL_MS.most, waitMs * 1.3)) {
    const nowMs = performance.now();
    try {
      const status = await service.status(handle, signal);
      lastAnswerAtMs = nowMs;
      if (status.status === 'done') return status.billed_characters ?? 0;
      if (status.status === 'error') {
        throw new TranslateError(status.error_message ?? 'It could not be translated.', {
          status: 400,
        });
      }
      if (status.status === 'queued') {
        display.show('waiting', 0);
      } else {
        startedAtMs ??= nowMs;
        const doneMs = nowMs - startedAtMs;
        const left = status.seconds_remaining;
        const share = left === undefined ? 0 : doneMs / (doneMs + left * 1000);
        display.show('translating', share, left);
      }
    } catch (error) {
      if (!isAway(error) || nowMs - lastAnswerAtMs > PATIENCE_MS) throw error;
    }
    await delay(waitMs, undefined, { signal });
  }
}

/** Whether the server may be back in a moment. */
function isAway(error: unknown): boolean {
  return error instanceof TranslateError && (error.status === undefined || error.status >= 500);
}

/** Downloads the result under a temporary name, so that the output file is never incomplete. */
async function fetchResult(
  handle: DocumentHandle,
  { service, task: { output }, display, force, signal }: FileTranslation,
): Promise<void> {
  // Without the name of the output, which may be as long as names can be.
  const part = path.join(path.dirname(output), `.${randomUUID()}.part`);
  try {
    const body = await service.result(handle, signal);
    // `wx` never overwrites an existing file.
    await pipeline(Readable.from(body), createWriteStream(part, { flags: 'wx' }), { signal });
    display.show('fetching', 1);
    if (force) await rename(part, output);
    else await placeNew(part, output);
  } finally {
    await unlink(part).catch(() => undefined);
  }
}

/** Moves a file into place without replacing one that was created meanwhile. */
async function placeNew(part: string, output: string): Promise<void> {
  try {
    await link(part, output);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Error('was created in the meantime. Replace it with --force.');
    // Some file systems do not support hard links.
    await rename(part, output);
  }
}
