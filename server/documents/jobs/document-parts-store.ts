/** The bytes of documents, a row for each part of a file. */
import { locksRows, type Database } from '../../storage/database.ts';

/** The bytes kept of a document: what was uploaded, what a worker has translated so far, the result. */
export type DocumentFile = 'source' | 'progress' | 'result';

export interface DocumentPartsTable {
  document_id: string;
  file: DocumentFile;
  /** 0, 1, 2… in a file. */
  place: number;
  at_ms: number;
  bytes: Uint8Array;
}

export interface DocumentParts {
  /**
   * Keeps a part of a file, in order from place 0; the same place again is written over. Parts of
   * uploads that are never submitted expire. Progress has a document's attempts counted anew.
   *
   * @param part.bytes must not change until this is answered
   * @param claimId of the worker that writes `progress` or `result`; null for `source`
   * @returns false when the claim is lost
   */
  addPart(
    part: {
      documentId: string;
      file: DocumentFile;
      place: number;
      bytes: Uint8Array;
      atMs: number;
    },
    claimId: string | null,
  ): Promise<boolean>;
  /** One part of a file; undefined after the last. */
  readPart(documentId: string, file: DocumentFile, place: number): Promise<Uint8Array | undefined>;
}

declare module '../../storage/database.ts' {
  interface Tables {
    document_parts: DocumentPartsTable;
  }
}

export function createDocumentParts(db: Database): DocumentParts {
  return {
    async addPart({ documentId, file, place, bytes, atMs }, claimId) {
      if (claimId !== null && !(await holdClaim(db, { documentId, file, claimId }))) return false;
      await db
        .insertInto('document_parts')
        .values({ document_id: documentId, file, place, at_ms: atMs, bytes })
        // Whoever does not know whether it was written writes it again.
        .onConflict((conflict) =>
          conflict.columns(['document_id', 'file', 'place']).doUpdateSet({ at_ms: atMs, bytes }),
        )
        .execute();
      return true;
    },

    async readPart(documentId, file, place) {
      const row = await db
        .selectFrom('document_parts')
        .select('bytes')
        .where('document_id', '=', documentId)
        .where('file', '=', file)
        .where('place', '=', place)
        .executeTakeFirst();
      return row?.bytes;
    },
  };
}

/** Whether a claim is good; until the transaction ends, nobody takes the document from it. */
async function holdClaim(
  db: Database,
  { documentId, file, claimId }: { documentId: string; file: DocumentFile; claimId: string },
): Promise<boolean> {
  if (file === 'progress') {
    // Who gets on with a document is not brought down by it.
    const { numUpdatedRows } = await db
      .updateTable('documents')
      .set({ attempt: 0 })
      .where('document_id', '=', documentId)
      .where('claim_id', '=', claimId)
      .where('status', '=', 'translating')
      .executeTakeFirst();
    return numUpdatedRows > 0;
  }
  const held = await db
    .selectFrom('documents')
    .select('document_id')
    .where('document_id', '=', documentId)
    .where('claim_id', '=', claimId)
    .where('status', '=', 'translating')
    .$if(locksRows(db), (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return held !== undefined;
}

/** Deletes parts of documents; of all files, unless some are named. */
export async function deleteParts(
  db: Database,
  documentIds: readonly string[],
  files?: readonly DocumentFile[],
): Promise<void> {
  if (documentIds.length === 0) return;
  await db
    .deleteFrom('document_parts')
    .where('document_id', 'in', documentIds)
    .$if(files !== undefined, (query) => query.where('file', 'in', files ?? []))
    .execute();
}
