/**
 * The job loop of a worker: claims documents from the table, a bounded number at a time, and takes
 * each from its claim to `done`, `error` or back into the queue.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Charge } from '../../accounts/usage/store.ts';
import { Change } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { DocumentError } from '../formats/format.ts';
import type { ClaimedDocument } from './document-claims-store.ts';
import { billedCharacters, createDocumentEstimate, type DocumentWish } from './document-order.ts';
import { FormatFailure } from './document-process.ts';
import type { DocumentFile } from './document-tables-store.ts';
import type { DocumentTranslator, TranslationProgress } from './document-translation.ts';
import { DOCUMENT_PART_BYTES } from './document-upload.ts';
import type { DocumentStore } from './store.ts';

/** Interval of a worker's heartbeats, in ms. */
const BEAT_MS = 2_000;
/**
 * Silence after which a worker counts as dead, in ms. A slow disk or a busy machine can cost a few
 * heartbeats.
 */
const STALE_MS = 6 * BEAT_MS;
/** Interval at which the table is polled, in ms, when no notification arrives. */
const POLL_MS = 2_000;

export interface DocumentJobs {
  /** Checks the table at once. */
  ring(): void;
  /** Claims no more documents and requeues those in progress; resolves when none is left. */
  stop(): Promise<void>;
}

interface DocumentJobsOptions extends Omit<DocumentJobOptions, 'now'> {
  /** Unique for each process. */
  workerId: string;
  /** Maximum number of documents translated at the same time. */
  maxDocuments: number;
  /** Called when the worker has finished with a document, whatever the outcome. */
  onEnded?: (documentId: string) => void;
  now?: () => number;
}

/** Returns a function that claims the next document, if there is one. */
function createClaim({
  documents,
  workerId,
  maxAttempts,
  log,
  now,
}: Required<Pick<DocumentJobsOptions, 'documents' | 'workerId' | 'maxAttempts' | 'log' | 'now'>>) {
  let cannotClaim = false;

  return async (): Promise<ClaimedDocument | undefined> => {
    try {
      const atMs = now();
      const claimed = await documents.claim({
        claimId: randomUUID(),
        workerId,
        atMs,
        staleBeforeMs: atMs - STALE_MS,
        maxAttempts,
        exhausted: EXHAUSTED,
      });
      if (cannotClaim) log.info({}, 'Documents can be claimed again.');
      cannotClaim = false;
      return claimed;
    } catch (error) {
      // Once for each outage: it is tried every few seconds.
      if (!cannotClaim) log.warn({ error: String(error) }, 'Documents cannot be claimed for now.');
      cannotClaim = true;
      return undefined;
    }
  };
}

/** Starts claiming and translating documents. */
export function startDocumentJobs(given: DocumentJobsOptions): DocumentJobs {
  const options = { now: Date.now, ...given };
  const { maxDocuments, onEnded } = options;
  const running = new Set<DocumentJob>();
  const bell = new Change();
  let isStopping = false;
  const take = createClaim(options);

  function start(claimed: ClaimedDocument): void {
    const job = startDocumentJob(claimed, options);
    running.add(job);
    void job.ended.then(() => {
      running.delete(job);
      onEnded?.(claimed.documentId);
      bell.notify();
    });
    if (isStopping) job.giveBack();
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      // Subscribed before the query, so that a ring during it is not missed.
      const rung = bell.next();
      const claimed = running.size < maxDocuments ? await take() : undefined;
      if (claimed === undefined) {
        const timer = setTimeout(() => bell.notify(), POLL_MS);
        await rung;
        clearTimeout(timer);
      } else {
        start(claimed);
      }
    }
  }

  const ended = run();
  return {
    ring: () => bell.notify(),
    async stop() {
      isStopping = true;
      bell.notify();
      for (const job of running) job.giveBack();
      await ended;
      await Promise.all([...running].map((job) => job.ended));
    },
  };
}

// One document in one worker, from its claim to its outcome.

