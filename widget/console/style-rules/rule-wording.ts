/** Rules and options of the catalogue, which are names for programs, in words for people. */

/** `quotation_mark` becomes "Quotation mark". */
export const ruleWords = inWords;

/** `use_dd_period_mm_period_yyyy` becomes "Use DD.MM.YYYY". */
export const optionWords = inWords;

/** `dates_and_times` becomes "Dates and times". */
export const categoryWords = inWords;

/** Wordings so far: a search goes through all of them at every key. */
const wordings = new Map<string, string>();

function inWords(name: string): string {
  const known = wordings.get(name);
  if (known !== undefined) return known;
  const words = capitalised(worded(name));
  wordings.set(name, words);
  return words;
}

/** What stands for a part of a date or a time. */
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

/** What stands between them. */
const JOINTS: Readonly<Record<string, string>> = {
  period: '.',
  slash: '/',
  hyphen: '-',
  colon: ':',
  comma: ',',
  space: ' ',
};

/** What the names spell out or leave out. */
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

/** Joins runs such as `dd period mm period yyyy`, in which words are signs. */
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

/** Where a run ends that holds at least two parts; its start when there is none. */
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
  // Korean dates end in a full stop.
  if (words[end] === 'period' && words[end + 1] === 'space') end += 2;
  return parts > 1 ? end : start;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
