/** Translation with another server that speaks the DeepL-compatible API, such as a second Dragoman. */
import Type from 'typebox';
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { isPlain, type TextSegment } from '../../text/text-segment.ts';
import { declareEngine, keySetting, problemWithAddress, refusePair } from '../declaration.ts';
import type {
  LanguagePair,
  TranslationAbilities,
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
  type ServiceAnswer,
  type ServiceClient,
} from '../service/service-client.ts';
import {
  finishAll,
  RemoteTranslator,
  type BatchSender,
  type SendBatch,
} from './remote-translator.ts';

// From the language lists of a DeepL-compatible API to language pairs.

/** Languages of the server, with its own codes by tag. */
interface UpstreamLanguages {
  pairs: readonly LanguagePair[];
  /** `source target` of each pair. */
  served: ReadonlySet<string>;
  /** Targets with selectable formality. */
  formality: readonly LanguageTag[];
  /** Targets in which the server follows custom instructions. */
  instructions: readonly LanguageTag[];
  sourceCodes: ReadonlyMap<LanguageTag, string>;
  targetCodes: ReadonlyMap<LanguageTag, string>;
}

interface Entry {
  tag: LanguageTag;
  code: string;
  supportsFormality: boolean;
}

/**
 * Reads `[{"language": "PT-BR", "supports_formality": true}]` for sources and targets. Where a target
 * language has only variants, the likeliest variant stands for the base language.
 *
 * @param features result of {@link featuresIn}; empty for servers without that listing
 */
function upstreamLanguages(
  sourceList: readonly unknown[],
  targetList: readonly unknown[],
  features: ReadonlyMap<LanguageTag, ReadonlySet<string>>,
): UpstreamLanguages {
  const sources = entriesIn(sourceList);
  const variants = entriesIn(targetList);
  const targets = [...variants, ...missingBases(variants)];
  const pairs = sources.flatMap(({ tag: source }) =>
    targets
      .filter(({ tag }) => baseLanguage(tag) !== baseLanguage(source))
      .map(({ tag: target }) => ({ source, target })),
  );
  const follows = (tag: LanguageTag) => features.get(tag)?.has('style_rules') === true;
  return {
    pairs,
    served: new Set(pairs.map(({ source, target }) => `${source} ${target}`)),
    formality: targets.filter((target) => target.supportsFormality).map(({ tag }) => tag),
    instructions: targets
      .map(({ tag }) => tag)
      .filter((tag) => follows(tag) || follows(baseLanguage(tag))),
    sourceCodes: new Map(sources.map(({ tag, code }) => [tag, code])),
    targetCodes: new Map(targets.map(({ tag, code }) => [tag, code])),
  };
}

/** Reads `[{"lang": "pt-BR", "features": {"tone": {…}}}]` from the newer listing: features by language. */
function featuresIn(list: readonly unknown[]): Map<LanguageTag, ReadonlySet<string>> {
  const found = new Map<LanguageTag, ReadonlySet<string>>();
  for (const each of list) {
    const { lang, features } = (each ?? {}) as Record<string, unknown>;
    const tag = typeof lang === 'string' ? canonicalLanguage(lang) : undefined;
    if (tag !== undefined) found.set(tag, new Set(Object.keys(features ?? {})));
  }
  return found;
}

/** Returns each language once; entries without a valid language are ignored. */
function entriesIn(list: readonly unknown[]): Entry[] {
  const entries = new Map<LanguageTag, Entry>();
  for (const each of list) {
    const { language: code, supports_formality } = (each ?? {}) as Record<string, unknown>;
    const tag = typeof code === 'string' ? canonicalLanguage(code) : undefined;
    if (typeof code !== 'string' || tag === undefined) continue;
    entries.set(tag, { tag, code, supportsFormality: supports_formality === true });
  }
  return [...entries.values()];
}

