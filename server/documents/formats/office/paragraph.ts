/** Exchanges the text of a paragraph, alike for WordprocessingML and DrawingML. */
import type { TextSegment } from '../../../text/text-segment.ts';
import type { TargetLanguage, TextExchange } from './office-parts.ts';
import {
  type ParagraphText,
  paragraphText,
  type Piece,
  type RunFormat,
} from './paragraph-pieces.ts';
import { childOf, elementsOf, type XmlElement, type XmlNode, attributesOf } from './xml-element.ts';

/** The differences between the two vocabularies. */
export interface ParagraphDialect {
  /** Element names: `w:p`, `w:pPr`. */
  readonly paragraph: string;
  readonly properties: string;
  /** Element that must come last in a paragraph: `a:endParaRPr`. */
  readonly ending?: string;
  /**
   * Returns a reader for the paragraphs of one story, in their order; a field may span several paragraphs.
   */
  story(): (paragraph: XmlElement) => Piece[];
  /** Writes the runs for a text. `like` is an element of the vocabulary, whose prefix the runs get. */
  writeText(text: string, format: RunFormat, context: WritingContext): string;
  /** Writes the properties of a paragraph for its new language. */
  writeProperties(properties: XmlElement | undefined, context: WritingContext): XmlNode[];
  /** Writes the last element for its new language. */
  writeEnding?(ending: XmlElement, context: WritingContext): XmlNode;
}

export interface WritingContext {
  like: XmlElement;
  target: TargetLanguage;
}

/**
 * Offers a paragraph's text and replaces it by the answer.
 *
 * @param read reader of the paragraph's story, see {@link ParagraphDialect.story}
 * @param target needed only when the exchange returns translations
 * @returns whether the paragraph was changed
 */
export function exchangeParagraph(
  paragraph: XmlElement,
  options: {
    dialect: ParagraphDialect;
    read: (paragraph: XmlElement) => Piece[];
    exchange: TextExchange;
    target: TargetLanguage | undefined;
  },
): boolean {
  const { dialect, read, exchange, target } = options;
  const text = paragraphText(read(paragraph));
  if (text === undefined) return false;
  const translated = exchange(text.segment, 'paragraph');
  if (translated === undefined || target === undefined) return false;
  writeParagraph(paragraph, { dialect, text, translated, target });
  return true;
}

function writeParagraph(
  paragraph: XmlElement,
  options: {
    dialect: ParagraphDialect;
    text: ParagraphText;
    translated: TextSegment;
    target: TargetLanguage;
  },
): void {
  const { dialect, text, translated, target } = options;
  const context: WritingContext = { like: paragraph, target };
  const properties = childOf(paragraph, dialect.properties);
  const ending = elementsOf(paragraph).find(({ name }) => name === dialect.ending);
  const inner = withPlainBlanks(translatedPieces(text, translated), text.base);
  const pieces = [...text.before, ...inner, ...text.after];
  paragraph.children = [
    ...dialect.writeProperties(properties, context),
    writePieces(pieces, { dialect, base: text.base, context }),
    ...(ending === undefined ? [] : [dialect.writeEnding?.(ending, context) ?? ending]),
  ];
}

/** Returns the pieces for a translated segment. */
function translatedPieces(text: ParagraphText, translated: TextSegment): Piece[] {
  const pieces: Piece[] = [];
  const inOrder = orderedMarkIds(text, translated).values();
  let isAfterAddedBlank = false;
  for (const part of translated) {
    if (typeof part === 'string') {
      const flat = part.replace(/[\t\n\r]+/g, ' ');
      const shown = isAfterAddedBlank ? flat.replace(/^ +/, '') : flat;
      // The surrounding enclosures determine the actual format.
      pieces.push({ kind: 'text', text: shown, format: text.base });
      if (shown !== '') isAfterAddedBlank = false;
    } else if (part.mark === 'lone') {
      const isKeeper = text.lone.get(part.id)?.keepsOrder === true;
      const group = text.lone.get(isKeeper ? (inOrder.next().value ?? part.id) : part.id);
      if (group === undefined) continue;
      if (group.hasAddedBlank) trimLast(pieces);
      isAfterAddedBlank = group.hasAddedBlank;
      for (const piece of group.pieces) pieces.push(piece);
    } else {
      const enclosure = text.enclosures.get(part.id);
      if (enclosure !== undefined) pieces.push({ kind: part.mark, enclosure });
    }
  }
  return pieces;
}

