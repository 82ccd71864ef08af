/** The list of engines. A new engine is a file of its own and one line here. */
import type { Logger } from '../process/log.ts';
import type { RecognitionEngine, TranslationEngine, Unavailable } from './engine.ts';
import { createPocketSphinx } from './recognition/pocketsphinx.ts';
import { createSilentRecogniser } from './recognition/silent.ts';
import { createDetector } from './detection/detector.ts';
import { createApertium } from './translation/apertium.ts';
import { createChat, type ChatOptions } from './translation/chat.ts';
import { createDeeplUpstream, type DeeplUpstreamOptions } from './translation/deepl-upstream.ts';
import { createLibreTranslate, type LibreTranslateOptions } from './translation/libretranslate.ts';

/** What engines are told of the settings. */
export interface EngineSettings {
  log: Logger;
  /** Folder of the PocketSphinx model, if not Debian's. */
  pocketSphinxModel: string | undefined;
  /** Folder of the Apertium modes, if not Debian's. */
  apertiumModes: string | undefined;
  /** Servers to ask; undefined where there is none. */
  chat: Omit<ChatOptions, 'log'> | undefined;
  libreTranslate: Omit<LibreTranslateOptions, 'log'> | undefined;
  upstream: Omit<DeeplUpstreamOptions, 'log'> | undefined;
}

type Maker<Engine> = (settings: EngineSettings) => Promise<Engine | Unavailable>;
type OptionalMaker<Engine> = (
  settings: EngineSettings,
) => Promise<Engine | Unavailable | undefined>;

/** Recognisers by the name that the setting RECOGNISER uses. */
export const recognisers: Record<'pocketsphinx' | 'silent', Maker<RecognitionEngine>> = {
  pocketsphinx: ({ log, pocketSphinxModel: modelFolder }) =>
    createPocketSphinx({ log, ...(modelFolder !== undefined && { modelFolder }) }),
  silent: async () => createSilentRecogniser(),
};

/** Translators by the name that the setting TRANSLATION_ENGINES uses, the preferred ones first. */
export const translators = {
  upstream: ({ log, upstream }) => configured(upstream, (o) => createDeeplUpstream({ log, ...o })),
  chat: ({ log, chat }) => configured(chat, (o) => createChat({ log, ...o })),
  libretranslate: ({ log, libreTranslate }) =>
    configured(libreTranslate, (o) => createLibreTranslate({ log, ...o })),
  apertium: ({ log, apertiumModes: modesFolder }) =>
    createApertium({ log, ...(modesFolder !== undefined && { modesFolder }) }),
} as const satisfies Record<string, OptionalMaker<TranslationEngine>>;

export { createDetector };

/** An engine that was not asked for is neither running nor missing. */
async function configured<Options, Engine>(
  options: Options | undefined,
  create: (options: Options) => Promise<Engine | Unavailable>,
): Promise<Engine | Unavailable | undefined> {
  return options === undefined ? undefined : create(options);
}

/** Tells engines that run from those that cannot. */
export function isRunning<Engine extends object>(engine: Engine | Unavailable): engine is Engine {
  return !('reason' in engine);
}
