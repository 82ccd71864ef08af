/** Which installed font a text is written in: one that has its letters and looks like the original. */
import { DocumentError } from '../format.ts';
import { type InstalledFont, installedFonts } from './installed-fonts.ts';

/** The look that is wished. */
export interface FontStyle {
  isBold: boolean;
  isItalic: boolean;
  isSerif: boolean;
  isMonospaced: boolean;
}

/** Text and the font that has all of it. */
export interface FontRun {
  text: string;
  font: InstalledFont;
}

/** Chooses fonts for texts of one language. */
export interface FontChoice {
  /**
   * Cuts a text where its font changes; signs that all fonts have stay with the letters before them.
   *
   * @throws DocumentError when no font has a letter; it names the package
   */
  runs(text: string, style: FontStyle): FontRun[];
  /** The text without the marks and signs that no font has; letters and figures stay. */
  drawable(text: string): string;
}

/** Which of the five regional kinds of the pan-CJK fonts a language is written in. */
const CJK_REGIONS: Readonly<Record<string, string>> = { ja: 'JP', ko: 'KR', zh: 'SC' };

/** Fonts for Latin, Greek and Cyrillic, best first: Liberation has the widths of the usual ones. */
const BASE_FAMILIES = {
  serif: ['Liberation Serif', 'Noto Serif'],
  sans: ['Liberation Sans', 'Noto Sans'],
  mono: ['Liberation Mono', 'Noto Sans Mono'],
} as const;

/** Kinds of letters for special uses. */
const SPECIAL_KINDS = /Looped|Kufi|Display|Rashi|Condensed|Narrow|Light|Unjoined|UI$/;

/** Signs that fonts may lack without the text being lost: marks, symbols, private signs. */
const SIGN = /[^\p{L}\p{N}\s\u0000-\u024f]/gu;
const PLAIN: FontStyle = { isBold: false, isItalic: false, isSerif: false, isMonospaced: false };

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Signs of no script of their own. */
const common = /^[\p{Script=Common}\p{Script=Inherited}]+$/u;
/** What is not drawn: joiners, directions, variation selectors, soft hyphens. */
const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFE00-\uFE0F\uFEFF]/u;

/** Prepares a choice for a language; the list of fonts is read once for the process. */
export async function chooseFonts(language: string): Promise<FontChoice> {
  const fonts = await installedFonts();
  const rankings = new Map<string, readonly InstalledFont[]>();
  const known = new Map<string, InstalledFont | undefined>();
  const rank = (style: FontStyle, key: string): readonly InstalledFont[] => {
    let ranking = rankings.get(key);
    if (ranking === undefined) {
      ranking = rankFonts({ fonts, style, language });
      rankings.set(key, ranking);
    }
    return ranking;
  };
  const fontFor = (cluster: string, style: FontStyle): InstalledFont | undefined => {
    const styleKey = keyOf(style);
    const key = `${styleKey}${cluster}`;
    if (!known.has(key)) {
      known.set(
        key,
        rank(style, styleKey).find((font) => hasAll(font, cluster)),
      );
    }
    return known.get(key);
  };
  const hasFont = (sign: string): boolean => fontFor(sign, PLAIN) !== undefined;
  return {
    runs: (text, style) => cut(text, (cluster) => fontFor(cluster, style)),
    drawable: (text) => text.replaceAll(SIGN, (sign) => (hasFont(sign) ? sign : '')),
  };
}

function keyOf({ isBold, isItalic, isSerif, isMonospaced }: FontStyle): string {
  return [isBold, isItalic, isSerif, isMonospaced].map((is) => (is ? '1' : '0')).join('');
}

function hasAll(font: InstalledFont, text: string): boolean {
  for (const character of text) {
    if (!invisible.test(character) && !font.covers(character.codePointAt(0) ?? 0)) return false;
  }
  return true;
}

function cut(text: string, fontFor: (cluster: string) => InstalledFont | undefined): FontRun[] {
  const runs: FontRun[] = [];
  const add = (part: string): boolean => {
    const last = runs.at(-1);
    const staysWithLast = common.test(part) && last !== undefined && hasAll(last.font, part);
    const font = staysWithLast ? last.font : fontFor(part);
    if (font === undefined) return false;
    if (last?.font === font) last.text += part;
    else runs.push({ text: part, font });
    return true;
  };
  for (const { segment } of segmenter.segment(text)) {
    if (add(segment)) continue;
    // A letter or blank with a mark of another script: no font has both.
    for (const character of segment) {
      if (!add(character)) throw new DocumentError(missingFont(character));
    }
  }
  return runs;
}

/** All fonts, those first that look most like what is wished. */
function rankFonts({
  fonts,
  style,
  language,
}: {
  fonts: readonly InstalledFont[];
  style: FontStyle;
  language: string;
}): readonly InstalledFont[] {
  const score = new Map(fonts.map((font) => [font, scoreOf({ font, style, language })]));
  return [...fonts].sort(
    (a, b) =>
      (score.get(b) ?? 0) - (score.get(a) ?? 0) || a.postscriptName.localeCompare(b.postscriptName),
  );
}

function scoreOf({
  font: { family, isBold, isItalic },
  style,
  language,
}: {
  font: InstalledFont;
  style: FontStyle;
  language: string;
}): number {
  const kind = style.isMonospaced ? 'mono' : style.isSerif ? 'serif' : 'sans';
  const base = BASE_FAMILIES[kind].findIndex((name) => name === family);
  let score = base >= 0 ? 1000 - base * 100 : family.startsWith('Noto ') ? 300 : 0;
  if (/Serif|Naskh/.test(family) === style.isSerif) score += 40;
  if (/Mono/.test(family) === style.isMonospaced) score += 60;
  if (SPECIAL_KINDS.test(family)) score -= 150;
  if (/Nastaliq/.test(family)) score += language.startsWith('ur') ? 20 : -150;
  if (/ CJK /.test(family)) score += family.endsWith(regionOf(language)) ? 30 : 0;
  if (isBold === style.isBold) score += 20;
  if (isItalic === style.isItalic) score += 10;
  return score;
}

function regionOf(language: string): string {
  if (/^zh.*(Hant|TW)/i.test(language)) return 'TC';
  if (/^(zh.*HK|yue)/i.test(language)) return 'HK';
  return CJK_REGIONS[language.slice(0, 2)] ?? 'SC';
}

function missingFont(cluster: string): string {
  const isCjk = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;
  const suggestion = isCjk.test(cluster) ? 'fonts-noto-cjk' : 'fonts-noto-core';
  const code = (cluster.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `No font of this server has the letter U+${code}: its operator has to install ${suggestion}.`;
}
