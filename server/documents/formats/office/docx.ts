/** Word documents: ISO/IEC 29500 WordprocessingML, transitional and strict. */
import { hasLetters, type Mark } from '../../../text/text-segment.ts';
import type { DocumentFormat } from '../format.ts';
import { chartTextParts } from './charts.ts';
import { smartArtTextParts } from './drawing-text.ts';
import {
  propertyParts,
  type LanguagePart,
  openParts,
  type TextPart,
  type TextExchange,
  type TargetLanguage,
} from './office-parts.ts';
import { type OfficePackage, openPackage } from './package-parts.ts';
import type { PartVisitor } from './part-reading.ts';
import { WordprocessingPart } from './wordprocessing-part.ts';
import {
  changesDirection,
  setLanguage,
  turnStyleParagraph,
  turnStyleRun,
} from './wordprocessing-properties.ts';
import { xlsx } from './xlsx.ts';
import {
  attribute,
  serialise,
  setAttribute,
  writtenPrefix,
  type XmlElement,
  childOf,
  elementLike,
  elementsOf,
} from './xml-element.ts';

/** Parts with paragraphs, in reading order. */
const STORIES = [
  'document.main',
  'template.main',
  'header',
  'footer',
  'footnotes',
  'endnotes',
  'comments',
  'document.glossary',
];

/** Reads and writes `.docx`. */
export const docx: DocumentFormat = {
  async open(file, options) {
    const office = await openPackage(file, {
      mainTypes: ['wordprocessingml.document.main', 'wordprocessingml.template.main'],
      description: 'Word document (.docx)',
    });
    const text = [
      ...STORIES.flatMap((story) => storyParts(office, story)),
      ...(await chartTextParts(office, xlsx)),
      ...smartArtTextParts(office),
      ...numberingParts(office),
      ...propertyParts(office),
    ];
    return openParts(office, { text, language: languageParts(office) }, options);
  },
};

function storyParts(office: OfficePackage, story: string): TextPart[] {
  return office.partsOfType(`wordprocessingml.${story}+xml`).map((entry) => ({
    entry,
    hasDirection: true,
    visitor: (exchange, target) => new WordprocessingPart(exchange, target),
  }));
}

function numberingParts(office: OfficePackage): TextPart[] {
  return office
    .partsOfType('wordprocessingml.numbering+xml')
    .map((entry) => ({ entry, visitor: numberingVisitor }));
}

function languageParts(office: OfficePackage): LanguagePart[] {
  const styles = office.partsOfType('wordprocessingml.styles+xml');
  const settings = office.partsOfType('wordprocessingml.settings+xml');
  return [
    ...styles.map((entry) => ({ entry, visitor: stylesVisitor })),
    ...settings.map((entry) => ({ entry, visitor: settingsVisitor })),
  ];
}

// Numbering with words: "Chapter 1", "Article II".

/** Placeholder for the number of a level. */
const NUMBER = /(%[1-9])/;

/** Exchanges the words of numbering levels; a bullet has no number placeholder and stays. */
function numberingVisitor(exchange: TextExchange): PartVisitor {
  return {
    isTree: (name) => name === 'w:lvlText',
    tree(element) {
      return exchangeLevel(element, exchange) ? serialise(element) : undefined;
    },
  };
}

function exchangeLevel(level: XmlElement, exchange: TextExchange): boolean {
  const parts = (attribute(level, 'val') ?? '').split(NUMBER).filter((part) => part !== '');
  const words = parts.filter((part) => !NUMBER.test(part)).join(' ');
  if (!parts.some((part) => NUMBER.test(part)) || !hasLetters(words)) return false;
  const numbers: string[] = [];
  const segment = parts.map((part): string | Mark => {
    if (!NUMBER.test(part)) return part;
    numbers.push(part);
    return { mark: 'lone', id: numbers.length };
  });
  const translated = exchange(segment, 'unit');
  const prefix = writtenPrefix(level);
  if (translated === undefined || prefix === '') return false;
  const text = translated.map((part) =>
    typeof part === 'string' ? part.replaceAll('%', '') : (numbers[part.id - 1] ?? ''),
  );
  setAttribute(level, `${prefix}val`, text.join(''));
  return true;
}

// Parts with the default language and direction of a Word document's text.

/** Visits styles: sets their proofing language and turns their direction. */
function stylesVisitor(target: TargetLanguage): PartVisitor {
  return {
    isTree: (name) => name === 'w:rPr' || name === 'w:pPr' || name === 'w:rPrDefault',
    tree(element) {
      if (element.name === 'w:rPrDefault') ensureDefaultLanguage(element);
      applyTargetToStyle(element, target);
      return serialise(element);
    },
  };
}

/** Adds the language to the defaults if they do not have one. */
function ensureDefaultLanguage(defaults: XmlElement): void {
  let properties = childOf(defaults, 'w:rPr');
  if (properties === undefined) {
    properties = elementLike(defaults, 'rPr');
    defaults.children.push(properties);
  }
  if (childOf(properties, 'w:lang') !== undefined) return;
  const language = elementLike(defaults, 'lang');
  const after = properties.children.findIndex(
    (child) => typeof child !== 'string' && LAST.has(child.name),
  );
  properties.children.splice(after < 0 ? properties.children.length : after, 0, language);
}

/** Elements that follow `w:lang` in the schema. */
const LAST = new Set(['w:eastAsianLayout', 'w:specVanish', 'w:oMath']);

function applyTargetToStyle(element: XmlElement, target: TargetLanguage): void {
  if (element.name === 'w:lang') setLanguage(element, target);
  if (changesDirection(target)) {
    if (element.name === 'w:rPr') turnStyleRun(element, target);
    if (element.name === 'w:pPr') turnStyleParagraph(element, target);
  }
  for (const child of elementsOf(element)) applyTargetToStyle(child, target);
}

/** Visits settings: sets the language for which theme fonts are chosen. */
function settingsVisitor(target: TargetLanguage): PartVisitor {
  return {
    isTree: (name) => name === 'w:themeFontLang',
    tree(element) {
      setLanguage(element, target);
      return serialise(element);
    },
  };
}
