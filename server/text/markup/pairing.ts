/** Pairs start and end tags where the grammar allows them to be missing or tangled. */
import { findLineSigns, findPlaceholders, mayHaveBranches, type Span } from '../placeholders.ts';
import { type FlowItem, NO_REFERENCES, STEP, type Steps } from './text-layout.ts';
import { lenientXmlTokens, markupToken, type Token } from './tokens.ts';

/**
 * Pairs the tags of HTML: void elements become lone tokens, omitted end tags are inferred, and the end tag of
 * an inline element does not reach across an open block. Linear in the number of tokens.
 */
export function* pairHtml(tokens: Token[]): Steps<void> {
  const open = new OpenElements(tokens);
  for (const [index, token] of tokens.entries()) {
    if (index % STEP === 0) yield;
    if (token.kind === 'open') {
      const implied = IMPLIED_ENDS.get(token.name);
      if (implied !== undefined) open.endAll(implied.ends, implied.within, index);
      if (VOID_ELEMENTS.has(token.name)) token.kind = 'lone';
      else open.begin(index);
    } else if (token.kind === 'close') {
      open.end(index, BLOCKS.has(token.name) ? -1 : open.lastBlock());
    }
  }
  open.finish();
  if (tokens.some(({ translated }) => translated === true)) yield* includeAgain(tokens);
}

/**
 * Includes elements again that are within untranslated ones: of these, the texts and the other elements then
 * stay unchanged, instead of the whole.
 */
function* includeAgain(tokens: Token[]): Steps<void> {
  /** Open elements, and whether their content is excluded. */
  const around: { element: Token; isOut: boolean }[] = [];
  const divided = new Set<Token>();
  const excluded: [token: Token, parent: Token][] = [];
  for (const [index, token] of tokens.entries()) {
    if (index % STEP === 0) yield;
    while ((around.at(-1)?.element.scopeEnd ?? Infinity) <= index) around.pop();
    const parent = around.at(-1);
    let isOut = parent?.isOut === true;
    if (isOut && token.translated === true) {
      isOut = false;
      for (let at = around.length - 1; at >= 0; at -= 1) {
        const each = around[at];
        if (each?.isOut !== true || divided.has(each.element)) break;
        divided.add(each.element);
      }
    }
    if (isOut && parent !== undefined) excluded.push([token, parent.element]);
    if (token.kind === 'open') around.push({ element: token, isOut: isOut || token.untranslated });
  }
  for (const [token, parent] of excluded) {
    if (!divided.has(parent) || divided.has(token)) continue;
    if (token.kind === 'text') {
      token.kind = 'lone';
      token.kept = true;
    } else token.untranslated = true;
  }
  for (const element of divided) {
    element.untranslated = false;
    element.kept = true;
  }
}

/** Pairs the tags of XML with errors: an end tag ends the nearest open element of its name. */
export function* pairXml(tokens: Token[]): Steps<void> {
  const open = new OpenElements(tokens);
  for (const [index, token] of tokens.entries()) {
    if (index % STEP === 0) yield;
    if (token.kind === 'open') open.begin(index);
    else if (token.kind === 'close') open.end(index, -1);
  }
  open.finish();
}

const DATA_START = '<![CDATA['.length;
const DATA_END = ']]>'.length;

/**
 * Turns each CDATA section of paired XML tokens into an element with the tags `<![CDATA[` and `]]>`. Its
 * content is text or, most often, a document of its own, which the parser has not checked.
 */
export function* withDataRead(source: string, tokens: Token[]): Steps<Token[]> {
  if (!tokens.some(({ kind }) => kind === 'data')) return tokens;
  const read: Token[] = [];
  /** New index of each token. */
  const places: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (index % STEP === 0) yield;
    places.push(read.length);
    if (token.kind === 'data') yield* addData(read, source, token);
    else read.push(token);
  }
  places.push(read.length);
  for (const token of tokens) {
    if (token.partner !== -1) token.partner = places[token.partner] ?? -1;
    token.scopeEnd = places[token.scopeEnd] ?? 0;
  }
  return read;
}

