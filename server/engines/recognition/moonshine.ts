/**
 * Recognition with Moonshine, the engine of every installation: small models of one language each, in a
 * few processes that many speakers share.
 */
import os from 'node:os';
import { baseLanguage } from '../../../shared/language.ts';
import type { LocalModel } from '../../models/local-model.ts';
import type { Logger } from '../../process/log.ts';
import { startChild, type PipedChild } from '../../process/index.ts';
import { declareEngine } from '../declaration.ts';
import type { RecognitionEngine, Unavailable } from '../engine.ts';
import { HearingProcesses } from './hearing-processes.ts';
import type { MoonshineChildOptions } from './moonshine-child.ts';
import { createProcessHearer } from './process-hearer.ts';
import { UnfitProcessor } from './hearing-process.ts';
import { hearUtterances } from './utterance-stream.ts';

export interface MoonshineOptions {
  /** Models of any kind and family; those of Moonshine become engines. */
  models: readonly LocalModel[];
  log: Logger;
  /** Silence after which what was said is concluded, in ms; 600 if left out. */
  pauseMs?: number;
  /** Processes for each model; one for each core if left out. */
  maxProcesses?: number;
  /** A process that gives no sign for so long while it is asked for something is replaced, in ms. */
  hangTimeoutMs?: number;
  /** A process beyond the first that has had nothing to do for so long is ended, in ms. */
  idleMs?: number;
  /** Starts what hears instead of the model. */
  startProcess?: () => PipedChild;
}

/** Family of the models in `server/models/local-model.ts`. */
export const MOONSHINE_FAMILY = 'moonshine';
/** Speakers at a time that one process, and so one core, keeps up with easily. */
const COMFORTABLE_LINES = 12;
const MAX_LINES = 64;
/** The smallest model on a processor of today. */
const EXPECTED_SHARE = 0.1;
const START_TIMEOUT_MS = 60_000;
const HANG_TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;

/** The models of its family. */
export const moonshine = declareEngine({
  settings: {},
  start: ({ log, models, pauseMs }) => createMoonshineRecognisers({ log, models, pauseMs }),
});

/** Starts one engine a model, or says what is wrong with it. */
export async function createMoonshineRecognisers({
  models,
  ...options
}: MoonshineOptions): Promise<(RecognitionEngine | Unavailable)[]> {
  const own = models.filter(({ family }) => family === MOONSHINE_FAMILY);
  return await Promise.all(own.map((model) => createMoonshine({ model, ...options })));
}

async function createMoonshine({
  model,
  log,
  pauseMs = 600,
  maxProcesses = os.availableParallelism(),
  hangTimeoutMs = HANG_TIMEOUT_MS,
  idleMs = IDLE_MS,
  startProcess,
}: Omit<MoonshineOptions, 'models'> & { model: LocalModel }): Promise<
  RecognitionEngine | Unavailable
> {
  const { encoder = '', decoder = '', tokens = '', vad = '' } = model.files;
  const child: MoonshineChildOptions = { files: { encoder, decoder, tokens, vad }, pauseMs };
  const processes = new HearingProcesses({
    log,
    maxProcesses,
    hangTimeoutMs,
    idleMs,
    comfortableLines: COMFORTABLE_LINES,
    linesPerProcess: MAX_LINES,
    startTimeoutMs: START_TIMEOUT_MS,
    start:
      startProcess ??
      (() => startChild(import.meta.url, './moonshine-child', [JSON.stringify(child)])),
  });
  try {
    await processes.warmUp();
  } catch (error) {
    await processes.close();
    return { name: model.name, reason: unusable(model.name, error) };
  }
  const closing = new AbortController();
  return {
    name: model.name,
    languages: [...new Set(model.languages.map(baseLanguage))],
    detectsLanguage: false,
    usesSpokenTerms: true,
    punctuates: true,
    recognise: (speech, { language, spokenTerms, onHeard, signal }) =>
      hearUtterances({
        engine: model.name,
        speech,
        signal,
        onHeard,
        closing: closing.signal,
        createHearer: () =>
          createProcessHearer({ processes, opening: { language, spokenTerms }, hotwords: [] }),
      }),
    effort: () => ({ ...processes.effort(), expectedShare: EXPECTED_SHARE }),
    async close() {
      closing.abort();
      await processes.close();
    },
  };
}

function unusable(name: string, error: unknown): string {
  const cause = error instanceof Error ? error.message : String(error);
  const said = `The model ${name} cannot be used: ${cause}`;
  if (error instanceof UnfitProcessor) return said;
  return `${said} If a file of it is damaged, install it again: npm run dragoman -- models remove ${name}, then models install ${name}.`;
}
