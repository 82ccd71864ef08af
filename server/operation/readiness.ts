/** Whether this server should be given work, and what makes it ready sooner. */
import type { RecognitionEngine } from '../engines/engine.ts';
import { hasRoom } from '../process/index.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import type { Translation } from '../translation/translation.ts';

/** A database that takes longer is of no use to a caller either. */
const STORAGE_DEADLINE_MS = 2000;
/** Whoever asks within this time gets the answer of the one before, in ms: a look costs a write. */
const KNOWN_MS = 1000;

export interface Readiness {
  /** What keeps the server from working, for people; empty when it is ready. Never throws. */
  missing(): Promise<string[]>;
}

export function createReadiness({
  writeChecks,
  recognisers,
  translation,
  isStopping,
  storageDeadlineMs = STORAGE_DEADLINE_MS,
}: {
  writeChecks: Storage['writeChecks'];
  recognisers: readonly Pick<RecognitionEngine, 'languages'>[];
  translation: Pick<Translation, 'sources'>;
  isStopping: () => boolean;
  storageDeadlineMs?: number;
}): Readiness {
  const hasEngine = () =>
    recognisers.some(({ languages }) => languages.length > 0) || translation.sources().length > 0;
  let looked: { atMs: number; storage: Promise<string[]> } | undefined;
  /** One at a time: a database that hangs would have a connection taken by each, until none is left. */
  let isWriting = false;
  /** A database that cannot be written, on a full disk for one, is read for long. */
  const lookAtStorage = (): Promise<string[]> => {
    const nowMs = performance.now();
    if (looked === undefined || (!isWriting && nowMs - looked.atMs >= KNOWN_MS)) {
      isWriting = true;
      const writing = writeChecks.write(Date.now()).finally(() => (isWriting = false));
      looked = { atMs: nowMs, storage: writtenWithin(writing, storageDeadlineMs) };
    }
    return looked.storage;
  };
  return {
    async missing() {
      const storage = await lookAtStorage();
      return [
        ...(isStopping() ? ['the server is stopping'] : []),
        ...storage,
        ...(hasEngine() ? [] : ['no speech recogniser and no translator is running']),
      ];
    },
  };
}

/** What is wrong with a database that is written to; nothing when it is done in time. */
async function writtenWithin(writing: Promise<void>, deadlineMs: number): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve(['the database does not answer']), deadlineMs);
  });
  const written = writing.then(
    () => [],
    () => ['the database cannot be reached or written'],
  );
  try {
    return await Promise.race([written, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The rest of the start, and who has waited for it, come first; in ms. */
const AFTER_MS = 1_000;

/** What takes its time to start. */
interface Slow {
  readonly name: string;
  prepare?(mayStay: () => boolean): Promise<void>;
}

/**
 * One after the other; never throws, and whoever asks meanwhile shares what is being started. What is
 * started so stays until memory is short.
 */
export function warmUp(all: readonly Slow[], log: Logger): void {
  const prepare = async () => {
    for (const slow of all) {
      if (slow.prepare === undefined) continue;
      const { name: what } = slow;
      if (!hasRoom()) {
        log.info({ what }, 'not warmed up: little memory');
        continue;
      }
      const startedAtMs = performance.now();
      try {
        await slow.prepare(hasRoom);
        const durationMs = Math.round(performance.now() - startedAtMs);
        log.info({ what, durationMs }, 'warmed up');
      } catch (error) {
        // Whoever asks for it is told.
        log.info({ what, err: error }, 'not warmed up: it failed');
      }
    }
  };
  setTimeout(() => void prepare(), AFTER_MS).unref();
}
