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
export function properNoun(word: string): string {
  return byLowerCase.get(word) ?? word;
}
