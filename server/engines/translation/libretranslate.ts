/**
 * Translation with a LibreTranslate server: open models and no account; the server is AGPL and runs
 * separately.
 */
import Type from 'typebox';
import { ServiceError } from '../../../shared/errors.ts';
import { canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { isPlain, plainText, type TextSegment } from '../../text/text-segment.ts';
import { declareEngine, PLAIN_ABILITIES, problemWithAddress, refusePair } from '../declaration.ts';
import type {
  LanguagePair,
  TranslationEngine,
  TranslationOptions,
  Unavailable,
} from '../engine.ts';
import {
  connectListedService,
  knownLanguages,
  type LanguageWatch,
  type ListedServiceOptions,
  type ListRequest,
  type ServiceClient,
} from '../service/service-client.ts';
import {
  finishAll,
  RemoteTranslator,
  type BatchSender,
  type SendBatch,
} from './remote-translator.ts';

/** Options of the server; only some servers require a key. */
export type LibreTranslateOptions = ListedServiceOptions;

const NAME = 'libretranslate';

/** The LibreTranslate engine. */
export const libreTranslate = declareEngine({
  settings: {
    LIBRETRANSLATE_URL: Type.Optional(
      Type.String({ pattern: '^https?://', description: 'Address of a LibreTranslate server.' }),
    ),
    LIBRETRANSLATE_KEY: Type.Optional(
      Type.String({ description: 'API key of the LibreTranslate server, if it requires one.' }),
    ),
  },
  start: async ({ log, settings: { LIBRETRANSLATE_URL: url, LIBRETRANSLATE_KEY: key } }) =>
    url === undefined ? undefined : createLibreTranslate({ log, url, key }),
});

/** Requests the languages; while the server is down, the engine has none. */
export async function createLibreTranslate(
  options: LibreTranslateOptions,
): Promise<TranslationEngine | Unavailable> {
  const problem = problemWithAddress(options.url);
  if (problem !== undefined) return { name: NAME, reason: `LIBRETRANSLATE_URL ${problem}.` };
  const engine = new LibreTranslate(options);
  await engine.start();
  return engine;
}

/** Languages of the server, with its own codes by tag. */
interface Languages {
  pairs: readonly LanguagePair[];
  served: ReadonlySet<string>;
  codes: ReadonlyMap<LanguageTag, string>;
}

const noLanguages: Languages = { pairs: [], served: new Set(), codes: new Map() };

class LibreTranslate implements TranslationEngine {
  readonly name = NAME;
  readonly outage = 'engine';
  readonly abilities = PLAIN_ABILITIES;
  readonly #key: string | undefined;
  readonly #client: ServiceClient;
  readonly #watch: LanguageWatch<Languages>;
  readonly #translator: RemoteTranslator;

  constructor(options: LibreTranslateOptions) {
    const { maxParallel = 2 } = options;
    this.#key = options.key;
    const { client, watch } = connectListedService(options, {
      engine: NAME,
      headers: {},
      load: loadLanguages,
    });
    this.#client = client;
    this.#watch = watch;
    // Public servers accept 2,000 characters per request.
    const limits = { maxItems: 40, maxCharacters: 2_000, maxTries: 1 };
    // Plain text is translated better than HTML, which the server splits at its tags.
    const styleOf = (segment: TextSegment) => (isPlain(segment) ? 'raw' : 'html');
    this.#translator = new RemoteTranslator({ engine: NAME, styleOf, maxParallel, ...limits });
  }

  get pairs(): readonly LanguagePair[] {
    return this.#languages.pairs;
  }

  start(): Promise<void> {
    return this.#watch.start();
  }

  async translate(
    segments: readonly TextSegment[],
    options: TranslationOptions,
  ): Promise<TextSegment[]> {
    const { signal, source, target } = options;
    signal.throwIfAborted();
    if (!knownLanguages(NAME, this.#watch).served.has(`${source} ${target}`))
      throw refusePair(NAME, options);
    const lines = segments.map(linesOf);
    const translated = await this.#translator.translate(lines.flat(), this.#sender(options));
    let end = 0;
    return lines.map(({ length }) => translated.slice(end, (end += length)).flat());
  }

  prepare(): void {
    // The remote server starts its own resources.
  }

  async close(): Promise<void> {
    this.#watch.close();
    this.#translator.close();
  }

  get #languages(): Languages {
    return this.#watch.languages ?? noLanguages;
  }

  #sender({ source, target, signal, account }: TranslationOptions): BatchSender {
    const { codes } = this.#languages;
    const send: SendBatch = async (texts, { style, signal: requestSignal }) => {
      const answer = await this.#client.request({
        path: '/translate',
        body: {
          q: texts.map(({ text }) => text),
          source: codes.get(source),
          target: codes.get(target),
          format: style === 'html' ? 'html' : 'text',
          ...(this.#key !== undefined && { api_key: this.#key }),
        },
        signal: requestSignal,
      });
      return finishAll(texts, answer.kind === 'value' ? translatedTexts(answer.value) : []);
    };
    return { send, signal, account };
  }
}

/** @throws ServiceError engine_unavailable */
async function loadLanguages(client: ServiceClient, request: ListRequest): Promise<Languages> {
  const answer = await client.request({ path: '/languages', ...request });
  return readLanguages(answer.kind === 'value' ? answer.value : undefined);
}

/** Splits a text without marks into lines and line breaks, as the server would. */
function linesOf(segment: TextSegment): TextSegment[] {
  if (!isPlain(segment)) return [segment];
  return plainText(segment)
    .split(/([\n\r\u2028\u2029]+)/)
    .map((line) => [line]);
}

/** Reads `{"translatedText": ["…"]}`; an empty list for anything else. */
function translatedTexts(answer: unknown): string[] {
  const { translatedText } = (answer ?? {}) as { translatedText?: unknown };
  if (!Array.isArray(translatedText)) return [];
  return translatedText.filter((text) => typeof text === 'string');
}

/** Codes of older servers that are not language tags, or that mean other languages. */
const olderCodes: Record<string, LanguageTag> = { zt: 'zh-Hant', pb: 'pt-BR' };

/** Reads `[{"code": "en", "targets": ["de", "en"]}]`. @throws ServiceError engine_unavailable */
function readLanguages(answer: unknown): Languages {
  if (!Array.isArray(answer)) {
    throw new ServiceError('engine_unavailable', 'LIBRETRANSLATE_URL: no LibreTranslate answers.');
  }
  const codes = new Map<LanguageTag, string>();
  const tagOf = (code: unknown) => {
    if (typeof code !== 'string') return undefined;
    const tag = olderCodes[code] ?? canonicalLanguage(code);
    if (tag !== undefined) codes.set(tag, code);
    return tag;
  };
  const pairs = new Map<string, LanguagePair>();
  for (const entry of answer as ({ code?: unknown; targets?: unknown } | null)[]) {
    const source = tagOf(entry?.code);
    const targets = Array.isArray(entry?.targets) ? (entry.targets as unknown[]) : [];
    for (const target of targets.map(tagOf)) {
      if (source === undefined || target === undefined || source === target) continue;
      pairs.set(`${source} ${target}`, { source, target });
    }
  }
  return { pairs: [...pairs.values()], served: new Set(pairs.keys()), codes };
}
