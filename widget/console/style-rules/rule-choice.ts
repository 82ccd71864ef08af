/** Style rule choice: readable names for the catalogue, its filters, and the draft of the chosen options. */
import type { StyleRuleCatalogueView } from '../../../shared/schemas/console.ts';
import { api } from '../api.ts';
import { DraftShelf } from '../parts/draft-shelf.ts';

export type StyleRuleCatalogue = StyleRuleCatalogueView;
export type CatalogueRule = StyleRuleCatalogueView['categories'][number]['rules'][number];
export type CatalogueOption = CatalogueRule['options'][number];

/** @throws ApiFailure */
export function fetchCatalogue(signal: AbortSignal): Promise<StyleRuleCatalogue> {
  return api.get<StyleRuleCatalogue>('style-rule-catalogue', { signal });
}

/** Returns whether an option is applied to translations by any engine. */
export function isBuiltIn({ mechanical }: CatalogueOption, language: string): boolean {
  return mechanical.includes(language);
}

/** Returns whether a running engine obeys all rules and instructions in a language. */
export function isObeyed(catalogue: StyleRuleCatalogue, language: string): boolean {
  return catalogue.follows_instructions.includes(language);
}

export type RuleFilter = 'fitting' | 'chosen' | 'mechanical' | 'all';

/** Patterns in catalogue names that tie a rule or option to a language. */
const LANGUAGE_MARKS: Readonly<Record<string, RegExp>> = {
  de: /german|eszett|umlaut/,
  en: /english_word|i_e_and_e_g|ampersand_abbreviation|possessives/,
  es: /spanish/,
  fr: /french|cedilla|circumflex/,
  it: /italian|schwa/,
  ja: /japanese|kanji|hiragana|katakana|lenticular|desu|dearu/,
  ko: /korean|hapsho|haeyo|hae_style|hara_style/,
  zh: /chinese/,
};

/** Returns whether a name belongs to languages other than this one. */
export function isForOthers(name: string, language: string): boolean {
  const named = Object.entries(LANGUAGE_MARKS).filter(([, mark]) => mark.test(name));
  return named.length > 0 && !named.some(([tag]) => tag === language);
}

/** A rule as offered by the editor. */
export interface OfferedRule {
  rule: CatalogueRule;
  options: readonly CatalogueOption[];
  chosen: CatalogueOption | undefined;
}

export interface OfferedCategory {
  name: string;
  rules: readonly OfferedRule[];
  chosenCount: number;
}

/** Returns the rules that match a filter and search words, by category, without empty categories. */
export function offeredRules({
  catalogue,
  draft,
  language,
  filter,
  words,
}: {
  catalogue: StyleRuleCatalogue;
  draft: RuleDraft;
  language: string;
  filter: RuleFilter;
  words: string;
}): OfferedCategory[] {
  const wanted = words.trim().toLowerCase();
  return catalogue.categories
    .map(({ name, rules }) => {
      const offered = rules
        .map((rule) => offer(rule, { chosenName: draft.option(name, rule.name), language, filter }))
        .filter(({ options, chosen, rule }) => {
          if (filter === 'chosen' && chosen === undefined) return false;
          if (filter === 'mechanical' && !options.some((each) => isBuiltIn(each, language)))
            return false;
          return options.length > 0 && hasWords({ rule, options }, name, wanted);
        });
      const chosenCount = rules.filter(
        (rule) => draft.option(name, rule.name) !== undefined,
      ).length;
      return { name, rules: offered, chosenCount };
    })
    .filter(({ rules }) => rules.length > 0);
}

/** Filters a rule's options; the chosen one is always kept. */
function offer(
  rule: CatalogueRule,
  {
    chosenName,
    language,
    filter,
  }: { chosenName: string | undefined; language: string; filter: RuleFilter },
): OfferedRule {
  const chosen = rule.options.find(({ name }) => name === chosenName);
  if (filter === 'all') return { rule, options: rule.options, chosen };
  const isFitting = !isForOthers(rule.name, language);
  const options = rule.options.filter(
    (option) => option === chosen || (isFitting && !isForOthers(option.name, language)),
  );
  return { rule, options, chosen };
}

