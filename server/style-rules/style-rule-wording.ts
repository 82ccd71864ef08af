/** Style rules as sentences for models. */
import type { ConfiguredRules } from '../../shared/style-rules/catalogue.ts';
import { optionWords, phrases, signs, spellings, topicWords } from './style-rule-words.ts';

/** Every chosen rule as one English sentence: `Apostrophe: use curly apostrophes.` */
export function rulesInWords(rules: ConfiguredRules): string[] {
  return Object.values(rules).flatMap((chosen) =>
    Object.entries(chosen).map(([rule, option]) => sentenceOf(rule, option)),
  );
}

/** Each option is put into words once; there are as many as the catalogue has. */
const sentences = new Map<string, string>();

function sentenceOf(rule: string, option: string): string {
  const name = `${rule} ${option}`;
  const known = sentences.get(name);
  if (known !== undefined) return known;
  const topic = topicWords[rule] ?? inWords(rule);
  const wish = optionWords[option] ?? inWords(option);
  const sentence = `${topic.charAt(0).toUpperCase()}${topic.slice(1)}: ${wish}.`;
  sentences.set(name, sentence);
  return sentence;
}

/** Figures of dates and times and the signs between them: `dd_slash_mm_slash_yyyy`. */
const PATTERN =
  /(?<![a-z])(?:dd|hh|mm|yyyy|yy)(?:_(?:period|slash|hyphen|colon)_(?:dd|mm|yyyy|yy))+/g;

/** A name of the catalogue; these are nearly English. */
function inWords(name: string): string {
  const words = name
    .replace(PATTERN, (pattern) =>
      pattern.replace(/_([a-z]+)_/g, (_, sign: string) => signs[sign] ?? ' '),
    )
    .split(/[_ ]/)
    .map((word) => spellings[word] ?? word)
    .join(' ');
  return phrases.reduce((text, [phrase, better]) => text.replace(phrase, better), words);
}
