/**
 * The order for a document: its languages and formats, its price and the estimate of its duration.
 * The upload creates it; the worker that translates the document reads it.
 */
import type { Wishes } from '../../translation/wishes.ts';
import {
  documentFormat,
  type DocumentFormatName,
  firstEstimateMs as firstOf,
  MINIMUM_BILLED_CHARACTERS,
} from '../formats/index.ts';

/** A validated order; plain data, stored as JSON. */
export interface DocumentWish extends Wishes {
  input: DocumentFormatName;
  output: DocumentFormatName;
  /** Maximum characters of the text, by the account's plan. */
  maxCharacters: number;
  /** Whether the target language is in beta and therefore free of charge. */
  isFree: boolean;
}

/** Returns the characters to be billed for a document, in Unicode code points. */
export function billedCharacters(wish: DocumentWish, characters: number): number {
  const { billing } = documentFormat(wish.input);
  if (wish.isFree || billing === 'free') return 0;
  return billing === 'minimum' ? Math.max(MINIMUM_BILLED_CHARACTERS, characters) : characters;
}

/** What is known of a document when it is claimed. */
interface DocumentSize {
  /** The owner's order, as JSON. */
  order: string;
  sizeBytes: number;
}

/** Running estimate of when a document will be done, from the progress so far. */
interface DocumentEstimate {
  /** @param share share of the work that is done by now, from 0 to 1 */
  note(share: number, atMs: number): void;
  /** In ms since the epoch, a whole number. */
  finishAtMs(): number;
}

/** Estimates the duration of a document that nothing is known about yet, in ms; errs on the long side. */
export function firstEstimateMs({ order, sizeBytes }: DocumentSize): number {
  const { input } = JSON.parse(order) as Pick<DocumentWish, 'input'>;
  return firstOf(input, sizeBytes);
}

/** Smallest share of the work from which the rest can be extrapolated. */
const TELLING_SHARE = 0.02;

/** @param startedAtMs when the worker started on the document */
export function createDocumentEstimate({
  startedAtMs,
  ...size
}: DocumentSize & { startedAtMs: number }): DocumentEstimate {
  // Work that an earlier worker has done took this one no time, so the first report is the baseline.
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
