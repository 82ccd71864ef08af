/**
 * Finds surnames that dictionaries know as other words (`Baker`), by what precedes them: a title, or a given
 * name that is hardly ever another word or a place in any of the languages.
 */
const names = (list: string): string[] => list.trim().split(/\s+/);

/**
 * Common European and American given names. Names that also begin sentences as words (`Mark`, `Rosa`) are
 * omitted.
 */
const WOMEN = new Set(
  names(`
    Aisha Alessandra Alicia Alison Amanda Amy Ana Andrea Angela Ann Anna Anne Annie Aurélie
    Barbara Beatriz Becky Beth Betty Beverly Birgit Brenda Brigitte Camila Camille Carla
    Carmen Carol Caroline Carolyn Catarina Catherine Cathy Cécile Céline Chantal Cheryl Chiara
    Chloe Christina Christine Claire Claudia Cristina Cynthia Daniela Danielle Debbie Deborah
    Debra Denise Diana Diane Donna Doris Dorothy Elena Elisa Elizabeth Ellen Emily Emma Eva
    Evelyn Fatima Federica Fernanda Fiona Frances Francesca Françoise Gabriela Gillian Giulia
    Hannah Heike Helen Hélène Inês Inés Irene Isabel Isabella Isabelle Jacqueline Jane Janet
    Janice Jennifer Jenny Jessica Jill Joanna Joyce Judith Judy Julia Julie Juliette Karen
    Kate Katherine Kathleen Kathryn Katie Kimberly Laura Lauren Linda Lisa Louise Lucía Lucy
    Maggie Margaret Maria María Mariana Marie Marta Martha Martina Martine Mary Megan Melissa
    Mia Michelle Molly Monique Nancy Natalia Natalie Natasha Nathalie Nicole Nina Nora Nuria
    Núria Olga Olivia Pamela Paola Patricia Paula Peggy Petra Rachel Raquel Rebecca Sabine
    Samantha Sandra Sara Sarah Sharon Shirley Silvia Sophia Sophie Stephanie Susan Susana
    Sylvia Sylvie Tara Teresa Theresa Tina Ursula Valentina Valerie Valérie Vanessa Verónica
    Véronique Wendy Yolanda Yvonne Zoe`),
);
const MEN = new Set(
  names(`
    Aaron Adam Adrian Adrián Ahmed Alain Alan Albert Alberto Alejandro Alessandro Alexander
    Alfonso Alfred Alfredo Ali Álvaro Andreas Andrés Andrew Andy Angelo Anthony Antoine
    Antonio António Arthur Arturo Barry Ben Benjamin Bernard Billy Bob Bobby Brian Bruce Bryan
    Caleb Carl Carlo Carlos Charles Chris Christophe Christopher Claudio Colin Connor Daniel
    Dave David Davide Dennis Derek Diego Dmitri Dominic Donald Douglas Dylan Eduardo Edward
    Elijah Enrique Eric Ernest Ernesto Esteban Ethan Eugene Evan Felipe Felix Fernando
    Francesc Francesco Francisco François Fred Frédéric Gabriel Gareth Gary Geoff Geoffrey
    George Gerald Gérard Gianni Giorgio Giovanni Giuseppe Gonzalo Graham Greg Gregory
    Guillaume Guillermo Gustavo Hans Harold Harry Hassan Hector Henry Hugh Hugo Ian Ignacio
    Isaac Ivan Iván Jacob Jacques Jaime James Jason Jaume Javier Jean Jeff Jeffrey Jeremy
    Jerry Jesse Jim João Joaquín Joe Johann John Johnny Jonathan Jordi Jorge José Josep Joseph
    Joshua Juan Julián Julien Jürgen Justin Karl Keith Ken Kenneth Kevin Klaus Kyle Larry
    Laurent Leonard Liam Lluís Lorenzo Louis Luca Lucas Luis Luís Luke Manuel Marc Mario
    Martin Martín Mateo Matteo Matthew Matthias Michael Michel Miguel Mike Miquel Mohamed
    Mohammed Muhammad Nathan Neil Nicholas Nicolas Nicolás Nigel Noah Nuno Oliver Olivier
    Oriol Oscar Óscar Owen Pablo Paolo Patrick Paul Paulo Pedro Pere Peter Philip Philippe
    Pierre Pietro Rafael Ralph Ramon Ramón Raymond Ricardo Richard Robert Roberto Rodrigo
    Roger Ronald Rubén Russell Ryan Samuel Sébastien Sergei Sergio Simon Stefan Stefano
    Stéphane Stephen Steve Steven Stuart Terry Theodore Thierry Thomas Tiago Tim Timothy Tom
    Tomás Tommy Tony Trevor Tyler Vicente Vincent Vladimir Walter Wayne William Wolfgang
    Xavier Yusuf Zachary`),
);
const isGiven = (name: string): boolean => WOMEN.has(name) || MEN.has(name);

