/**
 * Finds the placeholders of programs, which no engine may change. Only unambiguous forms count: a brace or a
 * percent sign in prose is left to the engine.
 *
 * - `{{ anything }}`, `${anything}`, `#{anything}`, `%{anything}`, on one line
 * - `{% anything %}`, `<% anything %>`: commands of templates, on one line
 * - `*|FNAME|*`, `%%FirstName%%`, `%%=v(@name)=%%`: fields of newsletters
 * - `'{'`, `'}'`: braces quoted for ICU's MessageFormat
 * - `{name}`, `{0}`, `{user.name}`, `{0:N2}`: one word in braces, without blanks
 * - `{price, number}`, `{day, date, long}`, `{0,number,#.##}`: a value and its format
 * - `%s`, `%d`, `%1$s`, `%-8.2f`, `%@`, `%#@name@`, `%(name)s`, `%(name).2f`, `%name%`: not after a letter or
 *   digit (`50%d`) and not before one (`% discount`, `%sure`)
 * - `:name` after a blank, a bracket, a quote, `|`, `*` or a currency's sign, with at least two ASCII letters,
 *   and `:name:`
 * - `$t(key)`, `@:key`, `@.lower:key`: other messages of i18next and Vue
 * - code in Markdown: `` `npm install` ``, and blocks between lines of three backticks or tildes
 * - `[!NOTE]`, `:::note`: what begins a notice in Markdown
 * - `[gallery ids="1,2"]`, `[url=/a]`, `[quote]` with a `[/quote]`: shortcodes and BBCode
 * - `&copy;`, `&bull;` beside no letter: references of HTML, whose names are words
 * - formulas of LaTeX: `$x = y^2$`, `$$\int a$$`, `\(a+b\)`, `\[a+b\]`
 * - addresses: `https://…`, `ftp://…`, `www.…` without trailing punctuation; `name@host.tld`
 */

