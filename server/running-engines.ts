/**
 * Starts every engine that the settings select. Engines that cannot run are reported as missing;
 * the others start.
 */
import { ConfigError, type Config } from './config.ts';
import { isRunning, type EngineStart } from './engines/declaration.ts';
import { createDetector } from './engines/detection/detector.ts';
import type {
  DetectionEngine,
  ImprovementEngine,
  RecognitionEngine,
  SynthesisEngine,
  TranslationEngine,
  Unavailable,
} from './engines/engine.ts';
import {
  defaultRecognisers,
  improvers,
  recognisers,
  speakers,
  translators,
} from './engines/index.ts';
import { DEFAULT_RECOGNISER } from './models/catalogue.ts';
import { findModels, type FoundModels } from './models/find-models.ts';
import type { LocalModel } from './models/local-model.ts';
import type { Logger } from './process/log.ts';
import { readEnginePreference, type PreferenceRule } from './translation/engine-routes.ts';
import {
  observedImprover,
  observedRecogniser,
  observedSpeaker,
  observedTranslator,
  type EngineKind,
  type EngineMeasures,
} from './operation/observed-engines.ts';

/**
 * An engine that cannot run here, and its kind; `kind` is absent for a model, which may serve
 * several kinds.
 */
export interface MissingEngine extends Unavailable {
  kind?: EngineKind;
}

export interface Engines {
  /** In order of preference, like all lists of engines here. */
  recognition: RecognitionEngine[];
  synthesis: SynthesisEngine[];
  translation: TranslationEngine[];
  improvement: ImprovementEngine[];
  detector: DetectionEngine;
  /** Order in which translators are tried, by direction. */
  preference: PreferenceRule[];
  missing: MissingEngine[];
  /** Models found at start-up. */
  models: LocalModel[];
  close(): Promise<void>;
}

export async function startEngines(
  config: Config,
  log: Logger,
  measures: EngineMeasures,
): Promise<Engines> {
  const preference = enginePreference(config);
  const finding = findModels(config.MODELS_DIR);
  const options = startOptions(config, log, finding);
  const names = config.RECOGNISER?.split(',').map((name) => name.trim()) ?? defaultRecognisers;
  const [heard, spoken, translated, improved] = await Promise.all([
    startAll(names.map((name) => recognisers[name as keyof typeof recognisers].start(options))),
    startAll(Object.values(speakers).map((engine) => engine.start(options))),
    startAll(Object.values(translators).map((engine) => engine.start(options))),
    startAll(Object.values(improvers).map((engine) => engine.start(options))),
  ]);
  const { models, unusable } = await finding;
  const recognition = heard.running.map((engine) => observedRecogniser(engine, measures));
  const synthesis = spoken.running.map((engine) => observedSpeaker(engine, measures));
  const translation = translated.running.map((engine) => observedTranslator(engine, measures));
  const improvement = improved.running.map((engine) => observedImprover(engine, measures));
  return {
    recognition,
    synthesis,
    translation,
    improvement,
    detector: createDetector({ log, ...modesFolder(config) }),
    preference,
    models,
    missing: [
      ...unusable.map(({ name, reason }) => ({ name, reason })),
      ...ofKind('recognition', heard.missing),
      ...ofKind('recognition', withoutRecogniser(heard, unusable)),
      ...ofKind('translation', translated.missing),
      ...ofKind('synthesis', spoken.missing),
      ...ofKind('improvement', improved.missing),
    ],
    async close() {
      const all = [...recognition, ...synthesis, ...translation, ...improvement];
      await Promise.all(all.map((engine) => engine.close()));
    },
  };
}

/** Reports that no recogniser runs, unless another problem already explains why. */
function withoutRecogniser(
  { running, missing }: { running: readonly object[]; missing: readonly object[] },
  unusable: FoundModels['unusable'],
): Unavailable[] {
  const isExplained =
    missing.length > 0 || unusable.some(({ name }) => name === DEFAULT_RECOGNISER);
  if (running.length > 0 || isExplained) return [];
  const command = `npm run dragoman -- models install ${DEFAULT_RECOGNISER}`;
  const reason = `No speech recogniser is installed or connected, so nobody is heard. For English: ${command}`;
  return [{ name: DEFAULT_RECOGNISER, reason }];
}

function ofKind(kind: EngineKind, missing: readonly Unavailable[]): MissingEngine[] {
  return missing.map((engine) => ({ ...engine, kind }));
}

/** Starts only the engines that translate: a document worker needs neither recognition nor speech. */
export async function startTranslators(
  config: Config,
  log: Logger,
): Promise<Pick<Engines, 'translation' | 'detector' | 'preference' | 'missing' | 'close'>> {
  const options = startOptions(config, log, findModels(config.MODELS_DIR));
  const { running, missing } = await startAll(
    Object.values(translators).map((engine) => engine.start(options)),
  );
  return {
    translation: running,
    detector: createDetector({ log, ...modesFolder(config) }),
    missing,
    preference: enginePreference(config),
    async close() {
      await Promise.all(running.map((engine) => engine.close()));
    },
  };
}

/**
 * Parses the setting TRANSLATION_ENGINES.
 *
 * @throws ConfigError if it cannot be parsed
 */
function enginePreference({ TRANSLATION_ENGINES: setting = '' }: Config): PreferenceRule[] {
  const { rules, problems } = readEnginePreference(setting, Object.keys(translators));
  if (problems.length > 0) throw new ConfigError(problems);
  return rules;
}

/** Every engine receives all settings and picks those it declares. */
function startOptions(
  config: Config,
  log: Logger,
  finding: Promise<FoundModels>,
): EngineStart & { settings: Config } {
  const models = finding.then((found) => found.models);
  return { log, models, pauseMs: config.VOICE_PAUSE_MS, settings: config };
}

async function startAll<Engine extends object>(
  starting: Promise<Engine | Unavailable | readonly (Engine | Unavailable)[] | undefined>[],
) {
  const engines = (await Promise.all(starting)).flatMap((started) => started ?? []);
  return {
    running: engines.filter((engine): engine is Engine => isRunning(engine)),
    missing: engines.filter((engine): engine is Unavailable => !isRunning(engine)),
  };
}

function modesFolder({ APERTIUM_MODES: folder }: Config): { modesFolder?: string } {
  return folder === undefined ? {} : { modesFolder: folder };
}