/** Excludes names within a word or an address, or after a saint, which denote a place (`San Diego Bay`). */
const FREE = String.raw`(?<![\p{L}\p{M}\p{N}@./_'’-])(?<!\b(?:San|Sant|Santa|Santo|Saint|Sainte|Sankt|São|St\.?) )`;
const NAME = String.raw`\p{Lu}[\p{L}\p{M}'’]*\p{Ll}`;
const END = String.raw`(?![\p{L}\p{M}\p{N}@_/-]|\.\p{L})`;
/** Parts between a given name and a surname: initials and nobiliary particles; not `Isabel la Católica`. */
const BETWEEN = String.raw` (?:\p{Lu}\. ){0,2}(?:(?:van|von|de|di|da|del|dos)(?: (?:la|le|der|den))? )?`;
const NAMED = new RegExp(`${FREE}(?<given>${NAME})(?<between>${BETWEEN})(?=${NAME})`, 'gu');
const ADDRESSED = new RegExp(`${FREE}(?:Dra?|Prof)\\. (?=${NAME})`, 'gu');
const ADDRESSED_IN_ENGLISH = new RegExp(
  String.raw`${FREE}(?:(?:Mrs?|Ms|Mx|Dr|Prof)\.?|Professor) (?=${NAME})`,
  'gu',
);
const SURNAME = new RegExp(`(?:(?:De|Del|Di|La|Le|Van|Von) )?${NAME}${END}`, 'uy');
const TITLE_OF_A_WOMAN = /^(?:Mrs|Ms|Dra)/;
/** Languages in which persons have two surnames. */
const WITH_TWO = new Set(['ca', 'es', 'gl', 'pt']);
/** Words after a title or name that are not surnames: `Mr. President`, `Call Anna Monday.` */
const NO_SURNAMES = new Set(
  names(`
    Ambassador Chair Chairman Chancellor Commissioner Governor Judge Justice Mayor Minister Moderator
    President Prime Secretary Senator Speaker Vice Monday Tuesday Wednesday Thursday Friday Saturday
    Sunday January February March April June July August September October November December`),
);

/** A surname, in UTF-16 positions. */
export interface Surname {
  start: number;
  end: number;
  /** True when a title or given name indicates a woman. */
  isOfWoman: boolean;
}

/** Finds the surnames of a text; a surname after both a title and a given name is returned once. */
export function surnamesIn(text: string, language: string): Surname[] {
  if (!/\p{L}\.? \p{Lu}/u.test(text)) return [];
  const found: Surname[] = [];
  for (const { 0: before, index, groups = {} } of text.matchAll(NAMED)) {
    const { given = '' } = groups;
    if (!isGiven(given)) continue;
    const isOfWoman = WOMEN.has(given);
    const start = index + before.length;
    const end = endOfSurname(text, start);
    if (end === undefined) continue;
    found.push({ start, end, isOfWoman });
    const isNext = WITH_TWO.has(language) && text.charAt(end) === ' ';
    const endOfSecond = isNext ? endOfSurname(text, end + 1) : undefined;
    if (endOfSecond !== undefined) found.push({ start: end + 1, end: endOfSecond, isOfWoman });
  }
  const addressed = language === 'en' ? ADDRESSED_IN_ENGLISH : ADDRESSED;
  for (const { 0: title, index } of text.matchAll(addressed)) {
    const start = index + title.length;
    const end = endOfSurname(text, start);
    if (end !== undefined) found.push({ start, end, isOfWoman: TITLE_OF_A_WOMAN.test(title) });
  }
  return found;
}

/** Returns undefined when there is no surname, or another given name, which dictionaries know as a name. */
function endOfSurname(text: string, start: number): number | undefined {
  SURNAME.lastIndex = start;
  const [whole] = SURNAME.exec(text) ?? [];
  const name = whole?.replace(/['’]s$/u, '');
  if (name === undefined || NO_SURNAMES.has(name) || isGiven(name)) return undefined;
  return start + name.length;
}
