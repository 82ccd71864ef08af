/**
 * Spelling with Hunspell dictionaries, each in its own process, and a few safe grammar rules. A dictionary
 * does not know the sentence, so a word is corrected only where the intended word is clear.
 */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Turn } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { applyEdits, type Edit, untouchableSpans } from '../../text/wording/edits.ts';
import {
  safeGrammar,
  hasSpelledOutUmlaut,
  umlautSpellings,
  clearSuggestion,
  inCaseOf,
  spellingWords,
  type SpellingWord,
} from '../../text/wording/sure-corrections.ts';
import { declareEngine } from '../declaration.ts';
import type { ImprovementEngine, ImprovementOptions, Unavailable } from '../engine.ts';
import { HunspellDictionary, known, type WordFinding } from './hunspell-dictionary.ts';

export interface HunspellOptions {
  log: Logger;
  /** Folder of the dictionaries; Debian's by default. */
  dictionaryFolder?: string;
  program?: string;
  answerTimeoutMs?: number;
  idleMs?: number;
}

const NAME = 'hunspell';
const PROGRAM = '/usr/bin/hunspell';
const FOLDER = '/usr/share/hunspell';

/**
 * Dictionaries by language: a word is correct if one of them contains it; suggestions come from the first.
 */
const dictionaryTable: readonly { languages: readonly LanguageTag[]; names: readonly string[] }[] =
  [
    { languages: ['de'], names: ['de_DE'] },
    { languages: ['fr'], names: ['fr_FR'] },
    { languages: ['es'], names: ['es_ES'] },
    { languages: ['it'], names: ['it_IT'] },
    { languages: ['pt-PT'], names: ['pt_PT'] },
    { languages: ['pt-BR'], names: ['pt_BR'] },
    { languages: ['pt'], names: ['pt_PT', 'pt_BR'] },
  ];
const REMEDY =
  'install hunspell with hunspell-de-de, hunspell-fr, hunspell-es, hunspell-it, hunspell-pt-pt and hunspell-pt-br (Debian, Ubuntu).';

/** The Hunspell engine: all installed dictionaries. */
export const hunspell = declareEngine({
  settings: {},
  start: ({ log }) => createHunspell({ log }),
});

/** Finds the installed dictionaries; none of them starts before it is needed. */
export async function createHunspell(
  options: HunspellOptions,
): Promise<ImprovementEngine | Unavailable> {
  const { program = PROGRAM, dictionaryFolder = FOLDER } = options;
  const names = [...new Set(dictionaryTable.flatMap((each) => each.names))];
  const isFound = await Promise.all(
    names.map((name) => isReadable(path.join(dictionaryFolder, `${name}.dic`))),
  );
  const found = new Set(names.filter((_, index) => isFound[index]));
  const served = dictionaryTable.filter((each) => each.names.every((name) => found.has(name)));
  if (served.length === 0 || !(await isReadable(program))) {
    return { name: NAME, reason: `Spelling of German, French, Spanish and others: ${REMEDY}` };
  }
  return new Hunspell({ ...options, program, dictionaryFolder, served });
}

