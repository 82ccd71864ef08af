/** The Moonshine engine with the model of every installation. */
import { afterAll } from 'vitest';
import type { MoonshineChildOptions } from '../../server/engines/recognition/moonshine-child.ts';
import {
  createMoonshineRecognisers,
  type MoonshineOptions,
} from '../../server/engines/recognition/moonshine.ts';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import { findModels } from '../../server/models/find-models.ts';
import type { LocalModel } from '../../server/models/local-model.ts';
import { startChild, type PipedChild } from '../../server/process/index.ts';
import { recordLog } from '../support/product/log-record.ts';
import { builtModule } from '../support/suite/built-product.ts';

/** Returns its model from the models that the tests share. @throws Error if it is not installed */
export async function moonshineModel(): Promise<LocalModel> {
  const { models } = await findModels(process.env['MODELS_DIR'] ?? '');
  const model = models.find(({ name }) => name === 'moonshine-tiny-en');
  if (model === undefined) throw new Error('moonshine-tiny-en is not installed');
  return model;
}

/** Creates a running engine, which the caller closes. */
export async function moonshine(
  options: Partial<MoonshineOptions> = {},
): Promise<RecognitionEngine> {
  const models = [await moonshineModel()];
  const [engine] = await createMoonshineRecognisers({ models, log: recordLog(), ...options });
  if (engine === undefined || 'reason' in engine) throw new Error(engine?.reason);
  return engine;
}

/** Processes of the engine of a test file, in the order of their start. */
export const processesOfFile: PipedChild[] = [];
let ofFile: Promise<RecognitionEngine> | undefined;

/**
 * Returns the engine of a test file, which is closed after it. It has one process, shared by concurrent
 * streams: each takes four seconds of processor time to load the model.
 */
export async function moonshineOfFile(): Promise<RecognitionEngine> {
  if (ofFile === undefined) {
    ofFile = openOfFile();
    afterAll(async () => (await ofFile)?.close());
  }
  return await ofFile;
}

async function openOfFile(): Promise<RecognitionEngine> {
  const { encoder = '', decoder = '', tokens = '', vad = '' } = (await moonshineModel()).files;
  const options: MoonshineChildOptions = { files: { encoder, decoder, tokens, vad }, pauseMs: 600 };
  const place = builtModule('server/engines/recognition/moonshine.ts');
  const startProcess = () => {
    const child = startChild(place, './moonshine-child', [JSON.stringify(options)]);
    processesOfFile.push(child);
    return child;
  };
  return await moonshine({ maxProcesses: 1, startProcess });
}
