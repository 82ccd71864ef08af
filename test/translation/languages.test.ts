import { beforeAll, describe, expect, it } from 'vitest';
import { createDetector } from '../../server/engines/detection/detector.ts';
import type {
  DetectionEngine,
  ImprovementEngine,
  WritingForm,
  LanguagePair,
} from '../../server/engines/engine.ts';
import { createImprovement } from '../../server/improvement/improvement.ts';
import { languageNames, resourceTable } from '../../server/translation/language-table.ts';
import { createLanguageListings } from '../../server/translation/languages.ts';
import { createTranslation } from '../../server/translation/translation.ts';
import { resourceNames } from '../../shared/schemas/languages.ts';
import { recordLog } from '../support/product/log-record.ts';

let detector: DetectionEngine;
beforeAll(() => (detector = createDetector({ log: recordLog() })));

/** Creates listings over an engine that claims these directions; nothing is translated here. */
function listingsFor(
  pairs: readonly (readonly [source: string, target: string])[],
  {
    formality = [] as string[],
    followsInstructions = false,
    heard = [] as string[],
    spoken = [] as string[],
    improvers = [] as ImprovementEngine[],
  } = {},
) {
  const engine = {
    name: 'paper',
    pairs: pairs.map(([source, target]): LanguagePair => ({ source, target })),
    abilities: {
      generation: 'next' as const,
      usesContext: false,
      usesTerms: false,
      formality,
      followsInstructions,
      usesExamples: false,
    },
    translate: async () => [],
    prepare: () => undefined,
    close: async () => undefined,
  };
  return createLanguageListings({
    translation: createTranslation({ engines: [engine], log: recordLog() }),
    improvement: createImprovement({ engines: improvers, detector, log: recordLog() }),
    recognisers: [{ languages: heard, detectsLanguage: false, usesSpokenTerms: true }],
    speakers: [{ languages: spoken }],
    detector,
  });
}

type Listings = ReturnType<typeof listingsFor>;
const codes = (listings: Listings, resource: string, include: string[] = []) =>
  listings.list({ resource, include }).map(({ lang }) => lang);

describe('the language table', () => {
  it('has the languages of the contract for each resource', () => {
    const counts = resourceNames.map((name) => {
      const { both, targetOnly } = resourceTable[name];
      return [name, both.size, both.size + targetOnly.size];
    });
    expect(languageNames.size).toBe(125);
    expect(counts).toEqual([
      ['translate_text', 114, 125],
      ['translate_document', 113, 120],
      ['glossary', 32, 32],
      ['style_rules', 8, 8],
      ['voice', 38, 44],
      ['write', 9, 14],
      ['translation_memory', 8, 12],
    ]);
  });

  it('names each language once', () => {
    for (const { both, targetOnly, features } of Object.values(resourceTable)) {
      const listed = [...both, ...targetOnly];
      expect(new Set(listed).size).toBe(listed.length);
      for (const code of listed) expect(languageNames.has(code), code).toBe(true);
      for (const set of Object.values(features))
        for (const code of set) expect(listed).toContain(code);
    }
  });
});

