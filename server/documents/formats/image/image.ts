/** Pictures: their text is read, taken away, and drawn anew in the other language. */
import type { LanguageTag } from '../../../../shared/language.ts';
import { plainText, type TextSegment } from '../../../text/text-segment.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import {
  DocumentError,
  type DocumentFormat,
  type OpenedDocument,
  type OpenOptions,
} from '../format.ts';
import { decodePicture, encodePicture } from './picture.ts';
import { readPictureFile, type PictureFile } from './picture-file.ts';
import { readText } from './read-text.ts';
import { replaceTexts } from './redraw.ts';
import { findRegions, type TextRegion } from './regions.ts';

/** JPEG: comes back in its size, quality and orientation. */
export const jpeg: DocumentFormat = { open: (file, options) => open('jpeg', file, options) };

/** PNG: comes back in its size, with its transparency. */
export const png: DocumentFormat = { open: (file, options) => open('png', file, options) };

async function open(
  format: 'jpeg' | 'png',
  file: Uint8Array,
  { source, maxCharacters }: OpenOptions,
): Promise<OpenedDocument> {
  const header = readPictureFile(format, file);
  const picture = await decodePicture(file, header);
  const regions = findRegions(picture, await readText(picture, { language: source }));
  const characters = regions.reduce((sum, { text }) => sum + countCodePoints(text), 0);
  if (characters > maxCharacters) {
    throw new DocumentError(
      `The picture has ${characters} characters; at most ${maxCharacters} are translated.`,
    );
  }
  return {
    blocks: regions.map(({ text }) => ({ segment: [text], kind: 'paragraph' })),
    characters,
    write: (translated, languages) => write({ file, header, regions }, translated, languages),
  };
}

/** Decodes a second time: pixels would wait in memory while the text is translated. */
async function write(
  { file, header, regions }: { file: Uint8Array; header: PictureFile; regions: TextRegion[] },
  translated: readonly TextSegment[],
  languages: { source: LanguageTag; target: LanguageTag },
): Promise<Uint8Array> {
  const replacements = regions
    .map((region, index) => ({
      region,
      text: plainText(translated[index] ?? [region.text]).trim(),
    }))
    .filter(({ region, text }) => text !== region.text);
  // Nothing to do, nothing lost.
  if (replacements.length === 0) return file;
  const picture = await decodePicture(file, header);
  await replaceTexts(picture, replacements, languages);
  return encodePicture(picture, header);
}