/** Pause before the second attempt, in ms; it doubles with each further attempt. */
const RETRY_AFTER_MS = {
  /** The document's process ended, most likely because of the document itself. */
  crash: 1_000,
  /** An unreachable engine may need some time to recover. */
  refusal: 10_000,
};
const TOO_MANY_REQUESTS = 429;

interface DocumentJobOptions {
  documents: DocumentStore;
  translator: DocumentTranslator;
  /** Consecutive attempts without saved progress after which a document becomes an `error`. */
  maxAttempts: number;
  log: Logger;
  now: () => number;
}

/** A document that is being translated. */
interface DocumentJob {
  /** Resolves when the worker has finished with the document, whatever the outcome. */
  readonly ended: Promise<void>;
  /** Requeues the document at once; does nothing when the job is over. */
  giveBack(): void;
}

/** The worker is shutting down, which is not the document's fault. */
class WorkerStops extends Error {
  constructor() {
    super('The worker stops.');
    this.name = 'WorkerStops';
  }
}

/** Starts to translate a claimed document. */
function startDocumentJob(claimed: ClaimedDocument, options: DocumentJobOptions): DocumentJob {
  const aborting = new AbortController();
  const { signal } = aborting;
  const claim = createDocumentClaim({ ...options, claimed, signal });
  const { log } = options;
  const { documentId, attempt } = claimed;

  async function run(): Promise<void> {
    const startedAtMs = options.now();
    const beats = startHeartbeats(claimed, {
      ...options,
      onLost: () => aborting.abort(new ClaimLost()),
    });
    try {
      const outcome = await translate(claimed, { ...options, claim, signal, beats });
      const durationMs = options.now() - startedAtMs;
      log.info({ documentId, attempt, outcome, durationMs }, 'A document has been translated.');
    } catch (error) {
      await settle(error).catch((problem: unknown) => {
        // Another worker will claim the document once its heartbeat is stale.
        log.warn(
          { documentId, error: String(problem) },
          'The result of a document could not be recorded.',
        );
      });
    } finally {
      beats.stop();
    }
  }

  async function settle(thrown: unknown): Promise<void> {
    const error: unknown = signal.aborted ? signal.reason : thrown;
    if (error instanceof ClaimLost) {
      log.info(
        { documentId, attempt },
        'A document was deleted or is now owned by another worker.',
      );
      return;
    }
    if (error instanceof WorkerStops) return claim.release({ countsAttempt: false });
    log.warn({ documentId, attempt, ...traceOf(error) }, 'A document could not be translated.');
    const tries = claim.hasSavedProgress ? 0 : attempt;
    const problem = problemFor(error, tries >= options.maxAttempts);
    if (problem !== undefined) return claim.fail(problem);
    const pauseMs = retryAfterMs(error) * 2 ** Math.max(0, tries - 1);
    return claim.release({ countsAttempt: true, notBeforeMs: options.now() + pauseMs });
  }

  return { ended: run(), giveBack: () => aborting.abort(new WorkerStops()) };
}

interface Translating {
  translator: DocumentTranslator;
  claim: DocumentClaim;
  beats: Beats;
  now: () => number;
  signal: AbortSignal;
}

