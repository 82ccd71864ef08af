/** Sentences of a document in the portions in which they are translated. */
import { plainText } from '../../text/text-segment.ts';
import type { DocumentSentence } from '../formats/document-sentences.ts';

export interface SentenceBatch {
  sentences: readonly DocumentSentence[];
  /** What stands before and after them, for engines that take it in. */
  context: string;
}

/**
 * Few enough that progress is told and kept every few seconds even with a slow engine; as many as a
 * chat model is asked for at once.
 */
const MAX_SENTENCES = 24;
const MAX_LENGTH = 4_000;
/** Context in UTF-16 units: some sentences. What comes before tells more than what follows. */
const CONTEXT_BEFORE = 600;
const CONTEXT_AFTER = 200;

/** Batches in reading order, without the sentences that are `done`. */
export function batchesOf(
  sentences: readonly DocumentSentence[],
  isDone: (sentence: DocumentSentence) => boolean,
): SentenceBatch[] {
  const batches: SentenceBatch[] = [];
  let begun: { index: number; sentence: DocumentSentence }[] = [];
  let length = 0;
  const end = (): void => {
    const first = begun[0];
    const last = begun.at(-1);
    if (first === undefined || last === undefined) return;
    batches.push({
      sentences: begun.map(({ sentence }) => sentence),
      context: contextOf(sentences, first.index, last.index + 1),
    });
    begun = [];
    length = 0;
  };
  for (const [index, sentence] of sentences.entries()) {
    if (isDone(sentence)) continue;
    const own = plainText(sentence.segment).length;
    // Those that an engine may divide are asked for in another way than those it must not.
    const isOther = begun.length > 0 && begun[0]?.sentence.isWhole !== sentence.isWhole;
    if (isOther || begun.length >= MAX_SENTENCES || length + own > MAX_LENGTH) end();
    begun.push({ index, sentence });
    length += own;
  }
  end();
  return batches;
}

function contextOf(sentences: readonly DocumentSentence[], start: number, end: number): string {
  let before = '';
  for (let index = start - 1; index >= 0 && before.length < CONTEXT_BEFORE; index -= 1) {
    before = `${textAt(sentences, index)} ${before}`;
  }
  let after = '';
  for (let index = end; index < sentences.length && after.length < CONTEXT_AFTER; index += 1) {
    after += ` ${textAt(sentences, index)}`;
  }
  return `${lastWords(before, CONTEXT_BEFORE)} ${firstWords(after, CONTEXT_AFTER)}`.trim();
}

function textAt(sentences: readonly DocumentSentence[], index: number): string {
  const sentence = sentences[index];
  return sentence === undefined ? '' : plainText(sentence.segment);
}

function lastWords(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : text
        .slice(-maxLength)
        .replace(/^\S*\s/, '')
        .trim();
}

function firstWords(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : text
        .slice(0, maxLength)
        .replace(/\s\S*$/, '')
        .trim();
}