/** A part of a text, from `start` up to but excluding `end`, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

/** A cheap test that rules out most texts. */
const SUSPECT = /[{%@`\\$]|~~~|&[a-z]|\*\||:[\p{L}_/]|www\.|\[[/!a-z]/iu;

/** Han, kana and hangul, which may adjoin an address without a blank. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
/** Letters, marks and digits of mail addresses. */
const NAME = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\p{N}`;

/** Signs between words of scripts without blanks, which end an address. */
const WIDE_SIGNS = '。、，！？；：（）「」『』【】〈〉《》〔〕';
/** An address after its scheme, up to a sign that ends a sentence rather than the address. */
const ADDRESS = [
  // `[/url]` is no part of it. A host in Latin letters ends before 를, を and 了; one in another script begins
  // with that.
  String.raw`(?:(?!\[\/)[^\s<>"“”«»${WIDE_SIGNS}${UNSPACED}/?#]|(?<![A-Za-z0-9])[${UNSPACED}])+`,
  // A path may hold any script. A particle after Latin letters, or を, is no part of it.
  String.raw`(?:[/?#](?:(?!\[\/)[^\s<>"“”«»${WIDE_SIGNS}\p{Script=Hiragana}]|(?<![A-Za-z0-9])(?!(?<=/)を)\p{Script=Hiragana})*)?`,
  String.raw`(?<![.,;:!?'’)\]}])`,
].join('');

/**
 * A block of code; no line within begins like its ends, so that one without an end is soon given up.
 */
const codeBlock = (sign: string, opening: string, closing: string): string =>
  `(?<![^\\n])[ \\t>]{0,20}${opening}\\n(?:(?![ \\t>]{0,20}${sign}{3})[^\\n]*\\n){0,5000}` +
  `${closing}[ \\t>]{0,20}${sign}{3,9}(?=[ \\t\\r]{0,20}(?:\\n|$))`;
const BLANK_LINE = String.raw`\n[ \t>\r]{0,20}\n`;
/**
 * Lines of tildes also divide scenes and underline headings. Those of code name a language, or come after an
 * empty line or a colon and have none within their ends.
 */
const TILDES = [
  String.raw`~{3,9}(?:[ \t]{0,9}[\p{L}{][^~\n]{0,200}`,
  String.raw`|(?<=(?:^|:[ \t\r]{0,20}\n|${BLANK_LINE})[ \t>]{0,20}~{3,9})[ \t\r]{0,20}(?=\n[ \t>]{0,20}[^\s>]))`,
].join('');
/** Code in a line; ``quoted'' words and the apostrophe of It`s are none. */
const CODE =
  '(?<![\\p{L}\\p{M}\\p{N}`])(`{1,3})(?![\\s`])[^\\n`]{1,500}(?<!\\s)\\1(?![\\p{L}\\p{N}`])';

const SHORTCODE = String.raw`[A-Za-z][\w-]{0,60}`;
const SHORTCODE_VALUE = String.raw`=(?:"[^"\r\n]{0,500}"|'[^'\r\n]{0,500}'|[^\s\[\]"']{1,500})`;

/** What a formula of LaTeX has before its end: a letter alone, a command, or a sign and no words; prices have words. */
const isFormula = (end: string): string => {
  const within = String.raw`(?:(?!${end})[^$]){0,300}?`;
  const words = String.raw`[A-Za-z]{2}[,.:;]? [A-Za-z]{3}|<\/`;
  return String.raw`(?=[A-Za-z]${end}|${within}\\[A-Za-z]|(?!${within}(?:${words}))${within}[\^_=+<>*])`;
};
const FORMULA = [
  String.raw`\$\$${isFormula(String.raw`\$\$`)}[^$]{1,1000}\$\$|\\\[${isFormula(String.raw`\\\]`)}[^$]{1,1000}?\\\]`,
  String.raw`\\\(${isFormula(String.raw`\\\)`)}[^$\n]{1,300}?\\\)`,
  String.raw`(?<![\p{L}\p{N}\\$])\$(?![\s$)])${isFormula(String.raw`\$`)}[^$\n]{1,300}(?<![\s\\(])\$(?![\p{L}\p{N}$({])`,
].join('|');

