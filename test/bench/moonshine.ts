/** The recogniser of every installation, as it is built. */
import type * as Moonshine from '../../server/engines/recognition/moonshine.ts';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import type * as FindModels from '../../server/models/find-models.ts';
import type { LocalModel } from '../../server/models/local-model.ts';
import { importBuilt, quietLog } from './built.ts';

const FAMILY = 'moonshine';

/** The model that hears English. @throws Error when none is installed */
export async function moonshineModel(): Promise<LocalModel> {
  const { findModels } = await importBuilt<typeof FindModels>('server/models/find-models.ts');
  const folder = process.env['MODELS_DIR'] ?? '';
  const { models, unusable } = await findModels(folder);
  const model = models.find(
    ({ family, languages }) => family === FAMILY && languages.includes('en'),
  );
  if (model !== undefined) return model;
  const [reason] = unusable.map((each) => each.reason);
  throw new Error(
    reason ?? 'No Moonshine model is there: npm run dragoman -- models install moonshine-tiny-en.',
  );
}

/**
 * Starts it; the caller closes it.
 *
 * @param maxProcesses as many as there are cores if left out
 * @throws Error when it does not run
 */
export async function startMoonshine(maxProcesses?: number): Promise<RecognitionEngine> {
  const { createMoonshineRecognisers } = await importBuilt<typeof Moonshine>(
    'server/engines/recognition/moonshine.ts',
  );
  const [engine] = await createMoonshineRecognisers({
    ...{ models: [await moonshineModel()], log: quietLog },
    ...(maxProcesses !== undefined && { maxProcesses }),
  });
  if (engine === undefined) throw new Error('The model made no engine.');
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}
