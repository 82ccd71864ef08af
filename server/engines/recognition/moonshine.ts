/**
 * Recognition with Moonshine, the engine of every installation: small models of one language each, in a
 * few processes that many speakers share.
 */
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
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
  /**
   * Whether a model will be loaded as surely as can be told without loading it. It is loaded all the same,
   * but nobody waits; that it cannot be is logged, and said to whoever is to be heard. No model is if left out.
   */
  isProven?: (model: LocalModel) => boolean;
}

/** Family of the models in `server/models/local-model.ts`. */
export const MOONSHINE_FAMILY = 'moonshine';
/** Speakers at a time that one process, and so one core, keeps up with easily. */
const COMFORTABLE_LINES = 12;
const MAX_LINES = 64;
/** The smallest model on a processor of today. */
const EXPECTED_SHARE = 0.1;
/** It loads in a second; on a machine that swaps or is overloaded it may take minutes. */
const START_TIMEOUT_MS = 180_000;
const HANG_TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;

/** The models of its family. */
export const moonshine = declareEngine({
  settings: {},
  async start({ log, models: finding, pauseMs }) {
    const [isFit, models] = await Promise.all([hasInstructions(), finding]);
    const isProven = (model: LocalModel) => isFit && hasSums(model);
    return createMoonshineRecognisers({ log, models, pauseMs, isProven });
  },
});

/** Its files were held against their sums when it was found. */
function hasSums({ files, folder, sums = {} }: LocalModel): boolean {
  return Object.values(files).every((file) => Object.hasOwn(sums, path.relative(folder, file)));
}

/** What the recogniser is made of, as far as it can be read. */
async function hasInstructions(): Promise<boolean> {
  if (process.arch !== 'x64') return process.arch === 'arm64';
  const described = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  return /\bavx\b/.test(described);
}

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
  isProven = () => false,
  ...options
}: Omit<MoonshineOptions, 'models'> & { model: LocalModel }): Promise<
  RecognitionEngine | Unavailable
> {
  const processes = processesOf(model, options);
  const closing = new AbortController();
  const problem = processes.warmUp().then(
    () => undefined,
    (error: unknown) => unusable(model.name, error),
  );
  if (isProven(model)) {
    void problem.then((reason) => {
      if (reason !== undefined && !closing.signal.aborted)
        options.log.error({ model: model.name }, reason);
    });
  } else {
    const reason = await problem;
    if (reason !== undefined) {
      await processes.close();
      return { name: model.name, reason };
    }
  }
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

function processesOf(
  { files: { encoder = '', decoder = '', tokens = '', vad = '' } }: LocalModel,
  {
    log,
    pauseMs = 600,
    maxProcesses = os.availableParallelism(),
    hangTimeoutMs = HANG_TIMEOUT_MS,
    idleMs = IDLE_MS,
    startProcess,
  }: Omit<MoonshineOptions, 'models'>,
): HearingProcesses {
  const child: MoonshineChildOptions = { files: { encoder, decoder, tokens, vad }, pauseMs };
  return new HearingProcesses({
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
}

function unusable(name: string, error: unknown): string {
  const cause = error instanceof Error ? error.message : String(error);
  const said = `The model ${name} cannot be used: ${cause}`;
  if (error instanceof UnfitProcessor) return said;
  return `${said} If a file of it is damaged, install it again: npm run dragoman -- models remove ${name}, then models install ${name}.`;
}
