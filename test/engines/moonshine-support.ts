/** The Moonshine engine with the model of every installation. */
import {
  createMoonshineRecognisers,
  type MoonshineOptions,
} from '../../server/engines/recognition/moonshine.ts';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import { findModels } from '../../server/models/find-models.ts';
import type { LocalModel } from '../../server/models/local-model.ts';
import { recordLog } from '../support/product/log-record.ts';

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
