/** Makes sentences of what recognisers without capitals and punctuation report. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { properNoun } from './english-proper-nouns.ts';

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

/** The beginning of a sentence that still grows: a capital, and those that English words always have. */
export function beginSentence(text: string, language: LanguageTag): string {
  return capitalised(baseLanguage(language) === 'en' ? properEnglish(text) : text, language);
}

/** A whole utterance as a sentence: a capital at the start and a mark at the end. */
export function finishSentence(text: string, language: LanguageTag): string {
  const sentence = beginSentence(text.trim(), language);
  if (sentence === '' || ENDED.test(sentence) || !LETTER.test(sentence)) return sentence;
  return sentence.replace(/[,;:]$/, '') + closingMark(sentence, language);
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

function closingMark(sentence: string, language: LanguageTag): string {
  const base = baseLanguage(language);
  if (base === 'en' && ENGLISH_QUESTION.test(sentence)) return '?';
  return FULL_STOPS[base] ?? '.';
}
