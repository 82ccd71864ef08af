/** American and British spelling: detects the variant of a text and converts between the two. */
import { createRequire } from 'node:module';
import { applyEdits, type Edit, touchesAny, untouchableSpans } from './edits.ts';
import { inCaseOf } from './sure-corrections.ts';
import { sentenceEnds } from '../sentences.ts';

const WORD = /(?<![\p{L}\p{M}\p{N}])[A-Za-z]{3,}(?![\p{L}\p{M}\p{N}])/gu;

/**
 * Converts a text to the spelling of a variant. Unchanged are names (capitalised within a sentence),
 * addresses and code, and words whose spelling depends on their meaning.
 */
export function inEnglishVariant(text: string, variant: EnglishVariant): string {
  const edits = spellingsOf(text, variant);
  return edits.length === 0 ? text : applyEdits(text, edits);
}

/** Returns the variant a text is spelled in; undefined when the evidence is balanced or missing. */
export function englishVariantOf(text: string): EnglishVariant | undefined {
  const british = spellingsOf(text, 'en-US').length;
  const american = spellingsOf(text, 'en-GB').length;
  if (british === american) return undefined;
  return british > american ? 'en-GB' : 'en-US';
}

function spellingsOf(text: string, variant: EnglishVariant): Edit[] {
  const edits: Edit[] = [];
  let context: Context | undefined;
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const other = spelledIn(variant, word.toLowerCase());
    if (other === undefined) continue;
    context ??= contextOf(text);
    const end = start + word.length;
    const isUntouchable = touchesAny(context.untouchable, { start, end });
    if (isUntouchable || isName(text, word, start, context)) continue;
    edits.push({ start, end, text: inCaseOf(word, other) });
  }
  return edits;
}

interface Context {
  untouchable: ReturnType<typeof untouchableSpans>;
  /** Start positions of the first words of sentences. */
  initials: ReadonlySet<number>;
}

const FIRST_LETTER = /\p{L}/gu;

function contextOf(text: string): Context {
  const initials = new Set<number>();
  for (const start of [0, ...sentenceEnds(text, { language: 'en', atLineBreaks: true })]) {
    FIRST_LETTER.lastIndex = start;
    const first = FIRST_LETTER.exec(text);
    if (first !== null) initials.add(first.index);
  }
  return { untouchable: untouchableSpans(text), initials };
}

/**
 * Whether a word is capitalised within a sentence, or before another capital: "Pearl Harbor", "Center Parcs".
 */
function isName(text: string, word: string, start: number, { initials }: Context): boolean {
  if (word === word.toLowerCase() || word === word.toUpperCase()) return false;
  if (!/^[A-Z][a-z]+$/.test(word) || !initials.has(start)) return true;
  const end = start + word.length;
  return /^ \p{Lu}/u.test(text.slice(end, end + 3));
}

// Words with different American and British spellings, inflections included: the word list of
// american-british-english-translator, without words whose variant cannot be told by spelling alone.

type EnglishVariant = 'en-GB' | 'en-US';

const require = createRequire(import.meta.url);

/** American words that also occur in British English, with another meaning or as the usual spelling. */
const sharedInBritish = set(`
  analyses balk balked balking balks bevies bevy biased biasing binging bougainvillea bougainvilleas
  caliper calipers chimera chimeras connection connections crenelated draft drafts drafted drafting
  encyclopedia encyclopedias encyclopedic filet filets filter filters gage gages gasses gluing gram
  grams griffin griffins groin groins gypsies gypsy homeopath homeopathic homeopaths homeopathy
  inflection inflections install installs judgment kilogram kilograms license licensed licenses
  licensing medieval meter meters micrometer micrometers milligram milligrams phony practice
  practices presidium presidiums primeval program programs pummel sheik siphon siphoned siphoning
  siphons tire tires ton tons disk disks yogurt yogurts omelet omelets fetus fetuses fetal ax axes
  curb curbs story stories check checks checked checking vise vises mold molds almanac almanacs
  programed programing inquire inquired inquires inquiring inquiry inquiries ensure insure aging
  whiskey whiskeys dialog dialogs carburetor sulfate sulfates sulfide sulfides sulfur sulfuric pupilage maneuverable
`);
/** British words that also occur in American English. */
const sharedInAmerican = set(`
  aesthete aesthetes aesthetic aesthetically aesthetics analogue analogues analyses archaeological
  archaeologically archaeologist archaeologists archaeology battleaxe bevvies bevvy buses busing axe
  cancellation cancellations catalyses dialogue dialogues disc discs draughtboard draughtboards
  epilogue epilogues exorcise exorcised exorcises exorcising fillet filleted filleting fillets gases
  gauge gauged gauges gauging glamour minibuses monologue monologues paralyses pharmacopoeia
  pharmacopoeias pouffe pouffes prologue prologues psychoanalyses pzazz sheikh tonne tonnes
  tranquilly travelogue travelogues videodisc videodiscs woollies woolly levelled grovelled grovelling
  catalogue catalogues enquire enquired enquires enquiring enquiry enquiries kerb kerbs storey storeys
  connexion connexions whisky whiskies programme-maker
`);

const sources = {
  'en-GB': { name: 'american_spellings', without: sharedInBritish },
  'en-US': { name: 'british_spellings', without: sharedInAmerican },
};
/** The spellings of each variant, read with the first word. */
const spellings = new Map<EnglishVariant, ReadonlyMap<string, string>>();

/** Returns the spelling of a lower-case word in a variant; undefined when both variants agree. */
function spelledIn(variant: EnglishVariant, word: string): string | undefined {
  let words = spellings.get(variant);
  if (words === undefined) spellings.set(variant, (words = readList(sources[variant])));
  return words.get(word);
}

function readList({ name, without }: (typeof sources)[EnglishVariant]) {
  const list = require(`american-british-english-translator/data/${name}.json`) as Record<
    string,
    string
  >;
  return new Map(Object.entries(list).filter(([word]) => !without.has(word)));
}

function set(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
