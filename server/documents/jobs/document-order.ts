/**
 * What a document is to become, what it costs and how long it takes: made when it is uploaded, read by the
 * worker that translates it.
 */
import type { Wishes } from '../../translation/wishes.ts';
import {
  documentFormat,
  type DocumentFormatName,
  firstEstimateMs as firstOf,
  MINIMUM_BILLED_CHARACTERS,
} from '../formats/index.ts';

/** An order that has been checked; plain data, kept as JSON. */
export interface DocumentWish extends Wishes {
  input: DocumentFormatName;
  output: DocumentFormatName;
  /** Most characters of the text, by the plan of the account. */
  maxCharacters: number;
  /** Whether the target is in beta and costs nothing. */
  isFree: boolean;
}

/** What a document costs, in Unicode code points. */
export function billedCharacters(wish: DocumentWish, characters: number): number {
  const { billing } = documentFormat(wish.input);
  if (wish.isFree || billing === 'free') return 0;
  return billing === 'minimum' ? Math.max(MINIMUM_BILLED_CHARACTERS, characters) : characters;
}

/** What is known of a document when it is taken. */
interface DocumentSize {
  /** What its owner wants, as JSON. */
  order: string;
  sizeBytes: number;
}

/** When a document will be done, as far as is known from what is done of it. */
interface DocumentEstimate {
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

/** A smaller share says little about the rest. */
const TELLING_SHARE = 0.02;

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
