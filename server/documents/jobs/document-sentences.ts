/** Deduplicates the sentences of a document, and rebuilds its blocks from their translations. */
import { createHash } from 'node:crypto';
import type { LanguageTag } from '../../../shared/language.ts';
import { repairMarks } from '../../text/repair.ts';
import { layOutSentences } from '../../text/markup/segment-layout.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import { plainText, type TextSegment } from '../../text/text-segment.ts';
import { DocumentError, type DocumentBlock } from '../formats/format.ts';

/** A sentence, or a block that could not be cut into sentences. */
export interface DocumentSentence {
  segment: TextSegment;
  /** Hash of text and marks; equal in every process for equal segments. */
  key: string;
  /** Whether the segment is a single sentence, name or heading; engines may split other segments. */
  isWhole: boolean;
}

/**
 * Maximum marks in a sentence. Each costs several objects on its way through engines; real documents
 * have some dozens.
 */
const MAX_SENTENCE_MARKS = 4_000;
/** Maximum marks in a block. Cutting a block takes about 2.5 KB per mark, all at the same time. */
const MAX_BLOCK_MARKS = 60_000;
/** Maximum marks in a document: as many as a long book in which every word has a format of its own. */
const MAX_DOCUMENT_MARKS = 400_000;

/**
 * Refuses documents with more inline markup than can be carried through a translation.
 *
 * @throws DocumentError
 */
export function checkMarks(blocks: readonly DocumentBlock[]): void {
  let all = 0;
  for (const { segment } of blocks) {
    const own = marksOf(segment);
    if (own > MAX_BLOCK_MARKS) throw tooManyMarks();
    all += own;
  }
  if (all > MAX_DOCUMENT_MARKS) throw tooManyMarks();
}

/**
 * Returns the distinct sentences in order of first occurrence, without those that have nothing to translate.
 *
 * @throws DocumentError when a sentence has more marks than can be carried through a translation
 */
export function differentSentences(
  blocks: readonly DocumentBlock[],
  language: LanguageTag,
): DocumentSentence[] {
  const different = new Map<string, DocumentSentence>();
  for (const block of blocks) {
    for (const segment of layOut(block, language).segments) {
      const key = keyOf(segment);
      if (different.has(key) || isCode(segment)) continue;
      if (marksOf(segment) > MAX_SENTENCE_MARKS) throw tooManyMarks();
      const isWhole = block.kind === 'unit' || isOneSentence(segment, language);
      different.set(key, { segment, key, isWhole });
    }
  }
  return [...different.values()];
}

/**
 * Returns the text of the blocks with their sentences replaced. The blocks are cut again: keeping
 * the sentences would cost more memory than cutting costs time.
 *
 * @param translations translated sentences by key; sentences without one stay as they are
 */
export function translatedBlocks(
  blocks: readonly DocumentBlock[],
  {
    language,
    translations,
  }: { language: LanguageTag; translations: ReadonlyMap<string, TextSegment> },
): TextSegment[] {
  return blocks.map((block) => {
    const { segment } = block;
    if (translations.size === 0) return segment;
    const layout = layOut(block, language);
    if (layout.segments.length === 0) return segment;
    const translated = layout.segments.map((each) => translations.get(keyOf(each)) ?? each);
    return repairMarks(segment, layout.render(translated));
  });
}

function layOut({ segment, kind }: DocumentBlock, language: LanguageTag) {
  return layOutSentences(segment, { cuts: kind === 'paragraph', language });
}

/** Hashes a sentence. Marks are numbered from 1 in reading order, so equal JSON means equal structure. */
function keyOf(segment: TextSegment): string {
  const structure = JSON.stringify(segment);
  return createHash('sha256').update(structure).digest('base64url').slice(0, 22);
}

function marksOf(segment: TextSegment): number {
  let count = 0;
  for (const part of segment) if (typeof part !== 'string') count += 1;
  return count;
}

function isOneSentence(segment: TextSegment, language: LanguageTag): boolean {
  return sentenceEnds(plainText(segment), { language, atLineBreaks: false }).length === 1;
}

/** Two tests instead of one pattern with a digit in its middle, which would scan from every position. */
const CODE_LETTERS = /^[\p{Lu}\p{N}\p{P}\p{S}]+$/u;
const FIGURE = /\p{N}/u;

/** One word of capitals, digits and signs, with at least one digit: `ISO-9001`, `A4`, `XK/200.7`. */
function isCode(segment: TextSegment): boolean {
  const text = plainText(segment).trim();
  return CODE_LETTERS.test(text) && FIGURE.test(text);
}

function tooManyMarks(): DocumentError {
  return new DocumentError(
    'The document changes its formatting too often within its text to be translated. Remove the formatting that is not needed, or save it as plain text, and send it again.',
  );
}
