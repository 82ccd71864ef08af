/** Translates one file from the disk to the disk. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentHandle } from '../../shared/schemas/documents.ts';
import type { TranslationDisplay } from './translate-display.ts';
import type { TranslationTask } from './translate-names.ts';
import { TranslateError, type TranslateService } from './translate-service.ts';

export interface FileTranslation {
  service: TranslateService;
  task: TranslationTask;
  /** Parts of the form that are the same for all files. */
  fields: Readonly<Record<string, string>>;
  display: TranslationDisplay;
  /** Whether a file may be replaced. */
  force: boolean;
  signal: AbortSignal;
}

/** Asked so soon at first, and later as slowly as that. */
const POLL_MS = { first: 250, most: 2_000 };
/** A server that is started anew goes on with its documents: so long it may be away. */
const PATIENCE_MS = 60_000;
/** Others may be about to download theirs; each question sends the file anew. */
const ROOM_POLL_MS = 10_000;
const ROOM_PATIENCE_MS = 120_000;

/**
 * Resolves with what was billed when the file has been written.
 *
 * @throws TranslateError, the signal's reason, or Error of the disk
 */
export async function translateFile(options: FileTranslation): Promise<{ characters: number }> {
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

/** @throws TranslateError when the server may go on with the document */
async function forgotten(handle: DocumentHandle, service: TranslateService): Promise<void> {
  try {
    await service.forget(handle);
  } catch (cause) {
    // Nobody knows a document that has been fetched.
    if (cause instanceof TranslateError && cause.status === 404) return;
    throw new TranslateError('The server could not be told: it may go on and bill the document.', {
      cause,
    });
  }
}

/** An account may have only so many documents at once: the others wait here, for a while. */
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

/** Characters that were billed. */
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

/** Under another name first: who finds the file has all of it. */
async function fetchResult(
  handle: DocumentHandle,
  { service, task: { output }, display, force, signal }: FileTranslation,
): Promise<void> {
  const part = path.join(path.dirname(output), `.${path.basename(output)}.${randomUUID()}.part`);
  try {
    const body = await service.result(handle, signal);
    // `wx`: nobody else's file is written to.
    await pipeline(Readable.from(body), createWriteStream(part, { flags: 'wx' }), { signal });
    display.show('fetching', 1);
    if (force) await rename(part, output);
    else await placeNew(part, output);
  } finally {
    await unlink(part).catch(() => undefined);
  }
}

/** Also a file that has come since we looked is not replaced. */
async function placeNew(part: string, output: string): Promise<void> {
  try {
    await link(part, output);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Error('has come to exist meanwhile. Replace it with --force.');
    // Some file systems know no second name of a file.
    await rename(part, output);
  }
}