const PLACEHOLDER = new RegExp(
  [
    codeBlock('`', '`{3,9}[^`\\n]{0,200}', ''),
    codeBlock('~', TILDES, `(?<!${BLANK_LINE})`),
    CODE,
    FORMULA,
    String.raw`\{\{[^{}\r\n]{1,200}\}\}`,
    String.raw`[$#%]\{[^{}\r\n]{1,200}\}`,
    String.raw`\{%[^\r\n]{1,200}?%\}|<%[^\r\n]{1,200}?%>`,
    String.raw`\*\|[^|\r\n]{1,200}\|\*|(?<![\p{L}\p{N}%])%%(?:[\p{L}_][\p{L}\p{M}\p{N}_. -]{0,100}|=[^%\r\n]{1,200}=)%%(?![\p{L}\p{N}%])`,
    "(?<!')'[{}]{1,4}'(?!')",
    String.raw`\{[\p{L}\p{N}_$][\p{L}\p{N}_$.:,#\[\]-]{0,100}\}`,
    String.raw`\{\s{0,5}[\p{L}\p{N}_.]{1,100}\s{0,5},\s{0,5}(?:number|date|time|duration|ordinal|spellout|list)\s{0,5}(?:,[^{}\r\n]{1,100})?\}`,
    String.raw`(?<![\p{L}\p{N}%])%\([\p{L}\p{M}\p{N}_.-]{1,100}\)[-+#0]{0,4}\d{0,4}(?:\.\d{1,3})?[a-zA-Z](?![\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}%])%[\p{L}_][\p{L}\p{M}\p{N}_.-]{0,100}%(?![\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}%])%(?:\d{1,3}\$)?[-+0#]{0,4}\d{0,4}(?:\.\d{1,3})?(?:hh?|ll?|[Lqjzt])?[diouxXeEfFgGaAcCsSp@](?![\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}%])%(?:\d{1,3}\$)?#@[\p{L}_][\p{L}\p{M}\p{N}_.-]{0,100}@(?![\p{L}\p{N}])`,
    String.raw`\[![A-Za-z]{2,20}\]|(?<![^\n]):{3,9} ?[A-Za-z][\w-]{0,40}`,
    String.raw`\[\/${SHORTCODE}\]`,
    String.raw`\[${SHORTCODE}(?=\s{1,9}[^\s\]]|=)(?:${SHORTCODE_VALUE})?(?:\s{1,9}[\w-]{1,60}${SHORTCODE_VALUE}){0,50}\s?\/?\](?!\()`,
    String.raw`\[(?<shortcode>${SHORTCODE})\](?=(?:(?!\[\k<shortcode>\])[^]){0,1000}?\[\/\k<shortcode>\])`,
    String.raw`\$t\([^()\r\n]{1,200}\)`,
    String.raw`(?<![\p{L}\p{N}])&(?!(?:amp|lt|gt|quot|apos|nbsp);)[A-Za-z]{2,31}\d{0,2};(?!\p{L})`,
    String.raw`(?<![\p{L}\p{N}@])@(?:\.[a-z]{1,20})?:(?:[A-Za-z_][\w-]{0,100}(?:\.[\w-]{1,100}){0,20}|\([^()\r\n]{1,100}\))`,
    String.raw`(?:(?:\bhttps?|\bftp):\/\/|\bwww\.)${ADDRESS}`,
    String.raw`(?<![${NAME}_.+-])[${NAME}_.+-]{1,64}@[${NAME}-]{1,63}(?:\.[${NAME}-]{1,63}){1,8}(?![${NAME}_-])`,
    String.raw`(?<=^|[\s([{"'“‘«„|$€£]|(?<=^|[\s([{"'“‘«„|])\*{1,3})[:][A-Za-z_][A-Za-z0-9_]{1,100}:?(?![\p{L}\p{N}:])`,
  ].join('|'),
  'gu',
);

/**
 * Returns the placeholders of a text, in reading order; linear in its length.
 *
 * @param options.follows whether other content directly precedes the text, so that a colon at its beginning
 *   is punctuation: `<b>Note</b>:this`
 */
export function findPlaceholders(text: string, { follows = false } = {}): Span[] {
  if (!SUSPECT.test(text)) return [];
  const ranges: Span[] = [];
  for (const { 0: placeholder, index } of text.matchAll(PLACEHOLDER)) {
    if (follows && index === 0 && placeholder.startsWith(':')) continue;
    ranges.push({ start: index, end: index + placeholder.length });
  }
  return ranges;
}

// What begins the lines of Markdown and subtitles, and is no part of a sentence.

