/**
 * Corrects capitals and punctuation in translated sentences. Apertium's rules give the capital of the first
 * word to whichever word they put in its place, even the second (`Hola Todo el mundo`). No mode knows the
 * opening signs of Spanish questions and exclamations, or the French blanks before punctuation, the French mode
 * adds `pas` to every negation, and the English–Spanish mode takes every `please` for a verb.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import type { Replacement } from './hyphenated-words.ts';
import { NOT_ITALIAN, type WrongWords } from './spanish/italian-grammars.ts';
import { NOT_BRAZILIAN, NOT_PORTUGUESE } from './spanish/portuguese-grammars.ts';

/** Direction of one step, or of a whole route. */
export interface Direction {
  source: LanguageTag;
  target: LanguageTag;
}

/** A sentence and its position in the text. */
interface Sentence {
  start: number;
  text: string;
}

function sentencesOf(text: string, language: LanguageTag): Sentence[] {
  let start = 0;
  return sentenceEnds(text, { language, atLineBreaks: true }).map((end) => {
    const sentence = { start, text: text.slice(start, end) };
    start = end;
    return sentence;
  });
}

/** Languages in which only names are capitalised within a sentence. */
const ONLY_NAMES = new Set(['ca', 'es', 'fr', 'gl', 'it', 'oc', 'pt']);
/** Number of words that may precede the one with the misplaced capital: `Thank you very much For`. */
const MOST_BEFORE = 4;
/** Number of words by which a name may have moved relative to the source. */
const MOVED_BY = 1;
/** Number of words that the translation may have left out before a name: `I used to live in Paris`. */
const LEFT_OUT = 2;
/** Length of the source searched for a name, in UTF-16 units. */
const REACH = 1_000;
const WORD_PART = /[\p{L}\p{M}\p{N}]+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+(?:[_'’][\p{L}\p{M}\p{N}]+)*/gu;
const LATER_CAPITAL = /[^\p{Lu}]\p{Lu}/u;
const ENDS_BEFORE_SMALL = /[.!?…\n][^\p{L}\s]{0,3}\s{1,3}[^\p{L}\s]{0,3}\p{Ll}/u;
const CAPITALISED = /^\p{Lu}(?:[\p{Ll}'’]|$)/u;
/** A capitalised word that may be a name; `I` is not. */
const NAME = /^(?!I(?:['’]|$)).*\p{Lu}/u;
/** Signs after which a word begins a sentence. */
const OPENS = /(?:[.!?…:“‘«([¿¡‹❮❬][\s\ufffc]*|"\ufffc*)$/u;

const FUNCTION_WORD =
  /^(?:a|all|an|and|any|at|by|can|do|for|from|in|is|it|its|my|of|on|or|our|that|the|their|this|to|we|with|you|your)$/i;

/** Words that English capitalises and the Romance languages do not, or how those begin. */
const ENGLISH_CAPITAL = new RegExp(
  [
    "^(?:I|I['’].*|Mrs?|Ms|Miss|Dr|God|May|Pole|Lao)$|^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|^January",
    '^(?:Febr|April|June|July|August|September|October|November|December|Christ|Easter|Internet|Jesus)',
    '^(?:Afghan|Africa|Alban|Algeri|America|Andalusi|Andorr|Angol|Arab|Aragon|Argentin|Armeni|Asia|Asturi)',
    '^(?:Athen|Atlantic|Australi|Austria|Aztec|Balkan|Baltic|Bangla|Basque|Belarus|Belgi|Bengal|Berber)',
    '^(?:Boliv|Bosni|Brazil|Breton|Brit(?:ish|ain|on)|Buddh|Bulgari|Byzant|Calvinis|Cambod|Cameroon|Canad)',
    '^(?:Canari|Caribb|Castil|Catal(?:an|on)|Catholic|Celt|Chile|China|Chinese|Colombia|Congol|Corsic|Croat)',
    '^(?:Cuba|Cypri|Czech|Dan(?:e$|ish)|Dominican|Dutch|Ecuador|Egypt|English|Eston|Ethiop|Europ|Filipin)',
    '^(?:Finn|Flem|French|Freudian|Galici|Georgia|German|Ghana|Greek|Guaran|Guatem|Gyps|Hait|Hawai|Hebr)',
    '^(?:Hindu|Hispan|Hondur|Hungar|Iberia|Iceland|Inca|India|Indones|Ira[nq]|Irish|Islam|Israel)',
    '^(?:Ital(?!ic)|Jamaic|Japan|Jew(?!el)|Jordani|Kazakh|Kenya|Korea|Kurd|Latin|Latvi|Leban|Leninis|Libya)',
    '^(?:Lithuan|Luther|Macedon|Majorc|Malay|Maltese|Maois|March|Marxis|Maya|Mediterran|Mexic|Mongol)',
    '^(?:Mormon|Morocc|Mozamb|Muslim|Navarr|Nazi|Neapol|Nepal|Nicarag|Nigeri|Nordic|Norw|Occitan|Olympic)',
    '^(?:Ottoman|Pakist|Palestin|Panama|Paraguay|Parisi|Persia|Peru(?!s)|Philippin|Phoenic|Platonic|Polish)',
    '^(?:Portug|Protestant|Provençal|Prussia|Quech|Roman(?!ce|ti)|Russia|Salvador|Sardini|Saudi|Saxon)',
    '^(?:Scandinav|Scot|Semit|Senegal|Serb|Siberi|Sicil|Slav(?!e)|Slov[ae]|Soviet|Span(?:ish|iard)|Stalinis)',
    '^(?:Sudan|Swed|Swiss|Syria|Taiwan|Tamil|Thai|Tibet|Trojan|Tunis|Turk(?!ey)|Tuscan|Ukrain|Uruguay)',
    '^(?:Uzbek|Valencian|Venet|Venez|Victorian|Vietn|Viking|Visigoth|Welsh|Yemen|Yugoslav|Zionis|Zulu)',
  ].join('|'),
);

/** A sign that ends a sentence within another, up to the letter after it. */
const ENDED_WITHIN = /[.!?…]["'”’»)›❯❭]+\s+(?=\p{L})/gu;

/**
 * Returns the replacements for letters that should be small, and for sentence-initial letters that should be
 * capitals.
 */
export function wrongCapitals(
  translated: string,
  source: string,
  { source: from, target }: Direction,
): Replacement[] {
  const onlyNames = ONLY_NAMES.has(baseLanguage(target));
  const isEnglish = baseLanguage(target) === 'en';
  const mayBeSmall = onlyNames || (isEnglish && ONLY_NAMES.has(baseLanguage(from)));
  // Most texts are one sentence without further capitals.
  const isSimple = !LATER_CAPITAL.test(translated) && !ENDS_BEFORE_SMALL.test(translated);
  const originals = isSimple ? [{ start: 0, text: source }] : sentencesOf(source, from);
  const sentences = isSimple ? [{ start: 0, text: translated }] : sentencesOf(translated, target);
  // Where one sentence has become two, only the first can be matched with its source.
  const isPaired = sentences.length === originals.length;
  const places = sentences.slice(0, isPaired ? undefined : 1).flatMap(({ start, text }, i) => {
    const original = (isPaired ? originals[i]?.text : source)?.slice(0, REACH) ?? '';
    if (isPaired && isShouted(original)) return smallLetters(text).map((at) => start + at);
    const first = wrongFirstLetter(text, original, mayBeSmall);
    const isSmall = isEnglish && mayBeSmall && !/\p{Lu}/u.test(original);
    const isMovable = (word: string) =>
      onlyNames || FUNCTION_WORD.test(word) || (isSmall && !ENGLISH_CAPITAL.test(word));
    const later = onlyNames || isEnglish ? misplacedCapital(text, original, isMovable) : undefined;
    return [first, later].flatMap((place) => (place === undefined ? [] : [start + place]));
  });
  const within = onlyNames && !isSimple ? capitalsWithin(translated, source) : [];
  const pronouns = isEnglish ? smallPronouns(translated, source) : [];
  return [...new Set([...places, ...within, ...lostCapitals(translated, source), ...pronouns])]
    .sort((a, b) => a - b)
    .map((at) => ({ start: at, end: at + 1, text: withOtherCase(translated.charAt(at)) }));
}

const SMALL_I = /(?<![\p{L}\p{M}\p{N}'’.-])i(?=['’ ])/gu;

/** Returns the places of `i` as a word, in `Can i help you?`, unless the source has one. */
function smallPronouns(translated: string, source: string): number[] {
  if (source.search(SMALL_I) !== -1) return [];
  return Array.from(translated.matchAll(SMALL_I), ({ index }) => index);
}

/** Whether a text is all capitals, like `STOP` but not `TV`. */
function isShouted(text: string): boolean {
  return /\p{Lu}{3}/u.test(text) && !/\p{Ll}/u.test(text);
}

function smallLetters(text: string): number[] {
  return Array.from(text.matchAll(/\p{Ll}/gu), ({ index }) => index);
}

const MIXED = /\p{Ll}\p{Lu}/u;

/**
 * Returns letters of mixed-case names such as `iPhone` and `JavaScript` whose case differs from the source.
 */
function lostCapitals(translated: string, source: string): number[] {
  if (!MIXED.test(source)) return [];
  const names = new Map<string, string>();
  for (const word of new Set(source.match(WORD_PART))) {
    // A word written in two ways (`Resolver()`, `resolver`) may be either.
    names.set(word.toLowerCase(), names.has(word.toLowerCase()) ? '' : word);
  }
  return Array.from(translated.matchAll(WORD_PART)).flatMap(({ 0: word, index }) => {
    const name = names.get(word.toLowerCase()) ?? '';
    if (!MIXED.test(name)) return [];
    return word.split('').flatMap((letter, i) => (name[i] === letter ? [] : [index + i]));
  });
}

function withOtherCase(letter: string): string {
  const small = letter.toLowerCase();
  return small === letter ? letter.toUpperCase() : small;
}

/** A number before a sentence: `(1) No sé.`, `[1] No sé.` */
const NUMBERED = /^(?:\(?\d{1,3}\)|\[\d{1,3}\])\s+(?=\p{L})/u;

/**
 * Returns the position of a wrong sentence-initial letter: `%d file` must not become `%d Fichero`, but `Do
 * not!` becomes `N’ouvre pas !`.
 */
function wrongFirstLetter(
  sentence: string,
  source: string,
  mayBeSmall: boolean,
): number | undefined {
  const numbered = NUMBERED.exec(sentence)?.[0];
  if (numbered !== undefined && source.trimStart().startsWith(numbered)) {
    const at = numbered.length;
    const rest = source.trimStart().slice(at);
    const place = wrongFirstLetter(sentence.slice(at), rest, mayBeSmall);
    return place === undefined ? undefined : at + place;
  }
  const [first] = firstWords(sentence, 1);
  const [original, ...others] = firstWords(source, 1 + MOVED_BY);
  if (first === undefined || original === undefined || isWordOf(source, first[0])) return undefined;
  const isSmall = mayBeSmall && /^\p{Ll}[^\p{Lu}]*$/u.test(original[0]);
  const isWrong = isSmall
    ? CAPITALISED.test(first[0]) &&
      !ENGLISH_CAPITAL.test(first[0]) &&
      !others.some(({ 0: word }) => NAME.test(word))
    : /^\p{Lu}/u.test(original[0]) && /^\p{Ll}/u.test(first[0]);
  return isWrong ? first.index : undefined;
}

/**
 * Returns wrong capitals after a quotation or bracket where the source continues in lower case: `“¿Sí?”
 * Dijo.`
 */
function capitalsWithin(translated: string, source: string): number[] {
  const ends = (text: string) =>
    [...text.matchAll(ENDED_WITHIN)].map(({ 0: ending, index }) => index + ending.length);
  const [own, originals] = [ends(translated), ends(source)];
  if (own.length !== originals.length) return [];
  return own.filter((place, i) => {
    const [word = ''] = firstWords(translated.slice(place), 1)[0] ?? [];
    const original = source.slice(originals[i], (originals[i] ?? 0) + REACH);
    return CAPITALISED.test(word) && /^\p{Ll}/u.test(original) && !isWordOf(original, word);
  });
}

/**
 * Finds a capital that a word owes only to its former place at the beginning.
 *
 * @param source starts where the translated part starts
 * @param isMovable whether a word may owe it to that: English capitalises more than names
 */
function misplacedCapital(
  sentence: string,
  source: string,
  isMovable: (word: string) => boolean,
): number | undefined {
  const [, ...others] = firstWords(sentence, MOST_BEFORE + 1);
  const at = others.findIndex(({ 0: word }) => CAPITALISED.test(word) && !isWordOf(source, word));
  const found = others[at];
  if (found === undefined || !isMovable(found[0]) || OPENS.test(sentence.slice(0, found.index)))
    return undefined;
  const [, ...around] = firstWords(source, at + 2 + Math.min(LEFT_OUT, at + MOVED_BY));
  // A name that is unchanged in the translation is not the source of this word.
  const isName = around.some(
    ({ 0: word }) => NAME.test(word) && !isWordOf(sentence.slice(0, REACH), word),
  );
  return isName ? undefined : found.index;
}

/**
 * Whether a text contains a word, also within `L’iPhone` or `John’s`, but not as part of another: `YouTube`
 * does not contain `Y`.
 */
function isWordOf(text: string, word: string): boolean {
  const words = new Set(text.match(WORD_PART));
  return (word.match(WORD_PART) ?? []).some((part) => words.has(part));
}

function firstWords(text: string, most: number): RegExpExecArray[] {
  const words: RegExpExecArray[] = [];
  for (const word of text.matchAll(WORD)) {
    if (words.push(word) === most) break;
  }
  return words;
}

const OPENING: Readonly<Record<string, string>> = { '?': '¿', '!': '¡' };
/** Excludes signs within an address. */
const CLOSING = /(?<=\S)[?!]+(?![\p{L}\p{N}=/])/gu;
/** French has a blank before them. */
const CLOSING_APART = /(?<=\S)\s?[?!]+(?![\p{L}\p{N}=/])/gu;
/** Opening signs of quotations and brackets, by their closing sign. */
const OPENED_BY: Readonly<Record<string, string>> = {
  ...{ ')': '(', ']': '[', '”': '“', '’': '‘', '»': '«', '›': '‹', '❯': '❮', '❭': '❬' },
  ...{ '"': '"', "'": "'" },
};
/** Only the part after this is the question: `Buenos días, ¿cómo estás?` */
const ASKED =
  /^.*(?::\s+|[,;]\s+(?=(?:(?:a|con|de|desde|en|hasta|o|para|pero|por|y)\s+){0,2}(?:a?dónde|cómo|cuál|cuáles|cuándo|cuánt[ao]s?|qué|quién|quiénes|verdad)(?!\p{L})))/isu;
const EXCLAIMED = /^.*:\s+/su;
/** Leading text that stays outside: signs, what is in `<…>`, and the number of a list item. */
const OUTSIDE =
  /(?:[\s,;"'“‘«‹❮❬([\ufffc•*#>–—\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f-]|<[^<>\n]{1,200}>)*(?:(?:\d{1,3}[.)]|\p{L}\))\s+)?["'“‘«‹❮❬([\ufffc]*/uy;

/**
 * Returns the replacements that add Spanish opening signs to the first letters of questions and exclamations.
 */
export function spanishOpenings(translated: string, { source, target }: Direction): Replacement[] {
  if (!/[?!]/.test(translated) || baseLanguage(target) !== 'es') return [];
  const closings = baseLanguage(source) === 'fr' ? CLOSING_APART : CLOSING;
  return sentencesOf(translated, target).flatMap(({ start, text }) => {
    let from = 0;
    return [...text.matchAll(closings)].flatMap(({ 0: closing, index }) => {
      const signs = closing.trimStart();
      const place = openingPlace(
        text.slice(from, index),
        signs,
        text.charAt(index + closing.length),
      );
      const [begin, missing] = [from + (place ?? 0), missingSigns(text.slice(from, index), signs)];
      from = index + closing.length;
      if (place === undefined || missing === '') return [];
      const at = start + begin;
      return [{ start: at, end: at + 1, text: missing + text.charAt(begin) }];
    });
  });
}

/**
 * @returns start of the question within the part before its closing signs; undefined if it has no letters or
 *   digits
 */
function openingPlace(part: string, signs: string, behind: string): number | undefined {
  const opening = OPENED_BY[behind];
  let place = opening === undefined ? 0 : part.lastIndexOf(opening) + 1;
  const [before = ''] = (signs.includes('?') ? ASKED : EXCLAIMED).exec(part.slice(place)) ?? [];
  place += before.length;
  OUTSIDE.lastIndex = place;
  place += OUTSIDE.exec(part)?.[0].length ?? 0;
  return /[\p{L}\p{N}]/u.test(part.slice(place)) ? place : undefined;
}

/** Returns the missing opening signs; for `?!` both, each once, in reverse order. */
function missingSigns(part: string, signs: string): string {
  const opening = [...new Set(signs)].toReversed().map((sign) => OPENING[sign] ?? '');
  return opening.filter((sign) => !part.includes(sign)).join('');
}

// French puts a blank before `?`, `!`, `;`, `:` and within `« »`: rules copy such blanks but never add them.

const HAS_SIGN = /[?!;:«»]/;
/** Closing signs, but not within a number, an address, a reference (`&amp;`) or an emoticon. */
const ENDS = String.raw`(?<!&#?[\p{L}\p{N}]{1,31})(?![:;]['’-]?[()])(?=[?!;:]+(?:[\s"'”’»\]\ufffc]|$)|[?!]+\)|»)`;
const APART = new RegExp(String.raw`(?<=\S)[ \u00a0\u202f]+${ENDS}|(?<=«)[ \u00a0\u202f]+`, 'gu');
const CLOSED = new RegExp(
  String.raw`(?<=[\p{L}\p{M}\p{N}"”’)\]»%€.…\ufffc])${ENDS}|(?<=[?!])(?=»)|«(?=\S)`,
  'gu',
);
const BLANK = '\u00a0';

/** Returns replacements that remove French blanks when translating from French, or add them into French. */
export function frenchBlanks(translated: string, { source, target }: Direction): Replacement[] {
  const [isFrom, isInto] = [source, target].map((language) => baseLanguage(language) === 'fr');
  if (isFrom === isInto || !HAS_SIGN.test(translated)) return [];
  const found = translated.matchAll(isFrom === true ? APART : CLOSED);
  return Array.from(found, ({ 0: signs, index }) => ({
    start: index,
    end: index + signs.length,
    text: isFrom === true ? '' : signs + BLANK,
  }));
}

// The French mode adds `pas` to every negation (`je ne vois pas rien`) and forms the past of reflexive verbs with
// `avoir`. Words that the grammar from Spanish puts in are not shortened before vowels.

/** Participles that agree with the subject, after forms of `être`. */
const AGREES = String.raw`(?<=\b(?:SUBJECT)(?: ne?|['’]| s['’]| nous| se)? ?(?:est|sont|sommes|était|étaient|étions)(?: pas)? (?:né|allé|venu|arrivé|parti|sorti|entré|resté|tombé|mort|devenu|revenu|rentré|monté|descendu|retourné|levé|assis|couché|réveillé))(?!\p{L})`;
const agreeing = (subject: string) => new RegExp(AGREES.replace('SUBJECT', subject), 'giu');

/** What is wrong in French, in any sentence, and what it should be. */
const NOT_FRENCH: WrongWords = [
  // `Personne` without an article: nobody. Looking back from `pas` only keeps the time of long texts linear.
  [
    / pas(?!\p{L})(?<=(?:(?<![\p{L}\d]['’”]? ?)personne|(?<!\p{L})(?:(?:que|et|mais|car|si|quand|où) personne|rien|aucune? \p{L}+)) n(?:e |['’])\S+(?: \S+)? pas)/giu,
    '',
  ],
  [/(?<!\p{L})pas (?=(?:rien|personne|aucune?|jamais|ni)(?!\p{L}))/giu, ''],
  [/(?<=(?<!\p{L})(je|ils?|elles?)) \1(?!\p{L})/giu, ''],
  [/(?<!\p{L})je (?=j['’])/giu, ''],
  [/(?<=(?<!\p{L})de) de(?= \p{Ll})/gu, ''],
  [/(?<!\p{L})de (?=d['’])/gu, ''],
  [/\bpas désormais\b/giu, 'plus'],
  [/\boù est(?=\s*\?)/giu, 'où est-ce'],
  [
    /(?<=\b(?:(?:lun|mar|mercre|jeu|vendre|same)di|dimanche) )l(?:'|e )(?=après-midi|soir|matin)/giu,
    '',
  ],
  [/\bcombien coûte(?=\s*\?)/giu, 'combien ça coûte'],
  [/(?<!\p{L})s['’]a(?!\p{L})/giu, "s'est"],
  [/\bs['’]ont\b/giu, 'se sont'],
  [/\bs['’]avai(?=t\b|ent\b)/giu, "s'étai"],
  [/(?<=\bje )m['’]ai\b/giu, 'me suis'],
  [/(?<=\btu )t['’]as\b/giu, "t'es"],
  [/(?<=\bnous nous )avons\b/giu, 'sommes'],
  [agreeing('elle'), 'e'],
  [agreeing('elles'), 'es'],
  [agreeing('ils|nous'), 's'],
  [/(?<=\bs)i (?=ils?\b)/giu, "'"],
  [/(?<=\bqu)e (?=(?:ils?|elles?|on|une?)\b)/giu, "'"],
];

const NOT_SAID: Readonly<Record<string, WrongWords>> = {
  fr: NOT_FRENCH,
  it: NOT_ITALIAN,
  pt: NOT_PORTUGUESE,
  'pt-BR': NOT_BRAZILIAN,
};

function notSaid(translated: string, { target }: Direction): Replacement[] {
  return (NOT_SAID[target] ?? NOT_SAID[baseLanguage(target)] ?? [])
    .flatMap(([wrong, right]) =>
      Array.from(translated.matchAll(wrong), ({ 0: found, index }) => ({
        start: index,
        end: index + found.length,
        text: sized(typeof right === 'string' ? right : right(found), found),
      })),
    )
    .sort((one, other) => one.start - other.start);
}

// `Please` makes a polite request. The English–Spanish mode often takes it for the verb, and modes that
// follow in the route translate the result literally.

const PLEASE = /(?<!\p{L})please(?!\p{L})/giu;
/** Includes the placeholder of a mark. */
const BLANK_OR_MARK = /[\s\ufffc]/u;
/** Signs after which a request begins, and at which it ends. */
const BEFORE_SAID = /[.!?…,;:“‘«("]/u;
const BEHIND_SAID = /[.!?…,;:”)"]/u;
const ASKED_OF_SOMEBODY = /\b(?:can|could|will|would) you\s$/iu;
/** The mistranslated verb, and the polite phrase that replaces it. */
const POLITE_WORDS: Readonly<Record<string, [verb: RegExp, word: string]>> = {
  es: [/(?<!\p{L})complacer?(?![\p{L}-])/giu, 'por favor'],
  fr: [/(?<!\p{L})(?:compla(?:ire|it|ît)|par faveur)(?![\p{L}-])/giu, "s'il vous plaît"],
  it: [/(?<!\p{L})compiac(?:er)?e(?![\p{L}-])/giu, 'per favore'],
  pt: [/(?<!\p{L})(?:compraz(?:er?)?|faz favor)(?![\p{L}-])/giu, 'por favor'],
};

/**
 * Returns replacements for mistranslated `please` (`Complacer espera`); none when some in the source are
 * verbs.
 */
function politeWords(
  translated: string,
  source: string,
  { source: from, target }: Direction,
): Replacement[] {
  const said = POLITE_WORDS[baseLanguage(target)];
  if (said === undefined || baseLanguage(from) !== 'en') return [];
  const asked = [...source.matchAll(PLEASE)];
  if (asked.length === 0) return [];
  if (!asked.every(({ 0: { length }, index }) => isPolite(source, index, index + length)))
    return [];
  const [verb, word] = said;
  const verbs = [...translated.matchAll(verb)];
  if (verbs.length !== asked.length) return [];
  return verbs.map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    text: sized(word, found),
  }));
}

/** Whether `please` stands at the beginning or end of a request, or in a question addressed to a person. */
function isPolite(source: string, start: number, end: number): boolean {
  let before = start;
  while (before > 0 && BLANK_OR_MARK.test(source.charAt(before - 1))) before -= 1;
  let behind = end;
  while (behind < source.length && BLANK_OR_MARK.test(source.charAt(behind))) behind += 1;
  return (
    before === 0 ||
    behind === source.length ||
    source.slice(before, start).includes('\n') ||
    source.slice(end, behind).includes('\n') ||
    BEFORE_SAID.test(source.charAt(before - 1)) ||
    BEHIND_SAID.test(source.charAt(behind)) ||
    ASKED_OF_SOMEBODY.test(source.slice(Math.max(0, start - 16), start))
  );
}

// Answers, thanks and excuses. The modes into these languages start from Spanish and translate some of its
// phrases word by word: `lo siento` (I am sorry) as `lo siedo` (I seat it).

/** The edges of what is said by itself: `Ok, gracias.` */
const BEGINS_SAID = String.raw`(?<=(?:^|[.,;:!?…("“«¡¿—–\n])[\s\u00a0\u202f\ufffc]{0,4})`;
const ENDS_SAID = String.raw`(?=[\s\u00a0\u202f\ufffc]{0,4}(?:[.,;:!?…)"”»\n]|$))`;
/** By target; `…` where a phrase need not begin or end. */
const SAID_WRONG: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  it: {
    '…non': 'no',
    perdono: 'scusa',
    '…lo siedo…': 'mi dispiace',
    'lo sentiamo': 'ci dispiace',
    '…muchas grazie…': 'molte grazie',
    'fin dopo': 'a dopo',
    'fino dopo': 'a dopo',
    '…salve notti': 'buonasera',
    'pulsa…': 'clicca',
    'per favore attesa': 'attendere prego',
    'avviare sessione': 'accedi',
    regístrate: 'registrati',
    cancelar: 'annulla',
  },
  pt: {
    graças: 'obrigado',
    'graças por…': 'obrigado por',
    '…(?:sento-o|o sento)(?: muito)?…': 'sinto muito',
    'sentimo-lo': 'sentimos muito',
    'até depois': 'até logo',
    'bons dias': 'bom dia',
    'boas tardes': 'boa tarde',
    'boas noites': 'boa noite',
    'faz favor': 'por favor',
    perdoa: 'desculpa',
    'pulsa…': 'clique',
  },
};

const saidWrong = new Map(
  Object.entries(SAID_WRONG).map(([target, said]) => [
    target,
    Object.entries(said).map(([wrong, right]) => {
      const begin = wrong.startsWith('…') ? '' : BEGINS_SAID;
      const end = wrong.endsWith('…') ? '' : ENDS_SAID;
      const words = String.raw`(?<![\p{L}'’-])${wrong.replaceAll('…', '')}(?![\p{L}'’-])`;
      return { wrong: new RegExp(begin + words + end, 'giu'), right };
    }),
  ]),
);

/** Returns replacements for everyday phrases of Spanish that were translated word by word. */
function everydayPhrases(translated: string, { target }: Direction): Replacement[] {
  const found = (saidWrong.get(baseLanguage(target)) ?? []).flatMap(({ wrong, right }) =>
    Array.from(translated.matchAll(wrong), ({ 0: said, index }) => ({
      start: index,
      end: index + said.length,
      text: sized(right, said),
    })),
  );
  return found.sort((one, other) => one.start - other.start);
}

/** Returns a phrase with the capital of the one that it replaces. */
function sized(phrase: string, replacedOne: string): string {
  return /^\p{Lu}/u.test(replacedOne) ? phrase.charAt(0).toUpperCase() + phrase.slice(1) : phrase;
}

/** Corrections of a translation, applied in order. */
export const FINISHES: readonly ((
  translated: string,
  source: string,
  direction: Direction,
) => Replacement[])[] = [
  wrongCapitals,
  (translated, _source, direction) => frenchBlanks(translated, direction),
  (translated, _source, direction) => spanishOpenings(translated, direction),
  politeWords,
  (translated, _source, direction) => notSaid(translated, direction),
  (translated, _source, direction) => everydayPhrases(translated, direction),
];
