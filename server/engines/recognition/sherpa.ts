/**
 * Recognition with sherpa-onnx, in processes of its own: any number of models that people bring, most
 * languages, streaming or whole utterances, at a fraction of real time on a CPU.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import { startChild } from '../../process/module.ts';
import type { LocalModel } from '../../models/local-model.ts';
import type { RecognitionEngine, RecognitionOptions, SpeechPiece, Unavailable } from '../engine.ts';
import { createBatchRecogniser } from './batch-recogniser.ts';
import { isStreaming, type SherpaChildOptions, type SherpaModel } from './sherpa-config.ts';
import { hearsHotwords } from './sherpa-hotwords.ts';
import { ProcessLost, type SherpaLine } from './sherpa-process.ts';
import { SherpaProcesses } from './sherpa-processes.ts';
import type { SherpaHeard } from './sherpa-protocol.ts';
import { hearUtterances, type HeardUtterance, type UtteranceHearer } from './utterance-stream.ts';
import type { Utterance } from './utterance.ts';

export interface SherpaRecogniserOptions {
  /** Models of any kind; those for recognition become engines, those for punctuation serve them. */
  models: readonly LocalModel[];
  log: Logger;
  /** Utterances that one process hears at a time; 8 if left out. */
  linesPerProcess?: number;
  /** Processes for each model; 4 if left out. */
  maxProcesses?: number;
  /** Threads for one decoding; 1 if left out, which serves most speakers at a time. */
  threads?: number;
  /** A process that gives no sign for so long while it is asked for something is replaced, in ms. */
  hangTimeoutMs?: number;
  /** A process beyond the first that has had nothing to do for so long is ended, in ms. */
  idleMs?: number;
}

/** Gigabytes from a slow disk. */
const START_TIMEOUT_MS = 180_000;
/** Whole utterances are decoded one after the other, and a slow model takes as long as they last. */
const HANG_TIMEOUT_MS = 60_000;
const IDLE_MS = 300_000;
/** Processes may die this often under one utterance; then the audio itself must be what kills them. */
const MAX_DEATHS = 3;
/** Whisper hears the first 30 s of a recording; the others take more memory the longer it is. */
const MAX_RECORDING_MS = 28_000;
/** Samples that are sent at a time: half a second. */
const SENT_SAMPLES = 8_000;
/** Less than this is not worth a frame: 40 ms. */
const LEAST_SAMPLES = 640;

/** Starts one engine a model, or says what is wrong with it. */
export async function createSherpaRecognisers({
  models,
  ...options
}: SherpaRecogniserOptions): Promise<(RecognitionEngine | Unavailable)[]> {
  const punctuations = models.filter(({ kind }) => kind === 'punctuation');
  const recognisers = models.filter(({ kind }) => kind === 'recognition');
  return await Promise.all(
    recognisers.map((model) => createSherpaRecogniser({ model, punctuations, ...options })),
  );
}

async function createSherpaRecogniser({
  model,
  punctuations,
  ...options
}: Omit<SherpaRecogniserOptions, 'models'> & {
  model: LocalModel;
  punctuations: readonly LocalModel[];
}): Promise<RecognitionEngine | Unavailable> {
  const { log, linesPerProcess = 8, maxProcesses = 4, threads = 1 } = options;
  const punctuation = model.punctuates === true ? undefined : fitting(punctuations, model);
  const processes = new SherpaProcesses({
    ...{ log, linesPerProcess, maxProcesses },
    startTimeoutMs: START_TIMEOUT_MS,
    hangTimeoutMs: options.hangTimeoutMs ?? HANG_TIMEOUT_MS,
    idleMs: options.idleMs ?? IDLE_MS,
    start(hotwords) {
      const child: SherpaChildOptions = {
        model: modelFor(model),
        punctuation: punctuation && modelFor(punctuation),
        ...{ hotwords, threads },
      };
      return startChild(import.meta.url, './sherpa-child', [JSON.stringify(child)]);
    },
  });
  try {
    await processes.warmUp();
  } catch (error) {
    await processes.close();
    const reason = error instanceof Error ? error.message : String(error);
    return { name: model.name, reason: `The model ${model.name} cannot be used: ${reason}` };
  }
  return engineOf({ model, processes, isPunctuated: punctuation !== undefined });
}

