/** Paragraphs of DrawingML: slides, charts, diagrams, shapes. */
import type { ParagraphDialect, WritingContext } from './paragraph.ts';
import type { Piece, RunFormat } from './paragraph-pieces.ts';
import { type FormatRules, runFormat } from './run-format.ts';
import {
  attribute,
  childOf,
  cloneElement,
  elementLike,
  elementsOf,
  serialise,
  setAttribute,
  textOf,
  type XmlElement,
  type XmlNode,
} from './xml-element.ts';
import { encodeText } from './xml-text.ts';

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
