/** From the language lists of a DeepL-compatible API to directions. */
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { LanguagePair } from '../engine.ts';

/** What the server translates, with its own codes by tag. */
export interface UpstreamLanguages {
  pairs: readonly LanguagePair[];
  /** `source target` of each pair. */
  served: ReadonlySet<string>;
  /** Targets whose formality can be chosen. */
  formality: readonly LanguageTag[];
  /** Targets in which it follows custom instructions. */
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
 * Reads `[{"language": "PT-BR", "supports_formality": true}]` of sources and of targets. Where
 * targets have variants alone, the likeliest one stands for their base language.
 *
 * @param features as {@link featuresIn} has them; empty for servers that do not tell
 */
export function upstreamLanguages(
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

/** Reads `[{"lang": "pt-BR", "features": {"tone": {…}}}]` of a newer listing: features by language. */
export function featuresIn(list: readonly unknown[]): Map<LanguageTag, ReadonlySet<string>> {
  const found = new Map<LanguageTag, ReadonlySet<string>>();
  for (const each of list) {
    const { lang, features } = (each ?? {}) as Record<string, unknown>;
    const tag = typeof lang === 'string' ? canonicalLanguage(lang) : undefined;
    if (tag !== undefined) found.set(tag, new Set(Object.keys(features ?? {})));
  }
  return found;
}

/** Each language once; what is no language does not count. */
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
