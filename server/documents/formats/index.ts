/** The formats, each loaded when the first file of it comes. */
import type { DocumentFormatName } from '../../../shared/document-formats.ts';
import type { DocumentFormat } from './format.ts';

const formats: Record<DocumentFormatName, () => Promise<DocumentFormat>> = {
  docx: async () => (await import('./office/docx.ts')).docx,
  doc: async () => (await import('./office/doc.ts')).doc,
  pptx: async () => (await import('./office/pptx.ts')).pptx,
  xlsx: async () => (await import('./office/xlsx.ts')).xlsx,
  pdf: async () => (await import('./pdf/pdf.ts')).pdf,
  html: async () => (await import('./text/html.ts')).html,
  txt: async () => (await import('./text/txt.ts')).txt,
  xliff: async () => (await import('./text/xliff.ts')).xliff,
  srt: async () => (await import('./text/srt.ts')).srt,
  vtt: async () => (await import('./text/vtt.ts')).vtt,
  jpeg: async () => (await import('./image/image.ts')).jpeg,
  png: async () => (await import('./image/image.ts')).png,
};

/** What reads and writes files of a format. */
export function loadFormat(name: DocumentFormatName): Promise<DocumentFormat> {
  return formats[name]();
}
