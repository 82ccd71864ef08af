/**
 * Chooses an installed font for a text: one that covers its letters and looks like the original. fontconfig
 * lists the fonts of this machine with the characters of each.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { graphemesOf } from '../../../text/code-points.ts';
import { DocumentError } from '../format.ts';

/** The wanted look. */
interface FontStyle {
  isBold: boolean;
  isItalic: boolean;
  isSerif: boolean;
  isMonospaced: boolean;
}

/** Text, and a font that covers all of it. */
interface FontRun {
  text: string;
  font: InstalledFont;
}

/** Chooses fonts for texts of one language. */
export interface FontChoice {
  /**
   * Splits a text where its font changes; common characters stay in the font of the letters before them if it
   * has them.
   * @throws DocumentError when no font has a letter; its message names the package to install
   */
  runs(text: string, style: FontStyle): FontRun[];
  /** Returns the text without the marks and symbols that no font has; letters and digits stay. */
  drawable(text: string): string;
}

/** Regional variant of the pan-CJK fonts by language; `regionOf` handles variants of Chinese. */
const CJK_REGIONS: Readonly<Record<string, string>> = { ja: 'JP', ko: 'KR', zh: 'SC' };

/** Fonts for Latin, Greek and Cyrillic, best first: Liberation has the metrics of the most common fonts. */
const BASE_FAMILIES = {
  serif: ['Liberation Serif', 'Noto Serif'],
  sans: ['Liberation Sans', 'Noto Sans'],
  mono: ['Liberation Mono', 'Noto Sans Mono'],
} as const;

/** Designs for special uses. */
const SPECIAL_KINDS = /Looped|Kufi|Display|Rashi|Condensed|Narrow|Light|Unjoined|UI$/;

/** Characters that fonts may lack without loss of the text: marks, symbols, private use characters. */
const SIGN = /[^\p{L}\p{N}\s\u0000-\u024f]/gu;
const PLAIN: FontStyle = { isBold: false, isItalic: false, isSerif: false, isMonospaced: false };

/** Text without characters of a specific script. */
const common = /^[\p{Script=Common}\p{Script=Inherited}]+$/u;
/** Characters that are not drawn: joiners, direction marks, variation selectors, soft hyphens. */
const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFE00-\uFE0F\uFEFF]/u;

/** Finds the font of a letter. */
type FontFinder = (cluster: string) => InstalledFont | undefined;

/** Prepares the choice of fonts for a language. */
export function chooseFonts(fonts: readonly InstalledFont[], language: string): FontChoice {
  const finders = new Map<string, FontFinder>();
  const finderFor = (style: FontStyle): FontFinder => {
    const key = keyOf(style);
    let finder = finders.get(key);
    if (finder === undefined) {
      finder = createFinder(rankFonts({ fonts, style, language }));
      finders.set(key, finder);
    }
    return finder;
  };
  const hasFont = (sign: string): boolean => finderFor(PLAIN)(sign) !== undefined;
  return {
    runs: (text, style) => cut(text, finderFor(style)),
    drawable: (text) => text.replaceAll(SIGN, (sign) => (hasFont(sign) ? sign : '')),
  };
}

/** Returns a finder of the first font that has a letter; it caches its answers. */
function createFinder(ranking: readonly InstalledFont[]): FontFinder {
  const known = new Map<string, InstalledFont | undefined>();
  return (cluster) => {
    const font = known.get(cluster);
    if (font !== undefined || known.has(cluster)) return font;
    const found = ranking.find((one) => hasAll(one, cluster));
    known.set(cluster, found);
    return found;
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

function cut(text: string, fontFor: FontFinder): FontRun[] {
  const runs: FontRun[] = [];
  let last: FontRun | undefined;
  const add = (part: string): boolean => {
    const own = fontFor(part);
    const staysWithLast =
      last !== undefined && own !== last.font && common.test(part) && hasAll(last.font, part);
    if (last !== undefined && (own === last.font || staysWithLast)) {
      last.text += part;
      return true;
    }
    if (own === undefined) return false;
    runs.push((last = { text: part, font: own }));
    return true;
  };
  for (const { segment } of graphemesOf(text)) {
    if (add(segment)) continue;
    // A letter or space with a mark of another script, which no single font covers.
    for (const character of segment) {
      if (!add(character)) throw new DocumentError(missingFont(character));
    }
  }
  return runs;
}

/** Returns all fonts, those most similar to the wanted look first. */
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

/** A font file, or one font of a collection. */
export interface InstalledFont {
  path: string;
  postscriptName: string;
  family: string;
  isBold: boolean;
  isItalic: boolean;
  covers(codePoint: number): boolean;
}

/** Fields of a line of `fc-list`, separated by tabs; the families are joined by commas. */
const FORMAT =
  '%{file}\\t%{index}\\t%{variable}\\t%{postscriptname}\\t%{weight}\\t%{slant}\\t%{family}\\t%{charset}\\n';

/** The weight of semi-bold in fontconfig's scale. */
const SEMI_BOLD = 180;
/**
 * Largest plain index: the lower half numbers the fonts of a collection, the upper half the instances of a
 * variable font.
 */
const MAX_INDEX = 0xffff;
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const LIST_TIMEOUT_MS = 60_000;

const run = promisify(execFile);

/**
 * Lists all outline fonts that are installed now.
 * @throws DocumentError without fontconfig
 */
export async function listFonts(): Promise<readonly InstalledFont[]> {
  try {
    const { stdout } = await run('fc-list', ['--format', FORMAT], {
      maxBuffer: MAX_LIST_BYTES,
      timeout: LIST_TIMEOUT_MS,
    });
    return stdout.split('\n').flatMap(parseLine);
  } catch (error) {
    throw new DocumentError(
      'The fonts of this server cannot be listed: its operator has to install fontconfig, fonts-liberation and fonts-noto-core.',
      { cause: error },
    );
  }
}

function parseLine(line: string): InstalledFont[] {
  const [path, index, variable, postscriptName, weight, slant, families, charset] =
    line.split('\t');
  if (path === undefined || postscriptName === undefined || charset === undefined) return [];
  if (!/\.(ttf|otf|ttc|otc)$/i.test(path) || Number(index) > MAX_INDEX) return [];
  if (variable === 'True') return [];
  const family = families?.split(',')[0] ?? '';
  const isBold = Number(weight) >= SEMI_BOLD;
  const covers = coverage(charset);
  return [{ path, postscriptName, family, isBold, isItalic: Number(slant) > 0, covers }];
}

/**
 * Returns a lookup of code points in a list such as `20-7e a0-17f 218`, which is parsed at the first call.
 */
function coverage(charset: string): (codePoint: number) => boolean {
  let ranges: [number, number][] | undefined;
  return (codePoint) => {
    ranges ??= charset.split(' ').map((range) => {
      const [from = '', to = from] = range.split('-');
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    });
    let low = 0;
    let high = ranges.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [from, to] = ranges[middle] ?? [0, 0];
      if (codePoint < from) high = middle - 1;
      else if (codePoint > to) low = middle + 1;
      else return true;
    }
    return false;
  };
}
