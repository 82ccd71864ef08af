/** Improvement with a chat model behind an OpenAI-compatible address: corrections, styles and tones. */
import { ServiceError } from '../../../shared/errors.ts';
import { canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { writingStyles, writingTones } from '../../../shared/schemas/write.ts';
import { plainText } from '../../text/text-segment.ts';
import { declareEngine, isRunning } from '../declaration.ts';
import type { ImprovementEngine, ImprovementOptions, Unavailable, WritingForm } from '../engine.ts';
import { problemWithAddress } from '../service/address.ts';
import { ChatModel } from '../service/chat-model.ts';
import { readChatAnswer } from '../translation/chat-answer.ts';
import { commonLanguages } from '../translation/chat-languages.ts';
import type { ChatItem } from '../translation/chat-prompt.ts';
import { chatOptions, chatSettings, type ChatOptions } from '../translation/chat.ts';
import type { OutboundText } from '../translation/outbound-text.ts';
import { RemoteTranslator } from '../translation/remote-translator.ts';
import { improvementQuestion, SYSTEM_MESSAGE } from './chat-improvement-prompt.ts';

const NAME = 'chat';

/** The model that translates as well. */
export const chatImprovement = declareEngine({
  settings: chatSettings,
  start: async ({ log, settings }) => {
    const options = chatOptions(log, settings);
    const engine = options === undefined ? undefined : await createChatImprovement(options);
    // What is wrong with its settings is said by the translator.
    return engine !== undefined && isRunning(engine) ? engine : undefined;
  },
});

/** Contacts nobody yet: a model that is down now may be up when a text comes. */
export async function createChatImprovement(
  options: ChatOptions,
): Promise<ImprovementEngine | Unavailable> {
  const { url, model, languages = commonLanguages } = options;
  const problem = problemWithAddress(url);
  if (problem !== undefined) return unavailable(`CHAT_URL ${problem}.`);
  if (model === undefined) return unavailable('CHAT_MODEL is missing: name the model to ask.');
  const known = new Set(languages.flatMap((tag) => canonicalLanguage(tag) ?? []));
  if (known.size === 0) return unavailable('CHAT_LANGUAGES names no language.');
  return new ChatImprovement({ ...options, model, known: [...known] });
}

class ChatImprovement implements ImprovementEngine {
  readonly name = NAME;
  readonly languages: readonly LanguageTag[];
  readonly #model: ChatModel;
  readonly #batches: RemoteTranslator;

  constructor(options: ChatOptions & { model: string; known: readonly LanguageTag[] }) {
    const { model, known, timeoutMs = 60_000, maxParallel = 4 } = options;
    const { maxAnswerBytes = 2 ** 20 } = options;
    this.languages = known;
    this.#model = new ChatModel({
      ...options,
      ...{ kind: 'writing engine', engine: NAME, model, timeoutMs, maxAnswerBytes },
    });
    this.#batches = new RemoteTranslator({
      ...{ engine: NAME, maxParallel, styleOf: () => 'raw', maxTries: 2 },
      // Few enough that a model keeps them apart.
      ...{ maxItems: 12, maxCharacters: 4_000 },
    });
  }

  forms(): readonly WritingForm[] {
    return [...writingStyles, ...writingTones];
  }

  async improve(texts: readonly string[], options: ImprovementOptions): Promise<string[]> {
    const { signal, account } = options;
    signal.throwIfAborted();
    const improved = await this.#batches.translate(
      texts.map((text) => [text]),
      {
        ...{ signal, account },
        send: (batch, request) => this.#send(batch, { ...options, signal: request.signal }),
      },
    );
    return improved.map((segment) => plainText(segment));
  }

  async close(): Promise<void> {
    this.#batches.close();
  }

  async #send(texts: readonly OutboundText[], options: ImprovementOptions) {
    const ids = this.#model.idsFor(texts.map(({ text }) => text));
    const items = texts.map((text, index): ChatItem => ({ id: ids[index] ?? '', text }));
    const answer = await this.#model.ask({
      system: SYSTEM_MESSAGE,
      question: improvementQuestion(items, options),
      signal: options.signal,
    });
    if (answer !== undefined) return readChatAnswer(answer.value, items);
    if (texts.length > 1) return texts.map(() => undefined);
    throw new ServiceError(
      'translation_failed',
      'The model refuses one of the texts. Rephrase or shorten it and try again.',
    );
  }
}

function unavailable(reason: string): Unavailable {
  return { name: NAME, reason: `Chat improvement: ${reason}` };
}
