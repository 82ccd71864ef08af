/** The sentences of a document, each different one once, and its blocks made of their translations. */
import { createHash } from 'node:crypto';
import type { LanguageTag } from '../../../shared/language.ts';
import { repairMarks } from '../../text/repair.ts';
import { layOutSentences } from '../../text/markup/segment-layout.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import { plainText, type TextSegment } from '../../text/text-segment.ts';
import { DocumentError, type DocumentBlock } from '../formats/format.ts';

/** A sentence, or what could not be cut into sentences. */
export interface DocumentSentence {
  segment: TextSegment;
  /** The same for the same text with the same marks, in every process. */
  key: string;
  /** Whether it is one sentence, name or heading; an engine may divide the others. */
  isWhole: boolean;
}

/** Marks are small, but each has objects on its way through engines; people write some dozens. */
const MAX_SENTENCE_MARKS = 4_000;
/** What a block costs while it is cut: about 2.5 KB a mark, all of it at the same time. */
const MAX_BLOCK_MARKS = 60_000;
/** Every word of a long book in a format of its own has as many. */
const MAX_DOCUMENT_MARKS = 400_000;

/**
 * Refuses documents whose inline markup is beyond what can be carried through a translation.
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
 * In order of their first occurrence; what has nothing to translate is left out.
 *
 * @throws DocumentError when one has more marks than can be carried through a translation
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
 * The blocks with their sentences replaced. They are cut anew: what was cut before takes more memory
 * to keep than time to find again.
 *
 * @param translations by key; what is missing stays as it is
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

/** Marks are numbered from 1 in reading order: the structure is the same where this is. */
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

/** Two looks rather than one pattern with a figure in its middle, which would look from each place. */
const CODE_LETTERS = /^[\p{Lu}\p{N}\p{P}\p{S}]+$/u;
const FIGURE = /\p{N}/u;

/** One word of capitals, figures and signs, with a figure: `ISO-9001`, `A4`, `XK/200.7`. */
function isCode(segment: TextSegment): boolean {
  const text = plainText(segment).trim();
  return CODE_LETTERS.test(text) && FIGURE.test(text);
}

function tooManyMarks(): DocumentError {
  return new DocumentError(
    'The document changes its formatting too often within its text to be translated. Remove the formatting that is not needed, or save it as plain text, and send it again.',
  );
}
