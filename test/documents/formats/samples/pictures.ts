import { drawing, rectangle, text } from '../../../support/documents/pictures.ts';
import type { DocumentSample } from './sample.ts';

const picture = (): Promise<Buffer> =>
  drawing({ width: 420, height: 130 }, [
    text('Open on Sundays', { x: 30, y: 50, size: 32 }),
    text('12.50', { x: 30, y: 110, size: 32 }),
    rectangle({ left: 200, top: 80, width: 180, height: 30 }, '#2563eb'),
  ]);

/** A PNG picture with text and a number. */
export const png: DocumentSample = {
  format: 'png',
  build: picture,
  translatable: ['Open on Sundays'],
  untouched: ['12.50'],
  hasMarks: false,
  isSlow: true,
  isRecognised: true,
};
