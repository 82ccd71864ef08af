/**
 * Upload of a document: the file is written to the database as it arrives, its order once the file
 * is complete.
 */
import { createHash, randomBytes } from 'node:crypto';
import { ServiceError, invalid } from '../../../shared/errors.ts';
import { baseLanguage, betaLanguages } from '../../../shared/language.ts';
import type { DocumentHandle, DocumentOrder } from '../../../shared/schemas/documents.ts';
import type { Caller, Plan } from '../../http/door.ts';
import type { Translation } from '../../translation/translation.ts';
import { checkLanguages, readWishes, type WishResolver } from '../../translation/wishes.ts';
import {
  documentFormats,
  extensionOf,
  formatOfExtension,
  MAX_DOCUMENT_CHARACTERS,
  type DocumentFormatInfo,
  SIGNATURE_BYTES,
  signatureProblem,
} from '../formats/index.ts';
import type { DocumentWish } from './document-order.ts';
import type { LastPart } from './document-tables-store.ts';
import type { DocumentStore } from './store.ts';

/** Size of a part, in bytes; small enough that its write delays no other writer noticeably. */
export const DOCUMENT_PART_BYTES = 256 * 1024;
const MAX_FILE_NAME_LENGTH = 255;

/** An upload in progress. */
export interface DocumentUpload {
  /**
   * Saves the file except for its last part. Reads no faster than the database writes.
   *
   * @param fileName determines the size limit; empty when it is not known yet
   * @throws ServiceError payload_too_large as soon as the limit is exceeded; invalid_request for a
   *   file whose content does not match its name
   */
  receive(file: AsyncIterable<Uint8Array>, fileName: string): Promise<void>;
  /**
   * Saves the last part and queues the document.
   *
   * @param order its `filename` takes precedence over the name that came with the file
   * @throws ServiceError invalid_request, not_found, forbidden, too_many_documents; the caller must
   *   then discard the upload
   */
  submit(order: DocumentOrder, tag: string | null): Promise<DocumentHandle>;
  /** Deletes the received parts; does nothing once the document is queued. */
  discard(): Promise<void>;
}

export interface DocumentUploadOptions {
  documents: DocumentStore;
  translation: Translation;
  wishes: Pick<WishResolver, 'settle'>;
  /** Maximum number of documents of an account, including results that were not downloaded. */
  maxDocuments: number;
  /** Notifies the worker of a new document. */
  onQueued: () => void;
}

/** Hash of a document key as stored: SHA-256 in hex. */
export function hashOfDocumentKey(documentKey: string): string {
  return createHash('sha256').update(documentKey).digest('hex');
}

/** Starts an upload for a caller. */
export function beginUpload(caller: Caller, options: DocumentUploadOptions): DocumentUpload {
  const { documents } = options;
  const { plan, accountId } = caller.account;
  const documentId = newSecret(16);
  const source = new SourceFile(documentId, documents);
  let isQueued = false;

  return {
    receive: (file, fileName) => source.receive(file, { fileName: cleanName(fileName), plan }),

    async submit(order, tag) {
      const received = source.received;
      if (received === undefined) throw invalid("Parameter 'file' not specified.");
      const wished = cleanName(order.filename ?? '');
      const fileName = wished === '' ? received.fileName : wished;
      const format = formatOf(fileName);
      const { sizeBytes, head, lastPart } = received;
      if (sizeBytes > format.maxBytes[plan]) throw tooLarge(format.maxBytes[plan]);
      refuseMismatch(format, head);
      const wish = await readWish(order, { format, caller, options });
      const documentKey = newSecret(32);
      isQueued = await documents.submit(
        {
          documentId,
          accountId,
          keyId: caller.key.keyId,
          tag,
          sizeBytes,
          documentKeyHash: hashOfDocumentKey(documentKey),
          fileName: fileName.slice(-MAX_FILE_NAME_LENGTH),
          order: JSON.stringify(wish),
          createdAtMs: Date.now(),
        },
        options.maxDocuments,
        lastPart,
      );
      if (!isQueued) throw tooManyDocuments(options.maxDocuments);
      options.onQueued();
      return { document_id: documentId, document_key: documentKey };
    },

    async discard() {
      if (!isQueued) await source.discard();
    },
  };
}

/** The file of an upload on its way into the database. */
class SourceFile {
  /** The complete file, set when all of it has arrived; all but its last part is saved. */
  received: { fileName: string; sizeBytes: number; head: Buffer; lastPart: LastPart } | undefined;
  #isDiscarded = false;
  #keeping: Promise<unknown> = Promise.resolve();
  readonly #documentId: string;
  readonly #documents: DocumentUploadOptions['documents'];

  constructor(documentId: string, documents: DocumentUploadOptions['documents']) {
    this.#documentId = documentId;
    this.#documents = documents;
  }

