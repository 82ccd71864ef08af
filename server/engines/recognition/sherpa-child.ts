/** The child process that hears several utterances at a time with one model; see hearing-protocol.ts. */
import { readFileSync } from 'node:fs';
import type { LanguageTag } from '../../../shared/language.ts';
import { FrameReader } from '../../process/index.ts';
import { RECOGNITION_RATE_HZ, type Word } from '../engine.ts';
import {
  fail,
  floats,
  fromHearing,
  type HeardPart,
  type HearingOpening,
  NUMBER_BYTES,
  numbered,
  send,
  tell,
  toHearing,
} from './hearing-protocol.ts';
import { createRepeats } from './utterance.ts';
import {
  isStreaming,
  offlineConfig,
  onlineConfig,
  punctuationConfig,
  type SherpaChildOptions,
  spellableHotwords,
} from './sherpa-config.ts';
import {
  loadSherpa,
  type SherpaLibrary,
  type SherpaOnlineRecognizer,
  type SherpaResult,
} from './sherpa-library.ts';

interface OpenUtterance {
  ear: SherpaEar;
  isWorthTelling: (text: string) => boolean;
}

function run(options: SherpaChildOptions): void {
  const listen = createEars(loadSherpa(), options);
  const open = new Map<number, OpenUtterance>();

  function onFrame(kind: number, payload: Buffer): void {
    const number = payload.readUInt32LE(0);
    const rest = payload.subarray(NUMBER_BYTES);
    const utterance = open.get(number);
    if (kind === toHearing.open) {
      const opening = JSON.parse(rest.toString('utf8')) as HearingOpening;
      open.set(number, { ear: listen(opening), isWorthTelling: createRepeats() });
    } else if (utterance === undefined) return;
    else if (kind === toHearing.audio) hear(number, utterance, rest);
    else if (kind === toHearing.end) void conclude(number, utterance);
    else if (kind === toHearing.drop) open.delete(number);
  }

  function hear(number: number, utterance: OpenUtterance, audio: Buffer): void {
    utterance.ear.accept(floats(audio));
    const heard = utterance.ear.partial();
    if (heard !== undefined && utterance.isWorthTelling(heard.text)) {
      tell(fromHearing.partial, number, heard);
    }
    const taken = Buffer.allocUnsafe(4);
    taken.writeUInt32LE(audio.byteLength, 0);
    send(fromHearing.heard, numbered(number, taken));
  }

  async function conclude(number: number, { ear }: OpenUtterance): Promise<void> {
    const heard = await ear.conclude();
    if (open.delete(number)) tell(fromHearing.final, number, heard);
  }

  const frames = new FrameReader(onFrame);
  process.stdin.on('data', (chunk: Buffer) => frames.push(chunk));
  send(fromHearing.ready);
}

// The two modes of sherpa-onnx: streaming, and whole recordings.

/** Recognises one utterance. */
interface SherpaEar {
  accept(samples: Float32Array): void;
  /** Returns the text so far; undefined for models that recognise only whole recordings. */
  partial(): HeardPart | undefined;
  /** Returns the final text. */
  conclude(): Promise<HeardPart>;
}

/** Silence appended so that a streaming model emits its last words, in samples: 0.8 s. */
const TAIL = new Float32Array(0.8 * RECOGNITION_RATE_HZ);
/** Models fail on recordings shorter than their first window, in samples: 0.1 s. */
const SHORTEST = 0.1 * RECOGNITION_RATE_HZ;

/** Loads a model; throws Error when that fails. */
function createEars(
  library: SherpaLibrary,
  options: SherpaChildOptions,
): (opening: HearingOpening) => SherpaEar {
  const finish = createFinish(library, options);
  return isStreaming(options.model.family)
    ? createOnlineEars(library, options, finish)
    : createOfflineEars(library, options, finish);
}

function createOnlineEars(
  library: SherpaLibrary,
  options: SherpaChildOptions,
  finish: Finish,
): (opening: HearingOpening) => SherpaEar {
  const { hotwords, bpeVocab, release } = spellableHotwords(options);
  const recognizer = new library.OnlineRecognizer(onlineConfig({ ...options, hotwords }, bpeVocab));
  release();
  return ({ language }) => {
    const stream = recognizer.createStream();
    if (language !== undefined) stream.setOption('language', language);
    const decode = (): void => decodeAll(recognizer, stream);
    return {
      accept(samples) {
        stream.acceptWaveform({ samples, sampleRate: RECOGNITION_RATE_HZ });
        decode();
      },
      partial: () => finish(recognizer.getResult(stream), 'partial'),
      async conclude() {
        stream.acceptWaveform({ samples: TAIL, sampleRate: RECOGNITION_RATE_HZ });
        stream.inputFinished();
        decode();
        return finish(recognizer.getResult(stream), 'final');
      },
    };
  };
}

function decodeAll(
  recognizer: SherpaOnlineRecognizer,
  stream: ReturnType<SherpaOnlineRecognizer['createStream']>,
): void {
  while (recognizer.isReady(stream)) recognizer.decode(stream);
}

