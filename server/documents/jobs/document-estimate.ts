/** When a document will be done, as far as is known from what is done of it. */
import { firstEstimateMs as firstOf } from '../formats/index.ts';
import type { DocumentWish } from './document-order.ts';

/** A smaller share says little about the rest. */
const TELLING_SHARE = 0.02;

/** What is known of a document when it is taken. */
export interface DocumentSize {
  /** What its owner wants, as JSON. */
  order: string;
  sizeBytes: number;
}

export interface DocumentEstimate {
  /** @param share that is done by now, from 0 to 1 */
  note(share: number, atMs: number): void;
  /** In ms since the epoch, a whole number. */
  finishAtMs(): number;
}

/** How long a document takes of which nothing is known yet, in ms; rather too long. */
export function firstEstimateMs({ order, sizeBytes }: DocumentSize): number {
  const { input } = JSON.parse(order) as Pick<DocumentWish, 'input'>;
  return firstOf(input, sizeBytes);
}

/** @param startedAtMs when somebody began with it */
export function createDocumentEstimate({
  startedAtMs,
  ...size
}: DocumentSize & { startedAtMs: number }): DocumentEstimate {
  // What was done before by another worker took this one no time: counted from the first report.
  let first: { share: number; atMs: number } | undefined;
  let finishAtMs = startedAtMs + firstEstimateMs(size);
  return {
    note(share, atMs) {
      first ??= { share, atMs };
      const done = share - first.share;
      if (done < TELLING_SHARE) return;
      finishAtMs = atMs + ((atMs - first.atMs) / done) * (1 - share);
    },
    finishAtMs: () => Math.round(finishAtMs),
  };
}
