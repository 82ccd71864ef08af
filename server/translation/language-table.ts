/**
 * The languages of the public API, by resource. The listings contain those that the running engines
 * serve, see `languages.ts`.
 */
import { glossaryLanguages, styleLanguages, type LanguageTag } from '../../shared/language.ts';
import type { FeatureName, ResourceName } from '../../shared/schemas/languages.ts';
import { formLanguages } from '../../shared/schemas/write.ts';

/** The languages of a resource, by role. */
export interface ResourceLanguages {
  /** Base languages, usable as source and target. */
  both: ReadonlySet<LanguageTag>;
  /** Variants, usable as target only. */
  targetOnly: ReadonlySet<LanguageTag>;
  features: Readonly<Partial<Record<FeatureName, ReadonlySet<LanguageTag>>>>;
}

/** English names by language code, in the order of listings. */
export const languageNames: ReadonlyMap<LanguageTag, string> = new Map(
  Object.entries({
    ace: 'Acehnese',
    af: 'Afrikaans',
    an: 'Aragonese',
    ar: 'Arabic',
    as: 'Assamese',
    ay: 'Aymara',
    az: 'Azerbaijani',
    ba: 'Bashkir',
    be: 'Belarusian',
    bg: 'Bulgarian',
    bho: 'Bhojpuri',
    bn: 'Bengali',
    br: 'Breton',
    bs: 'Bosnian',
    ca: 'Catalan',
    ceb: 'Cebuano',
    ckb: 'Kurdish (Sorani)',
    cs: 'Czech',
    cy: 'Welsh',
    da: 'Danish',
    de: 'German',
    'de-CH': 'German (Swiss)',
    'de-DE': 'German',
    el: 'Greek',
    en: 'English',
    'en-GB': 'English (British)',
    'en-US': 'English (American)',
    eo: 'Esperanto',
    es: 'Spanish',
    'es-419': 'Spanish (Latin American)',
    et: 'Estonian',
    eu: 'Basque',
    fa: 'Persian',
    fi: 'Finnish',
    fr: 'French',
    'fr-CA': 'French (Canadian)',
    'fr-FR': 'French',
    ga: 'Irish',
    gl: 'Galician',
    gn: 'Guarani',
    gom: 'Konkani',
    gu: 'Gujarati',
    ha: 'Hausa',
    he: 'Hebrew',
    hi: 'Hindi',
    hr: 'Croatian',
    ht: 'Haitian Creole',
    hu: 'Hungarian',
    hy: 'Armenian',
    id: 'Indonesian',
    ig: 'Igbo',
    is: 'Icelandic',
    it: 'Italian',
    ja: 'Japanese',
    jv: 'Javanese',
    ka: 'Georgian',
    kk: 'Kazakh',
    kmr: 'Kurdish (Kurmanji)',
    ko: 'Korean',
    ky: 'Kyrgyz',
    la: 'Latin',
    lb: 'Luxembourgish',
    lmo: 'Lombard',
    ln: 'Lingala',
    lt: 'Lithuanian',
    lv: 'Latvian',
    mai: 'Maithili',
    mg: 'Malagasy',
    mi: 'Maori',
    mk: 'Macedonian',
    ml: 'Malayalam',
    mn: 'Mongolian',
    mr: 'Marathi',
    ms: 'Malay',
    mt: 'Maltese',
    my: 'Burmese',
    nb: 'Norwegian (bokmål)',
    ne: 'Nepali',
    nl: 'Dutch',
    oc: 'Occitan',
    om: 'Oromo',
    pa: 'Punjabi',
    pag: 'Pangasinan',
    pam: 'Kapampangan',
    pl: 'Polish',
    prs: 'Dari',
    ps: 'Pashto',
    pt: 'Portuguese',
    'pt-BR': 'Portuguese (Brazilian)',
    'pt-PT': 'Portuguese (European)',
    qu: 'Quechua',
    ro: 'Romanian',
    ru: 'Russian',
    sa: 'Sanskrit',
    scn: 'Sicilian',
    sk: 'Slovak',
    sl: 'Slovenian',
    sq: 'Albanian',
    sr: 'Serbian',
    st: 'Sesotho',
    su: 'Sundanese',
    sv: 'Swedish',
    sw: 'Swahili',
    ta: 'Tamil',
    te: 'Telugu',
    tg: 'Tajik',
    th: 'Thai',
    tk: 'Turkmen',
    tl: 'Tagalog',
    tn: 'Tswana',
    tr: 'Turkish',
    ts: 'Tsonga',
    tt: 'Tatar',
    uk: 'Ukrainian',
    ur: 'Urdu',
    uz: 'Uzbek',
    vi: 'Vietnamese',
    wo: 'Wolof',
    xh: 'Xhosa',
    yi: 'Yiddish',
    yue: 'Cantonese',
    zh: 'Chinese',
    'zh-Hans': 'Chinese (simplified)',
    'zh-Hant': 'Chinese (traditional)',
    zu: 'Zulu',
  }),
);

