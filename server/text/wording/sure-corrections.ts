/**
 * Decides which words are certainly misspelled and which suggestion is certainly meant; when in doubt, a word
 * stays unchanged.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { sentenceEnds, abbreviationsOf } from '../sentences.ts';
import type { Span } from '../placeholders.ts';
import { touchesAny, changed, type Edit } from './edits.ts';

/** Kinds of similarity, from the most to the least certain. */
const kinds = [
  ...(['same-letters', 'swapped', 'doubled', 'sounds-alike', 'one-more', 'one-other'] as const),
];
type Kind = (typeof kinds)[number] | 'more';
/**
 * Minimum word lengths: shorter words resemble too many others, such as `cron` and corn, or `bloke` and
 * broke.
 */
const leastLengths: Readonly<Record<Exclude<Kind, 'more'>, number>> = {
  'same-letters': 1,
  swapped: 5,
  doubled: 4,
  'sounds-alike': 5,
  'one-more': 6,
  'one-other': 8,
};

/** Letters often confused because they sound alike; an empty string stands for a mute letter. */
const alike: Readonly<Record<LanguageTag, readonly (readonly [string, string])[]>> = {
  de: [...pairs('d-t f-v v-w e-ä s-ß z-s'), ['', 'h'], ['', 'e']],
  es: [...pairs('b-v s-c s-z c-z g-j x-j m-n'), ['', 'h']],
  fr: [...pairs('g-j c-s s-z e-a i-y k-q'), ['', 'h'], ['', 'e'], ['', 's']],
  it: [...pairs('c-q s-z'), ['', 'h'], ['', 'i']],
  pt: [...pairs('s-z c-s s-ç g-j x-z m-n o-u e-i'), ['', 'h']],
  en: pairs('a-e e-i a-i s-c o-u'),
};
/** Languages in which ordinary words, nouns or weekdays, may need a capital. */
const capitalising = new Set(['de', 'en']);
/** Minimum length for words that sound alike in English, where many words do. */
const LEAST_LENGTH_IN_ENGLISH = 6;
/** Length from which even two wrong letters leave no doubt, provided that no other word is similar. */
const TELLING_LENGTH = 8;

/**
 * Returns the suggestion that is clearly meant, as it was suggested; undefined when that is not clear.
 * Suggestions of several words are ignored.
 *
 * @param word the word in the case in which it was looked up
 * @param options.isRanked whether equally similar suggestions are sorted by frequency
 */
