/** What a worker reads and writes of a document it has taken, however often the database is away. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import type { Charge } from '../../accounts/usage/store.ts';
import { DocumentError } from '../formats/format.ts';
import type { ClaimedDocument } from './document-claims-store.ts';
import type { DocumentFile } from './document-tables-store.ts';
import type { TranslationProgress } from './document-translation.ts';
import { DOCUMENT_PART_BYTES } from './document-upload.ts';
import type { DocumentStore } from './store.ts';

/** Waits for a database that is away, in ms; then the document is left to whoever finds it later. */
const PAUSES_MS = [50, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
/** What a database says that is away for a moment, or was started anew. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['storage_unavailable', 'internal']);

/** The document was given to another worker, or deleted: nothing of this one's counts any more. */
export class ClaimLost extends Error {
  constructor() {
    super('The document is not with this worker any more.');
    this.name = 'ClaimLost';
  }
}

/** Methods throw ClaimLost; ServiceError when the database stays away; the signal's reason. */
export interface DocumentClaim {
  /** The file as it was uploaded. @throws DocumentError when parts of it are missing */
  readSource(): Promise<Uint8Array>;
  readonly progress: TranslationProgress;
  /** Whether progress was kept under this claim. */
  readonly hasGotOn: boolean;
  /** Keeps the translated file, a part at a time. */
  writeResult(file: Uint8Array): Promise<void>;
  /** Makes it `done` and charges for it. @param problem what its owner reads when there is no room */
  finish(charge: Charge, problem: string): Promise<'done' | 'quota_exceeded'>;
  fail(problem: string): Promise<void>;
  release(options: { countsAttempt: boolean; notBeforeMs?: number }): Promise<void>;
}

export interface DocumentClaimOptions {
  documents: DocumentStore;
  claimed: ClaimedDocument;
  now: () => number;
  /** Ends waiting for the database, but no step that it has begun. */
  signal: AbortSignal;
}

export function createDocumentClaim(options: DocumentClaimOptions): DocumentClaim {
  const { documents, claimed, now, signal } = options;
  const { documentId, claimId } = claimed;
  let progressPlace: number | undefined;
  let hasGotOn = false;

  const insist = <Result>(step: () => Promise<Result>) => insistWithin(signal, step);

  /** For steps that answer whether the claim is still good. */
  async function insistOnClaim(step: () => Promise<boolean>): Promise<void> {
    if (!(await insist(step))) throw new ClaimLost();
  }

  async function* read(file: DocumentFile): AsyncGenerator<Uint8Array, number> {
    for (let place = 0; ; place += 1) {
      const part = await insist(() => documents.readPart(documentId, file, place));
      if (part === undefined) return place;
      yield part;
    }
  }

  async function addPart(file: DocumentFile, place: number, bytes: Uint8Array): Promise<void> {
    await insistOnClaim(() =>
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
        hasGotOn = true;
      },
    },
    get hasGotOn() {
      return hasGotOn;
    },
    async writeResult(file) {
      for (let start = 0, place = 0; start < file.byteLength; place += 1) {
        const end = Math.min(start + DOCUMENT_PART_BYTES, file.byteLength);
        await addPart('result', place, file.subarray(start, end));
        start = end;
      }
    },
    async finish(charge, problem) {
      const result = { charge, problem, atMs: now() };
      const outcome = await insist(() => documents.finish(documentId, claimId, result));
      if (outcome === 'lost') throw new ClaimLost();
      return outcome;
    },
    fail: (problem) =>
      insistOnClaim(() => documents.fail(documentId, claimId, { problem, atMs: now() })),
    release: (how) => insistOnClaim(() => documents.release(documentId, claimId, how)),
  };
}

/** Runs a step, again while the database is away. */
async function insistWithin<Result>(
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
  }
  if (filledBytes < sizeBytes) throw incomplete();
  return file;
}

function incomplete(): DocumentError {
  return new DocumentError('The file did not arrive as it was sent. Please upload it again.');
}

/** Goes to the end of parts. @returns how many there were */
async function lengthOf(parts: AsyncGenerator<Uint8Array, number>): Promise<number> {
  for (;;) {
    const next = await parts.next();
    if (next.done === true) return next.value;
  }
}