/**
 * Gives blanks beside a format that format: the base may be that of a link, which would be underlined there.
 */
function withPlainBlanks(pieces: readonly Piece[], base: RunFormat): Piece[] {
  return pieces.map((piece, index) => {
    if (piece.kind !== 'text' || piece.format !== base || !/^ +$/.test(piece.text)) return piece;
    const [before, next] = [pieces[index - 1], pieces[index + 1]];
    const ended = before?.kind === 'close' ? before.enclosure.format : undefined;
    const begun = next?.kind === 'open' ? next.enclosure.format : undefined;
    return { ...piece, format: ended ?? begun ?? base };
  });
}

/**
 * Returns the marks that must keep their order, in the order of the source. They are assigned to
 * the places of such marks in the translation.
 */
function orderedMarkIds(text: ParagraphText, translated: TextSegment): number[] {
  return translated
    .flatMap((part) => (typeof part !== 'string' && part.mark === 'lone' ? [part.id] : []))
    .filter((id) => text.lone.get(id)?.keepsOrder === true)
    .sort((a, b) => a - b);
}

/** Removes the blank that the engine added before a tab or break. */
function trimLast(pieces: Piece[]): void {
  const last = pieces.at(-1);
  if (last?.kind === 'text') last.text = last.text.replace(/(?<! ) +$/, '');
}

function writePieces(
  pieces: readonly Piece[],
  options: { dialect: ParagraphDialect; base: RunFormat; context: WritingContext },
): string {
  const { dialect, base, context } = options;
  const formats: RunFormat[] = [];
  /** XML written before each open enclosure. */
  const around: string[] = [];
  let xml = '';
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      const format = piece.format === base ? (formats.at(-1) ?? base) : piece.format;
      if (piece.text !== '') xml += dialect.writeText(piece.text, format, context);
    } else if (piece.kind === 'lone') {
      xml += piece.xml();
    } else {
      const { format } = piece.enclosure;
      if (piece.kind === 'open') {
        around.push(xml + piece.enclosure.open());
        xml = '';
      } else {
        xml = (around.pop() ?? '') + xml + piece.enclosure.close(xml);
      }
      if (format !== undefined && piece.kind === 'open') formats.push(format);
      else if (format !== undefined) formats.pop();
    }
  }
  return around.join('') + xml;
}

// Comparison of run formats: whether two runs look the same, whatever else their properties contain.

/** Run properties of a vocabulary that do not affect how a run looks. */
export interface FormatRules {
  /** Names of elements: language, proofing, revisions. */
  ignoredElements: ReadonlySet<string>;
  /** Names, as written, of attributes of the properties element itself. */
  ignoredAttributes: ReadonlySet<string>;
  showsBlanks(properties: XmlElement): boolean;
}

/** Returns the format that run properties define. */
export function runFormat(properties: XmlElement | undefined, rules: FormatRules): RunFormat {
  if (properties === undefined) return { key: '', properties, showsBlanks: false };
  const own = attributeKey(properties, rules.ignoredAttributes);
  const keys = childKeys(properties, rules);
  const key = own === '' && keys === '' ? '' : `${own}|${keys}`;
  return { key, properties, showsBlanks: rules.showsBlanks(properties) };
}

const none: ReadonlySet<string> = new Set();

function childKeys(element: XmlElement, rules: FormatRules): string {
  const keys: string[] = [];
  for (const child of element.children) {
    if (typeof child === 'string' || rules.ignoredElements.has(child.name)) continue;
    const own = attributeKey(child, none);
    // Fonts that name none say nothing.
    if (child.name === 'w:rFonts' && own === '') continue;
    keys.push(`${child.name}[${own}](${childKeys(child, rules)})`);
  }
  return keys.sort().join('');
}

function attributeKey({ tag }: XmlElement, ignored: ReadonlySet<string>): string {
  if (!tag.includes('=')) return '';
  const keys: string[] = [];
  for (const [name, value] of attributesOf(tag)) {
    // The hint only tells of the source's signs whether they count as East Asian.
    const isNoise = name.startsWith('xmlns') || /:(?:rsidR|rsidRPr|hint)$/.test(name);
    if (!isNoise && !ignored.has(name)) keys.push(`${name}=${value}`);
  }
  return keys.sort().join(' ');
}
