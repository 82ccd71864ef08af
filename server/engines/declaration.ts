/**
 * How an engine says what can be set of it and how it starts, in its own file. The list in `index.ts`
 * collects it: settings are read and refused with all others, and have their place in the documents.
 */
import type { Static, TObject, TProperties } from 'typebox';
import type { LocalModel } from '../models/local-model.ts';
import type { Logger } from '../process/log.ts';
import type { Unavailable } from './engine.ts';

export interface EngineDeclaration<Settings extends TProperties, Engine> {
  /** Environment variables by name, each with a description and, where it has one, its default. */
  settings: Settings;
  /** Nothing when the engine was not asked for: it is neither running nor missing. */
  start(
    options: EngineStart & { settings: Static<TObject<Settings>> },
  ): Promise<Engine | Unavailable | readonly (Engine | Unavailable)[] | undefined>;
}

/** What every engine may use at its start. */
export interface EngineStart {
  log: Logger;
  /** Models that people have installed. */
  models: readonly LocalModel[];
  /** Silence that ends an utterance, in ms. */
  pauseMs: number;
}

/** A declaration as it is, with the types of its settings. */
export function declareEngine<Settings extends TProperties, Engine>(
  declaration: EngineDeclaration<Settings, Engine>,
): EngineDeclaration<Settings, Engine> {
  return declaration;
}

/** Longest time that a setting may name: a week. Node's timers end at 24 days. */
export const MAX_SECONDS = 604_800;

/** The items of a comma-separated setting. */
export function listed(setting: string | undefined): string[] | undefined {
  return setting?.split(',').map((item) => item.trim());
}

/** Tells engines that run from those that cannot. */
export function isRunning<Engine extends object>(engine: Engine | Unavailable): engine is Engine {
  return !('reason' in engine);
}
