/** A PDF file for the conformance suite. */
import { renderPages } from '../../../support/documents/documents.ts';
import { reportPdf } from '../../../support/documents/pdf-files.ts';
import type { DocumentSample } from './sample.ts';

export const pdf: DocumentSample = {
  format: 'pdf',
  build: reportPdf,
  translatable: [
    ...['Level of the river', 'move their cars', 'every warning', 'Close the windows.'],
    ...['Old bridge', 'The lower road is closed', 'The stream has', 'Printed on recycled paper'],
    ...['First chapter', 'Report of the river authority'],
  ],
  untouched: ['12345', '2024', '\u2022'],
  content: async (file) =>
    (await renderPages(file)).map(({ width, height, pixels }) => {
      // Comparing single pixels would take seconds.
      return { width, height, pixels: Buffer.from(pixels).toString('base64') };
    }),
  // Text written later comes later, and rotated text first.
  readsBack: false,
  isSlow: true,
};
