/** The composition root of a worker: what it takes to translate documents, and nothing of the server. */
import type { Logger } from './process/log.ts';
import type { Config } from './config.ts';
import { documentContainment } from './documents/jobs/document-process.ts';
import { uncontainedNotice } from './process/index.ts';
import { startTranslators } from './running-engines.ts';
import { createUsualLanguages } from './translation/account-texts.ts';
import { createDetection } from './translation/detection.ts';
import { startDocumentJobs } from './documents/jobs/document-jobs.ts';
import type { WorkerReport } from './documents/jobs/document-worker-process.ts';
import { createDocumentTranslator } from './documents/jobs/document-translation.ts';
import { createGlossaries } from './glossaries/glossaries.ts';
import { createStyleRuleLists } from './style-rules/style-rules.ts';
import { createTranslationMemories } from './memories/translation-memories.ts';
import { createTranslation } from './translation/translation.ts';
import { createWishResolver, type WishResolver } from './translation/wishes.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './stores.ts';

const MIB = 1024 * 1024;

export interface WorkerApp {
  /** There is a document. */
  ring(): void;
  /** Puts back what is under way, then lets go of everything. */
  stop(): Promise<void>;
}

/**
 * Starts to take documents.
 *
 * @param options.workerId another one for each process
 * @param options.report tells the server beside it, if there is one
 */
export async function createWorkerApp({
  config,
  log,
  workerId,
  report,
}: {
  config: Config;
  log: Logger;
  workerId: string;
  report: (message: WorkerReport) => void;
}): Promise<WorkerApp> {
  const storage = await openStorage({ url: config.STORAGE_URL, dataFolder: config.DATA_DIR, log });
  const [engines, containment] = await Promise.all([
    startTranslators(config, log),
    documentContainment(),
  ]);
  const notice = uncontainedNotice('Documents and pictures', containment);
  if (notice !== undefined) log.warn({}, notice);
  const translator = createDocumentTranslator({
    wishes: openWishes({ config, log, storage, engines }),
    limits: {
      timeMs: config.DOCUMENT_TIME_SECONDS * 1000,
      memoryBytes: config.DOCUMENT_MEMORY_MB * MIB,
    },
    log,
  });
  const jobs = startDocumentJobs({
    documents: storage.documents,
    translator,
    workerId,
    log,
    onEnded: (documentId) => report({ kind: 'ended', documentId }),
    maxDocuments: config.DOCUMENT_JOBS,
    maxAttempts: config.DOCUMENT_ATTEMPTS,
  });
  report({ kind: 'ready' });
  return {
    ring: () => jobs.ring(),
    async stop() {
      await jobs.stop();
      await engines.close();
      await storage.close();
    },
  };
}

/** What documents are translated with. */
function openWishes({
  config,
  log,
  storage,
  engines,
}: {
  config: Config;
  log: Logger;
  storage: Storage;
  engines: Awaited<ReturnType<typeof startTranslators>>;
}): WishResolver {
  const translation = createTranslation({
    engines: engines.translation,
    preference: engines.preference,
    log,
  });
  const usualLanguages = createUsualLanguages();
  return createWishResolver({
    translation,
    detection: createDetection(engines.detector, translation, usualLanguages),
    usualLanguages,
    glossaries: createGlossaries({
      glossaries: storage.glossaries,
      cacheBytes: config.GLOSSARY_CACHE_MB * MIB,
    }),
    styleRules: createStyleRuleLists(storage),
    translationMemories: createTranslationMemories({ memories: storage.translationMemories, log }),
  });
}
