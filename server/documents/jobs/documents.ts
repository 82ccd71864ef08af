/**
 * The service behind `/v2/document`: accepts documents, reports their status, delivers each result
 * once, and deletes results that no client fetched.
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

/**
 * Lease of a download, in ms. The download is over when no part is read for that long; a longer one
 * renews its lease.
 */
const DOWNLOAD_LEASE_MS = 10 * 60_000;
const RENEWED_AFTER_MS = 60_000;
/**
 * Long poll of young documents, in ms: a status request for a document younger than this is answered
 * when the document has ended or reached this age. Clients ask at once, and then not again for 5 s.
 */
const HELD_MS = 1_000;
/** Longest wait for a worker that is starting, in ms: some clients time out after 5 s. */
const LONGEST_START_MS = 2_000;

/** A result that is being delivered. */
export interface DocumentDownload {
  /** Name of the uploaded file, with the extension of the result. */
  fileName: string;
  format: DocumentFormatInfo;
  parts: AsyncIterable<Uint8Array>;
  /** The result was sent: deletes everything about the document. */
  done(): Promise<void>;
  /** The download broke off: the result may be requested again. */
  brokeOff(): Promise<void>;
}

export interface DocumentTranslations {
  /** @throws ServiceError quota_exceeded for a caller with nothing left */
  upload(caller: Caller): Promise<DocumentUpload>;
  /**
   * Returns the status of a document. For one that was uploaded less than a second ago, waits until
   * it has ended or the second is over, not counting the start of a worker.
   *
   * @param gone aborts when the client has disconnected
   * @throws ServiceError not_found for another account's document, and for a wrong key
   */
  status(
    caller: Caller,
    documentId: string,
    documentKey: string,
    gone: AbortSignal,
  ): Promise<DocumentStatusView>;
  /**
   * @throws ServiceError not_found; document_not_ready while it is being translated or downloaded
   *   by another request; invalid_request when it could not be translated
   */
  download(caller: Caller, documentId: string, documentKey: string): Promise<DocumentDownload>;
  /**
   * Deletes a document and all its data; a translation in progress ends and is not charged.
   *
   * @throws ServiceError not_found
   */
  delete(caller: Caller, documentId: string, documentKey: string): Promise<void>;
}

export interface DocumentTranslationsOptions extends DocumentUploadOptions {
  usage: UsageMeter;
  worker: Pick<DocumentWorkerProcess, 'ends' | 'starting'>;
}

export function createDocumentTranslations(
  options: DocumentTranslationsOptions,
): DocumentTranslations {
  const { documents, usage, worker } = options;
  const uploads = countUploads(options.maxDocuments);

  const find: Finding = async (caller, documentId, documentKey) => {
    const { accountId } = caller.account;
    const document = await documents.find(accountId, documentId);
    if (document === undefined || !hasKey(document, documentKey)) throw unknown();
    return document;
  };

  async function* parts({ accountId, documentId }: StoredDocument): AsyncGenerator<Uint8Array> {
    let renewedAtMs = Date.now();
    for (let place = 0; ; place += 1) {
      const part = await documents.readPart(documentId, 'result', place);
      if (part === undefined) break;
      yield part;
      if (Date.now() - renewedAtMs < RENEWED_AFTER_MS) continue;
      renewedAtMs = Date.now();
      await documents.renewDownload(documentId, renewedAtMs + DOWNLOAD_LEASE_MS);
    }
    // Without this check, a truncated file would look complete.
    const isThere = (await documents.find(accountId, documentId)) !== undefined;
    if (!isThere) throw new Error('A document was deleted while it was being downloaded.');
  }

  return {
    async upload(caller) {
      // Charges nothing yet; refuses callers whose quota is used up.
      await usage.reserve({ caller, kind: 'document', characters: 0, tag: null });
      // An early refusal, before the file is read; the binding check comes with the submission.
      if (await documents.isFull(caller.account.accountId, options.maxDocuments)) {
        throw tooManyDocuments(options.maxDocuments);
      }
      return uploads.begin(caller.account.accountId, () => beginUpload(caller, options));
    },

    status: createStatus(find, worker),

    async download(caller, documentId, documentKey) {
      const document = await find(caller, documentId, documentKey);
      if (document.status === 'error') throw failed(document);
      if (document.status !== 'done') throw notReady('Document translation is not done.');
      const lease = { atMs: Date.now(), leaseMs: DOWNLOAD_LEASE_MS };
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

/** Counts the uploads of each account to this process. @param most maximum for one account */
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
  worker: DocumentTranslationsOptions['worker'],
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
    // Subscribed before the query, so that an end during it is not missed.
    worker.ends.once(documentId, endWait);
    gone.addEventListener('abort', endWait);
    try {
      const document = await find(caller, documentId, documentKey);
      const isOpen = document.status === 'queued' || document.status === 'translating';
      const leftMs = Math.min(HELD_MS, document.createdAtMs + HELD_MS - Date.now());
      if (!isOpen || leftMs <= 0) return view(document, Date.now());
      await untilItMayHaveEnded(leftMs, wait.signal).catch(() => undefined);
      // Workers on other machines send no notification, so the document is queried again in any case.
      return view(await find(caller, documentId, documentKey), Date.now());
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
      // Some clients read `error_message`, others `message`.
      return { document_id, status, error_message: message, message };
    }
  }
}

/**
 * Remaining time in seconds; at least 1 until the document has ended, however late it is. Before the
 * worker's first estimate, uses the one that the worker will start with, so that the time only decreases.
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

// Expiry: deletes documents that no client fetched, and uploads that were never completed.

/** Interval of the sweeps, in ms. */
const PERIOD_MS = 10 * 60_000;
/** Inactivity after which an upload counts as abandoned, in ms. */
const UPLOAD_MS = 60 * 60_000;

export interface DocumentExpiry {
  stop(): void;
}

/** Sweeps at once and then periodically. @param keptMs how long results and errors are kept */
export function startDocumentExpiry({
  documents,
  keptMs,
  log,
}: {
  documents: DocumentStore;
  keptMs: number;
  log: Logger;
}): DocumentExpiry {
  let isStopped = false;

  async function sweep(): Promise<void> {
    try {
      const before = { settled: Date.now() - keptMs, uploads: Date.now() - UPLOAD_MS };
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