function missingBases(targets: readonly Entry[]): Entry[] {
  const bases = new Set(targets.map(({ tag }) => baseLanguage(tag)));
  for (const { tag } of targets) bases.delete(tag);
  return [...bases].flatMap((base) => {
    const { region, script } = new Intl.Locale(base).maximize();
    const variants = targets.filter(({ tag }) => baseLanguage(tag) === base);
    const likeliest = variants.find(({ tag }) =>
      [`${base}-${region ?? ''}`, `${base}-${script ?? ''}`].includes(tag),
    );
    const chosen = likeliest ?? variants[0];
    return chosen === undefined ? [] : [{ ...chosen, tag: base }];
  });
}

/** Options of the server; `key` is required. */
export type DeeplUpstreamOptions = ListedServiceOptions;

const NAME = 'upstream';

/** Settings of the server, shared by translation and improvement. */
export const deeplSettings = {
  DEEPL_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Address of an upstream server with a DeepL-compatible API.',
    }),
  ),
  DEEPL_KEY: keySetting('API key of the upstream server.'),
};

/** The engine for a server with a DeepL-compatible API. */
export const deeplUpstream = declareEngine({
  settings: deeplSettings,
  start: async ({ log, settings: { DEEPL_URL: url, DEEPL_KEY: key } }) =>
    url === undefined ? undefined : createDeeplUpstream({ log, url, key }),
});

/** Requests the languages; while the server is down, the engine has none. */
export async function createDeeplUpstream(
  options: DeeplUpstreamOptions,
): Promise<TranslationEngine | Unavailable> {
  const { url, key } = options;
  const problem = problemWithAddress(url);
  if (problem !== undefined) return { name: NAME, reason: `DEEPL_URL ${problem}.` };
  if (key === undefined) return { name: NAME, reason: 'DEEPL_KEY is missing: set the key.' };
  const engine = new DeeplUpstream({ ...options, key });
  await engine.start();
  return engine;
}

const noLanguages = upstreamLanguages([], [], new Map());
/** Limit of the context, since many requests carry it along. */
const MAX_CONTEXT_LENGTH = 8_000;
/** Limits of the instructions per request, and of the characters per instruction. */
const MAX_INSTRUCTIONS = 10;
const MAX_INSTRUCTION_LENGTH = 300;

/**
 * Text lengths for detection, in UTF-16 units: enough to detect a language, and less where the translation is
 * charged for.
 */
const MAX_DETECTED_LENGTH = 1_000;
const MAX_CHARGED_LENGTH = 100;
/** The built-in detector answers at once, so a better answer must not take longer. */
const DETECTION_TIMEOUT_MS = 3_000;
/** How long detection is not requested again from a server that does not offer it, in ms. */
const DETECTION_RETRY_MS = 10 * 60_000;

class DeeplUpstream implements TranslationEngine {
  readonly name = NAME;
  readonly outage = 'engine';
  readonly #client: ServiceClient;
  readonly #watch: LanguageWatch<UpstreamLanguages>;
  readonly #translator: RemoteTranslator;
  /** Earliest time of the next detection request, on the clock of `performance.now()`. */
  #detectsFromMs = 0;

  constructor(options: DeeplUpstreamOptions & { key: string }) {
    const { maxParallel = 4 } = options;
    const { client, watch } = connectListedService(options, {
      engine: NAME,
      headers: { authorization: `DeepL-Auth-Key ${options.key}` },
      load: loadLanguages,
    });
    this.#client = client;
    this.#watch = watch;
    // The API allows 50 texts and 128 KiB; an escaped character takes up to 6 bytes in UTF-8.
    const limits = { maxItems: 50, maxCharacters: 16_000, maxTries: 1 };
    const styleOf = (segment: TextSegment) => (isSimpleText(segment) ? 'raw' : 'xml');
    this.#translator = new RemoteTranslator({ engine: NAME, styleOf, maxParallel, ...limits });
  }

  get pairs(): readonly LanguagePair[] {
    return this.#languages.pairs;
  }

