/** Whether this server should be given work. */
import type { RecognitionEngine } from '../engines/engine.ts';
import type { Accounts } from '../storage/ports.ts';
import type { Translation } from './translation.ts';

/** A database that takes longer is of no use to a caller either. */
const STORAGE_DEADLINE_MS = 2000;

export interface Readiness {
  /** What keeps the server from working, for people; empty when it is ready. Never throws. */
  missing(): Promise<string[]>;
}

export function createReadiness({
  accounts,
  recognisers,
  translation,
  isStopping,
  storageDeadlineMs = STORAGE_DEADLINE_MS,
}: {
  accounts: Pick<Accounts, 'find'>;
  recognisers: readonly Pick<RecognitionEngine, 'languages'>[];
  translation: Pick<Translation, 'sources'>;
  isStopping: () => boolean;
  storageDeadlineMs?: number;
}): Readiness {
  const hasEngine = () =>
    recognisers.some(({ languages }) => languages.length > 0) || translation.sources().length > 0;
  return {
    async missing() {
      const answers = await answersWithin(accounts.find(''), storageDeadlineMs);
      return [
        ...(isStopping() ? ['the server is stopping'] : []),
        ...(answers ? [] : ['the database does not answer']),
        ...(hasEngine() ? [] : ['no speech recogniser and no translator is running']),
      ];
    },
  };
}

async function answersWithin(question: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), deadlineMs);
  });
  const answered = question.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
