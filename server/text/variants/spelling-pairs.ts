/**
 * Words that American and British English spell differently, inflections included: the word list of
 * american-british-english-translator without what cannot be told apart by spelling alone.
 */
import { createRequire } from 'node:module';

export type EnglishVariant = 'en-GB' | 'en-US';

const require = createRequire(import.meta.url);

/** American words that British English also has, with another meaning or as the usual spelling. */
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
/** British words that American English also has. */
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

const fromAmerican = readList('american_spellings', sharedInBritish);
const fromBritish = readList('british_spellings', sharedInAmerican);

/** How a word is spelled in a variant, in lower case; undefined where it is spelled alike in both. */
export function spelledIn(variant: EnglishVariant, word: string): string | undefined {
  return (variant === 'en-GB' ? fromAmerican : fromBritish).get(word);
}

function readList(name: string, without: ReadonlySet<string>): ReadonlyMap<string, string> {
  const list = require(`american-british-english-translator/data/${name}.json`) as Record<
    string,
    string
  >;
  return new Map(Object.entries(list).filter(([word]) => !without.has(word)));
}

function set(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
