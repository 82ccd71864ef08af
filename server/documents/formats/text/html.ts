/**
 * HTML pages. Texts and attributes that users read are translated. Everything else, including
 * scripts and comments, stays byte for byte, except for the language and direction of the page.
 */
import { Tokenizer } from 'htmlparser2';
import {
  baseLanguage,
  canonicalLanguage,
  textDirection,
  type LanguageTag,
} from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import { htmlTokens, endOf } from '../../../text/markup/tokens.ts';
import { markupLayout } from '../../../text/markup/markup-layout.ts';
import { UNTRANSLATED, pairHtml } from '../../../text/markup/pairing.ts';
import { atOnce, type TextLayout } from '../../../text/markup/text-layout.ts';
import type { Span } from '../../../text/placeholders.ts';
import { isSameSegment, plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, DocumentError, type DocumentBlock, type DocumentFormat } from '../format.ts';
import { decodeText, type EncodedText } from './encoded-text.ts';

interface Languages {
  source: LanguageTag;
  target: LanguageTag;
}

/** A parsed page. */
interface OpenPage {
  encoded: EncodedText;
  /** Whether the page declares its encoding, or is not in UTF-8 and needs no declaration of it. */
  isDeclared: boolean;
  tags: readonly HtmlTag[];
  attributes: readonly HtmlAttribute[];
  /** Segments of the text, followed by those of the attributes. */
  segments: readonly TextSegment[];
}

export const html: DocumentFormat = {
  async open(file, { source, maxCharacters }) {
    const page = openPage(file, source);
    const characters = page.segments.reduce(
      (sum, segment) => sum + countCodePoints(plainText(segment)),
      0,
    );
    checkLength(characters, maxCharacters);
    return {
      blocks: page.segments.map((segment): DocumentBlock => ({ segment, kind: 'paragraph' })),
      characters,
      declared: declaredLanguage(page.tags),
      write: async (translated, languages) => {
        const isChanged = page.segments.some(
          (segment, i) => !isSameSegment(segment, translated[i] ?? []),
        );
        return isChanged ? writePage(page, translated, languages) : file;
      },
    };
  },
};

function openPage(file: Uint8Array, language: LanguageTag | undefined): OpenPage {
  const declared = declaredEncoding(file);
  const encoded = decodeText(file, { language, declared: declared ?? xmlEncoding(file) });
  const { text } = encoded;
  checkTags(text);
  const tags = startTags(text);
  const attributes = readAttributes(text, tags);
  const flatten = keepsBlanks(text) ? (segment: TextSegment) => segment : flat;
  const segments = [
    ...layOut(text).segments.map(flatten),
    ...attributes.map(({ value }) => [value]),
  ];
  const isDeclared = declared !== undefined || encoded.encoding !== 'utf-8';
  return { encoded, isDeclared, tags, attributes, segments };
}

/**
 * Maximum number of tags. Each costs about a kilobyte while a page is read; long books have some
 * ten thousand.
 */
const MAX_TAGS = 300_000;

/** Refuses pages with too many tags before parsing; any `<` counts as a tag. */
function checkTags(text: string): void {
  let count = 0;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) count += 1;
  if (count <= MAX_TAGS) return;
  throw new DocumentError(
    'The page has more tags than can be translated. Divide it into smaller ones, or remove tags that are not needed.',
  );
}

/** Does not split sentences yet, as the language is unknown at this point. */
function layOut(text: string): TextLayout {
  return atOnce(markupLayout(text, { handling: 'html', version: 'v2', splitting: 'none' }));
}

/**
 * Leading bytes searched for a declaration. Browsers search 1024, but mail programs and editors
 * write longer heads.
 */
const DECLARATION_BYTES = 4096;

