/** Word documents: ISO/IEC 29500 WordprocessingML, transitional and strict. */
import type { DocumentFormat } from '../format.ts';
import { chartTextParts } from './charts.ts';
import { propertyParts } from './document-properties.ts';
import { type LanguagePart, openParts, type TextPart } from './office-parts.ts';
import { type OfficePackage, openPackage } from './package-parts.ts';
import { smartArtTextParts } from './smart-art.ts';
import { settingsVisitor, stylesVisitor } from './wordprocessing-languages.ts';
import { numberingVisitor } from './wordprocessing-numbering.ts';
import { WordprocessingPart } from './wordprocessing-part.ts';

/** Parts with paragraphs, in the order they are read in. */
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
      ...(await chartTextParts(office)),
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