  get abilities(): TranslationAbilities {
    return {
      generation: 'next',
      formality: this.#languages.formality,
      usesContext: true,
      usesTerms: false,
      followsInstructions: this.#languages.instructions,
      usesExamples: false,
    };
  }

  start(): Promise<void> {
    return this.#watch.start();
  }

  async translate(
    segments: readonly TextSegment[],
    options: TranslationOptions,
  ): Promise<TextSegment[]> {
    options.signal.throwIfAborted();
    const { served } = knownLanguages(NAME, this.#watch);
    if (!served.has(`${options.source} ${options.target}`)) throw refusePair(NAME, options);
    return this.#translator.translate(segments, this.#sender(options));
  }

  /** Detects languages; without a detection API, a translation of unclear texts reports their language. */
  async detect(
    texts: readonly { text: string; isClear: boolean }[],
    { target, signal }: { target: LanguageTag; signal: AbortSignal },
  ): Promise<(LanguageTag | undefined)[]> {
    const limits = { signal, retries: 0, timeoutMs: DETECTION_TIMEOUT_MS };
    const ask = async (path: string, body: object, isOptional: boolean) => {
      const answer = await this.#client.request({ ...limits, path, body, isOptional });
      return answer.kind === 'value' ? answer.value : undefined;
    };
    try {
      if (performance.now() >= this.#detectsFromMs) {
        const text = texts.map((each) => each.text.slice(0, MAX_DETECTED_LENGTH));
        const found = await ask('/v3/detect/language', { text }, true);
        if (found !== undefined) return languagesIn(found, 'results', 'detected_language', texts);
        this.#detectsFromMs = performance.now() + DETECTION_RETRY_MS;
      }
      const unclear = texts.filter(({ isClear }) => !isClear);
      const target_lang = this.#languages.targetCodes.get(target);
      if (unclear.length === 0 || target_lang === undefined) return texts.map(() => undefined);
      const text = unclear.map((each) => each.text.slice(0, MAX_CHARGED_LENGTH));
      const translated = await ask('/v2/translate', { text, target_lang }, false);
      const found = languagesIn(translated, 'translations', 'detected_source_language', unclear);
      return texts.map((each) => found[unclear.indexOf(each)]);
    } catch {
      // The client has logged the cause.
      return texts.map(() => undefined);
    }
  }

  prepare(): void {
    // The remote server starts its own resources.
  }

  async close(): Promise<void> {
    this.#watch.close();
    this.#translator.close();
  }

  get #languages(): UpstreamLanguages {
    return this.#watch.languages ?? noLanguages;
  }

  #sender(options: TranslationOptions): BatchSender {
    const { formality, context, sentences, signal, account } = options;
    const parameters = {
      ...this.#codes(options),
      split_sentences: sentences === 'whole' ? '0' : 'nonewlines',
      ...(formality !== undefined && { formality: `prefer_${formality}` }),
      ...(context !== undefined && { context: context.slice(0, MAX_CONTEXT_LENGTH) }),
      ...instructionsOf(options),
    };
    const send: SendBatch = async (texts, { style, signal: requestSignal }) => {
      const answer = await this.#client.request({
        path: '/v2/translate',
        body: {
          text: texts.map(({ text }) => text),
          ...parameters,
          // These tags say nothing about sentence boundaries.
          ...(style === 'xml' && { tag_handling: 'xml', outline_detection: false }),
        },
        signal: requestSignal,
      });
      return finishAll(texts, textsIn(answer, 'translations'));
    };
    return { send, signal, account };
  }

  #codes({ source, target }: { source: LanguageTag; target: LanguageTag }) {
    const { sourceCodes, targetCodes } = this.#languages;
    return { source_lang: sourceCodes.get(source), target_lang: targetCodes.get(target) };
  }
}

/** @throws ServiceError engine_unavailable */
async function loadLanguages(
  client: ServiceClient,
  request: ListRequest,
): Promise<UpstreamLanguages> {
  const load = (type: string) => client.request({ path: `/v2/languages?type=${type}`, ...request });
  const [sources, targets, features] = await Promise.all([
    load('source'),
    load('target'),
    loadFeatures('translate_text', client, request),
  ]);
  return upstreamLanguages(listIn(sources), listIn(targets), features);
}

