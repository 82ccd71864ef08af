/** The language listings: the languages of the public API, restricted to what the running engines serve. */
import { invalid } from '../../shared/errors.ts';
import {
  baseLanguage,
  betaLanguages,
  glossaryLanguages,
  type LanguageTag,
} from '../../shared/language.ts';
import {
  includes,
  resourceNames,
  type FeatureName,
  type GlossaryLanguagePairs,
  type Language,
  type LanguagesQuery,
  type LegacyLanguages,
  type ResourceName,
} from '../../shared/schemas/languages.ts';
import { writingStyles, writingTones } from '../../shared/schemas/write.ts';
import type { DetectionEngine, RecognitionEngine, SynthesisEngine } from '../engines/engine.ts';
import {
  betaFeatures,
  hiddenFromLegacy,
  languageNames,
  legacySourceOnly,
  resourceTable,
} from './language-table.ts';
import type { Improvement } from '../improvement/improvement.ts';
import { isSpeakable } from '../voice/session/speakers.ts';
import type { Translation } from './translation.ts';

export interface LanguageListings {
  /** @throws ServiceError invalid_request, listing the allowed values */
  list(query: LanguagesQuery): Language[];
  /** @throws ServiceError invalid_request when `type` is neither `source` nor `target` */
  listLegacy(type: string | undefined): LegacyLanguages;
  glossaryPairs(): GlossaryLanguagePairs;
}

export interface LanguageListingsOptions {
  translation: Pick<
    Translation,
    'serves' | 'sources' | 'targets' | 'choosesFormality' | 'followsInstructions'
  >;
  improvement: Pick<Improvement, 'serves' | 'forms'>;
  recognisers: readonly Pick<
    RecognitionEngine,
    'languages' | 'detectsLanguage' | 'usesSpokenTerms'
  >[];
  speakers: readonly Pick<SynthesisEngine, 'languages'>[];
  detector: Pick<DetectionEngine, 'languages'>;
}

/** Languages and features that the running engines serve for a resource. */
interface Served {
  sources: ReadonlySet<LanguageTag>;
  targets: ReadonlySet<LanguageTag>;
  has: (feature: FeatureName, language: LanguageTag) => boolean;
}

/** Makes the listings. They reflect engines whose languages change at run time. */
export function createLanguageListings(options: LanguageListingsOptions): LanguageListings {
  const { translation } = options;
  const text = () => translatable('translate_text', options);
  const served: Readonly<Record<ResourceName, () => Served>> = {
    translate_text: text,
    voice: () => spoken(options),
    glossary: () => within('glossary', text()),
    translate_document: () => translatable('translate_document', options),
    style_rules: () => within('style_rules', text()),
    write: () => written(options),
    translation_memory: () => ({
      ...reach(translation.sources(), 'translation_memory', translation),
      has: () => false,
    }),
  };

  return {
    list(query) {
      const resource = checkedResource(query);
      const withBeta = checkedIncludes(query.include ?? []).includes('beta');
      return describe(resource, served[resource](), withBeta);
    },
    listLegacy: (type) => describeLegacy(checkedType(type), text()),
    glossaryPairs: () => ({ supported_languages: pairsOfGlossaries(translation) }),
  };
}

function translatable(
  resource: 'translate_text' | 'translate_document',
  { translation, detector }: LanguageListingsOptions,
): Served {
  const { sources, targets } = reach(translation.sources(), resource, translation);
  const into = abilitiesFrom(sources, translation);
  return {
    sources,
    targets,
    has(feature, language) {
      if (feature === 'auto_detection') {
        return sources.has(language) && detector.languages.includes(language);
      }
      if (feature === 'formality')
        return targets.has(language) && into(language, 'choosesFormality');
      if (feature === 'style_rules') {
        return targets.has(language) && into(language, 'followsInstructions');
      }
      // These features work with every engine.
      return (
        feature === 'glossary' || feature === 'tag_handling' || feature === 'translation_memory'
      );
    },
  };
}

/** Returns a function that tells whether an ability is available into a target from any of the sources. */
function abilitiesFrom(
  sources: ReadonlySet<LanguageTag>,
  translation: Pick<Translation, 'choosesFormality' | 'followsInstructions'>,
) {
  return (target: LanguageTag, can: 'choosesFormality' | 'followsInstructions'): boolean =>
    [...sources].some((source) => translation[can]({ source, target }));
}

function spoken({ translation, recognisers, speakers }: LanguageListingsOptions): Served {
  const { both } = resourceTable.voice;
  const heard = recognisers.flatMap(({ languages }) => languages);
  const sources = new Set(heard.filter((language) => both.has(language)));
  const { targets } = reach([...sources], 'voice', translation);
  const into = abilitiesFrom(sources, translation);
  const isHeard = (language: LanguageTag, can: 'detectsLanguage' | 'usesSpokenTerms') =>
    recognisers.some((each) => each[can] && each.languages.includes(language));
  return {
    sources,
    targets,
    has(feature, language) {
      if (feature === 'translated_speech') {
        return targets.has(language) && isSpeakable(language, speakers);
      }
      if (feature === 'auto_detection') return isHeard(language, 'detectsLanguage');
      if (feature === 'spoken_terms') return isHeard(language, 'usesSpokenTerms');
      if (feature === 'formality')
        return targets.has(language) && into(language, 'choosesFormality');
      // Glossaries work with every engine.
      return feature === 'glossary' || (feature === 'transcription' && sources.has(language));
    },
  };
}

