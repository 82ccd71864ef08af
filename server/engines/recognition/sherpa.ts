/**
 * Recognition with sherpa-onnx in child processes: supports any number of installed models, most languages,
 * and both streaming and whole-utterance models, faster than real time on a CPU.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Logger } from '../../process/log.ts';
import { startChild } from '../../process/index.ts';
import type { LocalModel } from '../../models/local-model.ts';
import { declareEngine } from '../declaration.ts';
import type { RecognitionEngine, RecognitionOptions, SpeechPiece, Unavailable } from '../engine.ts';
import { createBatchRecogniser } from './batch-recogniser.ts';
import {
  hearsHotwords,
  isStreaming,
  type SherpaChildOptions,
  type SherpaModel,
  sherpaSettings,
} from './sherpa-config.ts';
import { HearingProcesses } from './hearing-processes.ts';
import type { HearingOpening } from './hearing-protocol.ts';
import { createProcessHearer, hearInProcess, readRecording } from './process-hearer.ts';
import { hearUtterances } from './utterance-stream.ts';

export interface SherpaRecogniserOptions {
  /** Models of any kind: recognition models become engines, punctuation models serve them. */
  models: readonly LocalModel[];
  log: Logger;
  /** Utterances that one process hears at a time; 8 by default. */
  linesPerProcess?: number;
  /** Maximum number of processes per model; 4 by default. */
  maxProcesses?: number;
  /** Threads per decoding; 1 by default, which serves the most speakers at a time. */
  threads?: number;
  /** Hang timeout, in ms: a process silent for so long while it owes a response is replaced. */
  hangTimeoutMs?: number;
  /** Idle time after which a process beyond the first is ended, in ms. */
  idleMs?: number;
}

/** Allows for gigabytes from a slow disk. */
const START_TIMEOUT_MS = 180_000;
/** Whole utterances are decoded one after the other, and a slow model takes as long as the audio lasts. */
const HANG_TIMEOUT_MS = 60_000;
const IDLE_MS = 300_000;
/** Whisper uses only the first 30 s of a recording; other models take more memory the longer it is. */
const MAX_RECORDING_MS = 28_000;
/** Models differ widely: a small streaming one takes a third of this share, a large one twice as much. */
const EXPECTED_SHARE = 0.25;

/** The sherpa-onnx engine: installed models, except those with an engine of their own. */
export const sherpa = declareEngine({
  settings: sherpaSettings,
  start: async ({ log, models, settings: { SHERPA_THREADS: threads } }) => {
    const own = (await models).filter(({ family }) => family !== 'moonshine');
    return createSherpaRecognisers({ log, models: own, threads });
  },
});

/** Starts one engine per model, or returns what is wrong with the model. */
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
  const processes = new HearingProcesses({
    log,
    linesPerProcess,
    maxProcesses,
    startTimeoutMs: START_TIMEOUT_MS,
    hangTimeoutMs: options.hangTimeoutMs ?? HANG_TIMEOUT_MS,
    idleMs: options.idleMs ?? IDLE_MS,
    start(hotwords) {
      const child: SherpaChildOptions = {
        model: modelFor(model),
        punctuation: punctuation && modelFor(punctuation),
        hotwords,
        threads,
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
  processes: HearingProcesses;
  isPunctuated: boolean;
}): RecognitionEngine {
  const traits = {
    name: model.name,
    languages: [...new Set(model.languages.map(baseLanguage))],
    detectsLanguage: model.detectsLanguage === true,
    usesSpokenTerms: hearsHotwords(modelFor(model)),
    punctuates: model.punctuates === true || isPunctuated,
  };
  const effort = () => ({ ...processes.effort(), expectedShare: EXPECTED_SHARE });
  const retryInMs = () => processes.retryInMs();
  if (!isStreaming(model.family)) {
    return createBatchRecogniser({
      ...traits,
      maxUtteranceMs: MAX_RECORDING_MS,
      transcribe: (samples, { language, spokenTerms, signal }) =>
        hearInProcess({
          processes,
          signal,
          hotwords: traits.usesSpokenTerms ? spokenTerms : [],
          opening: openingFor(language),
          read: readRecording(samples),
          listener: { onPartial: () => {}, onPart: () => {} },
        }),
      effort,
      retryInMs,
      close: () => processes.close(),
    });
  }
  const closing = new AbortController();
  return {
    ...traits,
    effort,
    retryInMs,
    recognise: (speech: AsyncIterable<SpeechPiece>, session: RecognitionOptions) =>
      hearUtterances({
        engine: model.name,
        speech,
        signal: session.signal,
        onHeard: session.onHeard,
        closing: closing.signal,
        createHearer: () => createProcessHearer(streamingOptions(processes, session, traits)),
      }),
    async close() {
      closing.abort();
      await processes.close();
    },
  };
}

function streamingOptions(
  processes: HearingProcesses,
  { language, languageMode, spokenTerms }: RecognitionOptions,
  traits: Pick<RecognitionEngine, 'detectsLanguage' | 'usesSpokenTerms'>,
) {
  const isOpen = traits.detectsLanguage && languageMode === 'hint';
  return {
    processes,
    opening: openingFor(isOpen ? undefined : language),
    hotwords: traits.usesSpokenTerms ? spokenTerms : [],
  };
}

/** Spoken terms are hotwords here, which belong to the process rather than to the utterance. */
function openingFor(language: LanguageTag | undefined): HearingOpening {
  return { language: language && baseLanguage(language), spokenTerms: [] };
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
    family,
    files,
    ...(unit !== undefined && { modelingUnit: unit }),
    ...(modelType !== undefined && { modelType }),
  };
}