  /** See {@link DocumentUpload.receive}. */
  async receive(
    file: AsyncIterable<Uint8Array>,
    { fileName, plan }: { fileName: string; plan: Plan },
  ): Promise<void> {
    const format = formatOfExtension(extensionOf(fileName));
    const maxBytes = format?.maxBytes[plan] ?? largestOf(plan);
    let head = Buffer.alloc(0);
    let sizeBytes = 0;
    let lastPart: LastPart | undefined;
    for await (const bytes of inParts(file, maxBytes)) {
      if (lastPart === undefined) {
        head = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES));
        if (format !== undefined) refuseMismatch(format, head);
        lastPart = { place: 0, bytes };
      } else {
        await this.#keep(lastPart);
        lastPart = { place: lastPart.place + 1, bytes };
      }
      sizeBytes += bytes.length;
    }
    if (lastPart !== undefined) this.received = { fileName, sizeBytes, head, lastPart };
  }

  async discard(): Promise<void> {
    this.#isDiscarded = true;
    // A write in progress would otherwise land after the deletion.
    await this.#keeping.catch(() => undefined);
    await this.#documents.delete(this.#documentId);
  }

  async #keep(part: LastPart): Promise<void> {
    if (this.#isDiscarded) throw new Error('The upload has ended.');
    const whose = { documentId: this.#documentId, file: 'source' } as const;
    this.#keeping = this.#documents.addPart({ ...whose, ...part, atMs: Date.now() }, null);
    await this.#keeping;
  }
}

/** Joins chunks into parts of {@link DOCUMENT_PART_BYTES}; the last part is shorter. */
async function* inParts(
  file: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let part = new Uint8Array(DOCUMENT_PART_BYTES);
  let filled = 0;
  let sizeBytes = 0;
  for await (const chunk of file) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    for (let at = 0; at < chunk.length;) {
      const taken = Math.min(chunk.length - at, part.length - filled);
      part.set(chunk.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < part.length) continue;
      yield part;
      part = new Uint8Array(DOCUMENT_PART_BYTES);
      filled = 0;
    }
  }
  // An empty file yields one empty part, so that the error message can say that it is empty.
  if (filled > 0 || sizeBytes === 0) yield part.slice(0, filled);
}

async function readWish(
  order: DocumentOrder,
  {
    format,
    caller: { account },
    options: { translation, wishes },
  }: { format: DocumentFormatInfo; caller: Caller; options: DocumentUploadOptions },
): Promise<DocumentWish> {
  const wish = readWishes(order, account.plan);
  const { source, target } = wish;
  if (source !== undefined && baseLanguage(source) === baseLanguage(target)) throw equalLanguages();
  checkLanguages(wish, translation);
  // A missing glossary, style or language is reported now instead of by the job.
  const sources = source === undefined ? [] : [source];
  await wishes.settle(wish, { accountId: account.accountId, sources });
  return {
    ...wish,
    input: format.name,
    output: outputOf(format, order.output_format),
    maxCharacters: MAX_DOCUMENT_CHARACTERS[account.plan],
    isFree: betaLanguages.includes(target),
  };
}

function outputOf(
  { name, extensions, outputs }: DocumentFormatInfo,
  wished: string | undefined,
): DocumentWish['output'] {
  if (wished === undefined || wished.trim() === '') return outputs[0];
  const found = formatOfExtension(wished.trim())?.name;
  if (found !== undefined && outputs.includes(found)) return found;
  throw invalid(
    `Value for 'output_format' not supported. Possible for ${extensions[0] ?? name}: ${outputs.join(', ')}.`,
  );
}

/**
 * Removes characters that systems neither display nor store: control characters, line separators,
 * lone surrogates, and direction marks, which make `gpj.exe` look like `exe.jpg`.
 */
function cleanName(fileName: string): string {
  return fileName.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\uFEFF]/gu, '');
}

/** @throws ServiceError invalid_request for an unknown file extension */
function formatOf(fileName: string): DocumentFormatInfo {
  const format = formatOfExtension(extensionOf(fileName));
  if (format !== undefined) return format;
  const known = documentFormats.flatMap(({ extensions }) => extensions).join(', ');
  throw invalid(
    `Invalid file data. The file extension must be one of: ${known}. Send the file with its name, or the parameter 'filename'.`,
  );
}

/** Size limit of a file without a name: the largest of all formats. */
function largestOf(plan: Plan): number {
  return Math.max(...documentFormats.map(({ maxBytes }) => maxBytes[plan]));
}

/** @throws ServiceError invalid_request for a file whose content does not match its name */
function refuseMismatch({ name }: DocumentFormatInfo, head: Buffer): void {
  const problem = signatureProblem(name, head);
  if (problem !== undefined) throw invalid(problem);
}

/** Returns random upper-case hex digits, two per byte. */
function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('hex').toUpperCase();
}

function equalLanguages(): ServiceError {
  return invalid('Source and target language are equal.');
}

function tooLarge(maxBytes: number): ServiceError {
  const limit = maxBytes < 1_000_000 ? `${maxBytes / 1000} KB` : `${maxBytes / 1_000_000} MB`;
  return new ServiceError(
    'payload_too_large',
    `The document is too large: files of this kind may have at most ${limit}.`,
  );
}

/** Error for an account that already has as many documents as it may. */
export function tooManyDocuments(maxDocuments: number): ServiceError {
  return new ServiceError(
    'too_many_documents',
    `Too many non-downloaded documents: at most ${maxDocuments} at a time. Download some, or wait until they expire.`,
  );
}