async function translate(
  { order, accountId, keyId, tag }: ClaimedDocument,
  { translator, claim, beats, now, signal }: Translating,
): Promise<'done' | 'quota_exceeded'> {
  const wish = JSON.parse(order) as DocumentWish;
  const source = await claim.readSource();
  signal.throwIfAborted();
  // Not before the source is read: the read would have to wait for this write.
  beats.beat();
  const translating = translator.translate({
    file: source,
    accountId,
    wish,
    progress: claim.progress,
    signal,
    onShare: beats.note,
  });
  // On abort, the document is released at once, without waiting for the translation to wind down.
  const { file, characters } = await Promise.race([translating, rejection(signal)]);
  const amount = billedCharacters(wish, characters);
  return claim.finish(
    file,
    { accountId, keyId, kind: 'document', amount, atMs: now(), tag },
    `Quota for this billing period has been exceeded: the document has ${amount} characters to be billed. Limits count anew with each month (UTC).`,
  );
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Keeps a claim alive with heartbeats, and the time estimate that its owner sees up to date. */
interface Beats {
  /** Sends a heartbeat ahead of schedule. */
  beat: () => void;
  /** Notes the share of the work that is done, from 0 to 1. */
  note: (share: number) => void;
  stop: () => void;
}

function startHeartbeats(
  { documentId, claimId, order, sizeBytes }: ClaimedDocument,
  { documents, now, log, onLost }: DocumentJobOptions & { onLost: () => void },
): Beats {
  const estimate = createDocumentEstimate({ order, sizeBytes, startedAtMs: now() });
  let isBeating = false;

  async function beat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    try {
      const progress = { atMs: now(), finishAtMs: estimate.finishAtMs() };
      if (!(await documents.beat(documentId, claimId, progress))) onLost();
    } catch (error) {
      log.debug({ documentId, error: String(error) }, 'A heartbeat could not be recorded.');
    }
    isBeating = false;
  }

  const timer = setInterval(() => void beat(), BEAT_MS);
  return {
    beat: () => void beat(),
    note: (share) => estimate.note(share, now()),
    stop: () => clearInterval(timer),
  };
}

/** The loggable part of an error: its message might quote the document. */
function traceOf(error: unknown): object {
  if (error instanceof ServiceError) return { error: error.code };
  if (!(error instanceof Error)) return { error: typeof error };
  const [, at] = /\n\s+at (.*)/.exec(error.stack ?? '') ?? [];
  return { error: error.name, at };
}

/** Returns the message for the document's owner when another attempt is pointless; undefined otherwise. */
function problemFor(error: unknown, isLastAttempt: boolean): string | undefined {
  if (error instanceof DocumentError) return error.message;
  if (error instanceof FormatFailure) return UNREADABLE;
  if (error instanceof ServiceError) {
    const isPassing = error.status >= 500 || error.status === TOO_MANY_REQUESTS;
    if (isPassing && !isLastAttempt) return undefined;
    return error.detail === undefined ? error.message : `${error.message} ${error.detail}`;
  }
  return isLastAttempt ? EXHAUSTED : undefined;
}

/** Message for owners of documents on which a format failed. The same file would fail again. */
const UNREADABLE =
  'The server could not process this document. The fault is with the server: its operator finds details in the log.';

/** Message for owners of documents that have used up their attempts. */
const EXHAUSTED =
  'The document could not be translated, though it was tried several times. Please check that it opens, save it anew and send it again.';

function retryAfterMs(error: unknown): number {
  return error instanceof ServiceError ? RETRY_AFTER_MS.refusal : RETRY_AFTER_MS.crash;
}

// A worker's access to a claimed document; retries while the database is unreachable.

/**
 * Pauses between retries while the database is unreachable, in ms. After the last one, the document
 * is left to be claimed again later.
 */
