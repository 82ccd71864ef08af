/**
 * Text in DrawingML wherever it is: slides, notes, diagrams, drawings of worksheets. Paragraphs,
 * alternative texts of pictures and shapes, tips of links.
 */
import type { TextSegment } from '../../../text/text-segment.ts';
import {
  type TextPart,
  exchangeText,
  type TextExchange,
  type TargetLanguage,
} from './office-parts.ts';
import type { OfficePackage } from './package-parts.ts';
import type { Piece, RunFormat } from './paragraph-pieces.ts';
import {
  exchangeParagraph,
  type ParagraphDialect,
  type WritingContext,
  type FormatRules,
  runFormat,
} from './paragraph.ts';
import type { PartVisitor } from './part-reading.ts';
import {
  attribute,
  elementsOf,
  serialise,
  setAttribute,
  type XmlElement,
  attributeOf,
  withAttribute,
  childOf,
  cloneElement,
  elementLike,
  textOf,
  type XmlNode,
  encodeText,
} from './xml-element.ts';

interface DrawingTextOptions {
  exchange: TextExchange;
  /** What it will be in; undefined while reading. */
  target: TargetLanguage | undefined;
  /**
   * Whether the prompts of placeholders (`Click to add title`) stay as they are. Slides do not show
   * them, and PowerPoint has its own in the language of its menus.
   */
  leavesPrompts?: boolean;
}

/** What may be a placeholder. */
const SHAPE = /^p:(sp|pic|graphicFrame|cxnSp)$/;

/** A visitor for a part with DrawingML. */
export function drawingText(options: DrawingTextOptions): PartVisitor {
  const { target, leavesPrompts = false } = options;
  const changesDirection = target !== undefined && target.isRightToLeft !== target.wasRightToLeft;
  let fallbacks = 0;
  let isPrompt = false;
  const known = new Map<string, TextSegment | undefined>();
  // What a fallback for older programs says again has the translation it had the first time.
  const exchange: TextExchange = (segment, kind) => {
    const key = JSON.stringify(segment);
    if (fallbacks > 0 && known.has(key)) return known.get(key);
    const translated = options.exchange(segment, kind);
    known.set(key, translated);
    return translated;
  };

  return {
    isTree: (name) => name === 'a:p',
    tree: (paragraph) => (isPrompt ? undefined : drawnParagraph(paragraph, exchange, target)),
    open: (name, tag, isEmpty) => {
      if (name === 'mc:Fallback' && !isEmpty) fallbacks += 1;
      if (SHAPE.test(name)) isPrompt = false;
      if (name === 'p:ph') isPrompt = leavesPrompts && isStandardPrompt(tag);
      if (changesDirection && name === 'a:tblPr') {
        return withAttribute(tag, 'rtl', target.isRightToLeft ? '1' : undefined);
      }
      if (changesDirection && isListStyle(name)) return turned(tag, target.isRightToLeft);
      return describedTag(name, tag, exchange);
    },
    close: (name) => {
      if (name === 'mc:Fallback') fallbacks -= 1;
      if (name === 'p:sp') isPrompt = false;
      return undefined;
    },
  };
}

/** Footers and headers hold what their author wrote; prompts may be an author's as well. */
function isStandardPrompt(tag: string): boolean {
  const type = attributeOf(tag, 'type');
  const isCustom = /^(1|true)$/.test(attributeOf(tag, 'hasCustomPrompt') ?? '');
  return !isCustom && type !== 'ftr' && type !== 'hdr';
}

/** A paragraph with its text exchanged, as XML; undefined when nothing changed. */
function drawnParagraph(
  paragraph: XmlElement,
  exchange: TextExchange,
  target: TargetLanguage | undefined,
): string | undefined {
  const hasNewTips = exchangeTips(paragraph, exchange);
  const hasNewText = exchangeParagraph(paragraph, {
    dialect: drawingDialect,
    read: drawingDialect.story(),
    exchange,
    target,
  });
  return hasNewTips || hasNewText ? serialise(paragraph) : undefined;
}

/** Tips of the links in a paragraph. */
function exchangeTips(element: XmlElement, exchange: TextExchange): boolean {
  let isChanged = false;
  for (const child of elementsOf(element)) {
    if (child.name === 'a:hlinkClick' || child.name === 'a:hlinkMouseOver') {
      const tip = exchangeText(exchange, attribute(child, 'tooltip') ?? '');
      if (tip !== undefined) setAttribute(child, 'tooltip', tip);
      isChanged ||= tip !== undefined;
    } else if (exchangeTips(child, exchange)) isChanged = true;
  }
  return isChanged;
}

/** A start tag with its alternative text or tip exchanged; undefined when nothing changed. */
function describedTag(name: string, tag: string, exchange: TextExchange): string | undefined {
  if (name === 'a:hlinkClick' || name === 'a:hlinkHover') {
    return exchangeAttribute(tag, 'tooltip', exchange);
  }
  if (!name.endsWith(':cNvPr')) return undefined;
  const titled = exchangeAttribute(tag, 'title', exchange);
  return exchangeAttribute(titled ?? tag, 'descr', exchange) ?? titled;
}

/**
 * A start tag with the text of an attribute exchanged; undefined when nothing changed.
 *
 * @param maxLength most UTF-16 units that the program allows
 */
