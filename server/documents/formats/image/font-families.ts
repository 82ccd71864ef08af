/** Families of fonts by what they look like, and the scripts that they do not cover. */
import { baseLanguage, type LanguageTag } from '../../../../shared/language.ts';

/** What letters look like. */
export interface Typeface {
  family: 'sans' | 'serif' | 'mono';
  isBold: boolean;
  isItalic: boolean;
}

const latin: Record<Typeface['family'], readonly string[]> = {
  sans: ['Liberation Sans', 'Noto Sans'],
  serif: ['Liberation Serif', 'Noto Serif'],
  mono: ['Liberation Mono', 'Noto Sans Mono'],
};

const arabic = { sans: 'Noto Sans Arabic', serif: 'Noto Naskh Arabic', mono: 'Noto Sans Arabic' };

/** Chinese characters look different by country: the family decides, not the text. */
const cjkRegions: Record<string, string> = { ja: 'JP', ko: 'KR', zh: 'SC' };
const cjkTags: Record<string, string> = {
  'zh-Hant': 'TC',
  'zh-TW': 'TC',
  'zh-HK': 'HK',
  'zh-MO': 'HK',
};

/**
 * The families to set a text in, the first that has a character is taken for it; what none has, the
 * system finds by itself.
 */
export function familiesFor({ family }: Typeface, language: LanguageTag): string[] {
  const region = cjkTags[language] ?? cjkRegions[baseLanguage(language)] ?? 'SC';
  const cjk = family === 'serif' ? `Noto Serif CJK ${region}` : `Noto Sans CJK ${region}`;
  return [...latin[family], arabic[family], cjk];
}