describe('the listing of translate_text', () => {
  it('contains what a running engine supports, including target variants, and nothing else', () => {
    const listings = listingsFor([
      ['en', 'pt'],
      ['es', 'en'],
      ['xx', 'en'],
    ]);
    expect(listings.list({ resource: 'translate_text' })).toEqual([
      expect.objectContaining({ lang: 'en', usable_as_source: true, usable_as_target: true }),
      expect.objectContaining({ lang: 'en-GB', usable_as_source: false, usable_as_target: true }),
      expect.objectContaining({ lang: 'en-US', name: 'English (American)' }),
      expect.objectContaining({ lang: 'es', usable_as_source: true, usable_as_target: false }),
      expect.objectContaining({ lang: 'pt', usable_as_source: false, usable_as_target: true }),
      expect.objectContaining({ lang: 'pt-BR', status: 'stable' }),
      expect.objectContaining({ lang: 'pt-PT', status: 'stable' }),
    ]);
    expect(codes(listingsFor([]), 'translate_text')).toEqual([]);
  });

  it('contains traditional Chinese only where an engine writes it', () => {
    expect(codes(listingsFor([['en', 'zh']]), 'translate_text')).toEqual(['en', 'zh', 'zh-Hans']);
    expect(codes(listingsFor([['en', 'zh-Hant']]), 'translate_text')).toEqual(['en', 'zh-Hant']);
  });

  it('contains beta languages on request', () => {
    const listings = listingsFor([['en', 'fr']]);
    expect(codes(listings, 'translate_text')).toEqual(['en', 'fr', 'fr-FR']);
    const all = listings.list({ resource: 'translate_text', include: ['beta,external'] });
    expect(all.map(({ lang }) => lang)).toEqual(['en', 'fr', 'fr-CA', 'fr-FR']);
    expect(all[2]).toMatchObject({ status: 'beta', features: { glossary: { status: 'beta' } } });
  });

  it('contains features that both the contract and a running engine have', () => {
    const plain = listingsFor([['en', 'de']]).list({ resource: 'translate_text' });
    expect(plain.map(({ lang, features }) => [lang, Object.keys(features)])).toEqual([
      ['de', ['glossary', 'tag_handling', 'translation_memory']],
      ['de-DE', ['glossary', 'tag_handling', 'translation_memory']],
      ['en', ['auto_detection', 'glossary', 'tag_handling', 'translation_memory']],
    ]);
    const able = listingsFor(
      [
        ['en', 'de'],
        ['en', 'da'],
      ],
      { formality: ['de', 'da'], followsInstructions: true },
    ).list({ resource: 'translate_text' });
    expect(able.map(({ lang, features }) => [lang, Object.keys(features)])).toEqual([
      ['da', ['glossary', 'tag_handling']],
      ['de', ['formality', 'glossary', 'style_rules', 'tag_handling', 'translation_memory']],
      ['de-DE', ['formality', 'glossary', 'style_rules', 'tag_handling', 'translation_memory']],
      ['en', ['auto_detection', 'glossary', 'tag_handling', 'translation_memory']],
    ]);
  });
});

