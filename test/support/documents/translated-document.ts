/** Translates documents without an engine. */
import type { DocumentFormat, OpenedDocument } from '../../../server/documents/formats/format.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';

/** Opens a file for translation from English, by default to Spanish. */
export function openDocument(
  format: DocumentFormat,
  file: Uint8Array,
  { target = 'es', maxCharacters = 1_000_000 }: { target?: string; maxCharacters?: number } = {},
): Promise<OpenedDocument> {
  return format.open(file, { source: 'en', target, output: 'xlsx', maxCharacters });
}

/** Translates each text of a file; marks stay where they are. */
export async function translatedDocument(
  format: DocumentFormat,
  file: Uint8Array,
  { translate, target = 'es' }: { translate: (text: string) => string; target?: string },
): Promise<Uint8Array> {
  const document = await openDocument(format, file, { target });
  const translated = document.blocks.map(({ segment }) => translatedSegment(segment, translate));
  return document.write(translated, { source: 'en', target });
}

/** Returns a translation that replaces the listed texts and keeps all others. */
export function withTexts(texts: Readonly<Record<string, string>>): (text: string) => string {
  return (text) => texts[text] ?? text;
}

function translatedSegment(segment: TextSegment, translate: (text: string) => string): TextSegment {
  return segment.map((part) => (typeof part === 'string' ? translate(part) : part));
}

/** Returns the texts to translate, with marks as `[1]`…`[/1]` and `[1/]`. */
export function textsOf({ blocks }: OpenedDocument): string[] {
  return blocks.map(({ segment }) =>
    segment
      .map((part) => {
        if (typeof part === 'string') return part;
        const { mark, id } = part;
        return mark === 'open' ? `[${id}]` : mark === 'close' ? `[/${id}]` : `[${id}/]`;
      })
      .join(''),
  );
}

/** Returns the texts to translate, without marks. */
export function plainTextsOf({ blocks }: OpenedDocument): string[] {
  return blocks.map(({ segment }) => plainText(segment));
}

const lookalikes: Record<string, string> = {
  ...{ a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', x: 'х', y: 'у' },
  ...{ A: 'А', B: 'В', C: 'С', E: 'Е', H: 'Н', K: 'К', M: 'М', O: 'О', P: 'Р', T: 'Т', X: 'Х' },
};

/**
 * Rewrites text in Cyrillic letters of the same shape: every paragraph is written anew, yet the rendering
 * must equal that of the original.
 */
export function inLookalikes(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => lookalikes[letter] ?? letter);
}
