/**
 * Streaming recognition of English with PocketSphinx: Debian's library and model, nothing to
 * download, about 110 MB and an eighth of a core for each stream. Modest accuracy: the engine that is
 * always there.
 */
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../process/log.ts';
import { startChild } from '../../process/module.ts';
import type { RecognitionEngine, Unavailable } from '../engine.ts';
import { RecogniserPool } from './recogniser-pool.ts';
import { recognitionStream } from './recognition-stream.ts';

export interface PocketSphinxOptions {
  log: Logger;
  /** Folder with `en-us/`, `en-us.lm.bin` and `cmudict-en-us.dict`; Debian's if left out. */
  modelFolder?: string;
  /** Processes that wait with the model loaded, so that a stream begins at once. */
  spareCount?: number;
  /** Length after which an utterance is cut between two words all the same, in ms; 5,000 to 30,000. */
  maxUtteranceMs?: number;
  /** A process that gives no sign for so long while audio awaits it is replaced, in ms. */
  hangTimeoutMs?: number;
  /** Options of the decoder that differ from {@link tunedDecoder}, for measurements. */
  decoder?: Readonly<Record<string, string>>;
}

/** What a child is told on its command line, as JSON. */
export interface PocketSphinxChildOptions {
  modelFolder: string;
  maxUtteranceMs: number;
  learnAfterMs: readonly number[];
  decoder: Readonly<Record<string, string>>;
}

const NAME = 'pocketsphinx';
const DEBIAN_MODEL = '/usr/share/pocketsphinx/model/en-us';
const SAMPLE_RATE_HZ = 16_000;
const BYTES_PER_MS = (SAMPLE_RATE_HZ * 2) / 1000;
/** Loading takes 0.3 s of a free core; a machine that is starting up has none. */
const START_TIMEOUT_MS = 30_000;
/** Beyond the longest utterance: the silence around it and the audio on its way to the process. */
const HISTORY_MARGIN_MS = 5_000;

/**
 * Decoder options as tuned on two synthetic voices (clean, over the telephone, in noise) and on a
 * recorded speech: somewhat wider beams hear better, and a bound on what is searched in each frame
 * makes that affordable where noise would open everything. PocketSphinx's own noise removal helps
 * in noise as much as it harms on the telephone.
 */
export const tunedDecoder: Readonly<Record<string, string>> = {
  '-remove_noise': 'no',
  '-beam': '1e-60',
  '-wbeam': '1e-40',
  '-maxhmmpf': '8000',
};
/**
 * Amounts of speech after which the decoder learns the microphone anew, in ms. On the same audio the
 * word error rate was 39 % without learning, 18 % with the first alone and 11 % with both.
 */
export const learnAfterMs: readonly number[] = [1_000, 3_000];

/** Starts the engine with its first process, or says what is missing. */
export async function createPocketSphinx(
  options: PocketSphinxOptions,
): Promise<RecognitionEngine | Unavailable> {
  const { log, modelFolder = DEBIAN_MODEL, spareCount = 1, hangTimeoutMs = 10_000 } = options;
  const maxUtteranceMs = Math.min(Math.max(options.maxUtteranceMs ?? 20_000, 5_000), 30_000);
  const missing = await missingModelFile(modelFolder);
  if (missing !== undefined) return unavailable(`The model file ${missing} is missing.`);

  const childOptions: PocketSphinxChildOptions = {
    modelFolder,
    maxUtteranceMs,
    learnAfterMs,
    decoder: { ...tunedDecoder, ...options.decoder },
  };
  const pool = new RecogniserPool({
    log,
    start: () =>
      startChild(import.meta.url, './pocketsphinx-child', [JSON.stringify(childOptions)]),
    spareCount,
    startTimeoutMs: START_TIMEOUT_MS,
  });
  try {
    await pool.warmUp();
  } catch (error) {
    await pool.close();
    return unavailable(error instanceof Error ? `${error.message}.` : 'It does not start.');
  }
  return {
    name: NAME,
    languages: ['en'],
    detectsLanguage: false,
    usesSpokenTerms: true,
    punctuates: false,
    recognise: (speech, { signal, spokenTerms }) =>
      recognitionStream({
        pool,
        log,
        speech,
        begin: { spokenTerms },
        signal,
        bytesPerMs: BYTES_PER_MS,
        historyMs: maxUtteranceMs + HISTORY_MARGIN_MS,
        hangTimeoutMs,
      }),
    close: () => pool.close(),
  };
}

async function missingModelFile(folder: string): Promise<string | undefined> {
  for (const name of ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict']) {
    const file = path.join(folder, name);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (!isThere) return file;
  }
  return undefined;
}

function unavailable(cause: string): Unavailable {
  const packages = 'libpocketsphinx3, libsphinxbase3 and pocketsphinx-en-us';
  return {
    name: NAME,
    reason: `Recognition of English needs the Debian packages ${packages}. ${cause}`,
  };
}