/** Features that are listed only with `include=beta`. */
export const betaFeatures: ReadonlySet<FeatureName> = new Set([
  'spoken_terms',
  'translated_speech',
]);

/** Languages that `POST /v3/detect/language` can report. */
export const detectionLanguages = codes(
  'en de fr es pt it nl pl ru zh ja bg cs da el et fi hu lt lv ro sk sl sv tr id uk ko nb ar vi he th',
);

/** Languages that the deprecated listing omits. */
export const hiddenFromLegacy = codes(
  'ace bho ceb ckb de-CH de-DE fr-CA fr-FR gom kmr lmo mai pag pam prs scn yue',
);

/** Base languages that the deprecated listing has as sources only; as targets it has their variants. */
export const legacySourceOnly = codes('en pt');

const bases = codes([...languageNames.keys()].filter((code) => !code.includes('-')).join(' '));
const variants = codes('en-GB en-US pt-BR pt-PT zh-Hans zh-Hant');
const inStyle: ReadonlySet<LanguageTag> = new Set(styleLanguages);
const inGlossaries = new Set(glossaryLanguages);
const inForm: ReadonlySet<LanguageTag> = new Set(formLanguages);
const spokenLanguages = codes(
  'ar bg bn cs da de el en es et fi fr ga he hr hu id it ja ko lt lv mt nb nl pl pt ro ru sk sl sv th tl tr uk vi zh',
);
/** Languages that are recognised but not synthesised. */
const SILENT = codes('bn et ga he hr lt lv mt sl th tl');
const none = codes('');

/** Languages and features of each resource. */
export const resourceTable: Readonly<Record<ResourceName, ResourceLanguages>> = {
  translate_text: {
    both: bases,
    targetOnly: join(variants, codes('de-CH de-DE es-419 fr-CA fr-FR')),
    features: {
      auto_detection: bases,
      formality: codes('de de-CH de-DE es es-419 fr fr-CA fr-FR it ja nl pl pt pt-BR pt-PT ru'),
      glossary: join(inGlossaries, variants, codes('de-CH de-DE es-419 fr-CA fr-FR')),
      style_rules: join(inStyle, codes('de-DE en-GB en-US es-419 fr-CA fr-FR zh-Hans zh-Hant')),
      tag_handling: new Set(languageNames.keys()),
      translation_memory: join(inStyle, codes('de-DE en-GB en-US es-419 fr-FR zh-Hans')),
    },
  },
  translate_document: {
    both: new Set([...bases].filter((code) => code !== 'ts')),
    targetOnly: join(variants, codes('es-419')),
    features: {
      auto_detection: new Set([...bases].filter((code) => code !== 'ts')),
      formality: codes('de es es-419 fr it ja nl pl pt pt-BR pt-PT ru'),
      glossary: join(inGlossaries, variants, codes('es-419')),
    },
  },
  glossary: { both: inGlossaries, targetOnly: none, features: {} },
  style_rules: { both: inStyle, targetOnly: none, features: {} },
  voice: {
    both: spokenLanguages,
    targetOnly: variants,
    features: {
      auto_detection: codes('cs de en es fr id it ja ko nl pl pt ro ru sv tr uk zh'),
      formality: codes('de es fr it ja pl pt pt-BR pt-PT ru'),
      glossary: join(inGlossaries, variants),
      spoken_terms: spokenLanguages,
      transcription: spokenLanguages,
      translated_speech: new Set(
        [...spokenLanguages, ...variants].filter((code) => !SILENT.has(code)),
      ),
    },
  },
  write: {
    both: codes('de en es fr it ja ko pt zh'),
    targetOnly: codes('en-GB en-US pt-BR pt-PT zh-Hans'),
    features: {
      auto_detection: codes('de en es fr it ja ko pt zh'),
      tone: inForm,
      writing_style: inForm,
    },
  },
  translation_memory: {
    both: inStyle,
    targetOnly: codes('en-GB en-US es-419 zh-Hans'),
    features: {},
  },
};

function codes(list: string): ReadonlySet<LanguageTag> {
  return new Set(list.split(' ').filter((code) => code !== ''));
}

function join(...sets: readonly ReadonlySet<LanguageTag>[]): ReadonlySet<LanguageTag> {
  return new Set(sets.flatMap((set) => [...set]));
}