function declaredEncoding(file: Uint8Array): string | undefined {
  const head = Buffer.from(file.subarray(0, DECLARATION_BYTES)).toString('latin1');
  return /<meta\s[^>]*charset\s*=\s*["']?\s*([\w:-]+)/i.exec(head)?.[1];
}

/** Returns the encoding that XHTML declares before its first tag. */
function xmlEncoding(file: Uint8Array): string | undefined {
  const head = Buffer.from(file.subarray(0, DECLARATION_BYTES)).toString('latin1');
  return /^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([\w:-]+)/i.exec(head)?.[1];
}

function declaredLanguage(tags: readonly HtmlTag[]): LanguageTag | undefined {
  for (const root of ['html', 'body']) {
    const { attributes = [] } = tags.find(({ name }) => name === root) ?? {};
    const declared = attributes.find(({ name }) => name === 'lang' || name === 'xml:lang');
    // Word writes it to the body.
    if (declared !== undefined) return canonicalLanguage(declared.value);
  }
  return undefined;
}

/** Whether line breaks and blanks of the page may be visible. */
function keepsBlanks(text: string): boolean {
  return /<(?:pre|listing)\b|white-space\s*:\s*(?:pre|break)/i.test(text);
}

/**
 * Collapses line breaks and blanks as browsers show them; engines need not see the line breaks of the file.
 */
function flat(segment: TextSegment): TextSegment {
  return segment.map((part) =>
    typeof part === 'string' ? part.replace(/(?<![ \t])[ \t]*[\r\n][ \t\r\n]*/g, ' ') : part,
  );
}

/**
 * Writes the page. Attributes are replaced first, so that the tags within texts already have the new ones.
 */
function writePage(
  { encoded, isDeclared, tags, attributes, segments }: OpenPage,
  translated: readonly TextSegment[],
  languages: Languages,
): Uint8Array {
  const offset = segments.length - attributes.length;
  const edits = attributes.flatMap((attribute, index) => {
    const value = plainText(translated[offset + index] ?? [attribute.value]);
    return value === attribute.value ? [] : [editOf(attribute, value)];
  });
  const source = edited(encoded.text, edits.concat(languageEdits(tags, languages)));
  const layout = layOut(source);
  const changed = layout.segments.map((own, index) => {
    const translation = translated[index] ?? own;
    return isSameSegment(segments[index] ?? own, translation) ? own : translation;
  });
  const text = atOnce(layout.render(changed));
  return encoded.encode(isDeclared ? text : withCharset(text), numericReference);
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

function editOf(
  { name, start, end }: Pick<HtmlAttribute, 'name' | 'start' | 'end'>,
  value: string,
): Edit {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return { start, end, text: `${name}="${escaped}"` };
}

/** Edits for the page's language and direction, and for elements marked as being in the source language. */
function languageEdits(tags: readonly HtmlTag[], { source, target }: Languages): Edit[] {
  const edits: Edit[] = [];
  const direction = textDirection(target);
  for (const tag of tags) {
    const isRoot = tag.name === 'html';
    const added: string[] = isRoot ? ['lang'] : [];
    const isTurned = direction === 'rtl' || textDirection(source) === 'rtl';
    if (isRoot && isTurned) added.push('dir');
    for (const attribute of tag.attributes) {
      const { name, value } = attribute;
      const isLanguage = name === 'lang' || name === 'xml:lang';
      const isOwn = isRoot || baseLanguage(value.trim()) === baseLanguage(source);
      if (isLanguage && isOwn) edits.push(editOf(attribute, target));
      if (name === 'dir' && isTurned && (isRoot || tag.name === 'body')) {
        edits.push(editOf(attribute, direction));
      }
      if (added.includes(name)) added.splice(added.indexOf(name), 1);
    }
    const declaration = metaLanguage(tag, { source, target });
    if (declaration !== undefined) edits.push(declaration);
    const text = added.map((name) => ` ${name}="${name === 'lang' ? target : direction}"`).join('');
    if (text !== '') edits.push({ start: tag.nameEnd, end: tag.nameEnd, text });
  }
  return edits;
}

const META_LANGUAGE = /^(?:content-language|og:locale|language|dc(?:terms)?\.language)$/;

/** Returns the edit of a `<meta>` that says the source language; `og:locale` is written `en_US`. */
function metaLanguage(tag: HtmlTag, { source, target }: Languages): Edit | undefined {
  if (tag.name !== 'meta') return undefined;
  const key = ['http-equiv', 'property', 'name'].map((name) => valueOf(tag, name)).find(Boolean);
  const content = tag.attributes.find(({ name }) => name === 'content');
  if (content === undefined || !META_LANGUAGE.test(key ?? '')) return undefined;
  const said = canonicalLanguage(content.value.trim().replaceAll('_', '-'));
  if (said === undefined || baseLanguage(said) !== baseLanguage(source)) return undefined;
  if (key !== 'og:locale') return editOf(content, target);
  const { language, region } = new Intl.Locale(target).maximize();
  return editOf(content, `${language}_${region}`);
}

function edited(source: string, edits: readonly Edit[]): string {
  let text = '';
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}

/** Length of the head that is searched for signs of XML, in UTF-16 units. */
const HEAD_LENGTH = 1_000;

/**
 * Adds a declaration of UTF-8 to an ASCII page that now has other letters; a fragment stays without
 * one, as the page around it has its own.
 */
function withCharset(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  const at = headStart(text);
  if (at === undefined) return text;
  const isXml = /^\s*<\?xml\s|<html\s[^>]*\bxmlns\s*=/i.test(text.slice(0, HEAD_LENGTH));
  return `${text.slice(0, at)}<meta charset="utf-8"${isXml ? ' /' : ''}>${text.slice(at)}`;
}

/** Returns the offset at which the head of a page begins; its tag may be omitted, and that of the page. */
function headStart(text: string): number | undefined {
  const tags = startTags(text);
  const tag = ['head', 'html'].map((name) => tags.find((each) => each.name === name)).find(Boolean);
  if (tag === undefined) return /^\s*<!doctype[^>]*>/i.exec(text)?.[0].length;
  return text.indexOf('>', tag.attributes.at(-1)?.end ?? tag.nameEnd) + 1;
}

function numericReference(character: string): string {
  return `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`;
}

// Attributes of HTML that users read or hear, and those that declare the language.

interface HtmlAttribute {
  /** Lower case. */
  name: string;
  /** With references decoded. */
  value: string;
  /** Position of name, equals sign and value in the source, in UTF-16 units. */
  start: number;
  end: number;
}

interface HtmlTag {
  /** Lower case. */
  name: string;
  start: number;
  /** End of its name, where attributes can be inserted. */
  nameEnd: number;
  attributes: readonly HtmlAttribute[];
}

/** Returns the start tags of a page, in order. */
function startTags(source: string): HtmlTag[] {
  const reader = new TagReader(source);
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, reader);
  tokenizer.write(source);
  tokenizer.end();
  return reader.tags;
}

const IGNORED = (): void => undefined;

class TagReader {
  readonly tags: HtmlTag[] = [];
  readonly #source: string;
  #name = { start: 0, end: 0 };
  #attributes: HtmlAttribute[] = [];
  #attribute = { start: 0, end: 0 };
  #value = '';

  constructor(source: string) {
    this.#source = source;
  }

  readonly ontext = IGNORED;
  readonly ontextentity = IGNORED;
  readonly onclosetag = IGNORED;
  readonly oncomment = IGNORED;
  readonly oncdata = IGNORED;
  readonly ondeclaration = IGNORED;
  readonly onprocessinginstruction = IGNORED;
  readonly onend = IGNORED;

  onopentagname(start: number, end: number): void {
    this.#name = { start, end };
    this.#attributes = [];
  }

  onattribname(start: number, end: number): void {
    this.#attribute = { start, end };
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(_quote: number, end: number): void {
    const { start, end: nameEnd } = this.#attribute;
    const quote = this.#source.charAt(end);
    const isQuoted = (quote === '"' || quote === "'") && end > nameEnd;
    this.#attributes.push({
      name: this.#source.slice(start, nameEnd).toLowerCase(),
      value: this.#value,
      start,
      end: isQuoted ? end + 1 : end,
    });
  }

  onopentagend(): void {
    const { start, end } = this.#name;
    const name = this.#source.slice(start, end).toLowerCase();
    this.tags.push({ name, start, nameEnd: end, attributes: this.#attributes });
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const EVERYWHERE = names(
  'title aria-label aria-description aria-placeholder aria-roledescription aria-valuetext',
);
const READ: Readonly<Record<string, ReadonlySet<string>>> = {
  img: names('alt'),
  area: names('alt'),
  input: names('alt placeholder'),
  textarea: names('placeholder'),
  th: names('abbr'),
  table: names('summary'),
  option: names('label'),
  optgroup: names('label'),
  track: names('label'),
};
const BUTTONS = names('button submit reset');
const META = names(
  'description keywords abstract title subject og:title og:description og:image:alt twitter:title twitter:description twitter:image:alt application-name apple-mobile-web-app-title',
);

/** Returns the attributes to be translated, in order, except those within untranslated elements. */
function readAttributes(source: string, tags: readonly HtmlTag[]): HtmlAttribute[] {
  const untouched = untouchedRanges(source);
  let next = 0;
  return tags.flatMap((tag) => {
    while ((untouched[next]?.end ?? Infinity) <= tag.start) next += 1;
    if ((untouched[next]?.start ?? Infinity) <= tag.start) return [];
    return tag.attributes.filter(({ name, value }) => /\p{L}/u.test(value) && isRead(tag, name));
  });
}

function isRead(tag: HtmlTag, name: string): boolean {
  if (EVERYWHERE.has(name) || READ[tag.name]?.has(name) === true) return true;
  if (tag.name === 'input' && name === 'value') return BUTTONS.has(valueOf(tag, 'type'));
  if (tag.name !== 'meta' || name !== 'content') return false;
  return META.has(valueOf(tag, 'name')) || META.has(valueOf(tag, 'property'));
}

/** Returns an attribute's value in lower case; empty when the tag does not have it. */
function valueOf({ attributes }: HtmlTag, wanted: string): string {
  return attributes.find(({ name }) => name === wanted)?.value.toLowerCase() ?? '';
}

/**
 * Returns the ranges of the page that stay as they are. For form fields and scripts, the range
 * starts after the start tag, whose attributes may be translated.
 */
function untouchedRanges(source: string): Span[] {
  const tokens = atOnce(htmlTokens(source));
  atOnce(pairHtml(tokens));
  const ranges: Span[] = [];
  for (const { kind, start, end, name, untranslated, kept, scopeEnd } of tokens) {
    if (kind === 'text' || kind === 'close') continue;
    if (start < (ranges.at(-1)?.end ?? 0)) continue;
    const rangeEnd = kind === 'open' ? Math.max(end, endOf(tokens, scopeEnd)) : end;
    if (untranslated) ranges.push({ start, end: rangeEnd });
    else if (kept === true) ranges.push({ start, end });
    else if (kind === 'open' && UNTRANSLATED.has(name)) ranges.push({ start: end, end: rangeEnd });
  }
  return ranges;
}
