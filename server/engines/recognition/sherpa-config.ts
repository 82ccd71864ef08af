/** Configuration of sherpa-onnx for a model and for the hotwords it should favour. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Type from 'typebox';
import { RECOGNITION_RATE_HZ } from '../engine.ts';

/** Settings for everything that runs on sherpa-onnx, voices included. */
export const sherpaSettings = {
  SHERPA_THREADS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'Threads for each decoding with a local model.',
  }),
};

/** What a child process needs to know about a model. */
export interface SherpaModel {
  family: string;
  /** Absolute paths by role. */
  files: Record<string, string>;
  modelingUnit?: string;
  modelType?: string;
}

/** Argument of a child's command line, as JSON. */
export interface SherpaChildOptions {
  model: SherpaModel;
  /** Model that adds capitals and punctuation. */
  punctuation: SherpaModel | undefined;
  /** Words and phrases to favour. */
  hotwords: readonly string[];
  /** Threads per decoding. */
  threads: number;
}

/** Boost for hotwords: the usual value in sherpa-onnx's documentation. */
const HOTWORDS_SCORE = 1.5;

const onlineSections: Readonly<Record<string, string>> = {
  'streaming-transducer': 'transducer',
  'streaming-paraformer': 'paraformer',
  'streaming-zipformer-ctc': 'zipformer2Ctc',
  'streaming-nemo-ctc': 'nemoCtc',
  'streaming-tone-ctc': 'toneCtc',
};

const offlineSections: Readonly<Record<string, string>> = {
  transducer: 'transducer',
  'nemo-transducer': 'transducer',
  whisper: 'whisper',
  canary: 'canary',
  'fire-red-asr': 'fireRedAsr',
  'moonshine-v1': 'moonshine',
  'sense-voice': 'senseVoice',
  paraformer: 'paraformer',
  'nemo-ctc': 'nemoCtc',
  'zipformer-ctc': 'zipformerCtc',
  dolphin: 'dolphin',
};

/** Whether a model family recognises speech while it is spoken, in contrast to whole recordings. */
export function isStreaming(family: string): boolean {
  return Object.hasOwn(onlineSections, family);
}

/** Returns the configuration of an `OnlineRecognizer`. */
export function onlineConfig(options: SherpaChildOptions, bpeVocab?: string) {
  const { model, hotwords } = options;
  return {
    featConfig: { sampleRate: RECOGNITION_RATE_HZ, featureDim: 80 },
    modelConfig: {
      ...sectionOf(onlineSections, model),
      ...common(options, bpeVocab),
    },
    // The voice path determines where utterances end.
    enableEndpoint: 0,
    ...searchFor(hotwords),
    // Passed in memory rather than in a file, because spoken terms are private.
    ...(hotwords.length > 0 && hotwordsBuffer(hotwords)),
  };
}

/** Returns the configuration of an `OfflineRecognizer`, with the language if the family needs it. */
export function offlineConfig(
  options: SherpaChildOptions,
  { language = '', bpeVocab }: { language?: string; bpeVocab?: string | undefined },
) {
  const { model, hotwords } = options;
  const section = sectionOf(offlineSections, model);
  return {
    featConfig: { sampleRate: RECOGNITION_RATE_HZ, featureDim: 80 },
    modelConfig: {
      ...withLanguage(section, model.family, language),
      ...common(options, bpeVocab),
      ...(model.family === 'nemo-transducer' && { modelType: 'nemo_transducer' }),
    },
    ...searchFor(hotwords),
    ...(hotwords.length > 0 && hotwordsBuffer(hotwords)),
  };
}

/** Hotwords need a beam search; without them a greedy search is enough. */
function searchFor(hotwords: readonly string[]) {
  if (hotwords.length === 0) return { decodingMethod: 'greedy_search' };
  return {
    decodingMethod: 'modified_beam_search',
    maxActivePaths: 4,
    hotwordsScore: HOTWORDS_SCORE,
  };
}

function hotwordsBuffer(hotwords: readonly string[]) {
  const hotwordsBuf = `${hotwords.join('\n')}\n`;
  return { hotwordsBuf, hotwordsBufSize: Buffer.byteLength(hotwordsBuf) };
}

function common(
  { model: { files, modelingUnit, modelType }, hotwords, threads }: SherpaChildOptions,
  bpeVocab: string | undefined,
) {
  return {
    tokens: files['tokens'] ?? '',
    numThreads: threads,
    provider: 'cpu',
    debug: 0,
    ...(modelType !== undefined && { modelType }),
    // When these are set without hotwords, sherpa-onnx demands a vocabulary that is not needed.
    ...(hotwords.length > 0 && {
      ...(modelingUnit !== undefined && { modelingUnit }),
      ...(bpeVocab !== undefined && { bpeVocab }),
    }),
  };
}

function sectionOf(sections: Readonly<Record<string, string>>, { family, files }: SherpaModel) {
  // These files are configured beside the section.
  const common = ['tokens', 'bpeModel', 'bpeVocab'];
  const own = Object.entries(files).filter(([role]) => !common.includes(role));
  return { [sections[family] ?? family]: Object.fromEntries(own) };
}

