/**
 * Finds what programs put into a text and no engine may change. It must look like nothing else: a
 * brace or a percent sign in prose is left to the engine.
 *
 * - `{{ anything }}`, `${anything}`, `#{anything}`, `%{anything}`, on one line
 * - `{name}`, `{0}`, `{user.name}`, `{0:N2}`: one word in braces, without blanks
 * - `%s`, `%d`, `%1$s`, `%-8.2f`, `%@`, `%(name)s`, `%name%`: not after a letter or figure (`50%d`)
 *   and not before one (`% discount`, `%sure`)
 * - `:name` after a blank, a bracket or a quote, of two ASCII letters or more, and `:name:`
 * - addresses: `https://…`, `ftp://…`, `www.…` without the punctuation that follows; `name@host.tld`
 */

/** A stretch of a text, in UTF-16 units. */
export interface Range {
  start: number;
  end: number;
}

/** Cheap to ask, and no for most texts. */
const SUSPECT = /[{%@]|:[\p{L}_/]|www\./iu;

/** Letters, marks and figures of addresses; Han, kana and hangul stand beside them without a blank. */
const NAME = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\p{N}`;

const PLACEHOLDER = new RegExp(
  [
    String.raw`\{\{[^{}\r\n]{1,200}\}\}`,
    String.raw`[$#%]\{[^{}\r\n]{1,200}\}`,
    String.raw`\{[\p{L}\p{N}_$][\p{L}\p{N}_$.:,#\[\]-]{0,100}\}`,
    String.raw`(?<![\p{L}\p{N}%])%\([\p{L}\p{M}\p{N}_.-]{1,100}\)[a-z](?![\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}%])%[\p{L}_][\p{L}\p{M}\p{N}_.-]{0,100}%(?![\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}%])%(?:\d{1,3}\$)?[-+0#]{0,4}\d{0,4}(?:\.\d{1,3})?(?:hh?|ll?|[Lqjzt])?[diouxXeEfFgGaAcCsSp@](?![\p{L}\p{N}])`,
    String.raw`(?:\bhttps?|\bftp):\/\/[^\s<>"“”«»]*[^\s<>"“”«».,;:!?'’)\]}]`,
    String.raw`\bwww\.[^\s<>"“”«»]*[^\s<>"“”«».,;:!?'’)\]}]`,
    String.raw`(?<![${NAME}_.+-])[${NAME}_.+-]{1,64}@[${NAME}-]{1,63}(?:\.[${NAME}-]{1,63}){1,8}(?![${NAME}_-])`,
    String.raw`(?<=^|[\s([{"'“‘«„])[:][A-Za-z_][A-Za-z0-9_]{1,100}:?(?![\p{L}\p{N}:])`,
  ].join('|'),
  'gu',
);

/**
 * The placeholders of a text, in reading order; linear in its length.
 *
 * @param options.follows whether something stands right before the text, so that a colon at its
 *   beginning is punctuation: `<b>Note</b>:this`
 */
export function findPlaceholders(text: string, { follows = false } = {}): Range[] {
  if (!SUSPECT.test(text)) return [];
  const ranges: Range[] = [];
  for (const { 0: placeholder, index } of text.matchAll(PLACEHOLDER)) {
    if (follows && index === 0 && placeholder.startsWith(':')) continue;
    ranges.push({ start: index, end: index + placeholder.length });
  }
  return ranges;
}
