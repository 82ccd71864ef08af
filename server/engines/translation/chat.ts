/**
 * Translation with a chat model behind an OpenAI-compatible API: vLLM, Ollama, llama.cpp or a hosted service.
 * The model handles context, formality, terms, tags and instructions by itself.
 */
import Type, { type Static, type TObject } from 'typebox';
import { canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Logger } from '../../process/log.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import {
  declareEngine,
  keySetting,
  listed,
  MAX_SECONDS,
  problemWithAddress,
  refusePair,
} from '../declaration.ts';
import type {
  LanguagePair,
  TranslationAbilities,
  TranslationEngine,
  TranslationOptions,
  Unavailable,
} from '../engine.ts';
import { ChatModel } from '../service/chat-model.ts';
import {
  askAboutTexts,
  chatQuestion,
  commonLanguages,
  pairsAmong,
  SYSTEM_MESSAGE,
  withFormality,
} from './chat-question.ts';
import { type OutboundText, RemoteTranslator } from './remote-translator.ts';

export interface ChatOptions {
  log: Logger;
  /** Address up to `/v1`; `/chat/completions` is appended. */
  url: string;
  model: string | undefined;
  key?: string | undefined;
  /** Languages the model translates between; a common set by default. */
  languages?: readonly LanguageTag[] | undefined;
  timeoutMs?: number;
  /** Maximum number of parallel requests. */
  maxParallel?: number;
  /** Request options, see `ServiceClient`. */
  retries?: number;
  firstDelayMs?: number;
  maxAnswerBytes?: number;
}

const NAME = 'chat';

/** Settings of the model, shared by translation and improvement. */
export const chatSettings = {
  CHAT_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'Base URL, including `/v1`, of an OpenAI-compatible chat server ' +
        'for translation: vLLM, Ollama, llama.cpp or hosted.',
    }),
  ),
  CHAT_MODEL: Type.Optional(
    Type.String({ description: 'Model of the chat server; required with `CHAT_URL`.' }),
  ),
  CHAT_KEY: keySetting('API key of the chat server, if it requires one.'),
  CHAT_LANGUAGES: Type.Optional(
    Type.String({
      description:
        'Languages between which the model translates, for example ' +
        '`de,en,fr`; by default, common languages.',
    }),
  ),
  CHAT_TIMEOUT_SECONDS: Type.Number({
    default: 60,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'Timeout for an answer of the chat server, in seconds.',
  }),
};

/** Returns the options from these settings; undefined when no model is connected. */
export function chatOptions(
  log: Logger,
  settings: Static<TObject<typeof chatSettings>>,
): ChatOptions | undefined {
  const { CHAT_URL: url } = settings;
  if (url === undefined) return undefined;
  return {
    log,
    url,
    model: settings.CHAT_MODEL,
    key: settings.CHAT_KEY,
    languages: listed(settings.CHAT_LANGUAGES),
    timeoutMs: settings.CHAT_TIMEOUT_SECONDS * 1000,
  };
}

/** The chat engine. */
export const chat = declareEngine({
  settings: chatSettings,
  start: async ({ log, settings }) => {
    const options = chatOptions(log, settings);
    return options === undefined ? undefined : createChat(options);
  },
});

/** Makes no connection yet: a model that is down now may be up when a text arrives. */
export async function createChat(options: ChatOptions): Promise<TranslationEngine | Unavailable> {
  const { url, model, languages = commonLanguages } = options;
  const problem = problemWithAddress(url);
  if (problem !== undefined) return unavailable(`CHAT_URL ${problem}.`);
  if (model === undefined) return unavailable('CHAT_MODEL is missing: name the model to ask.');
  const tags = languages.map((tag) => canonicalLanguage(tag));
  const wrong = languages.filter((_, index) => tags[index] === undefined);
  if (wrong.length > 0) return unavailable(`CHAT_LANGUAGES: ${wrong.join(', ')} is no language.`);
  const known = [...new Set(tags.filter((tag) => tag !== undefined))];
  const pairs = pairsAmong(known);
  if (pairs.length === 0) return unavailable('CHAT_LANGUAGES needs two languages or more.');
  return new Chat({ ...options, model, pairs, formality: withFormality(known) });
}

interface Settings extends ChatOptions {
  model: string;
  pairs: readonly LanguagePair[];
  formality: readonly LanguageTag[];
}

class Chat implements TranslationEngine {
  readonly name = NAME;
  readonly outage = 'engine';
  readonly pairs: readonly LanguagePair[];
  readonly abilities: TranslationAbilities;
  readonly #model: ChatModel;
  readonly #served: ReadonlySet<string>;
  readonly #translator: RemoteTranslator;

  constructor({ model, pairs, formality, ...options }: Settings) {
    const { timeoutMs = 60_000, maxParallel = 4, maxAnswerBytes = 2 ** 20 } = options;
    this.pairs = pairs;
    this.#served = new Set(pairs.map(({ source, target }) => `${source} ${target}`));
    this.abilities = {
      generation: 'next',
      formality,
      usesContext: true,
      usesTerms: true,
      followsInstructions: true,
      usesExamples: true,
    };
    this.#model = new ChatModel({
      ...options,
      kind: 'translator',
      engine: NAME,
      model,
      timeoutMs,
      maxAnswerBytes,
    });
    this.#translator = new RemoteTranslator({
      engine: NAME,
      maxParallel,
      styleOf: () => 'raw',
      maxTries: 2,
      // Few enough for a model to keep the texts apart, and enough to outweigh the fixed part of the request.
      maxItems: 24,
      maxCharacters: 4_000,
    });
  }

  async translate(
    segments: readonly TextSegment[],
    options: TranslationOptions,
  ): Promise<TextSegment[]> {
    const { signal, account, source, target } = options;
    signal.throwIfAborted();
    if (!this.#served.has(`${source} ${target}`)) throw refusePair(NAME, options);
    return this.#translator.translate(segments, {
      signal,
      account,
      send: (texts, request) => this.#send(texts, { ...options, signal: request.signal }),
    });
  }

  prepare(): void {
    // The remote server starts its own resources.
  }

  async close(): Promise<void> {
    this.#translator.close();
  }

  #send(texts: readonly OutboundText[], options: TranslationOptions) {
    return askAboutTexts(this.#model, texts, {
      system: SYSTEM_MESSAGE,
      question: (items) => chatQuestion(items, options),
      signal: options.signal,
    });
  }
}

function unavailable(reason: string): Unavailable {
  return { name: NAME, reason: `Chat translation: ${reason}` };
}
