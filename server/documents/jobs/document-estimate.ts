/** When a document will be done, as far as is known from what is done of it. */
import type { DocumentFormatName } from '../../../shared/document-formats.ts';
import type { DocumentWish } from './document-order.ts';

type FirstMs = readonly [least: number, perByte: number];

/** Compressed, and most of the large ones is pictures; read, and often drawn, page by page. */
const PAGES: FirstMs = [6_000, 0.01];
/** Much of it is no text. */
const MARKUP: FirstMs = [3_000, 0.05];
/** Text recognition takes its time with small pictures, too. */
const PICTURE: FirstMs = [10_000, 0.01];

/**
 * Before anything is known of a document, by the time that its kind takes with a slow engine on a busy
 * machine: a time that was too long gets shorter with the first beats, one that was too short would
 * have to be taken back. In ms.
 */
const FIRST_MS: Record<DocumentFormatName, FirstMs> = {
  ...{ docx: PAGES, doc: PAGES, pptx: PAGES, xlsx: PAGES, pdf: PAGES },
  txt: [3_000, 0.1],
  ...{ html: MARKUP, xliff: MARKUP, srt: MARKUP, vtt: MARKUP },
  ...{ jpeg: PICTURE, png: PICTURE },
};
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
  const [leastMs, msPerByte] = FIRST_MS[input];
  return leastMs + sizeBytes * msPerByte;
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
