/** Splits XML and HTML into segments for translation and reproduces every tag byte for byte. */
import { ServiceError } from '../../../shared/errors.ts';
import {
  cutAroundStructure,
  cutAtLineBreaks,
  edgeOf,
  type MarkupOptions,
  type Flow,
  type FlowItem,
  NO_REFERENCES,
  STEP,
  type Steps,
  type TextItem,
  type TextLayout,
} from './text-layout.ts';
import {
  writeText,
  charactersOf,
  endOf,
  type Token,
  xmlTokens,
  htmlTokens,
  lenientXmlTokens,
} from './tokens.ts';
import type { Span } from '../placeholders.ts';
import { flowLayout } from './segment-layout.ts';
import {
  BLOCKS,
  NOT_TEXT,
  areReadingsApart,
  dataWithin,
  READINGS,
  UNTRANSLATED,
  pairHtml,
  pairXml,
  withDataRead,
} from './pairing.ts';

/**
 * Lays out a text with markup. Tags, comments and untranslated elements are slices of the source, and so is
 * text that comes back unchanged. Tag names are case-sensitive in XML only. A sentence ends a segment only
 * where no inline element is open.
 *
 * @throws ServiceError invalid_request for XML that is not well-formed (version 2)
 */
export function* markupLayout(text: string, options: MarkupOptions): Steps<TextLayout> {
  const flow = options.handling === 'xml' ? xmlFlow(text, options) : htmlFlow(text, options);
  const { splitting, language } = options;
  return yield* flowLayout({
    source: text,
    ...(yield* flow),
    splitting,
    language,
    write: writeText,
  });
}

// Determines the role of HTML elements in sentences.

/**
 * Block elements, and inline elements that contain blocks, are structure; other elements are inline. Scripts,
 * form fields, `translate="no"` and `class="notranslate"` stay unchanged.
 */
function* htmlFlow(source: string, options: MarkupOptions): Steps<Flow> {
  const tokens = yield* htmlTokens(source);
  yield* pairHtml(tokens);
  const lower = (names: readonly string[]): Set<string> =>
    new Set(names.map((name) => name.toLowerCase()));
  const splitting = lower(options.splittingTags ?? []);
  const nonSplitting = lower(options.nonSplittingTags ?? []);
  const ignored = lower(options.ignoreTags ?? []);
  const splits = ({ name, start, end }: Token): boolean =>
    !nonSplitting.has(name) &&
    (splitting.has(name) || (BLOCKS.has(name) && !HIDDEN.test(source.slice(start, end))));
  const isUntranslated = ({ name, untranslated }: Token, index: number): boolean =>
    untranslated ||
    ignored.has(name) ||
    UNTRANSLATED.has(name) ||
    (name === 'ruby' && areReadingsApart(tokens, index));

  const items: FlowItem[] = [];
  const readings = new Readings(source, items);
  let characters = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    if (index % STEP === 0) yield;
    const token = tokens[index];
    if (token === undefined) break;
    if (token.kind === 'open' && isUntranslated(token, index)) {
      const { start, scopeEnd, name } = token;
      const isText = !NOT_TEXT.has(name);
      for (let at = index; isText && at < scopeEnd; at += 1) {
        characters += charactersOf(source, tokens[at] ?? token);
      }
      const place = { start, end: endOf(tokens, scopeEnd) };
      if (splits(token)) items.push({ kind: 'cut', ...place });
      else if (READINGS.has(name)) readings.add(place);
      else items.push({ kind: 'lone', word: isText, ...place });
      index = scopeEnd - 1;
    } else {
      characters += charactersOf(source, token);
      items.push(itemOf(token, index, splits(token)));
    }
  }
  const apart = yield* cutBetweenWords(source, items, (name) => WHOLE.has(name.toLowerCase()));
  if (!nonSplitting.has('br')) {
    yield* cutAtLineBreaks(source, apart, {
      language: options.language,
      isBreak: ({ start }) => LINE_BREAK.test(source.slice(start, start + 4)),
    });
  }
  yield* cutAroundStructure(apart);
  return { items: apart, characters };
}

