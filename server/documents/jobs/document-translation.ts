/** Translates one document, from the uploaded bytes to those of the result. */
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { plainText, type TextSegment } from '../../text/text-segment.ts';
import type { SegmentTranslationOptions } from '../../translation/translation.ts';
import type { Translator, WishResolver } from '../../translation/wishes.ts';
import { checkLength } from '../formats/format.ts';
import type { DocumentWish } from './document-order.ts';
import type { DocumentProcess } from './document-process.ts';
import type { DocumentSentence } from './document-sentences.ts';

/** Saved translations of a document, so that a later worker resumes where an earlier one ended. */
export interface TranslationProgress {
  /** The saved parts, oldest first. */
  parts(): AsyncIterable<Uint8Array>;
  /** Resolves when the part is stored durably. @throws what ends the job, such as a lost claim */
  keep(part: Uint8Array): Promise<void>;
}

export interface DocumentWork {
  file: Uint8Array;
  accountId: string;
  wish: DocumentWish;
  progress: TranslationProgress;
  /** Called often with the share of the work that is done, from 0 to 1; it never decreases. */
  onShare: (share: number) => void;
  signal: AbortSignal;
}

export interface DocumentTranslator {
  /**
   * @returns the translated file, and the Unicode code points of its text
   * @throws DocumentError for a file that cannot be translated, with a message for its owner; FormatFailure
   *   for a bug in a format; ServiceError for what engines, glossaries and languages refuse; the signal's
   *   reason; another Error when the document's process ended, in which case a retry may succeed
   */
  translate(work: DocumentWork): Promise<{ file: Uint8Array; characters: number }>;
}

export interface DocumentTranslatorOptions {
  wishes: WishResolver;
  /** Source of processes that read and write files. */
  processes: { take(signal: AbortSignal): Promise<FileProcess> };
}

type FileProcess = Pick<DocumentProcess, 'ended' | 'open' | 'sentences' | 'write' | 'end'>;

/** Shares of the work after opening and after translating, which takes most of the time. */
const OPENED = 0.05;
const TRANSLATED = 0.95;

/** Creates the translator; each document gets a process of its own while it is translated. */
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

/** @param abort ends the work when the process ends */
async function inOwnProcess(
  work: DocumentWork,
  abort: AbortController,
  options: DocumentTranslatorOptions,
): Promise<{ file: Uint8Array; characters: number }> {
  const { wish, file, onShare } = work;
  const { wishes, processes } = options;
  const process = await processes.take(work.signal);
  // Without the process, no one can write the result, so requests to engines are pointless.
  process.ended.catch((reason: unknown) => abort.abort(reason));
  try {
    const { input, source, target, output, maxCharacters } = wish;
    const opening = { source, target, output, maxCharacters };
    const { characters, sample, declared } = await process.open(file, input, opening);
    checkLength(characters, maxCharacters);
    onShare(OPENED);
    const origin = { ...work, declared };
    const [language = baseLanguage(target)] = await wishes.sourcesOf([sample], wish, origin);
    const { translations, kept } = await translateSentences(process, language, work, options);
    onShare(TRANSLATED);
    const writing = process.write(translations, { source: language, target });
    // Both have settled before a failure is reported, so nothing is left in progress.
    await Promise.allSettled([writing, kept]);
    const [written] = await Promise.all([writing, kept]);
    onShare(1);
    return { file: written, characters };
  } finally {
    // Not awaited: the document is finished before its process is gone.
    process.end();
  }
}

interface TranslatedSentences {
  /** By sentence key. */
  translations: ReadonlyMap<string, TextSegment>;
  /** Resolves when all translations are saved. */
  kept: Promise<void>;
}

async function translateSentences(
  process: FileProcess,
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

// Saved progress: translated sentences by key, in parts of JSON.

/** Reads the saved translations; an unreadable part counts as empty. */
async function readProgress(
  progress: Pick<TranslationProgress, 'parts'>,
): Promise<Map<string, TextSegment>> {
  const translations = new Map<string, TextSegment>();
  for await (const part of progress.parts()) {
    for (const [key, segment] of entriesOf(part)) translations.set(key, segment);
  }
  return translations;
}

/** Encodes a part for {@link readProgress}. */
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

// Translates batches of sentences, several at a time.

/** Batches in parallel: the number of concurrent requests that remote engines get. */
const PARALLEL_BATCHES = 4;

interface BatchTranslationOptions {
  translator: Translator;
  /** Options shared by all batches; each batch adds its own context. */
  asked: Pick<SegmentTranslationOptions, 'source' | 'target' | 'signal'>;
  /** Receives the translations of a batch by key; resolves when the next batch may start. */
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
    // No further batch starts, and none is in progress when this function returns.
    hasFailed = true;
    next = batches.length;
    await Promise.allSettled(runs);
    throw error;
  }
}

// Sentences of a document in batches for the engine.

interface SentenceBatch {
  sentences: readonly DocumentSentence[];
  /** Text before and after the batch, for engines that use context. */
  context: string;
}

/**
 * Batch limits, in sentences and UTF-16 units: small enough that progress is reported and saved
 * every few seconds even with a slow engine, and no more than a chat model is asked at once.
 */
const MAX_SENTENCES = 24;
const MAX_LENGTH = 4_000;
/** Context in UTF-16 units, a few sentences. Preceding text helps more than following text. */
const CONTEXT_BEFORE = 600;
const CONTEXT_AFTER = 200;

/** Returns batches in reading order, without the sentences that are `done`. */
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
    // Sentences that an engine may split and those that it must not go into separate requests.
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