function written({ improvement, detector }: LanguageListingsOptions): Served {
  const { both, targetOnly } = resourceTable.write;
  const sources = new Set([...both].filter((language) => improvement.serves(language)));
  const targets = [...both, ...targetOnly].filter((language) => improvement.serves(language));
  return {
    sources,
    targets: new Set(targets),
    has(feature, language) {
      if (feature === 'auto_detection') {
        return sources.has(language) && detector.languages.includes(language);
      }
      const forms = improvement.forms(language);
      return (feature === 'tone' ? writingTones : writingStyles).some((form) => forms.has(form));
    },
  };
}

/** Returns the sources of a resource that can be translated, and the targets reachable from them. */
function reach(
  from: readonly LanguageTag[],
  resource: ResourceName,
  translation: Pick<Translation, 'serves' | 'targets'>,
): Pick<Served, 'sources' | 'targets'> {
  const { both, targetOnly } = resourceTable[resource];
  const candidates = [...both, ...targetOnly];
  const sources = new Set<LanguageTag>();
  const targets = new Set<LanguageTag>();
  for (const source of from) {
    if (!both.has(source)) continue;
    for (const target of candidates) {
      // Every language is served into itself, but that is no translation.
      if (baseLanguage(target) === source || !translation.serves({ source, target })) continue;
      sources.add(source);
      targets.add(target);
    }
  }
  return { sources, targets };
}

/** Restricts the languages to those of another resource. */
function within(resource: ResourceName, { sources, targets }: Served): Served {
  const { both } = resourceTable[resource];
  const only = (languages: ReadonlySet<LanguageTag>) =>
    new Set([...languages].filter((language) => both.has(language)));
  return { sources: only(sources), targets: only(targets), has: () => false };
}

function describe(resource: ResourceName, served: Served, withBeta: boolean): Language[] {
  const { features } = resourceTable[resource];
  const listed: Language[] = [];
  for (const [lang, name] of languageNames) {
    const isSource = served.sources.has(lang);
    const isTarget = served.targets.has(lang);
    const status = betaLanguages.includes(lang) ? 'beta' : 'stable';
    if ((!isSource && !isTarget) || (status === 'beta' && !withBeta)) continue;
    const names = (Object.keys(features) as FeatureName[]).filter(
      (feature) =>
        features[feature]?.has(lang) === true &&
        served.has(feature, lang) &&
        (withBeta || !betaFeatures.has(feature)),
    );
    const listedFeatures = names.map((feature) => [
      feature,
      { status: betaFeatures.has(feature) ? 'beta' : status },
    ]);
    listed.push({
      lang,
      name,
      usable_as_source: isSource,
      usable_as_target: isTarget,
      status,
      features: Object.fromEntries(listedFeatures) as Language['features'],
    });
  }
  return listed;
}

function describeLegacy(type: 'source' | 'target', served: Served): LegacyLanguages {
  const { formality } = resourceTable.translate_text.features;
  const isListed = (lang: LanguageTag) =>
    type === 'source'
      ? served.sources.has(lang)
      : served.targets.has(lang) && !legacySourceOnly.has(lang);
  return [...languageNames]
    .filter(([lang]) => isListed(lang) && !hiddenFromLegacy.has(lang))
    .map(([lang, name]) => ({
      language: lang.toUpperCase(),
      name: type === 'target' && lang === 'zh' ? 'Chinese (simplified)' : name,
      ...(type === 'target' && {
        supports_formality: formality?.has(lang) === true && served.has('formality', lang),
      }),
    }));
}

function pairsOfGlossaries({ serves }: Pick<Translation, 'serves'>) {
  return glossaryLanguages.flatMap((source) =>
    glossaryLanguages
      .filter((target) => target !== source && serves({ source, target }))
      .map((target) => ({ source_lang: source, target_lang: target })),
  );
}

function checkedResource({ resource, product }: LanguagesQuery): ResourceName {
  const possible = `Possible: ${resourceNames.join(', ')}.`;
  if (resource === undefined) {
    throw invalid(
      product === undefined
        ? `Missing parameter resource. ${possible}`
        : `The parameter 'product' is now called 'resource'. ${possible}`,
    );
  }
  const found = resourceNames.find((name) => name === resource);
  if (found === undefined) throw invalid(`Value for 'resource' not supported. ${possible}`);
  return found;
}

function checkedIncludes(given: readonly string[]): string[] {
  const names = given.flatMap((each) => each.split(',')).map((name) => name.trim());
  for (const name of names) {
    if (name === '' || includes.some((include) => include === name)) continue;
    throw invalid(`Value for 'include' not supported. Possible: ${includes.join(', ')}.`);
  }
  return names;
}

function checkedType(type: string | undefined): 'source' | 'target' {
  if (type === undefined || type === '') return 'source';
  if (type === 'source' || type === 'target') return type;
  throw invalid("Value for 'type' not supported. Possible: source, target.");
}
