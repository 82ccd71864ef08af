/** Layout helpers and the notation for segments in tests: text with `<1>…</1>` and `<2/>` for marks. */
import {
  atOnce,
  type MarkupOptions,
  type TextLayout,
} from '../../server/text/markup/text-layout.ts';
import { markupLayout } from '../../server/text/markup/markup-layout.ts';
import type { Mark, TextSegment } from '../../server/text/text-segment.ts';

export function written(segment: TextSegment): string {
  return segment
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.mark === 'open') return `<${part.id}>`;
      return part.mark === 'close' ? `</${part.id}>` : `<${part.id}/>`;
    })
    .join('');
}

export function segmentOf(text: string): TextSegment {
  return text
    .split(/(<\/?\d+\/?>)/)
    .filter((part) => part !== '')
    .map((part): string | Mark => {
      const match = /^<(\/?)(\d+)(\/?)>$/.exec(part);
      if (match === null) return part;
      const mark = match[1] === '/' ? 'close' : match[3] === '/' ? 'lone' : 'open';
      return { mark, id: Number(match[2]) };
    });
}

export function xml(text: string, options: Partial<MarkupOptions> = {}): TextLayout {
  return atOnce(
    markupLayout(text, {
      handling: 'xml',
      version: 'v2',
      splitting: 'lines-and-sentences',
      language: 'en',
      ...options,
    }),
  );
}

export function html(text: string, options: Partial<MarkupOptions> = {}): TextLayout {
  return atOnce(
    markupLayout(text, {
      handling: 'html',
      version: 'v2',
      splitting: 'sentences',
      language: 'en',
      ...options,
    }),
  );
}

export const segmentsOf = (layout: TextLayout): string[] => layout.segments.map(written);

export const rendered = (layout: TextLayout, translated: readonly TextSegment[]): string =>
  atOnce(layout.render(translated));

/** Renders as after an engine that changes every text and keeps every mark. */
export function shout(layout: TextLayout): string {
  return rendered(
    layout,
    layout.segments.map((segment) =>
      segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part)),
    ),
  );
}

/** Renders as after an engine that changes nothing, with equal but not identical segments. */
export function repeat(layout: TextLayout): string {
  return rendered(
    layout,
    layout.segments.map((segment) => [...segment]),
  );
}