/**
 * Loads the features of a server resource by language; empty for servers without this listing.
 *
 * @throws ServiceError engine_unavailable
 */
export async function loadFeatures(
  resource: 'translate_text' | 'write',
  client: ServiceClient,
  request: ListRequest,
): Promise<Map<LanguageTag, ReadonlySet<string>>> {
  const path = `/v3/languages?resource=${resource}`;
  const answer = await client.request({ path, isOptional: true, ...request });
  return featuresIn(answer.kind === 'refused' ? [] : listIn(answer));
}

/**
 * Returns instructions followed by as many style rules as fit. Each is sent separately when they are few,
 * otherwise several are joined.
 *
 * @throws ServiceError translation_failed for more instructions than a request accepts
 */
function instructionsOf({ instructions = [], styleRules = [] }: TranslationOptions) {
  const wanted = packed(instructions);
  if (wanted.length > MAX_INSTRUCTIONS) throw tooManyInstructions();
  const all = packed([...instructions, ...styleRules]);
  // Dropped rules still apply where they can be enforced locally without a model.
  const custom = all.length > MAX_INSTRUCTIONS ? all.slice(0, MAX_INSTRUCTIONS) : all;
  return custom.length > 0 && { custom_instructions: custom };
}

function packed(sentences: readonly string[]): string[] {
  if (sentences.length <= MAX_INSTRUCTIONS) return [...sentences];
  const packs: string[] = [];
  for (const sentence of sentences) {
    const joined = `${packs.at(-1) ?? ''} ${sentence}`.trim();
    if (packs.length > 0 && joined.length <= MAX_INSTRUCTION_LENGTH)
      packs[packs.length - 1] = joined;
    else packs.push(sentence);
  }
  return packs;
}

function tooManyInstructions(): ServiceError {
  return new ServiceError(
    'translation_failed',
    `The translator ${NAME} takes instructions of ${MAX_INSTRUCTIONS * MAX_INSTRUCTION_LENGTH} characters in all. Use fewer or shorter ones.`,
  );
}

/**
 * Whether a segment has neither marks nor line breaks; line breaks travel as tags, so that they keep their
 * place.
 */
function isSimpleText(segment: TextSegment): boolean {
  return isPlain(segment) && !segment.some((part) => /[\n\r\u2028\u2029]/.test(part as string));
}

/** @throws ServiceError engine_unavailable when the answer is not a list */
function listIn(answer: ServiceAnswer): unknown[] {
  if (answer.kind === 'value' && Array.isArray(answer.value)) return answer.value as unknown[];
  throw new ServiceError('engine_unavailable', 'DEEPL_URL: no DeepL-compatible API answers.');
}

/** Reads `{"<list>": [{"<key>": "PT-BR"}, …]}` as base languages; undefined for anything else. */
function languagesIn(
  answer: unknown,
  list: string,
  key: string,
  texts: readonly unknown[],
): (LanguageTag | undefined)[] {
  const found = (answer as Record<string, unknown> | undefined)?.[list];
  const all = Array.isArray(found) ? (found as (Record<string, unknown> | null)[]) : [];
  return texts.map((_, index) => {
    const code = all[index]?.[key];
    const tag = typeof code === 'string' ? canonicalLanguage(code) : undefined;
    return tag === undefined ? undefined : baseLanguage(tag);
  });
}

/** Reads `{"<list>": [{"text": "…"}]}`; an empty list for anything else. */
export function textsIn(answer: ServiceAnswer, list: 'translations' | 'improvements'): string[] {
  if (answer.kind === 'refused') return [];
  const found = ((answer.value ?? {}) as Record<string, unknown>)[list];
  if (!Array.isArray(found)) return [];
  return (found as ({ text?: unknown } | null)[])
    .map((each) => each?.text)
    .filter((text) => typeof text === 'string');
}