describe('the listings of other resources', () => {
  const pairs = [
    ['en', 'ca'],
    ['en', 'pt'],
    ['es', 'fr'],
  ] as const;

  it('for voice contain recognised languages and the targets reachable from them', () => {
    const glossary = { status: 'stable' };
    const listings = listingsFor(pairs, { heard: ['en', 'eo'], formality: ['pt'] });
    expect(listings.list({ resource: 'voice' })).toEqual([
      expect.objectContaining({
        lang: 'en',
        features: { glossary, transcription: { status: 'stable' } },
      }),
      expect.objectContaining({
        lang: 'pt',
        usable_as_source: false,
        features: { formality: { status: 'stable' }, glossary },
      }),
      expect.objectContaining({ lang: 'pt-BR' }),
      expect.objectContaining({ lang: 'pt-PT' }),
    ]);
    const [english] = listings.list({ resource: 'voice', include: ['beta'] });
    expect(english?.features.spoken_terms).toEqual({ status: 'beta' });
    expect(codes(listingsFor(pairs), 'voice')).toEqual([]);
    expect(codes(listingsFor([], { heard: ['en'] }), 'voice')).toEqual(['en']);
  });

  it('include speech as a beta feature where an engine speaks a target', () => {
    const listings = listingsFor(pairs, { heard: ['en'], spoken: ['pt', 'ja'] });
    const speech = (include: string[]) =>
      listings
        .list({ resource: 'voice', include })
        .map(({ lang, features }) => [lang, features['translated_speech']?.status]);
    expect(speech(['beta'])).toEqual([
      ...[
        ['en', undefined],
        ['pt', 'beta'],
      ],
      ...[
        ['pt-BR', 'beta'],
        ['pt-PT', 'beta'],
      ],
    ]);
    expect(speech([]).every(([, status]) => status === undefined)).toBe(true);
  });

  it('for glossaries contain the translatable glossary languages', () => {
    expect(codes(listingsFor(pairs), 'glossary')).toEqual(['en', 'es', 'fr', 'pt']);
    expect(listingsFor(pairs).glossaryPairs()).toEqual({
      supported_languages: [
        { source_lang: 'en', target_lang: 'pt' },
        { source_lang: 'es', target_lang: 'fr' },
      ],
    });
  });

  it('for style rules contain the translatable style rule languages', () => {
    const listed = listingsFor(pairs).list({ resource: 'style_rules' });
    expect(listed.map((each) => [each.lang, each.usable_as_target, each.features])).toEqual([
      ['en', false, {}],
      ['es', false, {}],
      ['fr', true, {}],
    ]);
    expect(codes(listingsFor([['en', 'pt']]), 'style_rules')).toEqual(['en']);
    expect(codes(listingsFor([['ca', 'pt']]), 'style_rules')).toEqual([]);
  });

  it('for documents contain the translatable languages with document features', () => {
    const documents = listingsFor(
      [
        ['en', 'de'],
        ['en', 'da'],
      ],
      { formality: ['de', 'da'], followsInstructions: true },
    ).list({ resource: 'translate_document' });
    expect(documents.map(({ lang, features }) => [lang, Object.keys(features)])).toEqual([
      ['da', ['glossary']],
      ['de', ['formality', 'glossary']],
      ['en', ['auto_detection', 'glossary']],
    ]);
  });

  it('for improvement contain the languages of an engine, with styles where it rephrases', () => {
    const improver = (languages: string[], forms: WritingForm[] = []): ImprovementEngine => ({
      name: 'paper',
      languages,
      forms: () => forms,
      improve: async () => [],
      close: async () => undefined,
    });
    expect(codes(listingsFor(pairs), 'write')).toEqual([]);
    const improvers = [
      improver(['en', 'pt-BR', 'pl']),
      improver(['de', 'ja'], ['casual', 'friendly']),
      improver(['it'], ['simple']),
    ];
    const listed = listingsFor([], { improvers }).list({ resource: 'write' });
    const features = listed.map((each) => [each.lang, Object.keys(each.features).join(' ')]);
    expect(features).toEqual([
      ['de', 'auto_detection tone writing_style'],
      ['en', 'auto_detection'],
      ['en-GB', ''],
      ['en-US', ''],
      ['it', 'auto_detection writing_style'],
      ['ja', 'auto_detection'],
      ['pt-BR', ''],
    ]);
    const sources = listed.filter((each) => each.usable_as_source).map(({ lang }) => lang);
    expect(sources).toEqual(['de', 'en', 'it', 'ja']);
    expect(listed.every((each) => each.usable_as_target)).toBe(true);
  });

  it('for translation memories contain the translatable memory languages', () => {
    const memories = listingsFor([...pairs, ['es', 'en']]).list({ resource: 'translation_memory' });
    expect(
      memories.map(({ lang, usable_as_source, usable_as_target }) => [
        ...[lang, usable_as_source, usable_as_target],
      ]),
    ).toEqual([
      ['en', false, true],
      ['en-GB', false, true],
      ['en-US', false, true],
      ['es', true, false],
      ['fr', false, true],
    ]);
  });

  it.each([
    [{}, /resource.*translate_text/],
    [{ product: 'translate_text' }, /'product'.*'resource'/],
    [{ resource: 'text' }, /resource.*not supported.*translate_text/],
    [{ resource: 'voice', include: ['alpha'] }, /include.*not supported.*beta, external/],
  ])('reject %j with the possible values', (query, message) => {
    expect(() => listingsFor(pairs).list(query)).toThrow(message);
  });
});

describe('the deprecated listing', () => {
  const listings = () =>
    listingsFor(
      [
        ['en', 'de'],
        ['de', 'en'],
        ['en', 'zh'],
        ['en', 'scn'],
      ],
      { formality: ['de'] },
    );

  it('contains sources by default, in upper case', () => {
    const expected = [
      { language: 'DE', name: 'German' },
      { language: 'EN', name: 'English' },
    ];
    expect(listings().listLegacy(undefined)).toEqual(expected);
    expect(listings().listLegacy('source')).toEqual(expected);
  });

  it('contains targets with their formality, English only as variants, and no beta language', () => {
    expect(listings().listLegacy('target')).toEqual([
      { language: 'DE', name: 'German', supports_formality: true },
      { language: 'EN-GB', name: 'English (British)', supports_formality: false },
      { language: 'EN-US', name: 'English (American)', supports_formality: false },
      { language: 'ZH', name: 'Chinese (simplified)', supports_formality: false },
      { language: 'ZH-HANS', name: 'Chinese (simplified)', supports_formality: false },
    ]);
  });

  it('accepts two types', () => {
    expect(() => listings().listLegacy('both')).toThrow(/type.*source, target/);
  });
});