function withLanguage(section: Record<string, object>, family: string, language: string) {
  const settings: Readonly<Record<string, object>> = {
    whisper: { language, task: 'transcribe' },
    canary: { srcLang: language || 'en', tgtLang: language || 'en', usePnc: 1 },
    'sense-voice': { language: 'auto', useInverseTextNormalization: 1 },
  };
  const own = settings[family];
  if (own === undefined) return section;
  return Object.fromEntries(
    Object.entries(section).map(([name, files]) => [name, { ...files, ...own }]),
  );
}

/** Returns the configuration of an `OnlinePunctuation` or `OfflinePunctuation`. */
export function punctuationConfig({ family, files }: SherpaModel) {
  const { model, bpeVocab } = files;
  const common = { numThreads: 1, provider: 'cpu', debug: 0 };
  return family === 'online-punctuation'
    ? { model: { cnnBilstm: model, bpeVocab, ...common } }
    : { model: { ctTransformer: model, ...common } };
}

// Spoken terms as hotwords: phrases that can be spelled with a model's tokens.

/** Families that sherpa-onnx can bias. */
const BIASED = new Set(['streaming-transducer', 'transducer', 'nemo-transducer']);

/** Whether a model can use hotwords: it must be a transducer whose token units are known. */
export function hearsHotwords({ family, files, modelingUnit }: SherpaModel): boolean {
  if (!BIASED.has(family)) return false;
  const hasPieces = files['bpeModel'] !== undefined || files['bpeVocab'] !== undefined;
  return hasPieces || modelingUnit === 'cjkchar';
}

/** Returns the hotwords a model can use, in the letter case of its tokens; none if it cannot be biased. */
export function spellableHotwords({ model, hotwords }: SherpaChildOptions): {
  hotwords: string[];
  /** File with the word pieces. */
  bpeVocab: string | undefined;
  /** Must be called once the recogniser has read the file. */
  release: () => void;
} {
  if (hotwords.length === 0 || !hearsHotwords(model)) {
    return { hotwords: [], bpeVocab: undefined, release: () => {} };
  }
  const tokens = readFileSync(model.files['tokens'] ?? '', 'utf8');
  const withoutMarks = tokens.replaceAll(/<[^<>\s]*>/g, '');
  const isUpper = /\p{Lu}/u.test(withoutMarks) && !/\p{Ll}/u.test(withoutMarks);
  const isLower = !/\p{Lu}/u.test(withoutMarks);
  // Each line is one phrase, and ` :2.0`, `#` and `@` would be parsed as commands.
  const phrases = hotwords
    .map((term) => term.replaceAll(/[\s:#@/]+/g, ' ').trim())
    .filter((term) => term !== '')
    .map((term) => (isUpper ? term.toUpperCase() : isLower ? term.toLowerCase() : term));
  return { hotwords: [...new Set(phrases)], ...vocabularyOf(model) };
}

/**
 * Returns the word-piece list that sherpa-onnx reads, generated from the model's SentencePiece file if
 * necessary.
 */
function vocabularyOf({ files }: SherpaModel): {
  bpeVocab: string | undefined;
  release: () => void;
} {
  const { bpeVocab, bpeModel } = files;
  if (bpeVocab !== undefined || bpeModel === undefined) return { bpeVocab, release: () => {} };
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-pieces-'));
  const file = path.join(folder, 'bpe.vocab');
  const lines = readSentencePieces(readFileSync(bpeModel)).map(
    ({ piece, score }) => `${piece}\t${score}`,
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { bpeVocab: file, release: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Reads the pieces of a SentencePiece model: field 1 of its protobuf is a list of pieces, each with its text
 * in field 1 and its score, a float, in field 2.
 */

interface SentencePiece {
  piece: string;
  score: number;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** @throws RangeError when the bytes are not such a model */
function readSentencePieces(model: Buffer): SentencePiece[] {
  const pieces: SentencePiece[] = [];
  for (const { number, bytes } of fields(model)) {
    if (number !== 1) continue;
    const entry: SentencePiece = { piece: '', score: 0 };
    for (const part of fields(bytes)) {
      if (part.number === 1) entry.piece = part.bytes.toString('utf8');
      if (part.number === 2) entry.score = part.bytes.readFloatLE(0);
    }
    pieces.push(entry);
  }
  return pieces;
}

function* fields(message: Buffer): Generator<{ number: number; bytes: Buffer }> {
  for (let at = 0; at < message.length;) {
    const tag = varint(message, at);
    const { end, next } = extent(message, tag.next, tag.value & 7);
    if (next > message.length) throw new RangeError('A protobuf message is cut short');
    yield { number: tag.value >>> 3, bytes: message.subarray(end, next) };
    at = next;
  }
}

/** Returns where the content of a field begins (the `end` of its prefix) and where the next field begins. */
function extent(message: Buffer, at: number, wireType: number): { end: number; next: number } {
  switch (wireType) {
    case VARINT:
      return { end: at, next: varint(message, at).next };
    case FIXED_64:
      return { end: at, next: at + 8 };
    case FIXED_32:
      return { end: at, next: at + 4 };
    case LENGTH_DELIMITED: {
      const length = varint(message, at);
      return { end: length.next, next: length.next + length.value };
    }
    default:
      throw new RangeError('A protobuf field has an unknown type');
  }
}

function varint(message: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7, at += 1) {
    const byte = message[at];
    if (byte === undefined) break;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, next: at + 1 };
  }
  // Longer varints are negative numbers, which pieces do not use; they are skipped.
  while ((message[at] ?? 0) >= 128) at += 1;
  return { value, next: at + 1 };
}