function createOfflineEars(
  library: SherpaLibrary,
  options: SherpaChildOptions,
  finish: Finish,
): (opening: HearingOpening) => SherpaEar {
  const { hotwords, bpeVocab, release } = spellableHotwords(options);
  const configOf = (language: LanguageTag | undefined) =>
    offlineConfig({ ...options, hotwords }, { ...(language && { language }), bpeVocab });
  const recognizer = new library.OfflineRecognizer(configOf(undefined));
  release();
  let configured: LanguageTag | undefined;
  let before: Promise<unknown> = Promise.resolve();

  /** Decodes one recording at a time: the language belongs to the recogniser, not to the stream. */
  async function decode(pieces: Float32Array[], language: LanguageTag | undefined) {
    if (configured !== language) recognizer.setConfig(configOf(language));
    configured = language;
    const stream = recognizer.createStream();
    const length = pieces.reduce((sum, { length: samples }) => sum + samples, 0);
    const samples = new Float32Array(Math.max(length, SHORTEST));
    let offset = 0;
    for (const piece of pieces) {
      samples.set(piece, offset);
      offset += piece.length;
    }
    stream.acceptWaveform({ samples, sampleRate: RECOGNITION_RATE_HZ });
    return finish(await recognizer.decodeAsync(stream), 'final');
  }

  return ({ language }) => {
    const pieces: Float32Array[] = [];
    return {
      accept: (samples) => void pieces.push(samples),
      partial: () => undefined,
      conclude() {
        const heard = before.then(() => decode(pieces, language));
        before = heard.catch(() => {});
        return heard;
      },
    };
  };
}

type Finish = (result: SherpaResult, purpose: 'partial' | 'final') => HeardPart;

/** Creates the formatter that turns a model's raw result into readable text. */
function createFinish(library: SherpaLibrary, { model, punctuation }: SherpaChildOptions): Finish {
  const lower = isUpperCaseOnly(model.files['tokens']);
  const spelled = (text: string) => (lower ? text.toLowerCase() : text);
  const punctuator =
    punctuation === undefined
      ? undefined
      : punctuation.family === 'online-punctuation'
        ? new library.OnlinePunctuation(punctuationConfig(punctuation))
        : new library.OfflinePunctuation(punctuationConfig(punctuation));
  return (result, purpose) => {
    const text = spelled(textOf(result));
    const words = wordsOf(result).map((word) => ({ ...word, text: spelled(word.text) }));
    const language = /^(?:<\|)?([a-z]{2,3})(?:\|>)?$/.exec(result.lang ?? '')?.[1];
    const detected = language === undefined ? {} : { language };
    // Partials are punctuated afresh every time, so commas would come and go.
    if (punctuator === undefined || purpose === 'partial' || text === '') {
      return { text, words, ...detected };
    }
    return { text: textOf({ text: punctuator.addPunct(text) }), words, ...detected };
  };
}

/** Whether a model has capitals only, because it was trained on such transcripts. */
function isUpperCaseOnly(tokensFile: string | undefined): boolean {
  if (tokensFile === undefined) return false;
  const tokens = readFileSync(tokensFile, 'utf8').replaceAll(/<[^<>\s]*>/g, '');
  return /\p{Lu}/u.test(tokens) && !/\p{Ll}/u.test(tokens);
}

// Converts tokens and their times to text and words.

/** Longest duration of a word's last token if none follows, in ms: a syllable. */
const TOKEN_MS = 240;
/** Scripts without blanks between words: every character is timed as a word. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Control tokens that models leave in their output: `<unk>`, `<|en|>`. */
const MARK = /<[^<>\s]*>/g;

/** Returns the text of a result on one line, without the model's control tokens. */
function textOf({ text }: Pick<SherpaResult, 'text'>): string {
  return text.replaceAll(MARK, ' ').replace(/\s+/g, ' ').trim();
}

/**
 * Returns words with times in ms. A token that begins with a blank (or `▁`, which stands for one) begins a
 * word, as does any character of a script without blanks. Empty when the model reports no times.
 */
function wordsOf({ tokens = [], timestamps = [] }: SherpaResult): Word[] {
  if (tokens.length === 0 || timestamps.length !== tokens.length) return [];
  const words: Word[] = [];
  tokens.forEach((token, index) => {
    const text = token.replaceAll(MARK, '').replaceAll('▁', ' ');
    const startMs = Math.round((timestamps[index] ?? 0) * 1000);
    const last = words.at(-1);
    const said = text.trim();
    if (last !== undefined) last.endMs = Math.max(last.startMs, Math.min(last.endMs, startMs));
    const begins = last === undefined || /^\s/.test(text) || isUnspaced(said, last.text);
    if (said === '') {
      // A token that is only a blank ends the previous word.
      if (/\s/.test(text)) words.push({ text: '', startMs, endMs: startMs });
    } else if (begins) words.push({ text: said, startMs, endMs: startMs + TOKEN_MS });
    else {
      if (last.text === '') last.startMs = startMs;
      last.text += said;
      last.endMs = startMs + TOKEN_MS;
    }
  });
  return words.filter(({ text }) => text !== '');
}

function isUnspaced(token: string, before: string): boolean {
  return UNSPACED.test(token) || (UNSPACED.test(before) && /^\p{L}/u.test(token));
}

// The parent has ended, however it ended.
process.stdin.on('end', () => process.exit());
process.stdout.on('error', () => process.exit());

try {
  run(JSON.parse(process.argv[2] ?? '{}') as SherpaChildOptions);
} catch (error) {
  fail(error);
}
