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
 * - addresses: `https://…`, `ftp://…`, `www.…` without trailing punctuation; `name@host.tld`
 */

/** A part of a text, from `start` up to but excluding `end`, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

/** A cheap test that rules out most texts. */
const SUSPECT = /[{%@`]|~~~|\$t\(|\*\||:[\p{L}_/]|www\.|\[[/!a-z]/iu;

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

const PLACEHOLDER = new RegExp(
  [
    codeBlock('`', '`{3,9}[^`\\n]{0,200}', ''),
    codeBlock('~', TILDES, `(?<!${BLANK_LINE})`),
    CODE,
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
