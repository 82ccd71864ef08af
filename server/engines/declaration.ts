/**
 * Engine declarations: each engine declares its settings and its start in its own file. `index.ts` collects
 * the declarations, so engine settings are read, validated and documented together with all others.
 */
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { LocalModel } from '../models/local-model.ts';
import type { Logger } from '../process/log.ts';
import type { LanguagePair, TranslationAbilities, Unavailable } from './engine.ts';
import { ServiceError } from '../../shared/errors.ts';

export interface EngineDeclaration<Settings extends TProperties, Engine> {
  /** Environment variables by name, each with a description and, where one exists, a default. */
  settings: Settings;
  /** Resolves to undefined when the engine was not requested: it is then neither running nor missing. */
  start(
    options: EngineStart & { settings: Static<TObject<Settings>> },
  ): Promise<Engine | Unavailable | readonly (Engine | Unavailable)[] | undefined>;
}

/** What every engine receives when it starts. */
export interface EngineStart {
  log: Logger;
  /** Installed models, once they have been scanned; an engine that needs no model does not wait for them. */
  models: Promise<readonly LocalModel[]>;
  /** Silence that ends an utterance, in ms. */
  pauseMs: number;
}

/** Returns a declaration unchanged and infers the types of its settings. */
export function declareEngine<Settings extends TProperties, Engine>(
  declaration: EngineDeclaration<Settings, Engine>,
): EngineDeclaration<Settings, Engine> {
  return declaration;
}

/** Longest duration a setting may name: a week. Node's timers overflow after 24 days. */
export const MAX_SECONDS = 604_800;

/** A key that a header can carry unchanged. */
export const KEY_PATTERN = '^[!-~]+$';

/** Declares the optional key of a service, which is sent in a header. */
export function keySetting(description: string) {
  return Type.Optional(Type.String({ pattern: KEY_PATTERN, description }));
}

/** Splits a comma-separated setting into trimmed items. */
export function listed(setting: string | undefined): string[] | undefined {
  return setting?.split(',').map((item) => item.trim());
}

/** Whether an engine is running rather than unavailable. */
export function isRunning<Engine extends object>(engine: Engine | Unavailable): engine is Engine {
  return !('reason' in engine);
}

/** Returns what is wrong with an HTTP address, for the operator; undefined when it is usable. */
export function problemWithAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, search, hash } = new URL(url);
  if (!/^https?:$/.test(protocol)) return 'must begin with http:// or https://';
  // fetch refuses credentials in an address and would quote them in its error.
  if (username !== '' || password !== '') return 'must not contain a name or password';
  if (search !== '' || hash !== '') return 'must not contain ? or #';
  return undefined;
}

/** Returns what is wrong with a socket address, for the operator; undefined when it is usable. */
export function problemWithSocketAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, hash } = new URL(url);
  if (!/^(?:wss?|https?):$/.test(protocol)) return 'must begin with ws:// or wss://';
  if (username !== '' || password !== '') return 'must not contain a name or password';
  if (hash !== '') return 'must not contain #';
  return undefined;
}

/** Converts an address to a WebSocket address: http becomes ws, https becomes wss. */
export function socketAddress(url: string): URL {
  return new URL(url.replace(/^http/i, 'ws'));
}

/** The abilities of an engine that translates sentence by sentence and takes no wishes. */
export const PLAIN_ABILITIES: TranslationAbilities = {
  generation: 'classic',
  formality: [],
  usesContext: false,
  usesTerms: false,
  followsInstructions: false,
  usesExamples: false,
};

/** Returns the error an engine throws for a pair it does not serve. */
export function refusePair(engine: string, { source, target }: LanguagePair): ServiceError {
  return new ServiceError(
    'translation_failed',
    `The translator ${engine} does not translate from ${source} to ${target}. ` +
      'Choose another engine or another pair.',
  );
}
