/**
 * `/v2/document`: takes documents in, says how far they are, hands results out once, and deletes what nobody
 * fetched.
 */
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { documentFormat, type DocumentFormatInfo } from '../formats/index.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { DocumentStatusView } from '../../../shared/schemas/documents.ts';
import type { UsageMeter } from '../../accounts/usage/usage.ts';
import type { Caller } from '../../http/door.ts';
import type { Logger } from '../../process/log.ts';
import { firstEstimateMs, type DocumentWish } from './document-order.ts';
import type { StoredDocument } from './document-tables-store.ts';
import {
  beginUpload,
  hashOfDocumentKey,
  tooManyDocuments,
  type DocumentUpload,
  type DocumentUploadOptions,
} from './document-upload.ts';
import type { DocumentWorkerProcess } from './document-worker-process.ts';
import type { DocumentStore } from './store.ts';

/** A download of which no part was read for so long is over, in ms; it is renewed now and again. */
const DOWNLOAD_LEASE_MS = 10 * 60_000;
const RENEWED_AFTER_MS = 60_000;
/**
 * Who asks about a document this young is answered when it has ended, or is this old; in ms. Clients
 * ask at once, and then not before 5 s have gone by.
 */
const HELD_MS = 1_000;
/** Nobody waits longer for a worker that starts, in ms: some clients give an answer 5 s in all. */
const LONGEST_START_MS = 2_000;

/** A result on its way out. */
export interface DocumentDownload {
  /** Name of the uploaded file, with the ending of the result. */
  fileName: string;
  format: DocumentFormatInfo;
  parts: AsyncIterable<Uint8Array>;
  /** It has been sent: everything about the document is deleted. */
  done(): Promise<void>;
  /** It broke off, and may be asked for again. */
  brokeOff(): Promise<void>;
}

export interface DocumentTranslations {
  /** @throws ServiceError quota_exceeded for a caller who has nothing left */
  upload(caller: Caller): Promise<DocumentUpload>;
  /**
   * How far a document is; of one that has only just been uploaded, when it has ended or a second has
   * gone by, not counting the start of a worker.
   *
   * @param gone whoever asks has gone away
   * @throws ServiceError not_found for another's document, and for a wrong key
   */
  status(
    caller: Caller,
    documentId: string,
    documentKey: string,
    gone: AbortSignal,
  ): Promise<DocumentStatusView>;
  /**
   * @throws ServiceError not_found; document_not_ready while it is translated and while somebody else
   *   downloads it; invalid_request when it could not be translated
   */
  download(caller: Caller, documentId: string, documentKey: string): Promise<DocumentDownload>;
  /**
   * Deletes a document with all that belongs to it; a translation under way ends and is not charged.
   *
   * @throws ServiceError not_found
   */
  delete(caller: Caller, documentId: string, documentKey: string): Promise<void>;
}

export interface DocumentTranslationsOptions extends Omit<DocumentUploadOptions, 'now'> {
  usage: UsageMeter;
  worker: Pick<DocumentWorkerProcess, 'ends' | 'starting'>;
  now?: () => number;
}

export function createDocumentTranslations(
  given: DocumentTranslationsOptions,
): DocumentTranslations {
  const options = { now: Date.now, ...given };
  const { documents, usage, worker, now } = options;
  const uploads = countUploads(options.maxDocuments);

  const find: Finding = async (caller, documentId, documentKey) => {
    const { accountId } = caller.account;
    const document = await documents.find(accountId, documentId);
    if (document === undefined || !hasKey(document, documentKey)) throw unknown();
    return document;
  };

  async function* parts({ accountId, documentId }: StoredDocument): AsyncGenerator<Uint8Array> {
    let renewedAtMs = now();
    for (let place = 0; ; place += 1) {
      const part = await documents.readPart(documentId, 'result', place);
      if (part === undefined) break;
      yield part;
      if (now() - renewedAtMs < RENEWED_AFTER_MS) continue;
      renewedAtMs = now();
      await documents.renewDownload(documentId, renewedAtMs + DOWNLOAD_LEASE_MS);
    }
    // Else half a file would look like a whole one.
    const isThere = (await documents.find(accountId, documentId)) !== undefined;
    if (!isThere) throw new Error('A document was deleted while it was being downloaded.');
  }

  return {
    async upload(caller) {
      // Nothing is charged yet; a limit that is used up refuses even that.
      await usage.reserve({ caller, kind: 'document', characters: 0, tag: null });
      // Said before the file has come; whether it is so is decided when it has.
      if (await documents.isFull(caller.account.accountId, options.maxDocuments)) {
        throw tooManyDocuments(options.maxDocuments);
      }
      return uploads.begin(caller.account.accountId, () => beginUpload(caller, options));
    },

    status: createStatus(find, { worker, now }),

    async download(caller, documentId, documentKey) {
      const document = await find(caller, documentId, documentKey);
      if (document.status === 'error') throw failed(document);
      if (document.status !== 'done') throw notReady('Document translation is not done.');
      const lease = { atMs: now(), leaseMs: DOWNLOAD_LEASE_MS };
      if (!(await documents.beginDownload(documentId, lease))) {
        throw notReady('Document already downloaded, or being downloaded now.');
      }
      const format = documentFormat((JSON.parse(document.order) as DocumentWish).output);
      return {
        fileName: nameOfResult(document.fileName, format),
        format,
        parts: parts(document),
        done: () => documents.delete(documentId),
        brokeOff: () => documents.giveBackDownload(documentId),
      };
    },

    async delete(caller, documentId, documentKey) {
      await find(caller, documentId, documentKey);
      await documents.delete(documentId);
    },
  };
}