const LINE_SIGN = new RegExp(
  [
    // `00:01.000 --> 00:04.000 align:start`
    String.raw`(?:\d{1,3}:)?\d\d:\d\d[.,]\d{3}[ \t]+-->[^\n]{1,200}`,
    // `[^1]: `, `[docs]: /docs `
    String.raw`\[(?:\^[^\s\[\]]{1,100}\]:[ \t]|[^\n\[\]]{1,200}\]:[ \t]{1,9}(?:<[^\s<>]{1,500}>|(?:https?:|\.{0,2}\/|#)\S{1,500}))[ \t]{0,20}`,
    // `- [x] `, `(1) `, `[1] `
    String.raw`(?:[-*+]|\d{1,9}[.)])[ \t]{1,9}\[[ xX]\][ \t]`,
    String.raw`(?:\[\d{1,3}\]|\(?\d{1,3}\))[ \t]{1,9}(?=["'“«¿¡]?\p{Lu})`,
  ]
    .map((sign) => String.raw`(?<=^[ \t>]{0,20})(?:${sign})`)
    .join('|'),
  'gmu',
);
/** The fields at the beginning of a page, between two lines `---`. */
const FRONT_MATTER =
  /^\ufeff?---[ \t]{0,20}\r?\n(?=(?:#[^\r\n]*\r?\n){0,9}["']?[\p{L}_][\p{L}\p{N}_.-]{0,60}["']?[ \t]{0,9}:)(?:(?:[ \t][^\r\n]*|- [^\r\n]*|#[^\r\n]*|["']?[\p{L}_][\p{L}\p{N}_.-]{0,60}["']?[ \t]{0,9}:(?:[ \t][^\r\n]*)?)?\r?\n){1,200}?---[ \t]{0,20}(?=\r?\n|$)/u;
const FIELD =
  /^([ \t]*(?:- +)?(?:["']?[\p{L}_][\p{L}\p{N}_.-]*["']?[ \t]*:(?:[ \t]+|$))?["']?)(.*)$/u;
const PROSE_FIELD = /^(?![[{&*!|>]).*(?:^\p{Lu}\p{Ll}|\p{L}[,.]? +\p{L})/u;
/**
 * A line of a program. Prose may be indented, too: lists whose items end with `;`, templates (`Total: {total}`),
 * tags, and `v = the speed` below a formula.
 */
const CODE_LINE = new RegExp(
  [
    String.raw`^[\])}]+[;,]?$|[{\\]$|["'\]}];$|\) ?=>|=> ?[{(\[]`,
    String.raw`\w\((?!s\))[^()]*\)+[:,;]?$`,
    String.raw`^[\w.$\[\]"']+(?: [\w.]+)? ?[-+*\/|]?=(?![=>]) ?(?!(?:\p{L}+|\d[\d.,]*) \p{L}+(?:[ ,.]|$))\S`,
    String.raw`^(?:[$%] (?!\d)|\/\/|(?:apt-get|brew|const|curl|def|docker|echo|export|git|import|let|npm|npx|pip3?|return|sudo|var|yarn) )`,
  ].join('|'),
  'u',
);

/**
 * Returns what separates texts in Markdown and subtitles and stays as it is, in reading order: the signs of
 * notes, tasks and numbers at the beginning of lines, the times of subtitles, the names of fields before a page
 * and values that are no prose, and code indented by four blanks after an empty line.
 */
export function findLineSigns(text: string): Span[] {
  const spans = fieldsBefore(text);
  const from = spans.at(-1)?.end ?? 0;
  for (const { 0: sign, index } of text.matchAll(LINE_SIGN)) {
    if (index >= from) spans.push({ start: index, end: index + sign.length });
  }
  if (/^(?: {4}|\t)/m.test(text)) {
    for (const code of indentedCode(text)) if (code.start >= from) spans.push(code);
  }
  return spans.sort((a, b) => a.start - b.start);
}

function fieldsBefore(text: string): Span[] {
  const fields = FRONT_MATTER.exec(text)?.[0];
  const spans: Span[] = [];
  for (const { 0: line, index } of fields?.matchAll(/[^\r\n]+/g) ?? []) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    const isProse = PROSE_FIELD.test(value);
    const end = index + (isProse ? name : line).length;
    if (end > index) spans.push({ start: index, end });
    const quote = isProse && /["']$/.test(name) ? (/["']\s*$/.exec(line)?.index ?? 0) : 0;
    if (quote > name.length) spans.push({ start: index + quote, end: index + line.length });
  }
  return spans;
}

function indentedCode(text: string): Span[] {
  const blocks: (Span & { lines: number; codeLines: number })[] = [];
  let block: (typeof blocks)[number] | undefined;
  for (const { 0: line, index: start } of text.matchAll(/[^\n]+/g)) {
    if (line.trim() === '') continue;
    const isFree = /(?:^|\n[ \t\r]*\n)$/.test(text.slice(Math.max(0, start - 80), start));
    if (!/^(?: {4}|\t)/.test(line)) block = undefined;
    else if (block === undefined && isFree) {
      blocks.push((block = { start, end: start, lines: 0, codeLines: 0 }));
    }
    if (block === undefined) continue;
    block.end = start + line.length;
    block.lines += 1;
    if (CODE_LINE.test(line.trim())) block.codeLines += 1;
  }
  return blocks.filter(({ lines, codeLines }) => codeLines * 2 >= lines);
}

// Messages with branches, in the syntax of ICU's MessageFormat: `{count, plural, one {# file} other {#
// files}}`, or of Java's: `{0,choice,0#no files|1#one file|1<{0} files}`.

/** Text, the count in a branch, or the syntax around branches. */
export interface MessagePart extends Span {
  kind: 'text' | 'count' | 'syntax';
}

const ARGUMENT =
  /\{\s{0,20}[\p{L}\p{N}_.]{1,100}\s{0,20},\s{0,20}(plural|selectordinal|select|choice)\s{0,20},\s{0,20}(?:offset:\d{1,9}\s{1,20})?/uy;
const BRANCH = /\s{0,100}(?:=\d{1,9}|[\p{L}\p{N}_-]{1,100})\s{0,20}\{/uy;
const ARGUMENT_END = /\s{0,100}\}/y;
/** The beginning of a branch of a choice; in markup, a masked reference stands for `<`. */
const LIMIT = /\s{0,20}-?(?:\d{1,12}(?:\.\d{1,9})?|∞)\s{0,20}(?:[#<≤]|\ufffc{1,8})/uy;

/** A cheap test that rules out most texts. */
export function mayHaveBranches(text: string): boolean {
  return text.includes('{') && /,\s{0,20}(?:plural|select|choice)/.test(text);
}

/**
 * Returns the parts of a message with branches, which cover the whole text; undefined when it has no branches
 * or an unclosed one. Linear in its length.
 */
export function messageParts(text: string): MessagePart[] | undefined {
  if (!mayHaveBranches(text)) return undefined;
  const parts: MessagePart[] = [];
  /** Stack of open braces: branches by the kind of their argument, and other braces. */
  const open: string[] = [];
  let end = 0;
  const add = (kind: MessagePart['kind'], to: number): void => {
    if (to > end) parts.push({ kind, start: end, end: to });
    end = Math.max(end, to);
  };
  for (const { 0: sign, index } of text.matchAll(/[{}#|]/g)) {
    if (index < end) continue;
    const kind = sign === '}' ? open.pop() : open.at(-1);
    if (sign === '#') {
      if (kind !== 'plural' && kind !== 'selectordinal') continue;
      add('text', index);
      add('count', index + 1);
    } else if (sign === '|') {
      const limit = kind === 'choice' && matchAt(LIMIT, text, index + 1);
      if (!limit) continue;
      add('text', index);
      add('syntax', limit.index + limit[0].length);
    } else if (sign === '{') {
      const argument = matchAt(ARGUMENT, text, index);
      const beginning = argument?.[1] === 'choice' ? LIMIT : BRANCH;
      const branch = argument && matchAt(beginning, text, index + argument[0].length);
      open.push(branch ? (argument[1] ?? '') : '{');
      if (!branch) continue;
      add('text', index);
      add('syntax', branch.index + branch[0].length);
    } else if (kind === 'choice') {
      add('text', index);
      add('syntax', index + 1);
    } else if (kind !== '{') {
      const next = matchAt(BRANCH, text, index + 1);
      const last = next ?? matchAt(ARGUMENT_END, text, index + 1);
      if (kind === undefined || !last) return undefined;
      if (next) open.push(kind);
      add('text', index);
      add('syntax', last.index + last[0].length);
    }
  }
  if (open.some((kind) => kind !== '{') || parts.length === 0) return undefined;
  add('text', text.length);
  return parts;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
