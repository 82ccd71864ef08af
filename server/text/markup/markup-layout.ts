/** Takes XML and HTML apart for translation, so that every tag comes back byte for byte. */
import type { LanguageTag } from '../../../shared/language.ts';
import { htmlFlow } from './html-flow.ts';
import { writeText } from './references.ts';
import { layOutFlow } from './segment-layout.ts';
import type { SentenceSplitting, TextLayout } from './text-layout.ts';
import { xmlFlow } from './xml-flow.ts';

export interface MarkupOptions {
  handling: 'xml' | 'html';
  /** `v2` refuses XML that is not well-formed; `v1` leaves stray tags, `<` and `&` in their places. */
  version: 'v1' | 'v2';
  splitting: SentenceSplitting;
  /** Of the text, for the ends of its sentences. */
  language?: LanguageTag | undefined;
  /** Whether XML tells its structure by where its text stands; true by default, no matter in HTML. */
  outlineDetection?: boolean | undefined;
  /** Elements that structure the text; in HTML besides the block elements. */
  splittingTags?: readonly string[] | undefined;
  /** Elements that never do. An element around one of `splittingTags` splits all the same. */
  nonSplittingTags?: readonly string[] | undefined;
  /** Elements that stay as they are; the sentence around is translated as one. */
  ignoreTags?: readonly string[] | undefined;
}

/**
 * Takes a text with markup apart. Tags, comments, and elements that are not translated are slices of
 * the source; so is text that comes back unchanged. Names of tags are compared by case in XML only.
 * A sentence ends a segment only where no inline element is open.
 *
 * @throws ServiceError invalid_request for XML that is not well-formed (version 2)
 */
export function layOutMarkup(text: string, options: MarkupOptions): TextLayout {
  const { items, characters } =
    options.handling === 'xml' ? xmlFlow(text, options) : htmlFlow(text, options);
  const { splitting, language } = options;
  return layOutFlow({ source: text, items, characters, splitting, language, write: writeText });
}
