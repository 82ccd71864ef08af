/** The list of engines. A new engine is a file of its own and one line here. */
import type { Logger } from '../process/log.ts';
import type { RecognitionEngine, TranslationEngine, Unavailable } from './engine.ts';
import { createPocketSphinx } from './recognition/pocketsphinx.ts';
import { createSilentRecogniser } from './recognition/silent.ts';
import { createApertium } from './translation/apertium.ts';

/** What engines are told of the settings. */
export interface EngineSettings {
  log: Logger;
  /** Folder of the PocketSphinx model, if not Debian's. */
  pocketSphinxModel: string | undefined;
  /** Folder of the Apertium modes, if not Debian's. */
  apertiumModes: string | undefined;
}

type Maker<Engine> = (settings: EngineSettings) => Promise<Engine | Unavailable>;

/** Recognisers by the name that the setting RECOGNISER uses. */
export const recognisers: Record<'pocketsphinx' | 'silent', Maker<RecognitionEngine>> = {
  pocketsphinx: ({ log, pocketSphinxModel: modelFolder }) =>
    createPocketSphinx({ log, ...(modelFolder !== undefined && { modelFolder }) }),
  silent: async () => createSilentRecogniser(),
};

/** Translators, the preferred ones first. */
export const translators: readonly Maker<TranslationEngine>[] = [
  ({ log, apertiumModes: modesFolder }) =>
    createApertium({ log, ...(modesFolder !== undefined && { modesFolder }) }),
];

/** Tells engines that run from those that cannot. */
export function isRunning<Engine extends object>(engine: Engine | Unavailable): engine is Engine {
  return !('reason' in engine);
}
