/**
 * The document worker process: takes document jobs from the database and translates them. A server
 * starts it with an id and an IPC channel; it also runs on its own as `node dist/bundle/worker.js`,
 * with the same settings as the server. This file composes only the parts of the server that
 * document translation needs.
 */
import { randomUUID } from 'node:crypto';
import type { pino } from 'pino';
import { type Config, ConfigError, readConfig } from './config.ts';
import { startDocumentJobs } from './documents/jobs/document-jobs.ts';
import { createDocumentProcesses, documentContainment } from './documents/jobs/document-process.ts';
import { createDocumentTranslator } from './documents/jobs/document-translation.ts';
import type { WorkerReport } from './documents/jobs/document-worker-process.ts';
import { createGlossaries } from './glossaries/glossaries.ts';
import { createTranslationMemories } from './memories/translation-memories.ts';
import { hasRoom, uncontainedNotice } from './process/index.ts';
import { createLog, type Logger } from './process/log.ts';
import { startTranslators } from './running-engines.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './stores.ts';
import { createStyleRuleLists } from './style-rules/style-rules.ts';
import { createUsualLanguages } from './translation/account-texts.ts';
import { createDetection } from './translation/detection.ts';
import { createTranslation } from './translation/translation.ts';
import { createWishResolver, type WishResolver } from './translation/wishes.ts';

/** Time after which a hanging stop is cut short, in ms; other workers pick up the unfinished documents. */
const STOP_LIMIT_MS = 8_000;

const MIB = 1024 * 1024;

interface WorkerApp {
  /** Signals that a document is waiting. */
  ring(): void;
  /** Puts the documents under way back into the queue, then closes every resource. */
  stop(): Promise<void>;
}

async function main(): Promise<void> {
  const [givenId] = process.argv.slice(2);
  const workerId = givenId ?? randomUUID();
  const config = readConfig();
  const log = createLog(config.LOG_LEVEL);
  const started: { app?: WorkerApp } = {};
  stopOnSignal({ started, log, hasServer: givenId !== undefined });
  const app = await createWorkerApp({ config, log, workerId, report }).catch((err: unknown) => {
    // Usually the database is unreachable; the server beside this process starts it again.
    log.fatal({ err }, 'the document worker cannot start');
    process.exit(1);
  });
  started.app = app;
  process.on('message', () => app.ring());
  log.info({ workerId }, 'ready for documents');
}

/** Sends a message to the server that started this process, if any. */
function report(told: object): void {
  // A lost server shows as a closed channel ('disconnect'), so errors of this send are ignored.
  if (process.connected) process.send?.(told, undefined, undefined, () => undefined);
}

/** Stops the worker on a signal, and when the server that started it has ended. */
function stopOnSignal({
  started,
  log,
  hasServer,
}: {
  /** Has no `app` while the worker is starting. */
  started: { readonly app?: WorkerApp };
  log: pino.Logger;
  hasServer: boolean;
}): void {
  let isStopping = false;
  const stop = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    // A worker that is still starting has taken no documents.
    const stopped = started.app?.stop() ?? Promise.resolve();
    stopped.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', () => stop('disconnect'));
  // The server may have ended while this process was loading.
  if (hasServer && !process.connected) stop('disconnect');
}

/**
 * Builds the worker and starts taking documents.
 *
 * @param options.workerId unique for each process
 * @param options.report sends a message to the server beside this process, if any
 */
async function createWorkerApp({
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
  const { STORAGE_URL: url, DATA_DIR: dataFolder } = config;
  // A server creates the database; a worker with wrong settings would wait at an empty one of its own.
  const storage = await openStorage({ url, dataFolder, log, mustExist: true });
  const [engines, containment] = await Promise.all([
    startTranslators(config, log),
    documentContainment(),
  ]);
  const notice = uncontainedNotice('Documents and pictures', containment);
  if (notice !== undefined) log.warn({}, notice);
  const processes = createDocumentProcesses({
    ...(config.WARM_UP === 'on' ? { mayWait: hasRoom } : {}),
    limits: {
      timeMs: config.DOCUMENT_TIME_SECONDS * 1000,
      memoryBytes: config.DOCUMENT_MEMORY_MB * MIB,
    },
    log,
  });
  const jobs = startDocumentJobs({
    documents: storage.documents,
    translator: createDocumentTranslator({
      wishes: openWishes({ config, log, storage, engines }),
      processes,
    }),
    workerId,
    log,
    onEnded: (documentId) => report({ kind: 'ended', documentId }),
    maxDocuments: config.DOCUMENT_JOBS,
    maxAttempts: config.DOCUMENT_ATTEMPTS,
  });
  report({ kind: 'ready' });
  processes.prepare();
  return {
    ring: () => jobs.ring(),
    async stop() {
      await jobs.stop();
      await processes.close();
      await engines.close();
      await storage.close();
    },
  };
}

/** Assembles the service that resolves the options of a document translation. */
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

main().catch((error: unknown) => {
  if (error instanceof ConfigError) console.error(error.message);
  else console.error(error);
  process.exit(1);
});
