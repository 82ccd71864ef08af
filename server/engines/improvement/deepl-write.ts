/** Improvement with another server that speaks the DeepL-compatible API: corrections, styles and tones. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { writingStyles, writingTones } from '../../../shared/schemas/write.ts';
import { plainText } from '../../text/text-segment.ts';
import { declareEngine, isRunning, problemWithAddress } from '../declaration.ts';
import type { ImprovementEngine, ImprovementOptions, Unavailable, WritingForm } from '../engine.ts';
import {
  deeplSettings,
  loadFeatures,
  textsIn,
  type DeeplUpstreamOptions,
} from '../translation/deepl-upstream.ts';
import {
  connectListedService,
  knownLanguages,
  type LanguageWatch,
  type ServiceClient,
} from '../service/service-client.ts';
import {
  finishAll,
  type OutboundText,
  RemoteTranslator,
} from '../translation/remote-translator.ts';

const NAME = 'upstream';
/** Keys of the free plan, which does not include improvement. */
const FREE_KEY = /:fx$/i;
/** Each line is sent as a separate text; line breaks are not sent. */
const LINE_BREAK = /(\r\n|[\n\r\u2028\u2029])/;

type Features = ReadonlyMap<LanguageTag, ReadonlySet<string>>;

/** The engine for the server that also serves as upstream translator. */
export const deeplWrite = declareEngine({
  settings: deeplSettings,
  start: async ({ log, settings: { DEEPL_URL: url, DEEPL_KEY: key } }) => {
    const engine = url === undefined ? undefined : await createDeeplWrite({ log, url, key });
    // The translator reports problems with the shared settings.
    return engine !== undefined && isRunning(engine) ? engine : undefined;
  },
});

/** Requests the languages the server can improve; without that listing, the engine has none. */
export async function createDeeplWrite(
  options: DeeplUpstreamOptions,
): Promise<ImprovementEngine | Unavailable> {
  const { url, key } = options;
  const problem = problemWithAddress(url);
  if (problem !== undefined) return { name: NAME, reason: `DEEPL_URL ${problem}.` };
  if (key === undefined) return { name: NAME, reason: 'DEEPL_KEY is missing: set the key.' };
  if (FREE_KEY.test(key)) return { name: NAME, reason: 'DEEPL_KEY is of a plan without Write.' };
  const engine = new DeeplWrite({ ...options, key });
  await engine.start();
  return engine;
}

class DeeplWrite implements ImprovementEngine {
  readonly name = NAME;
  readonly #client: ServiceClient;
  readonly #watch: LanguageWatch<Features>;
  readonly #batches: RemoteTranslator;

  constructor(options: DeeplUpstreamOptions & { key: string }) {
    const { client, watch } = connectListedService(options, {
      engine: NAME,
      kind: 'writing engine',
      headers: { authorization: `DeepL-Auth-Key ${options.key}` },
      load: (from, request) => loadFeatures('write', from, request),
    });
    this.#client = client;
    this.#watch = watch;
    this.#batches = new RemoteTranslator({
      engine: NAME,
      maxParallel: options.maxParallel ?? 4,
      styleOf: () => 'raw',
      maxTries: 1,
      // The API allows 10 KiB; a UTF-16 unit takes up to 3 bytes in UTF-8.
      maxItems: 50,
      maxCharacters: 2_800,
    });
  }

  get languages(): readonly LanguageTag[] {
    return [...(this.#watch.languages?.keys() ?? [])];
  }

  forms(language: LanguageTag): readonly WritingForm[] {
    // The server lists English and Portuguese only as variants.
    const known = [...(this.#watch.languages ?? [])].filter(([tag]) =>
      language === baseLanguage(language) ? baseLanguage(tag) === language : tag === language,
    );
    const has = (feature: string) => known.some(([, features]) => features.has(feature));
    return [...(has('writing_style') ? writingStyles : []), ...(has('tone') ? writingTones : [])];
  }

  start(): Promise<void> {
    return this.#watch.start();
  }

  async improve(texts: readonly string[], options: ImprovementOptions): Promise<string[]> {
    const { signal, account } = options;
    signal.throwIfAborted();
    knownLanguages(NAME, this.#watch);
    const lines = texts.map((text) => text.split(LINE_BREAK));
    const improved = await this.#batches.translate(
      lines.flat().map((line) => [line]),
      {
        signal,
        account,
        send: (batch, request) => this.#send(batch, { ...options, signal: request.signal }),
      },
    );
    const next = improved.values();
    return lines.map((own) => own.map(() => plainText(next.next().value ?? [])).join(''));
  }

  async close(): Promise<void> {
    this.#watch.close();
    this.#batches.close();
  }

  async #send(
    texts: readonly OutboundText[],
    { task, language, writingStyle, tone, signal }: ImprovementOptions,
  ) {
    // Without a requested variant, texts keep the spelling they have.
    const hasVariants = language === 'en' || language === 'pt';
    const answer = await this.#client.request({
      path: `/v2/write/${task}`,
      body: {
        text: texts.map(({ text }) => text),
        ...(!hasVariants && { target_lang: language }),
        ...(writingStyle !== undefined && { writing_style: writingStyle }),
        ...(tone !== undefined && { tone }),
      },
      signal,
    });
    return finishAll(texts, textsIn(answer, 'improvements'));
  }
}