export function clearSuggestion(
  word: string,
  suggestions: readonly string[],
  language: LanguageTag,
  { isRanked = false }: { isRanked?: boolean } = {},
): string | undefined {
  const base = baseLanguage(language);
  if (isOfOtherKind(word, base)) return undefined;
  const candidates = suggestions.filter(
    (each) => /^[\p{L}\p{M}'’]+$/u.test(each) && !isPossessiveOf(word, each),
  );
  // A name in lower case may be intended, except in languages where ordinary words need a capital.
  const isName = candidates.some((each) => isCapital(each) && each.toLowerCase() === word);
  if (isName && !capitalising.has(base)) return undefined;
  const judged = candidates.map((each) => ({ each, kind: kindOf(word, each, base) }));
  for (const wanted of kinds) {
    const found = judged.filter(({ kind }) => kind === wanted).map(({ each }) => each);
    if (found.length > 1 && !(isRanked && found[0] === suggestions[0])) return undefined;
    if (found[0] !== undefined) return isLongEnough(word, wanted, base) ? found[0] : undefined;
  }
  const [only] = suggestions;
  const isAlone = suggestions.length === 1 && candidates.length === 1;
  return isAlone && only !== undefined && resembles(word, only) ? only : undefined;
}

/** Whether a word is missing from the dictionary for another reason than a misspelling. */
function isOfOtherKind(word: string, language: LanguageTag): boolean {
  // English accents are never accidental: `soupçon`, `maître`.
  if (language === 'en') return /[^a-z'’]/i.test(word);
  // Portuguese spelling before the reform: `acção`, `óptimo`, `actual`.
  return language === 'pt' && /[cp][cçt]/u.test(word);
}

function isLongEnough(word: string, kind: (typeof kinds)[number], language: LanguageTag): boolean {
  const isEnglish = language === 'en' && kind === 'sounds-alike';
  return word.length >= (isEnglish ? LEAST_LENGTH_IN_ENGLISH : leastLengths[kind]);
}

/** Whether a suggestion is `information's` for `informations`: a plural that does not exist. */
function isPossessiveOf(word: string, suggestion: string): boolean {
  return /['’]s$/.test(suggestion) && suggestion.toLowerCase().replace(/['’]s$/, 's') === word;
}

function kindOf(word: string, suggestion: string, language: LanguageTag): Kind {
  const isSameCase = isCapital(word) === isCapital(suggestion);
  if (folded(word) === folded(suggestion)) {
    const isWord = suggestion.slice(1) === suggestion.slice(1).toLowerCase();
    return isSameCase || (capitalising.has(language) && isWord) ? 'same-letters' : 'more';
  }
  if (!isSameCase) return 'more';
  const { before, wrong, right, after } = difference(word, suggestion);
  // The first letter is usually right.
  if (before === '') return 'more';
  if (wrong.length === 2 && right === `${wrong.charAt(1)}${wrong.charAt(0)}`) return 'swapped';
  if (wrong.length > 1 || right.length > 1) return 'more';
  const changed = wrong + right;
  if (changed.length === 1 && (before.endsWith(changed) || after.startsWith(changed))) {
    return 'doubled';
  }
  const pairsOfLanguage = alike[language] ?? [];
  const soundsAlike = pairsOfLanguage.some(
    ([one, other]) => (one === wrong && other === right) || (other === wrong && one === right),
  );
  if (soundsAlike) return 'sounds-alike';
  return changed.length === 1 ? 'one-more' : 'one-other';
}

/** Returns the differing parts between the longest common beginning and end. */
function difference(word: string, suggestion: string) {
  const shorter = Math.min(word.length, suggestion.length);
  let start = 0;
  while (start < shorter && word[start] === suggestion[start]) start += 1;
  let end = 0;
  while (end < shorter - start && word.at(-1 - end) === suggestion.at(-1 - end)) end += 1;
  return {
    before: word.slice(0, start),
    wrong: word.slice(start, word.length - end),
    right: suggestion.slice(start, suggestion.length - end),
    after: word.slice(word.length - end),
  };
}

function resembles(word: string, suggestion: string): boolean {
  const { before, wrong, right } = difference(word, suggestion);
  return (
    word.length >= TELLING_LENGTH &&
    isCapital(word) === isCapital(suggestion) &&
    before !== '' &&
    Math.max(wrong.length, right.length) <= 3 &&
    Math.abs(wrong.length - right.length) <= 1
  );
}

/** Removes accents, apostrophes and case. */
function folded(word: string): string {
  return word
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/[\p{M}'’]/gu, '');
}

function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

function pairs(list: string): (readonly [string, string])[] {
  return list.split(' ').map((pair) => {
    const [one = '', other = ''] = pair.split('-');
    return [one, other] as const;
  });
}

// The words of a text whose spelling may be judged: no names, numbers, compounds, addresses or code.

export interface SpellingWord extends Span {
  /** The form to look up: lower case, straight apostrophes. */
  lookedUp: string;
  /** Whether it begins with a capital. */
  isCapital: boolean;
}

const WORD = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu;
const PLAIN = /^\p{Script=Latin}[\p{Ll}\p{M}]*(?:['’][\p{Ll}\p{M}]+)*$/u;
/** Longest word to check, in characters; a longer one without a hyphen is a compound or not a word. */
const MAX_LENGTH = 24;
const MIN_LENGTH = 3;

/**
 * Returns the words to check, in order. A capitalised word counts as a name unless it begins a sentence.
 *
 * @param untouchable spans to skip, in order
 */
export function spellingWords(
  text: string,
  language: LanguageTag,
  untouchable: readonly Span[],
): SpellingWord[] {
  const starts = sentenceStarts(text, language);
  const words: SpellingWord[] = [];
  let sentence = 0;
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const isInitial = (starts[sentence] ?? Infinity) <= start;
    while ((starts[sentence] ?? Infinity) <= start) sentence += 1;
    const end = start + word.length;
    const isCapital = /^\p{Lu}/u.test(word);
    if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !PLAIN.test(word)) continue;
    if ((isCapital && !isInitial) || touchesAny(untouchable, { start, end })) continue;
    const lookedUp = word.toLowerCase().replaceAll('’', "'").normalize('NFC');
    if (!isAccepted(lookedUp, language)) words.push({ start, end, lookedUp, isCapital });
  }
  return words;
}

/** Adapts a suggestion to the case and apostrophes of the word it replaces. */
export function inCaseOf(original: string, suggestion: string): string {
  const apostrophes = original.includes('’') ? suggestion.replaceAll("'", '’') : suggestion;
  if (!/^\p{Lu}/u.test(original)) return apostrophes;
  const isShouted = original.length > 1 && original === original.toUpperCase();
  return isShouted
    ? apostrophes.toUpperCase()
    : apostrophes.charAt(0).toUpperCase() + apostrophes.slice(1);
}

function sentenceStarts(text: string, language: LanguageTag): number[] {
  return [0, ...sentenceEnds(text, { language, atLineBreaks: true })];
}

// Words in common use that dictionaries lack, each similar to a commoner word: a word missing from a
// dictionary is not necessarily misspelled.

/** Technical terms, the same in all languages. */
const technical = words(`
  admin api app args async auth avatar backend backlog backup barista batch beta blog blogger
  bluetooth boolean bot browser brunch buffer bug build burger burnout business bytes cache
  callback cappuccino cashback casting catering chai charter chat chatbot check checklist churro
  churros cli click cloud cluster coach coaching cocktail codec comeback commit compiler config
  container cookie cookies cool cortado coworking cpu cron crowd crowdfunding cyber daemon
  dashboard deal debug deepfake deploy design designer desktop dev developer devops dim docker
  dongle download driver emacs email emoji endpoint espresso ethernet exploit fairplay falafel
  fallback fan fashion feature feed feedback feng firewall firmware fitness flag follower food
  fork format framework freelancer freemium frontend gaming gender gif gin git github gmail
  gnocchi google gpu grep hackathon hacker haiku halloumi hardware hash hashtag hipster hobby
  holding host hosting hostname html https hummus hype influencer init inode iphone java job
  jogging joystick json karaoke kebab kernel ketchup keyboard kimchi kitsch knowhow kubectl
  kubernetes laptop latte layout leasing lichen lifestyle like likes link linter linux live
  livestream localhost log login logout look lounge macchiato mail malware manager manga
  margherita marketing match matcha meeting meme merge middleware mindset mix mixer mobbing mock
  mockup mod modem mojito mozzarella music mysql naan nachos namespace nginx node npm offline
  online open opensource outfit outsourcing pad panini param parser party patch pdf phishing pho
  php pitch pixel pizza playlist playoff plugin podcast podcaster poke popup post pressing prompt
  prosecco proxy pub pull push python query quinoa quiz ramen ransomware readme rebase recruiting
  refactor regex release remake remix repo resort retweet roadmap root router runtime sake
  sandwich sashimi sauna scanner screenshot script scripts scroll scrum sdk selfie server service
  shell shiitake shop shopping show showroom shui site skype smart smartphone smartwatch snack
  snapshot snowboard software songwriter spa spam spoiler spot sprint sql ssh stack standard star
  startup stderr stdin stdout stories story stream streamer streaming stress string stub style
  sudo surf survey sushi switch tab tablet taco tag tai talk tanka tapas task tattoo team teaser
  template tempura teriyaki test thread thriller ticket timeline timeout timing tiramisu tofu
  token tool toolkit tortilla touch touchpad tour tower trailer trainer training trekking trend
  troll truck tsunami tutorial tweet udon unix update upgrade upload url usb user username vegan
  video vim vintage vip vlog vlogger voip voucher wallet wasabi webcam webhook webinar webpack
  website websocket wellness whatsapp whiskey whisky widget wifi wiki wikipedia wok workflow
  workshop www xml yoga youtube youtuber zen zip zombie zoom
`);

const accepted: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  en: words(`
    accompli aglet aioli bento biro bloke blokey bodger bonnie brekkie bruv bubba cabbie cava cist
    dekko del den der don'ts don’ts dosa dove eejit farro galette gaol gaoler haar kirk kofta las latke les loch
    los maitre mezze minging mog moira motte nana numpty oast oot owt pak pashmina peng pled
    polenta posho purée raita rosti schmear scouse sith sotto stoush tikka trattoria udon van von
    wych
  `),
  de: words(`
    app apps checken checkt checkte chillen chillt chillte daten datet dissen downloaden fake faken
    gecheckt gechillt gehypt geliked geliket gelikt gepostet gestreamt getaggt liken likt likte
    mailen mailt mailte moin nee nen nix outet poste posten postet postete posteten servus shoppen
    shoppt simsen simst skaten skypen skypte snacken spammen streamen streamt streamte streamten
    swipen switchen taggen taggte tindern tschö tweeten updaten uploaden
  `),
  es: words(`
    clicar googlear guglear hackear linkear loguear mailing resetear stalkear whatsappear
  `),
  fr: words(`
    checker emailing emails follow stories uploader
  `),
  it: words(`
    bloggare chattare chattava googlare linkare spammare taggare taggato uploadare
  `),
  pt: words(`
    blogueira blogueiro deletar escanear googlar linkar logar mouse notebook resetar tuitar tuíte
    tuitou upar
  `),
};

/** Whether a lower-case word is correct although a dictionary may lack it. */
export function isAccepted(word: string, language: LanguageTag): boolean {
  const base = baseLanguage(language);
  return [word, word.replace(/['’]?s$/, '')].some(
    (each) => technical.has(each) || accepted[base]?.has(each) === true,
  );
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

// The few mistakes that are recognisable without understanding the sentence: a function word written twice, a
// blank before a comma, a sentence that begins in lower case.

/**
 * Words that cannot both end one phrase and begin the next, so that they never occur twice in a row. Excluded
 * are prepositions, which can be stranded (`look for for years`) or be particles (`mit mit`), verbs (`what it
 * is is`), and articles that are also pronouns (`chacune une`, `die eine eine`).
 */
const neverDoubled: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  de: words('und oder zum zur im vom beim für dass'),
  en: words('the an and or our their your'),
  es: words('el un de del en con por al'),
  fr: words('des du et dans par cette sa ses au aux'),
  it: words('il un di del della nel nella con per al alla'),
  pt: words('de do em com por ao'),
};
/** French puts a blank before the last three signs, and ` . . .` is an ellipsis. */
const WITHOUT_BLANKS = /([\p{L}\p{M}]) +([,.;!?])(?=\s|$)(?! +\.)/gu;
const WITHOUT_BLANKS_IN_FRENCH = /([\p{L}\p{M}]) +([,.])(?=\s|$)(?! +\.)/gu;
const DOUBLED =
  /(?<![\p{L}\p{M}\p{N}'’-])([\p{L}\p{M}]{1,8})([ \t]+)([\p{L}\p{M}]{1,8})(?![\p{L}\p{M}\p{N}'’-])/gu;
/** Only after a full stop: "Oh! what a day" is one sentence. */
const NEW_SENTENCE = /(?<![\p{L}\p{M}.'’-])(\p{Lu}?[\p{Ll}\p{M}]+)\.( +)(\p{Ll})/gu;
/** Minimum length of a word before a full stop; shorter ones may be abbreviations, as may these. */
const LEAST_WORD = 4;
const moreAbbreviations = words('corp univ resp sect vers misc tech excl trad appr univ inst temp');

/** Corrects such mistakes in languages with known rules; other texts stay unchanged. */
export function safeGrammar(text: string, language: LanguageTag): string {
  const base = baseLanguage(language);
  const isKnown = Object.hasOwn(neverDoubled, base);
  if (!isKnown) return text;
  const undoubled = changed(text, (each) => doubledWords(each, base));
  const joined = changed(undoubled, (each) => blanksBeforeSigns(each, base));
  return changed(joined, (each) => smallBeginnings(each, base));
}

function doubledWords(text: string, language: LanguageTag): Edit[] {
  const found = neverDoubled[language] ?? new Set();
  const edits: Edit[] = [];
  DOUBLED.lastIndex = 0;
  for (let match = DOUBLED.exec(text); match !== null; match = DOUBLED.exec(text)) {
    const [, first = '', blank = '', second = ''] = match;
    const start = match.index + first.length;
    const isSame = first.toLowerCase() === second.toLowerCase();
    // A capitalised second word is a name or begins a sentence.
    const isDoubled = isSame && second === second.toLowerCase() && found.has(second);
    if (isDoubled) edits.push({ start, end: start + blank.length + second.length, text: '' });
    // The second word may be the first of another pair.
    DOUBLED.lastIndex = isDoubled ? match.index + match[0].length : start;
  }
  return edits;
}

function blanksBeforeSigns(text: string, language: LanguageTag): Edit[] {
  const pattern = language === 'fr' ? WITHOUT_BLANKS_IN_FRENCH : WITHOUT_BLANKS;
  return [...text.matchAll(pattern)].map(({ 0: all, 1: letter = '', 2: sign = '', index }) => ({
    start: index + letter.length,
    end: index + all.length - sign.length,
    text: '',
  }));
}

function smallBeginnings(text: string, language: LanguageTag): Edit[] {
  const { goesOn } = abbreviationsOf(language);
  return [...text.matchAll(NEW_SENTENCE)].flatMap((match) => {
    const { index } = match;
    const [, before = '', blank = '', letter = ''] = match;
    const word = before.toLowerCase();
    const isEnd = word.length >= LEAST_WORD && !goesOn.has(word) && !moreAbbreviations.has(word);
    const start = index + before.length + 1 + blank.length;
    return isEnd ? [{ start, end: start + 1, text: letter.toUpperCase() }] : [];
  });
}

// German spelled without umlauts: `fuer`, `moechten`, `heisst`.

/** Excludes `ue` as in neue, Bauer, Quelle. */
const SPELLED_OUT = /ae|oe|(?<![aeoq])ue|ss/gu;
const letters: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü', ss: 'ß' };
/** Limit of replaceable positions per word, since each doubles the number of spellings. */
const MAX_PLACES = 3;

/** Whether a lower-case word contains a possible spelled-out umlaut. */
export function hasSpelledOutUmlaut(word: string): boolean {
  return /ae|oe|(?<![aeoq])ue/u.test(word);
}

/** Returns the possible intended spellings of a lower-case word, those with the most umlauts first. */
export function umlautSpellings(word: string): string[] {
  const places = [...word.matchAll(SPELLED_OUT)].slice(0, MAX_PLACES);
  const spellings: string[] = [];
  for (let choice = (1 << places.length) - 1; choice > 0; choice -= 1) {
    let spelling = '';
    let done = 0;
    for (const [bit, { 0: pair, index }] of places.entries()) {
      if ((choice & (1 << bit)) === 0) continue;
      spelling += word.slice(done, index) + (letters[pair] ?? pair);
      done = index + pair.length;
    }
    spellings.push(spelling + word.slice(done));
  }
  return spellings;
}
