/** Paragraphs of WordprocessingML. */
import type { ParagraphDialect, WritingContext } from './paragraph.ts';
import type { RunFormat } from './paragraph-pieces.ts';
import { paragraphProperties, runProperties } from './wordprocessing-properties.ts';
import { WordprocessingStory } from './wordprocessing-story.ts';
import {
  elementLike,
  serialise,
  setAttribute,
  type XmlElement,
  type XmlNode,
} from './xml-element.ts';
import { encodeText } from './xml-text.ts';

/** WordprocessingML's way with paragraphs; tracked changes must have been accepted. */
export const wordprocessingDialect: ParagraphDialect = {
  paragraph: 'w:p',
  properties: 'w:pPr',
  story: () => new WordprocessingStory().read,
  writeText,
  writeProperties,
};

function writeText(text: string, format: RunFormat, { like, target }: WritingContext): string {
  const properties = runProperties(format.properties, like, target);
  const content = contentOf(text, like);
  return serialise(
    elementLike(like, 'r', properties === undefined ? content : [properties, ...content]),
  );
}

/** Texts and hyphens that do not break; the latter are elements, as fonts often lack the character. */
function contentOf(text: string, like: XmlElement): XmlElement[] {
  return text
    .split(/(\u2011)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part === '\u2011') return elementLike(like, 'noBreakHyphen');
      const element = elementLike(like, 't', [encodeText(part)]);
      if (/^\s|\s$|\s\s/.test(part)) setAttribute(element, 'xml:space', 'preserve');
      return element;
    });
}

function writeProperties(
  properties: XmlElement | undefined,
  { like, target }: WritingContext,
): XmlNode[] {
  const changed = paragraphProperties(properties, like, target);
  return changed === undefined ? [] : [changed];
}
