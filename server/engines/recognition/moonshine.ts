/**
 * Recognition with Moonshine, the engine of every installation: small models, each for one language, in a few
 * processes that many speakers share.
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
  /** Models of any kind and family; Moonshine models become engines. */
  models: readonly LocalModel[];
  log: Logger;
  /** Silence after which text is concluded, in ms; 600 by default. */
  pauseMs?: number;
  /** Maximum number of processes per model; one per core by default. */
  maxProcesses?: number;
  /** Hang timeout, in ms: a process silent for so long while it owes a response is replaced. */
  hangTimeoutMs?: number;
  /** Idle time after which a process beyond the first is ended, in ms. */
  idleMs?: number;
  /** Starts the recogniser process in place of the model's own. */
  startProcess?: () => PipedChild;
  /**
   * Whether a model can be expected to load without trying it. Such a model loads in the background; a
   * failure is then logged and reported to each session that uses it. By default every model is tried first.
   */
  isProven?: (model: LocalModel) => boolean;
}

/** Family name of these models in `server/models/local-model.ts`. */
export const MOONSHINE_FAMILY = 'moonshine';
/** Speakers that one process, and so one core, keeps up with easily. */
const COMFORTABLE_LINES = 12;
const MAX_LINES = 64;
/** Share of a modern processor that the smallest model takes. */
const EXPECTED_SHARE = 0.1;
/** It loads in a second; on a machine that swaps or is overloaded it may take minutes. */
const START_TIMEOUT_MS = 180_000;
const HANG_TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;

/** The Moonshine engine: one recogniser per installed model. */
export const moonshine = declareEngine({
  settings: {},
  async start({ log, models: finding, pauseMs }) {
    const [isFit, models] = await Promise.all([hasInstructions(), finding]);
    const isProven = (model: LocalModel) => isFit && hasSums(model);
    return createMoonshineRecognisers({ log, models, pauseMs, isProven });
  },
});

/** Whether every file of the model was verified against a checksum when the model was found. */
function hasSums({ files, folder, sums = {} }: LocalModel): boolean {
  return Object.values(files).every((file) => Object.hasOwn(sums, path.relative(folder, file)));
}

/** Whether the processor has the instructions the recogniser was compiled for, as far as the system tells. */
async function hasInstructions(): Promise<boolean> {
  if (process.arch !== 'x64') return process.arch === 'arm64';
  const described = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  return /\bavx\b/.test(described);
}

/** Starts one engine per model, or returns what is wrong with the model. */
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
    retryInMs: () => processes.retryInMs(),
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
