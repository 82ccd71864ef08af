/** Documents, wired: taken in here, translated by a process beside the server. */
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Config } from '../config.ts';
import type { Routes } from '../http/door.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import type { DocumentUploadOptions } from './jobs/document-upload.ts';
import { createDocumentWorkerProcess } from './jobs/document-worker-process.ts';
import { startDocumentExpiry, createDocumentTranslations } from './jobs/documents.ts';
import { documentRoutes } from './jobs/routes.ts';

/** What documents are checked against before they are taken. */
type Checks = Pick<DocumentUploadOptions, 'translation' | 'wishes'>;

export function openDocuments({
  config,
  log,
  storage: { documents },
  usageMeter,
  translation,
  wishes,
}: Checks & { config: Config; log: Logger; storage: Storage; usageMeter: UsageMeter }) {
  const worker = createDocumentWorkerProcess({
    documents,
    log,
    isOn: config.DOCUMENT_WORKER === 'on',
  });
  const documentTranslations = createDocumentTranslations({
    translation,
    wishes,
    documents,
    usage: usageMeter,
    worker,
    maxDocuments: config.DOCUMENT_MAX_PER_ACCOUNT,
    onQueued: () => worker.ring(),
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(documentRoutes, { door, documentTranslations });
  };
  return {
    worker,
    service: documentTranslations,
    expiry: startDocumentExpiry({
      documents,
      log,
      keptMs: config.DOCUMENT_EXPIRY_HOURS * 3_600_000,
    }),
    routes,
  };
}
