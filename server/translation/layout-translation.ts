/** Translates texts that were taken apart, and puts them together again: written and spoken ones alike. */
import { preserveFormatting } from '../text/formatting.ts';
import type { TextLayout } from '../text/markup/text-layout.ts';
import type { TextSegment } from '../text/text-segment.ts';
import type { SegmentTranslation, SegmentTranslationOptions, Translation } from './translation.ts';

export interface LayoutTranslationOptions extends SegmentTranslationOptions {
  /** Whether each segment keeps the outer shape it has in the source. */
  preservesFormatting?: boolean;
}

/**
 * Translates all texts in one call, so that engines can batch them.
 *
 * @returns the texts in their order, and who translated them
 * @throws ServiceError as `translateSegments` of {@link Translation}
 */
export async function translateLayouts(
  layouts: readonly TextLayout[],
  translation: Pick<Translation, 'translateSegments'>,
  { preservesFormatting = false, ...options }: LayoutTranslationOptions,
): Promise<{ texts: string[] } & Pick<SegmentTranslation, 'generation'>> {
  const segments = layouts.flatMap((layout) => layout.segments);
  const result = await translation.translateSegments(segments, options);
  const translated = preservesFormatting
    ? result.segments.map((segment, index) => preserved(segments[index], segment))
    : result.segments;
  let start = 0;
  const texts = layouts.map((layout) => {
    const end = start + layout.segments.length;
    const text = layout.render(translated.slice(start, end));
    start = end;
    return text;
  });
  return { texts, generation: result.generation };
}

function preserved(source: TextSegment | undefined, translated: TextSegment): TextSegment {
  return source === undefined ? translated : preserveFormatting(source, translated);
}
