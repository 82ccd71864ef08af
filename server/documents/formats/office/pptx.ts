/** PowerPoint presentations: slides with all their related parts, in the order of the show. */
import type { DocumentFormat } from '../format.ts';
import type { ArchiveEntry } from './archive.ts';
import { chartTextPart, isChart } from './charts.ts';
import { drawingText, isSmartArt, smartArtTextParts } from './drawing-text.ts';
import {
  propertyParts,
  openParts,
  type TextPart,
  exchangeText,
  type TextExchange,
} from './office-parts.ts';
import { type OfficePackage, openPackage, partsInOrder } from './package-parts.ts';
import type { PartVisitor } from './part-reading.ts';
import { xlsx } from './xlsx.ts';
import { serialise, textOf, attributeOf, encodeText, withAttribute } from './xml-element.ts';

const PROGRAM = {
  mainTypes: [
    'presentationml.presentation.main',
    'presentationml.slideshow.main',
    'presentationml.template.main',
  ],
  description: 'PowerPoint presentation (.pptx)',
};
const MAIN_TYPE = /presentationml\.(presentation|slideshow|template)\.main\+xml$/;
const SLIDE_TYPE = /presentationml\.(slide|notesslide)\+xml$/;
const MASTER_TYPE = /presentationml\.(slidelayout|slidemaster|notesmaster|handoutmaster)\+xml$/;
const SLIDES = {
  item: 'p:sldId',
  apart: /^(slide|slideLayout|slideMaster|notesMaster|handoutMaster|theme)$/,
};
const COMMENTS_TYPE = /(presentationml|ms-powerpoint)\.comments\+xml$/;

/** Reads and writes `.pptx`. */
export const pptx: DocumentFormat = {
  async open(file, options) {
    const pkg = await openPackage(file, PROGRAM);
    const text: TextPart[] = [];
    const [main] = pkg.partsOfType(MAIN_TYPE);
    if (main === undefined) throw new RangeError('A package is opened with a main part.');
    for (const entry of await partsInOrder(pkg, main, SLIDES)) {
      const part = await textPart(pkg, entry);
      if (part !== undefined) text.push(part);
    }
    return openParts(pkg, { text: [...text, ...propertyParts(pkg)], language: [] }, options);
  },
};

/** Returns a part as a text part; undefined when it has no text. */
async function textPart(pkg: OfficePackage, entry: ArchiveEntry): Promise<TextPart | undefined> {
  const type = pkg.contentType(entry);
  if (isChart(type)) return chartTextPart(pkg, entry, { xlsx });
  if (isSmartArt(type)) return smartArtTextParts(pkg, [entry])[0];
  if (SLIDE_TYPE.test(type)) {
    return { entry, visitor: (exchange, target) => drawingText({ exchange, target }) };
  }
  if (MASTER_TYPE.test(type)) {
    return {
      entry,
      hasDirection: true,
      visitor: (exchange, target) => drawingText({ exchange, target, leavesPrompts: true }),
    };
  }
  if (COMMENTS_TYPE.test(type)) {
    return {
      entry,
      visitor: (exchange, target) => commentsVisitor(exchange, drawingText({ exchange, target })),
    };
  }
  if (MAIN_TYPE.test(type)) return { entry, hasDirection: true, visitor: presentationVisitor };
  return undefined;
}

/** Visits comments: plain text in older files, paragraphs in newer ones. */
function commentsVisitor(exchange: TextExchange, drawing: PartVisitor): PartVisitor {
  return {
    ...drawing,
    isTree: (name) => name === 'p:text' || drawing.isTree(name),
    tree: (element) => {
      if (element.name !== 'p:text') return drawing.tree(element);
      const translated = exchangeText(exchange, textOf(element));
      if (translated === undefined) return undefined;
      return serialise({ ...element, children: [encodeText(translated)] });
    },
  };
}

/** Visits the main part, which contains the names of sections and the defaults of all paragraphs. */
function presentationVisitor(
  exchange: TextExchange,
  target: Parameters<TextPart['visitor']>[1],
): PartVisitor {
  const drawing = drawingText({ exchange, target });
  return {
    ...drawing,
    open: (name, tag, isEmpty) => {
      if (name !== 'p14:section') return drawing.open?.(name, tag, isEmpty);
      const translated = exchangeText(exchange, attributeOf(tag, 'name') ?? '', 'unit');
      return translated === undefined ? undefined : withAttribute(tag, 'name', translated);
    },
  };
}
