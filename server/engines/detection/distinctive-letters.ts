/** Letters that few languages of a script write: strong evidence in texts too short for statistics. */
import type { LanguageTag } from '../../../shared/language.ts';

const groups: readonly [letters: string, languages: string][] = [
  ['ß', 'de'],
  ['äö', 'de sv fi et sk hu tr az is tk'],
  ['ü', 'de et hu tr az es ca'],
  ['å', 'sv da nb fi'],
  ['æ', 'da nb is'],
  ['ø', 'da nb'],
  ['ðþ', 'is'],
  ['ñ', 'es gl eu tl'],
  ['õ', 'et pt vi'],
  ['ã', 'pt vi'],
  ['ç', 'fr pt ca tr sq az'],
  ['œùû', 'fr'],
  ['è', 'fr it ca'],
  ['à', 'fr it ca pt'],
  ['êâô', 'fr pt vi sk ro tr'],
  ['ëï', 'fr nl sq ca'],
  ['òì', 'it ca vi'],
  ['·ŀ', 'ca'],
  ['őű', 'hu'],
  ['łąęńćśźż', 'pl'],
  ['ąę', 'lt'],
  ['ć', 'hr'],
  ['ż', 'mt'],
  ['řěů', 'cs'],
  ['ďťň', 'cs sk'],
  ['ľĺŕ', 'sk'],
  ['čšž', 'cs sk sl hr lt lv et'],
  ['ý', 'cs sk is vi tk'],
  ['đ', 'hr vi'],
  ['ėųįū', 'lt'],
  ['āēīū', 'lv mi'],
  ['ķļņģ', 'lv'],
  ['ăâ', 'ro vi'],
  ['șțşţ', 'ro'],
  ['ğış', 'tr az'],
  ['ə', 'az'],
  ['ġħċ', 'mt'],
  ['ŭŝĉĝĵĥ', 'eo'],
  ['ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ', 'vi'],
  ['їєґ', 'uk'],
  ['і', 'uk be kk'],
  ['ў', 'be'],
  ['ыэё', 'ru be kk ky mn tt tg'],
  ['щ', 'ru uk bg kk ky'],
  ['ъ', 'bg ru'],
  ['јљњџ', 'sr mk'],
  ['ђћ', 'sr'],
  ['ѓќѕ', 'mk'],
  ['әғқңұһ', 'kk'],
  ['өү', 'mn kk ky'],
  ['ҷӣӯҳ', 'tg'],
  ['پچژگ', 'fa ur ps ckb'],
  ['ةأإ', 'ar'],
  ['ٹڈڑےہھ', 'ur'],
  ['ڕڵێۆ', 'ckb'],
  ['ټډړښڼ', 'ps'],
  ['ळ', 'mr'],
];

/** The languages that write a letter, for letters that tell something. */
export const languagesOfLetter: ReadonlyMap<string, ReadonlySet<LanguageTag>> = indexLetters();

function indexLetters(): Map<string, Set<LanguageTag>> {
  const index = new Map<string, Set<LanguageTag>>();
  for (const [letters, languages] of groups) {
    for (const letter of letters) {
      const known = index.get(letter) ?? new Set<LanguageTag>();
      for (const language of languages.split(' ')) known.add(language);
      index.set(letter, known);
    }
  }
  return index;
}

/** What the distinctive letters of a text say of a language. */
export interface LetterEvidence {
  /** How well they fit, -1 to 1. */
  evidence: (language: LanguageTag) => number;
  areAllOf: (language: LanguageTag) => boolean;
}

/** @param text in lower case */
export function letterEvidence(text: string): LetterEvidence {
  const found = [...new Set(text)].flatMap((letter) => languagesOfLetter.get(letter) ?? []);
  const fitting = (language: LanguageTag) => found.filter((each) => each.has(language)).length;
  return {
    evidence: (language) => (found.length === 0 ? 0 : (2 * fitting(language)) / found.length - 1),
    areAllOf: (language) => fitting(language) === found.length,
  };
}
