/**
 * XLIFF 2.x and 1.x: each segment that has no translation yet gets one. The rest of the file stays
 * as it is, byte for byte: sources, codes, notes, and what other programs have put there.
 */
import { countCodePoints } from '../../../text/code-points.ts';
import { hasLetters, plainText } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock, type DocumentFormat } from '../format.ts';
import { writeTargets } from './xliff-edits.ts';
import type { InlineContent } from './xliff-inline.ts';
import { readUnits } from './xliff-units.ts';
import { readXmlText } from './xml-encoding.ts';

/** Files that programs exchange for translation: `.xlf`, `.xliff`. */
export const xliff: DocumentFormat = {
  async open(bytes, { target, maxCharacters }) {
    const { text: file, encode } = readXmlText(bytes);
    const outline = readUnits(file, target);
    const translatable = outline.units.flatMap(({ source }) =>
      source.contents.filter(({ segment }) => hasLetters(segment)),
    );
    return {
      characters: countCharacters(translatable, maxCharacters),
      blocks: translatable.map(({ segment }): DocumentBlock => ({ segment, kind: 'paragraph' })),
      async write(translated, languages) {
        const answers = new Map(translatable.map((content, index) => [content, translated[index]]));
        return encode(writeTargets(file, outline, { answers, languages }));
      },
    };
  },
};

function countCharacters(contents: readonly InlineContent[], maxCharacters: number): number {
  let characters = 0;
  for (const { segment } of contents) characters += countCodePoints(plainText(segment));
  checkLength(characters, maxCharacters);
  return characters;
}
