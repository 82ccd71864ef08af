import type { ChargeOutcome } from '../ports.ts';
import type { EntryOutcome, UsageEntry } from '../../accounts/usage/store.ts';
import { answerOfEntry, MAX_ENTRIES } from '../usage-answers.ts';

/**
 * Puts entries that are waiting into one transaction. One is under way at a time: two would only
 * wait for each other's locks, and what arrives meanwhile makes the next one larger.
 *
 * @param record writes entries, all or none
 */
export function createEntryBatches(
  record: (entries: readonly UsageEntry[]) => Promise<EntryOutcome[]>,
) {
  interface Waiting {
    entry: UsageEntry;
    resolve: (outcome: ChargeOutcome | undefined) => void;
    reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_ENTRIES);
      try {
        const outcomes = await record(batch.map(({ entry }) => entry));
        for (const [index, { resolve, reject }] of batch.entries()) {
          try {
            resolve(answerOfEntry(outcomes[index]));
          } catch (error) {
            reject(error);
          }
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  return (entry: UsageEntry): Promise<ChargeOutcome | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // All entries of this turn of the event loop go together.
      setImmediate(() => void run());
    });
}
