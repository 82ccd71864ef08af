/** Makes sentences of what recognisers without capitals and punctuation report. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { breaksOff } from './hanging-words.ts';

const LETTER = /\p{L}/u;
const ENDED = /[.!?…。！？؟]["'”’»)\]]*$/u;
const FULL_STOPS: Partial<Record<string, string>> = { ja: '。', zh: '。', hi: '।', bn: '।' };
const ENGLISH_I = /\bi(?=$|[\s,.;:!?]|'(?:m|ll|d|ve)\b)/g;

/** Only what surely asks: "what is …", "how long does …", "do you …"; not "when we began …". */
const VERB = 'do|does|did|is|are|am|was|were|can|could|will|would|shall|should|have|has';
const SUBJECT = 'i|you|he|she|it|we|they|there|this|that|these|those|the|my|your|his|her|our|their';
const ENGLISH_QUESTION = new RegExp(
  `^(?:(?:who|what|when|where|why|how) (?:${VERB})|(?:how|what|which) \\w+ (?:do|does|did)|(?:${VERB}) (?:${SUBJECT}))\\b`,
  'i',
);

/** What an utterance adds to a sentence. */
export interface FinishedUtterance {
  text: string;
  /** Whether the sentence ends with it, as far as its last word tells. */
  endsSentence: boolean;
}

/**
 * The beginning of what still grows: a capital, and those that English words always have.
 *
 * @param isBegun whether it goes on with a sentence, which has its capital
 */
export function beginSentence(text: string, language: LanguageTag, isBegun = false): string {
  const proper = baseLanguage(language) === 'en' ? properEnglish(text) : text;
  return isBegun ? proper : capitalised(proper, language);
}

/** A text as a sentence: a capital at the start and a mark at the end. */
export function finishSentence(text: string, language: LanguageTag): string {
  return finished(beginSentence(text.trim(), language), language);
}

/**
 * A whole utterance without punctuation as a sentence, or as the part of one when it breaks off: then
 * no mark ends it.
 *
 * @param begun what was said of the sentence in utterances before
 */
export function finishUtterance(
  text: string,
  language: LanguageTag,
  begun = '',
): FinishedUtterance {
  const sentence = beginSentence(text.trim(), language, begun !== '');
  const whole = `${begun} ${sentence}`.trim();
  const isQuestion = asks(whole, language);
  if (breaksOff(sentence, { language, isQuestion })) {
    return { text: sentence, endsSentence: false };
  }
  return { text: finished(sentence, language, isQuestion), endsSentence: true };
}

/** Whether a text with punctuation is whole: it ends with a mark that ends sentences. */
export function endsWithMark(text: string): boolean {
  return ENDED.test(text.trimEnd());
}

function finished(
  sentence: string,
  language: LanguageTag,
  isQuestion = asks(sentence, language),
): string {
  if (sentence === '' || ENDED.test(sentence) || !LETTER.test(sentence)) return sentence;
  const mark = isQuestion ? '?' : (FULL_STOPS[baseLanguage(language)] ?? '.');
  return sentence.replace(/[,;:]$/, '') + mark;
}

function asks(sentence: string, language: LanguageTag): boolean {
  return baseLanguage(language) === 'en' && ENGLISH_QUESTION.test(sentence);
}

function properEnglish(text: string): string {
  return text.replace(ENGLISH_I, 'I').replace(/[a-z]+/g, properNoun);
}

function capitalised(text: string, language: LanguageTag): string {
  const at = text.search(LETTER);
  if (at < 0) return text;
  const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return text.slice(0, at) + letter.toLocaleUpperCase(language) + text.slice(at + letter.length);
}

/**
 * English words that are always written with a capital, for recognisers that write none. Translators
 * need it: Apertium knows "Americans" and leaves "americans" as it is. Words that are also common
 * ones (may, march, polish, turkey, china, rose) are left out.
 */
const nouns = `
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
January February April June July September October November December
Christmas Easter Halloween
Africa African Africans America American Americans Antarctica Asia Asian Asians Australia Australian
Australians Austria Austrian Austrians Belgian Belgians Belgium Brazil Brazilian Brazilians Britain
British Bulgaria Bulgarian Canada Canadian Canadians Catalan Catalans Catalonia Chinese Colombia
Colombian Croatia Croatian Cuba Cuban Czech Danish Denmark Dutch Egypt Egyptian Egyptians England
English Estonia Estonian Europe European Europeans Finland Finnish France French German Germans
Germany Greece Greek Greeks Hebrew Hungarian Hungary Iceland India Indian Indians Indonesia Iran Iraq
Ireland Irish Israel Israeli Italian Italians Italy Japan Japanese Kenya Korea Korean Koreans Latin
Latvia Latvian Lithuania Lithuanian Mexican Mexicans Mexico Morocco Netherlands Nigeria Norway
Norwegian Pakistan Peru Philippines Poland Portugal Portuguese Romania Romanian Russia Russian
Russians Scotland Scottish Slovak Slovenia Spain Spaniard Spaniards Spanish Sweden Swedish Swiss
Switzerland Syria Thai Thailand Turkish Ukraine Ukrainian Ukrainians Vietnam Vietnamese Welsh
Amsterdam Athens Barcelona Beijing Berlin Boston Brussels Budapest California Chicago Copenhagen
Dublin Geneva Hollywood Jerusalem Lisbon London Madrid Manhattan Milan Moscow Munich Oslo Oxford Paris
Prague Rome Stockholm Sydney Texas Tokyo Toronto Vienna Warsaw Washington Zurich
Christian Christians Catholic Catholics Jewish Muslim Muslims Buddhist God Jesus
`;

const byLowerCase = new Map(
  nouns
    .split(/\s+/)
    .filter(Boolean)
    .map((noun) => [noun.toLowerCase(), noun]),
);

/** A word of English as it is always written: `American` for `american`, any other word as it is. */
function properNoun(word: string): string {
  return byLowerCase.get(word) ?? word;
}