function exchangeAttribute(
  tag: string,
  name: string,
  exchange: TextExchange,
  maxLength = Infinity,
): string | undefined {
  const text = attributeOf(tag, name);
  // Pictures are described by the names of their files when nobody described them.
  if (text === undefined || /^\S+\.(png|jpe?g|gif|emf|wmf|svg|tiff?|bmp)$/i.test(text)) {
    return undefined;
  }
  const translated = exchangeText(exchange, text);
  if (translated === undefined) return undefined;
  return withAttribute(tag, name, translated.slice(0, maxLength));
}

/** Defaults of paragraphs: `a:lvl1pPr` to `a:lvl9pPr`. */
function isListStyle(name: string): boolean {
  return /^a:lvl\dpPr$/.test(name);
}

/** Defaults for the other direction: what was at the left is at the right, what is centred stays. */
function turned(tag: string, isRightToLeft: boolean): string {
  const alignment = attributeOf(tag, 'algn');
  const sides: Record<string, string> = { l: 'r', r: 'l' };
  const side = alignment === undefined ? undefined : sides[alignment];
  const aligned = side === undefined ? tag : withAttribute(tag, 'algn', side);
  return withAttribute(aligned, 'rtl', isRightToLeft ? '1' : '0');
}

// SmartArt: its text is in the data of the diagram and a second time in the drawing that programs show
// without laying the diagram out again.

const SMART_ART_TYPE = /drawingml\.diagram(data|drawing)\+xml$/;

/** Whether a part holds text of SmartArt, by its content type. */
export function isSmartArt(contentType: string): boolean {
  return SMART_ART_TYPE.test(contentType);
}

/** The SmartArt of a document as parts with text. */
export function smartArtTextParts(
  pkg: OfficePackage,
  entries = pkg.partsOfType(SMART_ART_TYPE),
): TextPart[] {
  return entries.map((entry) => ({
    entry,
    visitor: (exchange, target) => drawingText({ exchange, target }),
    group: 'smart-art',
  }));
}

// Paragraphs of DrawingML: slides, charts, diagrams, shapes.

const rules: FormatRules = {
  ignoredElements: new Set(['a:extLst']),
  ignoredAttributes: new Set(['lang', 'altLang', 'dirty', 'err', 'smtClean', 'noProof', 'bmk']),
  showsBlanks: (properties) =>
    isOn(attribute(properties, 'u')) ||
    isOn(attribute(properties, 'strike')) ||
    childOf(properties, 'a:highlight') !== undefined,
};

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== 'none' && value !== 'noStrike';
}

/** DrawingML's way with paragraphs: formats, links included, are properties of runs. */
export const drawingDialect: ParagraphDialect = {
  paragraph: 'a:p',
  properties: 'a:pPr',
  ending: 'a:endParaRPr',
  story: () => readParagraph,
  writeText,
  writeProperties,
  writeEnding: (ending, { target }) => inLanguage(ending, target.tag),
};

function readParagraph(paragraph: XmlElement): Piece[] {
  const pieces: Piece[] = [];
  for (const child of elementsOf(paragraph)) {
    if (child.name === 'a:pPr' || child.name === 'a:endParaRPr') continue;
    if (child.name === 'a:r') {
      const text = childOf(child, 'a:t');
      const format = runFormat(childOf(child, 'a:rPr'), rules);
      if (text !== undefined) pieces.push({ kind: 'text', text: flat(textOf(text)), format });
    } else {
      // Breaks, fields (slide numbers, dates) and formulas stand as they are.
      pieces.push({ kind: 'lone', xml: () => serialise(child), isBlank: child.name === 'a:br' });
    }
  }
  return pieces;
}

/** Line ends within `a:t` are shown as blanks. */
function flat(text: string): string {
  return text.replace(/[\t\n\r]/g, ' ');
}

function writeText(text: string, format: RunFormat, { like, target }: WritingContext): string {
  const properties = inLanguage(format.properties ?? elementLike(like, 'rPr'), target.tag);
  const content = elementLike(like, 't', [encodeText(text)]);
  return serialise(elementLike(like, 'r', [properties, content]));
}

function inLanguage(properties: XmlElement, tag: string): XmlElement {
  const changed = cloneElement(properties);
  setAttribute(changed, 'lang', tag);
  // They say that a spelling check found this text faulty.
  setAttribute(changed, 'err', undefined);
  setAttribute(changed, 'dirty', undefined);
  return changed;
}

function writeProperties(properties: XmlElement | undefined, context: WritingContext): XmlNode[] {
  const { isRightToLeft, wasRightToLeft } = context.target;
  if (isRightToLeft === wasRightToLeft) return properties === undefined ? [] : [properties];
  const changed = cloneElement(properties ?? elementLike(context.like, 'pPr'));
  setAttribute(changed, 'rtl', isRightToLeft ? '1' : '0');
  // Left and right are meant as they are said here, so they change sides; unsaid, the layout says it.
  const alignment = attribute(changed, 'algn');
  if (alignment === 'l') setAttribute(changed, 'algn', 'r');
  else if (alignment === 'r') setAttribute(changed, 'algn', 'l');
  return [changed];
}
