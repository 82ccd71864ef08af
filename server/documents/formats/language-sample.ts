/** Enough of a document to tell its language. */
import { plainText, type TextSegment } from '../../text/text-segment.ts';
import type { DocumentBlock } from './format.ts';

/** Names, addresses and headings tell less than sentences do; in UTF-16 units. */
const TELLING_LENGTH = 40;
/** Detectors look at about as much text as these have together. */
const MAX_BLOCKS = 40;
const MAX_BLOCK_LENGTH = 200;

/**
 * Text from paragraphs all over the document: the first page may be in another language. Where there
 * are none, from whatever text there is; empty where there is none.
 */
export function languageSample(blocks: readonly DocumentBlock[]): TextSegment[] {
  const telling = blocks.filter(({ segment }) => plainText(segment).length >= TELLING_LENGTH);
  const candidates = telling.length > 0 ? telling : blocks;
  const stride = Math.max(1, candidates.length / MAX_BLOCKS);
  return Array.from({ length: Math.min(MAX_BLOCKS, candidates.length) }, (_, index) => {
    const text = plainText(candidates[Math.floor(index * stride)]?.segment ?? []);
    // None takes the place of the others.
    return [text.slice(0, MAX_BLOCK_LENGTH)];
  });
}