const PAUSES_MS = [50, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
/** Codes of errors that a database restart or a brief outage causes. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['storage_unavailable', 'internal']);

/** The document was claimed by another worker or deleted; nothing that this worker does counts any more. */
class ClaimLost extends Error {
  constructor() {
    super('The document is not with this worker any more.');
    this.name = 'ClaimLost';
  }
}

/**
 * A worker's claim. Methods throw ClaimLost, ServiceError when the database stays unreachable, or
 * the signal's reason.
 */
interface DocumentClaim {
  /** Reads the uploaded file. @throws DocumentError when parts of it are missing */
  readSource(): Promise<Uint8Array>;
  readonly progress: TranslationProgress;
  /** Whether progress was saved under this claim. */
  readonly hasSavedProgress: boolean;
  /**
   * Saves the translated file part by part, marks the document `done` and charges for it.
   *
   * @param problem message for the owner when the charge exceeds a quota
   */
  finish(file: Uint8Array, charge: Charge, problem: string): Promise<'done' | 'quota_exceeded'>;
  fail(problem: string): Promise<void>;
  release(options: { countsAttempt: boolean; notBeforeMs?: number }): Promise<void>;
}

interface DocumentClaimOptions {
  documents: DocumentStore;
  claimed: ClaimedDocument;
  now: () => number;
  /** Ends waits for the database, but no step that has begun. */
  signal: AbortSignal;
}

function createDocumentClaim(options: DocumentClaimOptions): DocumentClaim {
  const { documents, claimed, now, signal } = options;
  const { documentId, claimId } = claimed;
  let progressPlace: number | undefined;
  let hasSavedProgress = false;

  const retry = <Result>(step: () => Promise<Result>) => retryWhileUnavailable(signal, step);

  /** Runs a step that resolves to whether the claim is still valid. */
  async function retryUnderClaim(step: () => Promise<boolean>): Promise<void> {
    if (!(await retry(step))) throw new ClaimLost();
  }

  async function* read(file: DocumentFile): AsyncGenerator<Uint8Array, number> {
    for (let place = 0; ; place += 1) {
      const part = await retry(() => documents.readPart(documentId, file, place));
      if (part === undefined) return place;
      yield part;
    }
  }

  async function addPart(file: DocumentFile, place: number, bytes: Uint8Array): Promise<void> {
    await retryUnderClaim(() =>
      documents.addPart({ documentId, file, place, bytes, atMs: now() }, claimId),
    );
  }

  return {
    readSource: () => joined(read('source'), claimed.sizeBytes),
    progress: {
      async *parts() {
        progressPlace = yield* read('progress');
      },
      async keep(part) {
        progressPlace ??= await lengthOf(read('progress'));
        await addPart('progress', progressPlace, part);
        progressPlace += 1;
        hasSavedProgress = true;
      },
    },
    get hasSavedProgress() {
      return hasSavedProgress;
    },
    async finish(file, charge, problem) {
      let place = 0;
      let rest = file;
      for (; rest.byteLength > DOCUMENT_PART_BYTES; place += 1) {
        await addPart('result', place, rest.subarray(0, DOCUMENT_PART_BYTES));
        rest = rest.subarray(DOCUMENT_PART_BYTES);
      }
      const result = { charge, problem, atMs: now(), lastPart: { place, bytes: rest } };
      const outcome = await retry(() => documents.finish(documentId, claimId, result));
      if (outcome === 'lost') throw new ClaimLost();
      return outcome;
    },
    fail: (problem) =>
      retryUnderClaim(() => documents.fail(documentId, claimId, { problem, atMs: now() })),
    release: (how) => retryUnderClaim(() => documents.release(documentId, claimId, how)),
  };
}

/** Runs a step and repeats it while the database is unreachable. */
async function retryWhileUnavailable<Result>(
  signal: AbortSignal,
  step: () => Promise<Result>,
): Promise<Result> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ServiceError) || !PASSING.has(error.code)) throw error;
    }
    await delay(pauseMs, undefined, { signal });
  }
  return step();
}

async function joined(parts: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<Uint8Array> {
  const file = new Uint8Array(sizeBytes);
  let filledBytes = 0;
  for await (const part of parts) {
    if (filledBytes + part.byteLength > sizeBytes) throw incomplete();
    file.set(part, filledBytes);
    filledBytes += part.byteLength;
    if (filledBytes === sizeBytes) break;
  }
  if (filledBytes < sizeBytes) throw incomplete();
  return file;
}

function incomplete(): DocumentError {
  return new DocumentError('The file did not arrive as it was sent. Please upload it again.');
}

/** Reads parts to the end. @returns their number */
async function lengthOf(parts: AsyncGenerator<Uint8Array, number>): Promise<number> {
  for (;;) {
    const next = await parts.next();
    if (next.done === true) return next.value;
  }
}
