/**
 * How an engine says what can be set of it and how it starts, in its own file. The list in `index.ts`
 * collects it: settings are read and refused with all others, and have their place in the documents.
 */
import type { Static, TObject, TProperties } from 'typebox';
import type { LocalModel } from '../models/local-model.ts';
import type { Logger } from '../process/log.ts';
import type { Unavailable, LanguagePair } from './engine.ts';
import { ServiceError } from '../../shared/errors.ts';

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
  /** Models that people have installed, once they have been looked through: who needs none does not wait. */
  models: Promise<readonly LocalModel[]>;
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

/** What is wrong with an address, for people; undefined when it can be used. */
export function problemWithAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, search, hash } = new URL(url);
  if (!/^https?:$/.test(protocol)) return 'must begin with http:// or https://';
  // fetch refuses them, and would name them in its error.
  if (username !== '' || password !== '') return 'must not contain a name or password';
  if (search !== '' || hash !== '') return 'must not contain ? or #';
  return undefined;
}

/** What is wrong with an address from the settings, for people; undefined when it can be used. */
export function problemWithSocketAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, hash } = new URL(url);
  if (!/^(?:wss?|https?):$/.test(protocol)) return 'must begin with ws:// or wss://';
  if (username !== '' || password !== '') return 'must not contain a name or password';
  if (hash !== '') return 'must not contain #';
  return undefined;
}

/** The address of a socket: http becomes ws, https wss. */
export function socketAddress(url: string): URL {
  return new URL(url.replace(/^http/i, 'ws'));
}

/** What an engine says of a pair that it does not serve. */
export function refusePair(engine: string, { source, target }: LanguagePair): ServiceError {
  return new ServiceError(
    'translation_failed',
    `The translator ${engine} does not translate from ${source} to ${target}. ` +
      'Choose another engine or another pair.',
  );
}
