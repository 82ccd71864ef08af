/** Translates one document, from the bytes that were uploaded to those of the result. */
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { plainText, type TextSegment } from '../../text/text-segment.ts';
import type { SegmentTranslationOptions } from '../../translation/translation.ts';
import type { Translator, WishResolver } from '../../translation/wishes.ts';
import { checkLength } from '../formats/format.ts';
import type { DocumentWish } from './document-order.ts';
import type { DocumentProcess, DocumentProcesses } from './document-process.ts';
import type { DocumentSentence } from './document-sentences.ts';

/** What was translated before a worker ended, so that the next one need not do it again. */
export interface TranslationProgress {
  /** The parts that were kept, oldest first. */
  parts(): AsyncIterable<Uint8Array>;
  /** Resolves when the part is safe. @throws what ends the job: it is another worker's by now */
  keep(part: Uint8Array): Promise<void>;
}

export interface DocumentWork {
  file: Uint8Array;
  accountId: string;
  wish: DocumentWish;
  progress: TranslationProgress;
  /** Called often with the share of the work that is done, from 0 to 1, never falling. */
  onShare: (share: number) => void;
  signal: AbortSignal;
}

export interface DocumentTranslator {
  /**
   * @returns the translated file, and Unicode code points of its text
   * @throws DocumentError for a file that cannot be translated, with words for its owner; FormatFailure
   *   for a fault of ours; ServiceError for what engines, glossaries and languages refuse; the signal's
   *   reason; another Error when the process that had the file ended, which may go better next time
   */
  translate(work: DocumentWork): Promise<{ file: Uint8Array; characters: number }>;
}

export interface DocumentTranslatorOptions {
  wishes: WishResolver;
  /** Those that read and write files. */
  processes: Pick<DocumentProcesses, 'take'>;
}

/** Shares of the work: translating takes most of it. */
const OPENED = 0.05;
const TRANSLATED = 0.95;

/** Makes the service; each document gets a process of its own while it is translated. */
export function createDocumentTranslator(options: DocumentTranslatorOptions): DocumentTranslator {
  return {
    async translate(work) {
      const abort = new AbortController();
      const forward = () => abort.abort(work.signal.reason);
      work.signal.throwIfAborted();
      work.signal.addEventListener('abort', forward, { once: true });
      try {
        return await inOwnProcess({ ...work, signal: abort.signal }, abort, options);
      } finally {
        work.signal.removeEventListener('abort', forward);
      }
    },
  };
}

/** @param abort of the work, to end it with the process */
async function inOwnProcess(
  work: DocumentWork,
  abort: AbortController,
  options: DocumentTranslatorOptions,
): Promise<{ file: Uint8Array; characters: number }> {
  const { wish, file, onShare } = work;
  const { wishes, processes } = options;
  const process = await processes.take(work.signal);
  // Without the process there is nobody to write what engines are asked for.
  process.ended.catch((reason: unknown) => abort.abort(reason));
  try {
    const { input, source, target, output, maxCharacters } = wish;
    const opening = { source, target, output, maxCharacters };
    const { characters, sample } = await process.open(file, input, opening);
    checkLength(characters, maxCharacters);
    onShare(OPENED);
    const [language = baseLanguage(target)] = await wishes.sourcesOf([sample], wish, work);
    const { translations, kept } = await translateSentences(process, language, work, options);
    onShare(TRANSLATED);
    const writing = process.write(translations, { source: language, target });
    // Whoever learns that it failed is to find nothing under way.
    await Promise.allSettled([writing, kept]);
    const [written] = await Promise.all([writing, kept]);
    onShare(1);
    return { file: written, characters };
  } finally {
    // The document does not wait until it is gone.
    process.end();
  }
}

interface TranslatedSentences {
  /** By key. */
  translations: ReadonlyMap<string, TextSegment>;
  /** Resolves when all of them are kept. */
  kept: Promise<void>;
}

