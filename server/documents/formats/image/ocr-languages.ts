/** Which of Tesseract's trained data reads a language, and the Debian package it comes in. */
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../../shared/language.ts';

/** ISO 639-1 → the name of the data, mostly ISO 639-2 (terminological). */
// prettier-ignore
const dataOfLanguage: Record<string, string> = {
  af: 'afr', am: 'amh', ar: 'ara', as: 'asm', az: 'aze', be: 'bel', bg: 'bul', bn: 'ben', bo: 'bod',
  br: 'bre', bs: 'bos', ca: 'cat', ceb: 'ceb', ckb: 'ara', co: 'cos', cs: 'ces', cy: 'cym', da: 'dan',
  de: 'deu', dv: 'div', dz: 'dzo', el: 'ell', en: 'eng', eo: 'epo', es: 'spa', et: 'est', eu: 'eus',
  fa: 'fas', fi: 'fin', fil: 'fil', fo: 'fao', fr: 'fra', fy: 'fry', ga: 'gle', gd: 'gla', gl: 'glg',
  gu: 'guj', he: 'heb', hi: 'hin', hr: 'hrv', ht: 'hat', hu: 'hun', hy: 'hye', id: 'ind', is: 'isl',
  it: 'ita', iu: 'iku', iw: 'heb', ja: 'jpn', jv: 'jav', ka: 'kat', kk: 'kaz', km: 'khm', kmr: 'kmr',
  kn: 'kan', ko: 'kor', ku: 'kmr', ky: 'kir', la: 'lat', lb: 'ltz', lo: 'lao', lt: 'lit', lv: 'lav',
  mi: 'mri', mk: 'mkd', ml: 'mal', mn: 'mon', mr: 'mar', ms: 'msa', mt: 'mlt', my: 'mya', nb: 'nor',
  ne: 'nep', nl: 'nld', nn: 'nor', no: 'nor', oc: 'oci', or: 'ori', pa: 'pan', pl: 'pol', ps: 'pus',
  pt: 'por', qu: 'que', ro: 'ron', ru: 'rus', sa: 'san', sd: 'snd', si: 'sin', sk: 'slk', sl: 'slv',
  sq: 'sqi', sr: 'srp', su: 'sun', sv: 'swe', sw: 'swa', ta: 'tam', te: 'tel', tg: 'tgk', th: 'tha',
  ti: 'tir', tl: 'fil', to: 'ton', tr: 'tur', tt: 'tat', ug: 'uig', uk: 'ukr', ur: 'urd', uz: 'uzb',
  vi: 'vie', yi: 'yid', yo: 'yor', zh: 'chi_sim',
};

/** Tags whose script or region matters. */
const dataOfTag: Record<string, string> = {
  'az-Cyrl': 'aze_cyrl',
  'sr-Latn': 'srp_latn',
  'uz-Cyrl': 'uzb_cyrl',
  'zh-Hant': 'chi_tra',
  'zh-HK': 'chi_tra',
  'zh-MO': 'chi_tra',
  'zh-TW': 'chi_tra',
};

/**
 * Data that reads a script as Tesseract's script detection names it, the widest spread language first.
 * Latin is what is left.
 */
const dataOfScript: Record<string, readonly string[]> = {
  Arabic: ['ara', 'fas', 'urd', 'pus', 'uig', 'snd'],
  Armenian: ['hye'],
  Bengali: ['ben', 'asm'],
  Cyrillic: ['rus', 'ukr', 'bul', 'srp', 'bel', 'mkd', 'kaz', 'mon', 'kir', 'tgk'],
  Devanagari: ['hin', 'mar', 'nep', 'san'],
  Ethiopic: ['amh', 'tir'],
  Georgian: ['kat'],
  Greek: ['ell'],
  Gujarati: ['guj'],
  Gurmukhi: ['pan'],
  Han: ['chi_sim', 'chi_tra', 'jpn'],
  Hangul: ['kor'],
  Hebrew: ['heb', 'yid'],
  Japanese: ['jpn'],
  Kannada: ['kan'],
  Khmer: ['khm'],
  Korean: ['kor'],
  Lao: ['lao'],
  Malayalam: ['mal'],
  Myanmar: ['mya'],
  Oriya: ['ori'],
  Sinhala: ['sin'],
  Tamil: ['tam'],
  Telugu: ['tel'],
  Thaana: ['div'],
  Thai: ['tha'],
  Tibetan: ['bod', 'dzo'],
};

/** In the order in which they are tried; each costs time again, so only a few are. */
// prettier-ignore
const latinData = [
  'eng', 'spa', 'deu', 'fra', 'por', 'ita', 'pol', 'nld', 'tur', 'vie', 'ces', 'swe', 'ron', 'hun',
];
const MOST_AT_ONCE = 4;

/** The name of the trained data for a language; undefined when there is none. */
export function trainedData(language: LanguageTag): string | undefined {
  const tag = canonicalLanguage(language) ?? language;
  return dataOfTag[tag] ?? dataOfLanguage[baseLanguage(tag)];
}

/** The Debian package that trained data comes in. */
export function debianPackage(data: string): string {
  return `tesseract-ocr-${data.replaceAll('_', '-')}`;
}

/**
 * Which of the installed data read a script.
 *
 * @param script as Tesseract names it; undefined where it is not known
 * @returns what is to be used, and what would serve best when that is empty
 */
export function dataForScript(
  script: string | undefined,
  installed: ReadonlySet<string>,
): { use: string[]; best: string } {
  const [best = 'eng', ...others] = dataOfScript[script ?? ''] ?? latinData;
  const use = [best, ...others].filter((data) => installed.has(data)).slice(0, MOST_AT_ONCE);
  return { use, best };
}