async function isReadable(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

interface Settings extends HunspellOptions {
  program: string;
  dictionaryFolder: string;
  served: typeof dictionaryTable;
}

/** Number of words after which it is judged whether the text is in the language at all. */
const SAMPLE = 24;
/** Share of unknown words above which a sample counts as another language, or none. */
const MAX_UNKNOWN_SHARE = 0.5;
/** Sample size below which no such judgement is made. */
const LEAST_SAMPLE = 6;
/**
 * Limit of unknown words per request, since suggestions take a dictionary up to half a second each. Further
 * words stay unchanged.
 */
const MAX_UNKNOWN_WORDS = 80;

/** State of one request. */
interface Inquiry {
  language: LanguageTag;
  dictionaries: readonly HunspellDictionary[];
  turn: Turn;
  unknownWords: number;
}

class Hunspell implements ImprovementEngine {
  readonly name = NAME;
  readonly languages: readonly LanguageTag[];
  readonly #dictionaries = new Map<string, HunspellDictionary>();
  readonly #served: typeof dictionaryTable;

  constructor({ served, program, dictionaryFolder, log, ...options }: Settings) {
    const { answerTimeoutMs = 10_000, idleMs = 30 * 60_000 } = options;
    this.#served = served;
    this.languages = served.flatMap(({ languages }) => languages);
    for (const name of served.flatMap(({ names }) => names)) {
      const dictionary = path.join(dictionaryFolder, name);
      const of = new HunspellDictionary({ program, dictionary, log, answerTimeoutMs, idleMs });
      this.#dictionaries.set(name, of);
    }
  }

  forms(): [] {
    return [];
  }

  async improve(
    texts: readonly string[],
    { language, signal, account }: ImprovementOptions,
  ): Promise<string[]> {
    signal.throwIfAborted();
    const inquiry: Inquiry = {
      language,
      turn: { account },
      unknownWords: 0,
      dictionaries: this.#dictionariesOf(language),
    };
    const giveUp = () => {
      for (const each of inquiry.dictionaries) each.abandon(inquiry.turn, signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const improved: string[] = [];
      for (const text of texts) {
        signal.throwIfAborted();
        improved.push(await improveOne(text, inquiry));
      }
      return improved;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async prepare(mayStay: () => boolean): Promise<void> {
    // A dictionary that does not start is reported when it is used.
    for (const each of this.#dictionaries.values()) await each.prepare(mayStay).catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dictionaries.values()].map((dictionary) => dictionary.close()));
  }

  #dictionariesOf(language: LanguageTag): HunspellDictionary[] {
    const wanted = [language, baseLanguage(language)];
    const served = this.#served.find(({ languages }) =>
      wanted.some((tag) => languages.includes(tag)),
    );
    if (served === undefined) {
      throw new ServiceError('invalid_request', `${NAME} does not improve ${language}.`);
    }
    return served.names.flatMap((name) => this.#dictionaries.get(name) ?? []);
  }
}

async function improveOne(text: string, inquiry: Inquiry): Promise<string> {
  const { language } = inquiry;
  const words = spellingWords(text, language, untouchableSpans(text));
  const findings = await lookUpAll(words, inquiry);
  if (findings === undefined) return text;
  return safeGrammar(applyEdits(text, spellingEdits(text, words, findings, language)), language);
}

interface Finding extends WordFinding {
  /** Whether the single suggestion is accepted without further checks. */
  isMeant?: boolean;
}

/** Looks up words; undefined when too many in a sample are unknown in the language. */
async function lookUpAll(
  words: readonly SpellingWord[],
  inquiry: Inquiry,
): Promise<Map<string, Finding> | undefined> {
  const findings = new Map<string, Finding>();
  const distinct = [...new Set(words.map(({ lookedUp }) => lookedUp))];
  for (let start = 0; start < distinct.length; start += SAMPLE) {
    if (inquiry.unknownWords >= MAX_UNKNOWN_WORDS) break;
    const sample = distinct.slice(start, start + SAMPLE);
    const found = await Promise.all(sample.map((word) => lookUp(word, inquiry)));
    for (const [index, word] of sample.entries()) findings.set(word, found[index] ?? known);
    const unknown = found.filter(({ isKnown }) => !isKnown).length;
    inquiry.unknownWords += unknown;
    const isForeign = unknown > sample.length * MAX_UNKNOWN_SHARE && sample.length >= LEAST_SAMPLE;
    if (isForeign) return undefined;
  }
  return findings;
}

/** Looks up a word, and for German its spellings with umlauts. */
async function lookUp(word: string, inquiry: Inquiry): Promise<Finding> {
  const finding = await lookUpAsItIs(word, inquiry);
  if (finding.isKnown || baseLanguage(inquiry.language) !== 'de') return finding;
  for (const spelling of umlautSpellings(word)) {
    const { isKnown } = await lookUpAsItIs(spelling, inquiry);
    if (isKnown) return { isKnown: false, suggestions: [spelling], isMeant: true };
  }
  // For `Aether` or `Goethes`, similar words are different words.
  return hasSpelledOutUmlaut(word) ? { isKnown: false, suggestions: [] } : finding;
}

/** Returns the first dictionary that knows the word, or else the suggestions of the first dictionary. */
async function lookUpAsItIs(word: string, { dictionaries, turn }: Inquiry): Promise<WordFinding> {
  let first: WordFinding | undefined;
  for (const dictionary of dictionaries) {
    const finding = await dictionary.look(word, turn);
    if (finding.isKnown) return finding;
    first ??= finding;
  }
  return first ?? known;
}

function spellingEdits(
  text: string,
  words: readonly SpellingWord[],
  findings: ReadonlyMap<string, Finding>,
  language: LanguageTag,
): Edit[] {
  const choices = words.map(({ lookedUp, isCapital }) => {
    const finding = findings.get(lookedUp);
    if (finding === undefined || finding.isKnown) return 'known';
    const [first] = finding.suggestions;
    const choice = finding.isMeant
      ? first
      : clearSuggestion(lookedUp, finding.suggestions, language);
    // A suggestion that is always capitalised, at the beginning of a sentence, is a name.
    return isCapital && /^\p{Lu}/u.test(choice ?? '') ? undefined : choice;
  });
  return words.flatMap((word, index) => {
    const choice = choices[index];
    // Next to other unintelligible words it is part of a quotation or of names.
    const isAmongStrangers = isStrange(index - 1) || isStrange(index + 1);
    if (choice === undefined || choice === 'known' || isAmongStrangers) return [];
    const { start, end } = word;
    return [{ start, end, text: inCaseOf(text.slice(start, end), choice) }];
  });

  function isStrange(index: number): boolean {
    return index >= 0 && index < words.length && choices[index] === undefined;
  }
}