async function translateSentences(
  process: DocumentProcess,
  source: LanguageTag,
  { accountId, wish, progress, onShare, signal }: DocumentWork,
  { wishes }: DocumentTranslatorOptions,
): Promise<TranslatedSentences> {
  const { target } = wish;
  const [different, translations] = await Promise.all([
    process.sentences(source),
    readProgress(progress),
  ]);
  let kept = Promise.resolve();
  if (different.length === 0) return { translations: new Map(), kept };
  if (baseLanguage(source) === baseLanguage(target)) {
    throw new ServiceError('invalid_request', 'Source and target language are equal.');
  }
  const translator = await wishes.settle(wish, { accountId, sources: [source] });
  const batches = batchesOf(different, ({ key }) => translations.has(key));
  const all = lengthOf(different);
  let left = lengthOf(batches.flatMap(({ sentences }) => sentences));
  const reportShare = () => onShare(TRANSLATED - (left / all) * (TRANSLATED - OPENED));
  reportShare();
  const translating = translateBatches(batches, {
    translator,
    asked: { source, target, signal },
    onBatch(done, batch) {
      const before = kept;
      kept = before.then(() => progress.keep(progressPart(done)));
      kept.catch(() => undefined);
      for (const [key, segment] of done) translations.set(key, segment);
      left -= lengthOf(batch.sentences);
      reportShare();
      return before;
    },
  });
  await translating.catch(async (error: unknown) => {
    await kept.catch(() => undefined);
    throw error;
  });
  return { translations, kept };
}

function lengthOf(sentences: readonly DocumentSentence[]): number {
  return sentences.reduce((sum, { segment }) => sum + plainText(segment).length, 0);
}

// What is kept of a translation while it goes on: sentences by key, in parts that are JSON.

/** The translations that were kept; a part that cannot be read is as good as none. */
async function readProgress(
  progress: Pick<TranslationProgress, 'parts'>,
): Promise<Map<string, TextSegment>> {
  const translations = new Map<string, TextSegment>();
  for await (const part of progress.parts()) {
    for (const [key, segment] of entriesOf(part)) translations.set(key, segment);
  }
  return translations;
}

/** A part that {@link readProgress} reads. */
function progressPart(translations: ReadonlyMap<string, TextSegment>): Uint8Array {
  return Buffer.from(JSON.stringify([...translations]));
}

type Entry = readonly [key: string, segment: TextSegment];

function entriesOf(part: Uint8Array): Entry[] {
  try {
    const entries: unknown = JSON.parse(Buffer.from(part).toString('utf8'));
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is Entry {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]);
}

// Translates batches of sentences, some at a time.

/** As many requests as engines elsewhere are sent at once. */
const PARALLEL_BATCHES = 4;

interface BatchTranslationOptions {
  translator: Translator;
  /** Of all of them; the context is that of each batch. */
  asked: Pick<SegmentTranslationOptions, 'source' | 'target' | 'signal'>;
  /** Given the translations of each batch by key; resolves when another may be begun. */
  onBatch: (translations: ReadonlyMap<string, TextSegment>, batch: SentenceBatch) => Promise<void>;
}

/** @throws ServiceError as `translateSegments`; the signal's reason; what `onBatch` throws */
async function translateBatches(
  batches: readonly SentenceBatch[],
  { translator, asked, onBatch }: BatchTranslationOptions,
): Promise<void> {
  let next = 0;
  let hasFailed = false;

  async function translateWaiting(): Promise<void> {
    for (let batch = batches[next]; batch !== undefined; batch = batches[next]) {
      next += 1;
      const { context, sentences } = batch;
      const { segments } = await translator.translateSegments(
        sentences.map(({ segment }) => segment),
        { ...asked, context, sentences: sentences[0]?.isWhole === true ? 'whole' : 'split' },
      );
      if (hasFailed) return;
      const done = new Map(sentences.map(({ key, segment }, i) => [key, segments[i] ?? segment]));
      await onBatch(done, batch);
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

// Sentences of a document in the portions in which they are translated.

interface SentenceBatch {
  sentences: readonly DocumentSentence[];
  /** What stands before and after them, for engines that take it in. */
  context: string;
}

/**
 * Few enough that progress is reported and kept every few seconds even with a slow engine; as many as a
 * chat model is asked for at once.
 */
const MAX_SENTENCES = 24;
const MAX_LENGTH = 4_000;
/** Context in UTF-16 units: some sentences. What comes before helps more than what follows. */
const CONTEXT_BEFORE = 600;
const CONTEXT_AFTER = 200;

/** Batches in reading order, without the sentences that are `done`. */
function batchesOf(
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
