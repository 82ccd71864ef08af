/**
 * English compounds of web pages and brochures (`cost-effective`, `all-inclusive`), of which Apertium makes
 * nonsense word by word: they are translated by this table. To the rules each is an adjective that they know,
 * so that they put it in its place and inflect it; what stands there afterwards takes its form from that.
 */
import { compoundTable } from './common-compound-table.ts';
import { HYPHEN, type Replacement } from './hyphenated-words.ts';

/** Singular and plural, for masculine and feminine. */
type Forms = readonly [masculine: string, feminine: string, masculines: string, feminines: string];

/** Adjectives that stand for compounds: such as few texts have, which follow their noun. */
const STAND_INS: readonly { english: string; es: Forms; ca: Forms }[] = [
  {
    english: 'archaic',
    es: ['arcaico', 'arcaica', 'arcaicos', 'arcaicas'],
    ca: ['arcaic', 'arcaica', 'arcaics', 'arcaiques'],
  },
  {
    english: 'volcanic',
    es: ['volcánico', 'volcánica', 'volcánicos', 'volcánicas'],
    ca: ['volcànic', 'volcànica', 'volcànics', 'volcàniques'],
  },
  {
    english: 'hydraulic',
    es: ['hidráulico', 'hidráulica', 'hidráulicos', 'hidráulicas'],
    ca: ['hidràulic', 'hidràulica', 'hidràulics', 'hidràuliques'],
  },
  {
    english: 'electrostatic',
    es: ['electrostático', 'electrostática', 'electrostáticos', 'electrostáticas'],
    ca: ['electroestàtic', 'electroestàtica', 'electroestàtics', 'electroestàtiques'],
  },
  {
    english: 'metallic',
    es: ['metálico', 'metálica', 'metálicos', 'metálicas'],
    ca: ['metàl·lic', 'metàl·lica', 'metàl·lics', 'metàl·liques'],
  },
  {
    english: 'geometric',
    es: ['geométrico', 'geométrica', 'geométricos', 'geométricas'],
    ca: ['geomètric', 'geomètrica', 'geomètrics', 'geomètriques'],
  },
];

interface Compound {
  es: Forms;
  ca: Forms;
}

const COMPOUNDS: ReadonlyMap<string, Compound> = new Map(
  compoundTable
    .trim()
    .split('\n')
    .map((line) => {
      const [english = '', es = '', ca = ''] = line.split('; ');
      return [english, { es: formsOf(es), ca: formsOf(ca) }];
    }),
);

function formsOf(listed: string): Forms {
  const [first = '', second = first, third, fourth] = listed.split(', ');
  if (third === undefined || fourth === undefined) return [first, first, second, second];
  return [first, second, third, fourth];
}

/** Whether the table has a compound. */
export function isCommonCompound(compound: string): boolean {
  return COMPOUNDS.has(compound.toLowerCase().replaceAll(HYPHEN, '-'));
}

/** Compounds of a text that others stand for, and how they come back. */
export interface CommonCompounds {
  /** In the order of their places. */
  replacements: readonly Replacement[];
  /**
   * A translation with the compounds translated; undefined where a stand-in was lost or doubled.
   *
   * @param pieces the translation, which may come as several
   */
  restore: (pieces: readonly string[]) => string[] | undefined;
}

const NO_COMPOUNDS: CommonCompounds = { replacements: [], restore: (pieces) => [...pieces] };
const AND = { es: 'y', ca: 'i' };
const ONE = '(?<![\\p{L}\\p{N}@._/-])\\p{L}+(?:[-‐‑]\\p{L}+)+(?![\\p{L}\\p{N}@_/-]|\\.\\p{L})';
/** Several that describe the same: `cost-effective, easy-to-use and high-quality`. */
const SERIES = new RegExp(`${ONE}(?:(?:, |,? and )${ONE})*`, 'gu');

/**
 * Finds the compounds of an English text that the table has, as far as there are stand-ins.
 *
 * @param isWhole whether a part of the text may be replaced by another
 */
export function commonCompounds(
  text: string,
  target: string,
  isWhole: (start: number, end: number) => boolean = () => true,
): CommonCompounds {
  if ((target !== 'es' && target !== 'ca') || text.search(HYPHEN) < 0) return NO_COMPOUNDS;
  const lower = text.toLowerCase();
  const free = STAND_INS.filter(({ english }) => !lower.includes(english.slice(0, 5)));
  const replacements: Replacement[] = [];
  const stood: { pattern: RegExp; forms: Forms; translated: Forms; isUpper: boolean }[] = [];
  for (const { 0: series, index } of text.matchAll(SERIES)) {
    for (const { start, end, words } of listedRuns(series, index, isWhole)) {
      const standIn = free[stood.length];
      if (standIn === undefined) break;
      const forms = standIn[target];
      const original = text.slice(start, end);
      replacements.push({ start, end, text: capitalisedAs(original, standIn.english) });
      stood.push({
        pattern: new RegExp(`(?<!\\p{L})(?:${[...forms].reverse().join('|')})(?!\\p{L})`, 'giu'),
        forms,
        translated: joined(words, target),
        isUpper: isShouted(original),
      });
    }
  }
  if (stood.length === 0) return NO_COMPOUNDS;
  return {
    replacements,
    restore(pieces) {
      const isWhole = stood.every(
        ({ pattern }) => pieces.flatMap((piece) => piece.match(pattern) ?? []).length === 1,
      );
      if (!isWhole) return undefined;
      return pieces.map((piece) =>
        stood.reduce(
          (current, { pattern, forms, translated, isUpper }) =>
            current.replace(pattern, (found) => {
              const form = forms.indexOf(found.toLowerCase());
              return capitalisedAs(isUpper ? found.toUpperCase() : found, translated[form] ?? '');
            }),
          piece,
        ),
      );
    },
  };
}

interface Run {
  start: number;
  end: number;
  words: string[];
}

/** The compounds of a series that the table has, those beside each other as one. */
function listedRuns(
  series: string,
  offset: number,
  isWhole: (start: number, end: number) => boolean,
): Run[] {
  const runs: Run[] = [];
  let open: Run | undefined;
  for (const { 0: word, index } of series.matchAll(new RegExp(ONE, 'gu'))) {
    const start = offset + index;
    const end = start + word.length;
    if (open !== undefined && isCommonCompound(word) && isWhole(open.start, end)) {
      open.words.push(word);
      open.end = end;
      continue;
    }
    open =
      isCommonCompound(word) && isWhole(start, end) ? { start, end, words: [word] } : undefined;
    if (open !== undefined) runs.push(open);
  }
  return runs;
}

/** What several compounds are together. */
function joined(words: readonly string[], target: 'es' | 'ca'): Forms {
  const all = words.flatMap((word) => {
    const compound = COMPOUNDS.get(word.toLowerCase().replaceAll(HYPHEN, '-'));
    return compound === undefined ? [] : [compound[target]];
  });
  const inForm = (form: 0 | 1 | 2 | 3): string => {
    const said = all.map((forms) => forms[form]);
    const last = said.pop() ?? '';
    if (said.length === 0) return last;
    const and = target === 'es' && /^h?i(?!e)/u.test(last) ? 'e' : AND[target];
    return `${said.join(', ')} ${and} ${last}`;
  };
  return [inForm(0), inForm(1), inForm(2), inForm(3)];
}

function isShouted(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase();
}

function capitalisedAs(original: string, word: string): string {
  if (isShouted(original)) return word.toUpperCase();
  if (!/^\p{Lu}/u.test(original)) return word;
  return word.charAt(0).toUpperCase() + word.slice(1);
}
