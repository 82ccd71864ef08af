/** Translates batches of sentences, some at a time. */
import type { TextSegment } from '../../text/text-segment.ts';
import type { SentenceBatch } from './sentence-batches.ts';
import type { SegmentTranslationOptions, Translation } from '../../translation/translation.ts';

/** As many requests as engines elsewhere are sent at once. */
const PARALLEL_BATCHES = 4;

export interface BatchTranslationOptions {
  translation: Pick<Translation, 'translateSegments'>;
  /** Of all of them; the context is that of each batch. */
  wishes: Omit<SegmentTranslationOptions, 'context' | 'sentences'>;
  /** Told the translations of each batch by key, one batch after the other. */
  onBatch: (translations: ReadonlyMap<string, TextSegment>, batch: SentenceBatch) => Promise<void>;
}

/** @throws ServiceError as `translateSegments`; the signal's reason; what `onBatch` throws */
export async function translateBatches(
  batches: readonly SentenceBatch[],
  { translation, wishes, onBatch }: BatchTranslationOptions,
): Promise<void> {
  let next = 0;
  let telling: Promise<void> = Promise.resolve();
  let hasFailed = false;

  async function translateWaiting(): Promise<void> {
    for (let batch = batches[next]; batch !== undefined; batch = batches[next]) {
      next += 1;
      const { context, sentences } = batch;
      const { segments } = await translation.translateSegments(
        sentences.map(({ segment }) => segment),
        { ...wishes, context, sentences: sentences[0]?.isWhole === true ? 'whole' : 'split' },
      );
      if (hasFailed) return;
      const done = new Map(sentences.map(({ key, segment }, i) => [key, segments[i] ?? segment]));
      telling = telling.then(() => onBatch(done, batch));
      await telling;
    }
  }
  const runs = Array.from({ length: PARALLEL_BATCHES }, translateWaiting);
  try {
    await Promise.all(runs);
  } catch (error) {
    // No other batch is begun, and none is under way when this returns.
    hasFailed = true;
    next = batches.length;
    await Promise.allSettled(runs);
    throw error;
  }
}