/** Counts what accounts are sending to this process at the same time. @param most of an account */
function countUploads(most: number) {
  const counts = new Map<string, number>();

  function leave(accountId: string): void {
    const left = (counts.get(accountId) ?? 0) - 1;
    if (left > 0) counts.set(accountId, left);
    else counts.delete(accountId);
  }

  return {
    /** @throws ServiceError too_many_documents */
    begin(accountId: string, beginOne: () => DocumentUpload): DocumentUpload {
      const count = counts.get(accountId) ?? 0;
      if (count >= most) throw tooManyDocuments(most);
      const upload = beginOne();
      counts.set(accountId, count + 1);
      let isOver = false;
      const end = () => {
        if (!isOver) leave(accountId);
        isOver = true;
      };
      return {
        ...upload,
        async submit(order, tag) {
          const handle = await upload.submit(order, tag);
          end();
          return handle;
        },
        discard() {
          end();
          return upload.discard();
        },
      };
    },
  };
}

/** @throws ServiceError not_found */
type Finding = (caller: Caller, documentId: string, documentKey: string) => Promise<StoredDocument>;

function createStatus(
  find: Finding,
  { worker, now }: Required<Pick<DocumentTranslationsOptions, 'worker' | 'now'>>,
): DocumentTranslations['status'] {
  /** @throws the signal's reason */
  async function untilItMayHaveEnded(leftMs: number, signal: AbortSignal): Promise<void> {
    const starting = worker.starting();
    if (starting !== undefined) {
      await Promise.race([starting, delay(LONGEST_START_MS, undefined, { signal })]);
    }
    await delay(starting === undefined ? leftMs : HELD_MS, undefined, { signal });
  }

  return async (caller, documentId, documentKey, gone) => {
    const wait = new AbortController();
    const endWait = () => wait.abort();
    // Listened for before the look: an end in between is not missed.
    worker.ends.once(documentId, endWait);
    gone.addEventListener('abort', endWait);
    try {
      const document = await find(caller, documentId, documentKey);
      const isOpen = document.status === 'queued' || document.status === 'translating';
      const leftMs = Math.min(HELD_MS, document.createdAtMs + HELD_MS - now());
      if (!isOpen || leftMs <= 0) return view(document, now());
      await untilItMayHaveEnded(leftMs, wait.signal).catch(() => undefined);
      // Nobody rings when a worker elsewhere is done: looked at again in any case.
      return view(await find(caller, documentId, documentKey), now());
    } finally {
      worker.ends.off(documentId, endWait);
      gone.removeEventListener('abort', endWait);
    }
  };
}

function hasKey({ documentKeyHash }: StoredDocument, documentKey: string): boolean {
  return timingSafeEqual(
    Buffer.from(documentKeyHash, 'hex'),
    Buffer.from(hashOfDocumentKey(documentKey), 'hex'),
  );
}

function view(document: StoredDocument, atMs: number): DocumentStatusView {
  const { documentId: document_id, status, billedCharacters, problem } = document;
  switch (status) {
    case 'queued':
      return { document_id, status };
    case 'translating':
      return { document_id, status, seconds_remaining: secondsLeft(document, atMs) };
    case 'done':
      return { document_id, status, billed_characters: billedCharacters ?? 0 };
    case 'error': {
      const message = problem ?? 'The document could not be translated.';
      // Some clients read the one name, some the other.
      return { document_id, status, error_message: message, message };
    }
  }
}

/**
 * At least 1 while something is to be done, however late it is. Before its worker has said anything,
 * what the worker will begin with: the time only gets shorter.
 */
function secondsLeft(document: StoredDocument, atMs: number): number {
  const { finishAtMs } = document;
  const leftMs = finishAtMs === null ? firstEstimateMs(document) : finishAtMs - atMs;
  return Math.max(1, Math.ceil(leftMs / 1000));
}

function nameOfResult(fileName: string, { name, extensions }: DocumentFormatInfo): string {
  const dot = fileName.lastIndexOf('.');
  const extension = fileName.slice(dot + 1);
  if (dot > 0 && extensions.includes(extension.toLowerCase())) return fileName;
  return `${dot > 0 ? fileName.slice(0, dot) : fileName}.${extensions[0] ?? name}`;
}

function unknown(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no document with this document_id and document_key. A downloaded one is deleted.',
  );
}

function notReady(message: string): ServiceError {
  return new ServiceError('document_not_ready', message);
}

function failed({ problem }: StoredDocument): ServiceError {
  return new ServiceError(
    'invalid_request',
    `The document could not be translated: ${problem ?? 'there is no result.'}`,
  );
}

// Deletes documents that nobody fetched, and uploads that never ended.

/** How often is looked, in ms. */
const PERIOD_MS = 10 * 60_000;
/** An upload to which nothing was added for so long was given up, in ms. */
const UPLOAD_MS = 60 * 60_000;

export interface DocumentExpiry {
  stop(): void;
}

/** Looks at once, and from then on now and again. @param keptMs how long results and errors are kept */
export function startDocumentExpiry({
  documents,
  keptMs,
  log,
  now = Date.now,
}: {
  documents: DocumentStore;
  keptMs: number;
  log: Logger;
  now?: () => number;
}): DocumentExpiry {
  let isStopped = false;

  async function sweep(): Promise<void> {
    try {
      const before = { settled: now() - keptMs, uploads: now() - UPLOAD_MS };
      while (!isStopped && (await documents.expire(before)));
    } catch (error) {
      log.warn({ error: String(error) }, 'Old documents could not be deleted yet.');
    }
  }
  void sweep();
  const timer = setInterval(() => void sweep(), PERIOD_MS);
  timer.unref();
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