function hasWords(
  { rule, options }: { rule: CatalogueRule; options: readonly CatalogueOption[] },
  category: string,
  wanted: string,
): boolean {
  if (wanted === '') return true;
  const texts = [
    categoryWords(category),
    ruleWords(rule.name),
    ...options.map((option) => optionWords(option.name)),
  ];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** Option of each chosen rule, by category and rule. */
type ConfiguredRules = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Draft of a list's rules: the saved choices and the current ones. */
export class RuleDraft {
  readonly #saved: ReadonlyMap<string, string>;
  #chosen: Map<string, string>;

  constructor(saved: ConfiguredRules) {
    this.#saved = new Map(
      Object.entries(saved).flatMap(([category, rules]) =>
        Object.entries(rules).map(([rule, option]) => [keyOf(category, rule), option] as const),
      ),
    );
    this.#chosen = new Map(this.#saved);
  }

  get isChanged(): boolean {
    return this.changeCount > 0;
  }

  /** Number of rules that differ from the saved ones. */
  get changeCount(): number {
    const keys = new Set([...this.#saved.keys(), ...this.#chosen.keys()]);
    return [...keys].filter((key) => this.#saved.get(key) !== this.#chosen.get(key)).length;
  }

  option(category: string, rule: string): string | undefined {
    return this.#chosen.get(keyOf(category, rule));
  }

  /** @param option empty for none */
  choose(category: string, rule: string, option: string): void {
    if (option === '') this.#chosen.delete(keyOf(category, rule));
    else this.#chosen.set(keyOf(category, rule), option);
  }

  discard(): void {
    this.#chosen = new Map(this.#saved);
  }

  /** The chosen rules, as the API expects them. */
  get rules(): ConfiguredRules {
    const rules: Record<string, Record<string, string>> = {};
    for (const [key, option] of this.#chosen) {
      const [category = '', rule = ''] = key.split('/');
      (rules[category] ??= {})[rule] = option;
    }
    return rules;
  }
}

/** Drafts kept while the user is on another page, by the id of their list. */
export const ruleDrafts = new DraftShelf<RuleDraft>();

/** Catalogue names contain no slash. */
function keyOf(category: string, rule: string): string {
  return `${category}/${rule}`;
}

/** `quotation_mark` becomes "Quotation mark". */
export const ruleWords = inWords;

/** `use_dd_period_mm_period_yyyy` becomes "Use DD.MM.YYYY". */
export const optionWords = inWords;

/** `dates_and_times` becomes "Dates and times". */
export const categoryWords = inWords;

/** Cache of readable names: a search goes through all of them at every keystroke. */
const wordings = new Map<string, string>();

function inWords(name: string): string {
  const known = wordings.get(name);
  if (known !== undefined) return known;
  const words = capitalised(worded(name));
  wordings.set(name, words);
  return words;
}

/** Placeholders for a part of a date or a time. */
const PARTS: Readonly<Record<string, string>> = {
  dd: 'DD',
  mm: 'MM',
  yy: 'YY',
  yyyy: 'YYYY',
  hh: 'HH',
  month: 'month',
  年: '年',
  月: '月',
  日: '日',
  년: '년',
  월: '월',
  일: '일',
};

/** Separators between the parts. */
const JOINTS: Readonly<Record<string, string>> = {
  period: '.',
  slash: '/',
  hyphen: '-',
  colon: ':',
  comma: ',',
  space: ' ',
};

/** Phrases that the catalogue names spell out or leave out. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/_(?:chinese|korean)[ _]word_(?=[年月日년월일])/g, '_'],
  [/spelled_out_month|abbreviated_month/g, 'month'],
  [/(?<=_)i_e(?=_)/g, 'i.e.'],
  [/(?<=_)e_g(?=_|$)/g, 'e.g.'],
  [/(?<=_)(\d\d)_00$/g, '$1:00'],
  [/(?<=1\d|2\d)_hour/g, '-hour'],
  [/single_digit/g, 'single-digit'],
  [/german_word_uhr/g, 'German_word_Uhr'],
];

const PROPER: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...['English', 'German', 'French', 'Italian', 'Spanish', 'Japanese', 'Chinese', 'Korean'],
    ...['North', 'American', 'Arabic', 'Roman', 'BC', 'AD', 'BCE', 'CE', 'SI', 'ISO', 'Latin'],
    ...['Sino', 'YY', 'YYYY'],
  ].map((name) => [name.toLowerCase(), name]),
);

function worded(name: string): string {
  let spelled = name.replace(/(?<=with_abbreviations_).*(?=_without)/, monthNames);
  for (const [phrase, words] of PHRASES) spelled = spelled.replaceAll(phrase, words);
  return withFormats(spelled.split(/[_ ]+/))
    .map((word) => PROPER[word] ?? word)
    .join(' ');
}

/** `jan_period_feb_period_mai` becomes `Jan._Feb._Mai`. */
function monthNames(names: string): string {
  return names.replaceAll('_period', '.').replace(/(?<=^|_)[a-z]/g, (first) => first.toUpperCase());
}

/** Joins runs such as `dd period mm period yyyy`, in which words stand for characters. */
function withFormats(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < words.length;) {
    const end = formatEnd(words, at);
    if (end === at) {
      out.push(words[at] ?? '');
      at += 1;
    } else {
      out.push(format(words.slice(at, end)));
      at = end;
    }
  }
  return out.filter((word) => word !== '');
}

function format(words: readonly string[]): string {
  return words
    .map((word) => PARTS[word] ?? JOINTS[word] ?? word)
    .join('')
    .replace('monthYYYY', 'month YYYY')
    .trim();
}

/** Returns the end of a run with at least two parts; its start if there is none. */
function formatEnd(words: readonly string[], start: number): number {
  let end = start;
  let parts = 0;
  for (let at = start; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word in PARTS) {
      parts += 1;
      end = at + 1;
    } else if (!(word in JOINTS) || at === start) break;
  }
  // Korean dates end with a full stop.
  if (words[end] === 'period' && words[end + 1] === 'space') end += 2;
  return parts > 1 ? end : start;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
