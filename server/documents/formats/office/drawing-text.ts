/**
 * Text in DrawingML, wherever it occurs: slides, notes, diagrams, drawings of worksheets. Covers
 * paragraphs, alternative texts of pictures and shapes, and tooltips of links.
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
  /** Undefined while the text is only read. */
  target: TargetLanguage | undefined;
  /**
   * Whether the prompts of placeholders (`Click to add title`) stay as they are. Slides do not show
   * them, and PowerPoint shows its own in the language of its menus.
   */
  leavesPrompts?: boolean;
}

/** Elements that may be placeholders. */
const SHAPE = /^p:(sp|pic|graphicFrame|cxnSp)$/;

/** Creates a visitor for a part with DrawingML. */
export function drawingText(options: DrawingTextOptions): PartVisitor {
  const { target, leavesPrompts = false } = options;
  const changesDirection = target !== undefined && target.isRightToLeft !== target.wasRightToLeft;
  let fallbacks = 0;
  let isPrompt = false;
  const known = new Map<string, TextSegment | undefined>();
  // A fallback for older programs repeats text, which gets the same translation as before.
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

/** Footers and headers contain their author's text; custom prompts are an author's text as well. */
function isStandardPrompt(tag: string): boolean {
  const type = attributeOf(tag, 'type');
  const isCustom = /^(1|true)$/.test(attributeOf(tag, 'hasCustomPrompt') ?? '');
  return !isCustom && type !== 'ftr' && type !== 'hdr';
}

/** Returns a paragraph with its text exchanged, as XML; undefined when nothing changed. */
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

/**
 * Exchanges the tooltips of links in a paragraph, and what a shape of a worksheet shows of a cell.
 *
 * @returns whether any changed
 */
function exchangeTips(element: XmlElement, exchange: TextExchange): boolean {
  let isChanged = false;
  for (const child of elementsOf(element)) {
    if (child.name === 'a:hlinkClick' || child.name === 'a:hlinkMouseOver') {
      const tip = exchangeText(exchange, attribute(child, 'tooltip') ?? '');
      if (tip !== undefined) setAttribute(child, 'tooltip', tip);
      isChanged ||= tip !== undefined;
    } else if (child.name === 'a:fld' && attribute(child, 'type') === 'TxLink') {
      const shown = childOf(child, 'a:t');
      const text = shown && exchangeText(exchange, textOf(shown), 'unit');
      if (shown !== undefined && text !== undefined) shown.children = [encodeText(text)];
      isChanged ||= text !== undefined;
    } else if (exchangeTips(child, exchange)) isChanged = true;
  }
  return isChanged;
}

/** Returns a start tag with its alternative text or tooltip exchanged; undefined when nothing changed. */
function describedTag(name: string, tag: string, exchange: TextExchange): string | undefined {
  if (name === 'a:hlinkClick' || name === 'a:hlinkHover') {
    return exchangeAttribute(tag, 'tooltip', exchange);
  }
  if (!name.endsWith(':cNvPr')) return undefined;
  const titled = exchangeAttribute(tag, 'title', exchange);
  return exchangeAttribute(titled ?? tag, 'descr', exchange) ?? titled;
}

/** Returns a start tag with the text of an attribute exchanged; undefined when nothing changed. */
function exchangeAttribute(tag: string, name: string, exchange: TextExchange): string | undefined {
  const text = attributeOf(tag, name);
  // A file name as the description means that no author described the picture.
  if (text === undefined || /^\S+\.(png|jpe?g|gif|emf|wmf|svg|tiff?|bmp)$/i.test(text)) {
    return undefined;
  }
  const translated = exchangeText(exchange, text);
  if (translated === undefined) return undefined;
  return withAttribute(tag, name, translated);
}

/** Defaults of paragraphs: `a:lvl1pPr` to `a:lvl9pPr`. */
function isListStyle(name: string): boolean {
  return /^a:lvl\dpPr$/.test(name);
}

/** Turns paragraph defaults to the other direction: left and right swap, centred stays. */
function turned(tag: string, isRightToLeft: boolean): string {
  const alignment = attributeOf(tag, 'algn');
  const sides: Record<string, string> = { l: 'r', r: 'l' };
  const side = alignment === undefined ? undefined : sides[alignment];
  const aligned = side === undefined ? tag : withAttribute(tag, 'algn', side);
  return withAttribute(aligned, 'rtl', isRightToLeft ? '1' : '0');
}

// SmartArt: its text is in the diagram's data, and once more in a drawing for programs that do not
// lay out the diagram themselves.

const SMART_ART_TYPE = /drawingml\.diagram(data|drawing)\+xml$/;

/** Whether a part holds text of SmartArt, by its content type. */
export function isSmartArt(contentType: string): boolean {
  return SMART_ART_TYPE.test(contentType);
}

/** Returns the SmartArt of a document as text parts. */
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
    childOf(properties, 'a:highlight') !== undefined ||
    childOf(properties, 'a:hlinkClick') !== undefined,
};

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== 'none' && value !== 'noStrike';
}

/** DrawingML's dialect of paragraphs: formats, including links, are properties of runs. */
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
      for (const piece of runPieces(child)) pieces.push(piece);
    } else {
      // Breaks, fields (slide numbers, dates) and formulas stay as they are.
      const divides = child.name === 'a:br' ? 'line' : undefined;
      pieces.push({ kind: 'lone', xml: () => serialise(child), divides });
    }
  }
  return pieces;
}

/**
 * Reads a run. Programs show line ends in its text as blanks; a tab has no element of its own and
 * leads to the next tab stop.
 */
function runPieces(run: XmlElement): Piece[] {
  const element = childOf(run, 'a:t');
  if (element === undefined) return [];
  const properties = childOf(run, 'a:rPr');
  const format = runFormat(properties, rules);
  const text = textOf(element).replace(/[\n\r]/g, ' ');
  return text.split(/(\t+)/).map((part): Piece => {
    if (!part.startsWith('\t')) return { kind: 'text', text: part, format };
    const tabs = elementLike(run, 't', [part]);
    const children = properties === undefined ? [tabs] : [properties, tabs];
    return { kind: 'lone', xml: () => serialise({ ...run, children }), divides: 'gap' };
  });
}

function writeText(text: string, format: RunFormat, { like, target }: WritingContext): string {
  const properties = inLanguage(format.properties ?? elementLike(like, 'rPr'), target.tag);
  const content = elementLike(like, 't', [encodeText(text)]);
  return serialise(elementLike(like, 'r', [properties, content]));
}

function inLanguage(properties: XmlElement, tag: string): XmlElement {
  const changed = cloneElement(properties);
  setAttribute(changed, 'lang', tag);
  // Proofing results of the old text no longer apply.
  setAttribute(changed, 'err', undefined);
  setAttribute(changed, 'dirty', undefined);
  return changed;
}

function writeProperties(properties: XmlElement | undefined, context: WritingContext): XmlNode[] {
  const { isRightToLeft, wasRightToLeft } = context.target;
  if (isRightToLeft === wasRightToLeft) return properties === undefined ? [] : [properties];
  const changed = cloneElement(properties ?? elementLike(context.like, 'pPr'));
  setAttribute(changed, 'rtl', isRightToLeft ? '1' : '0');
  // Left and right are absolute in DrawingML, so an explicit alignment swaps sides; otherwise the
  // layout determines it.
  const alignment = attribute(changed, 'algn');
  if (alignment === 'l') setAttribute(changed, 'algn', 'r');
  else if (alignment === 'r') setAttribute(changed, 'algn', 'l');
  return [changed];
}
