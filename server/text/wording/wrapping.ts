/** What models put around a text that nobody has asked for: prefaces, quotation marks, Markdown, notes. */

/** Marks of emphasis, code and headings. */
const MARKDOWN = /[*_`#~]/gu;
const QUOTATION_MARKS = /["“”„«»]/u;
const OUTER_QUOTATION = /^\s*["“”„«»‘'*_`~]|["“”„«»’'*_`~]\s*$/u;
const OUTER_BRACKET = /[([{][^()[\]{}]*[)\]}][.!]?\s*$/u;
const BRACKET = /[([{]/u;
const LINE_BREAK = /[\r\n]/u;
/** A preface ends with a colon, mostly in its first line. */
const COLON = /[:：](?=\s|$)/gu;
const LONGEST_PREFACE = 120;
/** What somebody says who has been asked for something. */
const OPENING =
  /^\s*(?:sure|certainly|of course|absolutely|okay|ok|here (?:is|are|you)|here['’]s|as requested|gerne|natürlich|selbstverständlich|hier ist|voici|bien sûr|volontiers|claro|por supuesto|aquí (?:está|tienes)|ecco|certo|certamente|aqui está|com certeza)(?!\p{L})/iu;

/** Whether an answer has more around it than the text had. */
export function isWrapped(
  original: string,
  improved: string,
  task: 'correct' | 'rephrase',
): boolean {
  if (count(improved, MARKDOWN) > count(original, MARKDOWN)) return true;
  const hasQuotation = QUOTATION_MARKS.test(original) || OUTER_QUOTATION.test(original);
  if (OUTER_QUOTATION.test(improved) && !hasQuotation) return true;
  if (OUTER_BRACKET.test(improved) && !BRACKET.test(original)) return true;
  if (LINE_BREAK.test(improved.trim()) && !LINE_BREAK.test(original.trim())) return true;
  if (task === 'correct') return false;
  if (OPENING.test(improved) && !OPENING.test(original)) return true;
  const preface = (text: string) => count(text.slice(0, LONGEST_PREFACE), COLON);
  return preface(improved) > preface(original);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