function engineOf({
  model,
  processes,
  isPunctuated,
}: {
  model: LocalModel;
  processes: SherpaProcesses;
  isPunctuated: boolean;
}): RecognitionEngine {
  const traits = {
    name: model.name,
    languages: [...new Set(model.languages.map(baseLanguage))],
    detectsLanguage: model.detectsLanguage === true,
    usesSpokenTerms: hearsHotwords(modelFor(model)),
    punctuates: model.punctuates === true || isPunctuated,
  };
  if (!isStreaming(model.family)) {
    return createBatchRecogniser({
      ...traits,
      maxUtteranceMs: MAX_RECORDING_MS,
      transcribe: (samples, { language, spokenTerms, signal }) =>
        hear({
          ...{ processes, signal, hotwords: traits.usesSpokenTerms ? spokenTerms : [] },
          language: language === undefined ? undefined : baseLanguage(language),
          read: async (from) => samples.subarray(from, from + SENT_SAMPLES),
          onPartial: () => {},
        }),
      close: () => processes.close(),
    });
  }
  const closing = new AbortController();
  return {
    ...traits,
    recognise: (speech: AsyncIterable<SpeechPiece>, session: RecognitionOptions) =>
      hearUtterances({
        ...{ engine: model.name, speech, signal: session.signal, closing: closing.signal },
        createHearer: () => new SherpaHearer({ processes, session, traits }),
      }),
    async close() {
      closing.abort();
      await processes.close();
    },
  };
}

class SherpaHearer implements UtteranceHearer {
  readonly #processes: SherpaProcesses;
  readonly #language: LanguageTag | undefined;
  readonly #hotwords: readonly string[];

  constructor({
    processes,
    session,
    traits,
  }: {
    processes: SherpaProcesses;
    session: RecognitionOptions;
    traits: Pick<RecognitionEngine, 'detectsLanguage' | 'usesSpokenTerms'>;
  }) {
    const { language, languageMode, spokenTerms } = session;
    const isOpen = traits.detectsLanguage && languageMode === 'hint';
    this.#processes = processes;
    this.#language = language === undefined || isOpen ? undefined : baseLanguage(language);
    this.#hotwords = traits.usesSpokenTerms ? spokenTerms : [];
  }

  async hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    let shownMs = 0;
    const heard = await hear({
      ...{ processes: this.#processes, signal },
      ...{ language: this.#language, hotwords: this.#hotwords },
      read: (from) => utterance.read({ from, least: LEAST_SAMPLES, most: SENT_SAMPLES, signal }),
      onPartial(partial) {
        // Of an utterance that is heard again, what was shown already is not shown once more.
        const endMs = partial.words.at(-1)?.endMs ?? utterance.lengthMs;
        if (endMs < shownMs) return;
        shownMs = endMs;
        onPartial({ ...partial, lengthMs: utterance.lengthMs });
      },
    });
    return { ...heard, lengthMs: utterance.lengthMs };
  }

  close(): void {
    // Nothing is held between utterances.
  }
}

/**
 * Hears one utterance; when its process dies, another hears it again from the start.
 *
 * @param read waits for samples from a position on; none when there will be no more
 */
async function hear({
  processes,
  signal,
  hotwords,
  language,
  read,
  onPartial,
}: {
  processes: SherpaProcesses;
  signal: AbortSignal;
  hotwords: readonly string[];
  language: LanguageTag | undefined;
  read: (from: number) => Promise<Int16Array>;
  onPartial: (heard: SherpaHeard) => void;
}): Promise<SherpaHeard> {
  for (let deaths = 0; deaths <= MAX_DEATHS; deaths += 1) {
    const line = await processes.open({ hotwords, language }, { signal, onPartial });
    try {
      return await untilAborted(sendAll(line, read, signal), signal);
    } catch (error) {
      if (!(error instanceof ProcessLost)) throw error;
    } finally {
      line.close();
    }
  }
  throw new ServiceError(
    'recognition_failed',
    'The recogniser stopped working several times on this audio. Please start again.',
  );
}

async function sendAll(
  line: SherpaLine,
  read: (from: number) => Promise<Int16Array>,
  signal: AbortSignal,
): Promise<SherpaHeard> {
  for (let from = 0; ;) {
    const samples = await read(from);
    signal.throwIfAborted();
    if (samples.length === 0) return await line.conclude();
    from += samples.length;
    await line.send(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  }
}

/** The outcome of some work, or the reason of an abort as soon as it comes. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => {});
  }
}

function fitting(
  punctuations: readonly LocalModel[],
  { languages }: LocalModel,
): LocalModel | undefined {
  return punctuations.find((punctuation) =>
    languages.every((language) => punctuation.languages.includes(language)),
  );
}

function modelFor({ family, files, modelingUnit, modelType }: LocalModel): SherpaModel {
  const unit = modelingUnit ?? ((files['bpeModel'] ?? files['bpeVocab']) ? 'bpe' : undefined);
  return {
    ...{ family, files },
    ...(unit !== undefined && { modelingUnit: unit }),
    ...(modelType !== undefined && { modelType }),
  };
}
