/** Reads updates while their consumer is busy. */
import { conflateUpdates, type CaptionUpdate } from './captions.ts';
import { createSignal } from './streams.ts';

export interface UpdateInbox {
  /** All that has come since the last call as one update; undefined after the end. @throws what the source threw */
  take(): Promise<CaptionUpdate | undefined>;
  /** Called when a whole sentence arrives: what is merely tentative can wait. */
  onSentence: () => void;
  /** Lets go of the source. */
  close(): void;
}

/** Starts reading at once; what is not taken yet is held as one update. */
export function createUpdateInbox(updates: AsyncIterable<CaptionUpdate>): UpdateInbox {
  const iterator = updates[Symbol.asyncIterator]();
  const signal = createSignal();
  let held: CaptionUpdate | undefined;
  let isDone = false;
  let failure: { error: unknown } | undefined;

  async function pump(): Promise<void> {
    try {
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        const update = step.value;
        held = held === undefined ? update : conflateUpdates(held, update);
        if ((update.sentences?.concluded.length ?? 0) > 0) inbox.onSentence();
        signal.raise();
      }
    } catch (error) {
      failure = { error };
    } finally {
      isDone = true;
      signal.raise();
    }
  }

  const inbox: UpdateInbox = {
    async take() {
      for (;;) {
        if (held !== undefined) {
          const update = held;
          held = undefined;
          return update;
        }
        if (failure !== undefined) throw failure.error;
        if (isDone) return undefined;
        await signal.raised();
      }
    },
    onSentence: () => undefined,
    close() {
      // Not awaited: a generator that waits for its engine only returns once the session is aborted.
      void iterator.return?.().catch(() => undefined);
    },
  };
  void pump();
  return inbox;
}
