/** Turns the output of recognisers without capitals and punctuation into sentences. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';

const LETTER = /\p{L}/u;
const ENDED = /[.!?…。！？؟]["'”’»)\]]*$/u;
const FULL_STOPS: Partial<Record<string, string>> = { ja: '。', zh: '。', hi: '।', bn: '।' };
const ENGLISH_I = /\bi(?=$|[\s,.;:!?]|'(?:m|ll|d|ve)\b)/g;

/** Unambiguous questions only: "what is …", "how long does …", "do you …"; not "when we began …". */
const VERB = 'do|does|did|is|are|am|was|were|can|could|will|would|shall|should|have|has';
const SUBJECT = 'i|you|he|she|it|we|they|there|this|that|these|those|the|my|your|his|her|our|their';
const ENGLISH_QUESTION = new RegExp(
  `^(?:(?:who|what|when|where|why|how) (?:${VERB})|(?:how|what|which) \\w+ (?:do|does|did)|(?:${VERB}) (?:${SUBJECT}))\\b`,
  'i',
);

/** The contribution of an utterance to a sentence. */
interface FinishedUtterance {
  text: string;
  /** Whether the sentence ends with it, judged by its last word. */
  endsSentence: boolean;
}

/**
 * Formats a growing text: adds the initial capital, and capitals of English words that always have one.
 *
 * @param isBegun whether the text continues a sentence, whose capital is already set
 */
export function beginSentence(text: string, language: LanguageTag, isBegun = false): string {
  const proper = baseLanguage(language) === 'en' ? properEnglish(text) : text;
  return isBegun ? proper : capitalised(proper, language);
}

/**
 * Formats an unpunctuated utterance as a sentence, or as part of one without a final mark when it breaks off.
 *
 * @param begun text of the same sentence from earlier utterances
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

/** Whether a punctuated text ends with a sentence-final mark. */
export function endsWithMark(text: string): boolean {
  return ENDED.test(text.trimEnd());
}

function finished(sentence: string, language: LanguageTag, isQuestion: boolean): string {
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
 * English words that are always capitalised, for recognisers without capitals. Translators need the capital:
 * Apertium knows "Americans" but leaves "americans" untranslated. Words that are also common ones (may,
 * march, polish, turkey, china, rose) are omitted.
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

/** Returns an English word in its fixed capitalisation: `American` for `american`; other words unchanged. */
function properNoun(word: string): string {
  return byLowerCase.get(word) ?? word;
}

// Words that never end a sentence: a pause after them is for breath or thought.

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Articles, possessives, conjunctions and the like; words that may end a sentence are not listed. */
const hanging: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(`
    a an the my your our their its every and or but nor because if whether unless although though
    while than as so-called i'm you're we're they're i've you've we've they've i'll you'll we'll
    they'll he'll she'll it'll i'd we'd they'd such`),
  de: words(`
    ein eine einen einem einer eines und oder aber sondern denn weil dass ob wenn obwohl
    während bevor nachdem sobald falls damit mein meine meinen meinem deine deinen unser unsere unseren
    ihre ihren ihrem seine seinen seinem im am zum zur beim vom ins ans für ohne gegen
    sehr zwischen als wie sowie jede jeden jedem jeder`),
  fr: words(`
    le la les un une des du de au aux et ou mais donc car que qui si quand comme lorsque puisque
    mon ma mes ton ta tes son sa ses notre nos votre vos leurs ce cet cette ces à en dans par pour sur
    chez vers sans entre je tu il ils très chaque`),
  es: words(`
    el la los las un una unos unas y e o u pero sino porque que si cuando como aunque mientras mi mis
    tu tus su sus nuestro nuestra nuestros nuestras de del a al en con por para sin sobre entre hacia
    desde hasta según muy cada`),
  it: words(`
    il lo la i gli le un uno una e ed o ma perché che se quando come mentre mio mia miei mie tuo tua
    suo sua nostro nostra di del dello della dei degli delle a al allo alla ai agli alle da dal dalla
    in nel nella nei nelle con su sul sulla per tra fra molto ogni`),
  pt: words(`
    o a os as um uma uns umas e ou mas porque que se quando como embora enquanto meu minha meus minhas
    seu sua seus suas nosso nossa de do da dos das em no na nos nas ao aos à às com por pelo pela para
    sem sobre entre até muito cada`),
  ca: words(`
    el la els les un una uns unes i o però sinó perquè que si quan com mentre de del dels a al als en
    amb per pel pels sense sobre entre fins molt cada`),
  nl: words(`
    de het een en of maar want omdat dat als terwijl hoewel voordat nadat zodra mijn jouw onze hun
    met voor van bij tegen tussen zonder zeer elke ieder`),
  ru: words('и а но или что чтобы если когда потому в во на с со к ко от из для без при между'),
};

/** Prepositions, which end a sentence only in a question: “who is it for”. */
const prepositions: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words('of into from with for at to between during against among towards per via'),
};

/** Particles that follow their words, in scripts without blanks. */
const particles: Readonly<Record<string, RegExp>> = {
  ja: /(?:を|へ|という|そして|しかし|ので)$/u,
  zh: /(?:和|与|或者|但是|因为|所以|如果|把|被|跟)$/u,
};

const LAST_WORD = /[\p{L}\p{M}\p{N}'’-]+$/u;

/**
 * Whether a text breaks off within a sentence, judged by its last word; false for languages without a word
 * list.
 *
 * @param options.isQuestion whether the text is a question
 */
function breaksOff(
  text: string,
  { language, isQuestion }: { language: LanguageTag; isQuestion: boolean },
): boolean {
  const base = baseLanguage(language);
  const trimmed = text.trimEnd();
  if (trimmed.endsWith(',') || trimmed.endsWith('，') || trimmed.endsWith('、')) return true;
  const last = LAST_WORD.exec(trimmed)?.[0].toLowerCase().replace('’', "'") ?? '';
  if (hanging[base]?.has(last) === true) return true;
  if (!isQuestion && prepositions[base]?.has(last) === true) return true;
  return particles[base]?.test(trimmed) ?? false;
}

const LAST_UNIT = /\s*\S+\s*$/u;
const TRAILING_COMMA = /[,，、]\s*$/u;

/**
 * Returns where the words begin with which a text breaks off: “… the bridge | and the”. The result is the
 * UTF-16 position of the blank before them; 0 when the text consists of such words only, its length when it
 * does not break off.
 */
export function hangingPlace(text: string, language: LanguageTag): number {
  let whole = text;
  while (breaksOff(whole.replace(TRAILING_COMMA, ''), { language, isQuestion: false })) {
    whole = whole.replace(LAST_UNIT, '');
  }
  return whole.length;
}