function itemOf(token: Token, index: number, splits: boolean): FlowItem {
  const { kind, start, end, partner, references } = token;
  if (kind === 'text') return { kind, start, end, references };
  if (token.name !== '' && splits) return { kind: 'cut', start, end };
  if ((kind === 'open' || kind === 'close') && partner !== -1) {
    return { kind, element: Math.min(index, partner), start, end };
  }
  return { kind: 'lone', word: false, start, end };
}

/** A hidden field is not structure. */
const HIDDEN = /^<input\s[^>]*\btype\s*=\s*["']?hidden/i;

/**
 * Whether a blank separates two texts, judged by the source alone: no reference begins or ends with a blank.
 */
function hasBlankBetween(source: string, before: TextItem, behind: TextItem): boolean {
  return source.charCodeAt(before.end - 1) <= BLANK || source.charCodeAt(behind.start) <= BLANK;
}

const BLANK = 0x20;
/**
 * A lower-case ending, after which a capital begins another word, since capitals occur inside a word only if
 * it is all capitals.
 */
const ENDS_SMALL = /(?:^|[^\p{L}\p{M}])(?=\p{L}*\p{Ll})[\p{L}\p{M}]{2,}$/u;
/** Elements of which two are never one word: a deletion and what is inserted for it are not, either. */
const WHOLE = new Set(['a', 'label', 'del', 'ins']);
/** Elements of XML that may begin or end within a word; two of others are never one word. */
const FORMATS = new Set(
  'b bold bpt c em emph emphasis ept f font g hi i it italic mark mrk ph pt r rpr run s sc small span strike strong style sub subscript sup superscript t tt u underline x'.split(
    ' ',
  ),
);
/** What does not count in a name: a prefix and a number, `text:span` and `x1`. */
const NAME_PARTS = /^.*:|\d+$/g;
/** The end of a word in a script without blanks, where words of one sentence adjoin. */
const ENDS_UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const TAG_NAME = /^<\/?([^\s/>]{1,64})/;

/**
 * Cuts between adjacent elements with separate words, such as `<a>Home</a><a>About</a>` and
 * `<b>Red</b><i>Car</i>`, but not within one word (`<b>Uni</b><i>code</i>`). A link may also adjoin text:
 * `More<a>Next page</a>`.
 *
 * @param isWhole whether elements of a name have words of their own, such as those after a text
 */
function* cutBetweenWords(
  source: string,
  items: FlowItem[],
  isWhole: (name: string, before: string) => boolean,
): Steps<FlowItem[]> {
  const cuts: number[] = [];
  let beforeAt = -1;
  let isOpening = false;
  for (const [index, item] of items.entries()) {
    if (index % STEP === 0) yield;
    if (item.kind === 'open') isOpening = true;
    else if (item.kind !== 'close' || isOpening) {
      const before = items[beforeAt];
      const isBeside = beforeAt + 1 < index && before?.kind === 'text';
      if (isBeside && item.kind === 'text' && !hasBlankBetween(source, before, item)) {
        const tags = items.slice(beforeAt + 1, index);
        const closed = tags.filter(({ kind }) => kind === 'close');
        const opened = tags.slice(closed.length);
        if (areApart(source, { texts: [before, item], tags: [closed, opened], isWhole })) {
          cuts.push(beforeAt + 1 + closed.length);
        }
      }
      beforeAt = index;
      isOpening = false;
    }
  }
  if (cuts.length === 0) return items;
  const starts = new Set(cuts);
  return items.flatMap((item, index): FlowItem[] =>
    starts.has(index) ? [{ kind: 'cut', start: item.start, end: item.start }, item] : [item],
  );
}

/** Whether two texts are separate words, given the elements that end and begin between them. */
function areApart(
  source: string,
  {
    texts: [before, behind],
    tags: [closed, opened],
    isWhole,
  }: {
    texts: readonly [TextItem, TextItem];
    tags: readonly [readonly FlowItem[], readonly FlowItem[]];
    isWhole: (name: string, before: string) => boolean;
  },
): boolean {
  const [end, start] = [edgeOf(source, before, false), edgeOf(source, behind, true)];
  if (!/[\p{L}\p{M}\p{N}]$/u.test(end) || !/^[\p{L}\p{N}]/u.test(start)) return false;
  const hasWords = ({ start: at }: FlowItem): boolean =>
    isWhole(TAG_NAME.exec(source.slice(at, at + 66))?.[1] ?? '', end);
  if (closed.some(hasWords) && opened.some(hasWords)) return true;
  const isNew = ENDS_SMALL.test(end) && /^\p{Lu}/u.test(start);
  const isBoth = closed.length > 0 && opened.length > 0;
  return isNew && (isBoth || closed.some(hasWords) || opened.some(hasWords));
}

const LINE_BREAK = /^<br[\s/>]/i;

// HTML `ruby`: words, each with its reading above.

/**
 * Adds readings to the items of a page. A base and its reading become an element without a start tag, whose
 * end tag is the reading: the reading follows its base wherever the word moves in the translation.
 */
class Readings {
  readonly #items: FlowItem[];
  readonly #source: string;
  #last = -1;
  #count = 0;

  constructor(source: string, items: FlowItem[]) {
    this.#source = source;
    this.#items = items;
  }

  /** @param place of a reading in the source, including the brackets around it */
  add(place: Span): void {
    const items = this.#items;
    const before = items[this.#last];
    if (this.#last === items.length - 1 && before?.end === place.start) {
      items[this.#last] = { ...before, end: place.end };
      return;
    }
    const from = this.#beginOfBase();
    this.#count += 1;
    const element = -this.#count;
    const base = from === undefined ? undefined : items[from];
    if (from !== undefined && base !== undefined) {
      items.splice(from, 0, { kind: 'open', element, start: base.start, end: base.start });
      items.push({ kind: 'close', element, ...place });
    } else items.push({ kind: 'lone', word: false, ...place });
    this.#last = items.length - 1;
  }

  /** Returns the first item of the base before a reading in a `ruby`; undefined when there is none. */
  #beginOfBase(): number | undefined {
    const items = this.#items;
    let depth = 0;
    let from = items.length;
    for (; from - 1 > this.#last; from -= 1) {
      const kind = items[from - 1]?.kind;
      if (kind === 'cut') return undefined;
      if (kind === 'open' && depth === 0) break;
      if (kind === 'close') depth += 1;
      else if (kind === 'open') depth -= 1;
    }
    if (depth > 0 || from === 0) return undefined;
    const base = items[from];
    if (base?.kind === 'text') {
      const text = this.#source.slice(base.start, base.end);
      const start = base.start + text.length - text.trimStart().length;
      if (start === base.end) return from + 1 < items.length ? from + 1 : undefined;
      if (start > base.start) {
        const blank = { ...base, end: start, references: NO_REFERENCES };
        items.splice(from, 1, blank, { ...base, start });
        return from + 1;
      }
    }
    return from < items.length ? from : undefined;
  }
}

// Determines the role of XML elements in sentences.

/**
 * An element is structure when it is a splitting tag or contains one. With outline detection it is also
 * structure when it has text inside and no text beside it. All other elements are inline, as is everything
 * inside an inline element.
 *
 * @throws ServiceError invalid_request for version 2 when the text is not well-formed
 */
function* xmlFlow(source: string, options: MarkupOptions): Steps<Flow> {
  const read = yield* options.version === 'v1' ? readLeniently(source) : xmlTokens(source);
  const tokens = yield* withDataRead(source, read);
  const ignored = new Set(options.ignoreTags);
  const nonSplitting = new Set(options.nonSplittingTags);
  const splitting = new Set(options.splittingTags);
  const isIgnored = (token: Token): boolean => ignored.has(token.name) && token.scopeEnd > 0;
  const splits = ({ name }: Token): boolean => splitting.has(name) && !nonSplitting.has(name);
  const outline = yield* outlineOf({ source, tokens, isIgnored, splits });

  const isInline = (index: number, token: Token): boolean => {
    if ((outline.holdsSplit[index] ?? 0) > 0) return false;
    if (nonSplitting.has(token.name)) return true;
    if (splits(token)) return false;
    if (options.outlineDetection === false) return true;
    const parent = outline.parent[index] ?? tokens.length;
    return outline.ownText[parent] === 1 || outline.text[index] === 0;
  };
  const items = yield* itemsOf({ source, tokens, isIgnored, isInline, splits });
  const apart = yield* cutBetweenWords(
    source,
    items,
    (name, before) =>
      !nonSplitting.has(name) &&
      (WHOLE.has(name.toLowerCase()) ||
        !(ENDS_UNSPACED.test(before) || FORMATS.has(name.toLowerCase().replace(NAME_PARTS, '')))),
  );
  yield* cutAroundStructure(apart);
  return { items: apart, characters: outline.characters };
}

/** Version 1 also accepts text that is not well-formed: stray tags stay in place. */
function* readLeniently(source: string): Steps<Token[]> {
  try {
    return yield* xmlTokens(source);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const tokens = yield* lenientXmlTokens(source);
    yield* pairXml(tokens);
    return tokens;
  }
}

/** Properties of elements by token index; the whole text has the index after the last token. */
interface Outline {
  /** The surrounding element. */
  parent: Int32Array;
  /** 1 when an element has text beside its child elements. */
  ownText: Uint8Array;
  /** 1 when an element contains text at any depth. */
  text: Uint8Array;
  /** 1 when an element contains a splitting tag at any depth. */
  holdsSplit: Uint8Array;
  characters: number;
}

const TEXT = /\S/;

function* outlineOf({
  source,
  tokens,
  isIgnored,
  splits,
}: {
  source: string;
  tokens: readonly Token[];
  isIgnored: (token: Token) => boolean;
  splits: (token: Token) => boolean;
}): Steps<Outline> {
  const size = tokens.length + 1;
  const parent = new Int32Array(size);
  const ownText = new Uint8Array(size);
  const text = new Uint8Array(size);
  const holdsSplit = new Uint8Array(size);
  let characters = 0;
  let around = tokens.length;
  let ignoredEnd = 0;
  for (const [index, token] of tokens.entries()) {
    if (index % STEP === 0) yield;
    characters += charactersOf(source, token);
    if (index < ignoredEnd) continue;
    parent[index] = around;
    if (token.kind === 'text' && TEXT.test(source.slice(token.start, token.end))) {
      ownText[around] = 1;
      text[around] = 1;
    } else if (token.kind === 'open' && isIgnored(token)) {
      ignoredEnd = token.scopeEnd;
    } else if (token.kind === 'open' && token.partner !== -1) {
      around = index;
    } else if (token.kind === 'close' && token.partner !== -1) {
      const outer = parent[around] ?? tokens.length;
      const opening = tokens[around];
      if (text[around] === 1) text[outer] = 1;
      if (holdsSplit[around] === 1 || (opening !== undefined && splits(opening))) {
        holdsSplit[outer] = 1;
      }
      around = outer;
    } else if (token.name !== '' && splits(token)) {
      holdsSplit[around] = 1;
    }
  }
  return { parent, ownText, text, holdsSplit, characters };
}

function* itemsOf({
  source,
  tokens,
  isIgnored,
  isInline,
  splits,
}: {
  source: string;
  tokens: readonly Token[];
  isIgnored: (token: Token) => boolean;
  isInline: (index: number, token: Token) => boolean;
  splits: (token: Token) => boolean;
}): Steps<FlowItem[]> {
  const items: FlowItem[] = [];
  const structure = new Set<number>();
  /** Index up to which tokens are inside an inline element. */
  let inlineEnd = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    if (index % STEP === 0) yield;
    const token = tokens[index];
    if (token === undefined) break;
    const { kind, start, end, partner, scopeEnd, references } = token;
    const isPaired = (kind === 'open' || kind === 'close') && partner !== -1;
    if (kind === 'text') {
      items.push({ kind, start, end, references });
    } else if (kind === 'open' && isIgnored(token)) {
      items.push({ kind: 'lone', word: true, start, end: endOf(tokens, scopeEnd) });
      index = scopeEnd - 1;
    } else if (!isPaired) {
      if (token.name !== '' && splits(token)) items.push({ kind: 'cut', start, end });
      else items.push({ kind: 'lone', word: false, start, end });
    } else if (kind === 'open') {
      const inline = index < inlineEnd || isInline(index, token);
      if (inline && token.name === '') {
        items.push(dataWithin(source, tokens, index));
        index = scopeEnd - 1;
        continue;
      }
      if (inline) inlineEnd = Math.max(inlineEnd, scopeEnd);
      else structure.add(index);
      items.push(inline ? { kind, element: index, start, end } : { kind: 'cut', start, end });
    } else {
      const inline = !structure.has(partner);
      items.push(inline ? { kind, element: partner, start, end } : { kind: 'cut', start, end });
    }
  }
  return items;
}