function* addData(read: Token[], source: string, { start, end }: Token): Steps<void> {
  const [from, to] = [start + DATA_START, end - DATA_END];
  const within = yield* lenientXmlTokens(source.slice(from, to));
  yield* pairXml(within);
  const open = markupToken('open', '', start, from);
  const close = markupToken('close', '', to, end);
  close.partner = read.length;
  open.partner = read.length + within.length + 1;
  open.scopeEnd = open.partner + 1;
  const first = read.push(open);
  const moved = (at: number): number => at + from;
  for (const token of within) {
    read.push({
      ...token,
      // A nested section is not tokenised.
      kind: token.kind === 'data' ? 'lone' : token.kind,
      start: moved(token.start),
      end: moved(token.end),
      partner: token.partner === -1 ? -1 : token.partner + first,
      scopeEnd: token.scopeEnd === 0 ? 0 : token.scopeEnd + first,
      references: token.references.map((reference) => ({
        ...reference,
        start: moved(reference.start),
        end: moved(reference.end),
      })),
    });
  }
  read.push(close);
}

const MARKUP_IN_DATA = /<[\p{L}/!?]|&[#\p{L}]/u;
const WORD_IN_DATA = /^[\p{L}\p{N}&<>=+*/'"-]{1,64}$/u;

/** Returns the item for a CDATA section in a sentence: plain words, or a mark. */
export function dataWithin(source: string, tokens: readonly Token[], index: number): FlowItem {
  const open = tokens[index];
  const close = tokens[open?.partner ?? -1];
  const [start, end] = [open?.start ?? 0, close?.end ?? 0];
  const text = source.slice(open?.end, close?.start);
  const areWords =
    text.trim() !== '' && !MARKUP_IN_DATA.test(text) && findPlaceholders(text).length === 0;
  return areWords || WORD_IN_DATA.test(text)
    ? { kind: 'text', start, end, references: [{ start, end, text }] }
    : { kind: 'lone', word: text.trim() !== '', start, end };
}

/** Stack of open elements, with the depths of each name for lookups without a search. */
class OpenElements {
  readonly #tokens: Token[];
  readonly #stack: number[] = [];
  readonly #depths = new Map<string, number[]>();
  readonly #blockDepths: number[] = [];

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  begin(index: number): void {
    const name = this.#tokens[index]?.name ?? '';
    const depth = this.#stack.push(index) - 1;
    const depths = this.#depths.get(name);
    if (depths === undefined) this.#depths.set(name, [depth]);
    else depths.push(depth);
    if (BLOCKS.has(name)) this.#blockDepths.push(depth);
  }

  /** Ends the nearest open element with the name of an end tag, unless it lies below a depth. */
  end(index: number, lowestDepth: number): void {
    const closing = this.#tokens[index];
    const depth = closing === undefined ? -1 : this.#last(closing.name);
    if (closing === undefined || depth === -1 || depth < lowestDepth) return;
    this.#popTo(depth + 1, index);
    const partner = this.#stack[depth] ?? -1;
    this.#popTo(depth, index + 1);
    const opening = this.#tokens[partner];
    if (opening === undefined) return;
    closing.partner = partner;
    opening.partner = index;
  }

  /** Ends open elements whose end tag was omitted. */
  endAll(names: readonly string[], within: readonly string[], index: number): void {
    let limit = -1;
    for (const name of within) limit = Math.max(limit, this.#last(name));
    let depth = Infinity;
    for (const name of names) {
      const last = this.#last(name);
      if (last > limit) depth = Math.min(depth, last);
    }
    if (depth !== Infinity) this.#popTo(depth, index);
  }

  lastBlock(): number {
    return this.#blockDepths.at(-1) ?? -1;
  }

  finish(): void {
    this.#popTo(0, this.#tokens.length);
  }

  #last(name: string): number {
    return this.#depths.get(name)?.at(-1) ?? -1;
  }

  #popTo(depth: number, scopeEnd: number): void {
    while (this.#stack.length > depth) {
      const token = this.#tokens[this.#stack.pop() ?? -1];
      if (token === undefined) return;
      token.scopeEnd = scopeEnd;
      this.#depths.get(token.name)?.pop();
      if (this.#blockDepths.at(-1) === this.#stack.length) this.#blockDepths.pop();
    }
  }
}

// The role of HTML elements in sentences. Names are in lower case.

const names = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Block elements: no sentence reaches across their tags. */
export const BLOCKS = names(`
  address article aside audio blockquote body button canvas caption center col colgroup datalist dd
  details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
  head header hgroup hr html input legend li link main map menu meta nav noframes noscript object ol optgroup
  option p pre search section select summary table tbody td tfoot th thead title tr ul video
  iframe script style template textarea`);

/** Elements without content and end tag. */
const VOID_ELEMENTS = names(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** Readings in a `ruby`: they describe the source and are not part of its sentence. */
export const READINGS = names('rp rt rtc');

/**
 * Whether several bases precede their readings, which are matched by order: a base could not be moved, or a
 * word inserted, without misplacing readings.
 */
export function areReadingsApart(tokens: readonly Token[], ruby: number): boolean {
  const end = tokens[ruby]?.scopeEnd ?? 0;
  let isBase = false;
  for (let at = ruby + 1; at < end; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'open') continue;
    if (token.name === 'ruby') return false;
    if (token.name === 'rb' && isBase) return true;
    if (token.name === 'rb') isBase = true;
    else if (token.name === 'rt' || token.name === 'rtc') isBase = false;
  }
  return false;
}

/**
 * Elements without prose, such as scripts, formulas and fields: `code` is a word of its sentence, `textarea`
 * is not. Content for browsers without frames or plug-ins is not parsed as markup by others.
 */
export const UNTRANSLATED = names(`
  code iframe kbd math noembed noframes plaintext rp rt rtc samp script style svg template textarea
  var xmp`);

/** Elements whose content is not text and is not counted. */
export const NOT_TEXT = names('iframe noembed noframes script style');

interface ImpliedEnds {
  ends: readonly string[];
  within: readonly string[];
}

const PARAGRAPH: ImpliedEnds = { ends: ['p'], within: ['button', 'object'] };
const TABLE = ['table'];
const RUBY = ['ruby'];
/** Block elements that may occur inside a paragraph. */
const PARAGRAPH_GOES_ON = names(
  'audio button canvas datalist iframe link map meta noscript object optgroup option script select style template textarea video',
);

/**
 * Elements with an optional end tag: the start tag of a key ends the open elements named in `ends`, but none
 * outside the nearest element named in `within`.
 */
const IMPLIED_ENDS: ReadonlyMap<string, ImpliedEnds> = new Map<string, ImpliedEnds>([
  ...[...BLOCKS]
    .filter((name) => !PARAGRAPH_GOES_ON.has(name))
    .map((name): [string, ImpliedEnds] => [name, PARAGRAPH]),
  ['li', { ends: ['li'], within: ['ul', 'ol', 'menu', 'dir'] }],
  ['dt', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['dd', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['td', { ends: ['td', 'th'], within: TABLE }],
  ['th', { ends: ['td', 'th'], within: TABLE }],
  ['tr', { ends: ['tr'], within: TABLE }],
  ['tbody', { ends: ['thead', 'tbody', 'tfoot'], within: TABLE }],
  ['thead', { ends: ['thead', 'tbody', 'tfoot'], within: TABLE }],
  ['tfoot', { ends: ['thead', 'tbody', 'tfoot'], within: TABLE }],
  ['option', { ends: ['option'], within: ['select', 'datalist'] }],
  ['optgroup', { ends: ['optgroup'], within: ['select'] }],
  ['rb', { ends: ['rb', 'rt', 'rp', 'rtc'], within: RUBY }],
  ['rt', { ends: ['rb', 'rt', 'rp'], within: RUBY }],
  ['rp', { ends: ['rb', 'rt', 'rp'], within: RUBY }],
  ['rtc', { ends: ['rb', 'rt', 'rp', 'rtc'], within: RUBY }],
]);

// Tags in plain text: messages of programs (`See <a href="/help">our help</a>`, `<0>Save</0>`) have some.

/** What is no prose: a comment, a script, a style sheet, a command of PHP. No other may begin within. */
const CODE = [
  String.raw`<!--(?:(?!<!--)[^]){0,20000}?-->`,
  String.raw`<script(?:\s[^<>]{0,2000})?>(?:(?!<script)[^]){0,100000}?<\/script>`,
  String.raw`<style(?:\s[^<>]{0,2000})?>(?:(?!<style)[^]){0,100000}?<\/style>`,
  String.raw`<\?(?:php\s|=)(?:(?!<\?)[^]){0,20000}?\?>`,
].join('|');
/** BBCode and shortcodes of WordPress: `[b]`, `[url=/a]`. */
const SHORTCODE = String.raw`\[(?<end>\/?)(?<code>[a-z][\w-]{0,60})(?:[\s=][^\[\]<>\r\n]{0,500})?\](?!\()`;
const TAG = new RegExp(
  String.raw`${CODE}|${SHORTCODE}|<(?<slash>\/?)(?<name>[a-z][\w.:-]{0,40}|\d{1,3})(?:\s[^<>]{0,2000}?)?(?<empty>\s?\/)?>`,
  'gi',
);
const ALONE = /^(?:br|hr|img|wbr)$/i;
const STRUCTURE = /^(?:p|div|ul|ol|li|h[1-6]|table|thead|tbody|tr|td|th|blockquote|pre|br|hr)$/i;

interface TagInText {
  name: string;
  start: number;
  end: number;
  /** Index of the other tag of a pair; its own for an element without content. */
  partner: number;
}

/**
 * Returns a plain text as items: pairs of tags, empty elements, comments and code count as markup, everything
 * else is prose, `<name>` and character references included. Blocks cut, unless they are within an inline element, and so does
 * a tag without its other half that begins a line, as names in chats do: `<Mary> Hello`.
 */
export function itemsOfProse(source: string): FlowItem[] {
  const items: FlowItem[] = [];
  const placeholders = findPlaceholders(source);
  const signs = signsOutside(source, placeholders);
  const outside = placeholders.filter(isOutside(signs));
  const tags = /<|\[\//.test(source) ? pairedTags(source, [...outside, ...signs]) : [];
  let at = 0;
  let depth = 0;
  let next = 0;
  const addText = (to: number): void => {
    for (let sign = signs[next]; sign !== undefined && sign.end <= to; sign = signs[(next += 1)]) {
      if (sign.start < at) continue;
      addProse(sign.start);
      items.push({ kind: 'cut', ...sign });
      at = sign.end;
    }
    addProse(to);
  };
  const addProse = (end: number): void => {
    if (end > at) items.push({ kind: 'text', start: at, end, references: NO_REFERENCES });
    at = end;
  };
  const cuts = new Set<number>();
  for (const [index, { name, start, end, partner }] of tags.entries()) {
    const isAlone = partner < 0;
    if (isAlone && (name.startsWith('[') || /[^\n]/.test(source.charAt(start - 1)))) continue;
    addText(start);
    at = end;
    const isCut =
      isAlone || (partner < index ? cuts.has(partner) : depth === 0 && STRUCTURE.test(name));
    if (isCut) {
      cuts.add(index);
      items.push({ kind: 'cut', start, end });
    } else if (partner === index) items.push({ kind: 'lone', word: false, start, end });
    else {
      depth += partner > index ? 1 : -1;
      const kind = partner > index ? 'open' : 'close';
      items.push({ kind, element: Math.min(index, partner), start, end });
    }
  }
  addText(source.length);
  return items;
}

/** Returns the signs of lines that are outside of placeholders, such as blocks of code. */
function signsOutside(source: string, placeholders: readonly Span[]): Span[] {
  return mayHaveBranches(source) ? [] : findLineSigns(source).filter(isOutside(placeholders));
}

/** Returns a test for parts of a text in reading order: whether none of the others contains their beginning. */
function isOutside(others: readonly Span[]): (part: Span) => boolean {
  let next = 0;
  return ({ start }) => {
    while ((others[next]?.end ?? Infinity) <= start) next += 1;
    return (others[next]?.start ?? Infinity) >= start;
  };
}

/** @param kept parts of the text in which tags are none, except those that are such a part themselves */
function pairedTags(source: string, kept: Span[]): TagInText[] {
  const tags: TagInText[] = [];
  /** Indices of open tags, and how many of them have a name. */
  const open: number[] = [];
  const counts = new Map<string, number>();
  const code = kept.sort((a, b) => a.end - b.end);
  let next = 0;
  for (const { 0: tag, index: start, groups = {} } of source.matchAll(TAG)) {
    const { code: shortcode, empty, end: ending } = groups;
    const name = shortcode === undefined ? (groups.name ?? '') : `[${shortcode}`;
    const slash = groups.slash ?? ending;
    const end = start + tag.length;
    while ((code[next]?.end ?? Infinity) < end) next += 1;
    const around = code[next];
    // A shortcode is a placeholder itself.
    const isWithin = around !== undefined && around.start <= start;
    if (isWithin && (around.start < start || around.end > end)) continue;
    const index = tags.push({ name, start, end, partner: -1 }) - 1;
    const count = counts.get(name) ?? 0;
    if (slash === '/') {
      for (let last = count > 0 ? open.pop() : undefined; last !== undefined; last = open.pop()) {
        const opening = tags[last];
        if (opening === undefined) break;
        counts.set(opening.name, (counts.get(opening.name) ?? 1) - 1);
        if (opening.name !== name) continue;
        // Around several lines, it is no part of a sentence.
        if (shortcode !== undefined && source.slice(opening.end, start).includes('\n')) break;
        opening.partner = index;
        tags[index] = { name, start, end, partner: last };
        break;
      }
    } else if (name === '' || empty !== undefined || ALONE.test(name)) {
      tags[index] = { name, start, end, partner: index };
    } else {
      open.push(index);
      counts.set(name, count + 1);
    }
  }
  return tags;
}
