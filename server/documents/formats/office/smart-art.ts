/**
 * SmartArt: its text is in the data of the diagram and a second time in the drawing that programs show
 * without laying the diagram out again.
 */
import { drawingText } from './drawing-text.ts';
import type { OfficePackage } from './package-parts.ts';
import type { TextPart } from './office-parts.ts';

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
