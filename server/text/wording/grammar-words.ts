/** Small words that carry grammar, and those that deny, by language. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';

/** Articles, prepositions and auxiliaries: they come, go and change where grammar is mended. */
const grammarWords: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  de: words(`
    der die das den dem des ein eine einen einem einer eines zu zum zur im in an am auf für mit von vom bei
    beim um und dass es sich als wie ist sind war waren sei wäre hat haben hatte hatten habe bin bist wird
    werden wurde wurden
  `),
  en: words(`
    a an the to of in on at for with by as than that which who whom is are was were be been being am has
    have had do does did will would and it its s there
  `),
  es: words(`
    el la los las lo un una unos unas a al de del en con por para que se y e o u es son era eran fue está
    están ha han he hay
  `),
  fr: words(`
    le la les l un une des de du d à au aux en dans par pour avec sur que qu qui se s ne n est sont était
    été a ont ai as et y ce c
  `),
  it: words(`
    il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal
    dalla in nel nella con per su che si e ed è sono era ha hanno ho ci c
  `),
  pt: words(`
    o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela para com que se e é
    são era foi há tem está estão
  `),
};

/** Words that deny: losing one makes the opposite of a sentence. */
const denials: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  de: words(`
    nicht nichts nie niemals kein keine keinen keinem keiner keines niemand niemanden niemandem ohne weder
    nirgends nein
  `),
  en: words(`
    not no never nobody nothing none neither nor nowhere without cannot cant wont dont doesnt didnt isnt
    arent wasnt werent hasnt havent hadnt wouldnt couldnt shouldnt mustnt neednt aint shant
  `),
  es: words('no nunca jamás nadie nada ningún ninguno ninguna ni sin tampoco'),
  fr: words('pas jamais rien aucun aucune ni non sans nulle'),
  it: words('non mai nessuno nessuna nessun niente nulla né senza no'),
  pt: words('não nunca jamais ninguém nada nenhum nenhuma nem sem'),
};
/** What may deny in place of a word: `not possible` and `impossible`. */
const DENYING_BEGINNING = /^(?:un|in|im|ir|il|dis|mis|des|lack|fail|refus|hard|avoid|forb)/u;
/** In a language that is not known here, words as short are small. */
const SMALL = 3;

/** Whether a word, in lower case, may come or go where a text is only corrected. */
export function isGrammarWord(word: string, language: LanguageTag): boolean {
  const known = grammarWords[baseLanguage(language)];
  return known === undefined ? word.length <= SMALL : known.has(word);
}

/** Whether a word, in lower case, denies; false in languages that are not known here. */
export function isDenial(word: string, language: LanguageTag): boolean {
  return denials[baseLanguage(language)]?.has(word.replace(/['’]/g, '')) === true;
}

/** Whether a word, in lower case, may deny by its beginning. */
export function mayDeny(word: string): boolean {
  return DENYING_BEGINNING.test(word);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
