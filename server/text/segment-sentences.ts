/**
 * Cuts segments of documents into sentences for translation, and puts them together again. A segment
 * is written as a text in which marks are slices, so that it is laid out as marked-up texts are:
 * sentences end only where no element is open, blanks and marks at their ends stay outside,
 * placeholders become marks, and what stands between sentences suits their script.
 */
import type { LanguageTag } from '../../shared/language.ts';
import { NO_REFERENCES, type FlowItem } from './markup/text-layout.ts';
import { layOutFlow } from './markup/segment-layout.ts';
import { plainText, type Mark, type TextSegment } from './text-segment.ts';

export interface SegmentLayout {
  /** What is to be translated: with letters, its marks numbered from 1 in reading order. */
  readonly segments: readonly TextSegment[];
  /** The segment with its sentences replaced; each must hold the marks of its source, well nested. */
  render(translated: readonly TextSegment[]): TextSegment;
}

/**
 * @param options.cuts whether the sentences become segments of their own
 * @param options.language of the text, for the ends of its sentences
 * @param options.hasWords whether a mark that stands alone may stand for a word, as a field does
 */
export function layOutSentences(
  segment: TextSegment,
  {
    cuts,
    language,
    hasWords = true,
  }: { cuts: boolean; language: LanguageTag | undefined; hasWords?: boolean },
): SegmentLayout {
  const fence = fenceFor(segment);
  const { source, items } = flowOf(segment, fence, hasWords);
  const layout = layOutFlow({
    source,
    items,
    language,
    characters: 0,
    splitting: cuts ? 'sentences' : 'none',
    write: (text) => text.replaceAll(fence, ''),
    marks: new RegExp(`${fence}\\w+${fence}`, 'g'),
  });
  return {
    segments: layout.segments,
    render: (translated) => segmentFrom(layout.render(translated), fence),
  };
}

/** Characters that Unicode keeps out of texts; a text that has one all the same is fenced by another. */
const FENCES = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index));

function fenceFor(segment: TextSegment): string {
  const text = plainText(segment);
  return FENCES.find((fence) => !text.includes(fence)) ?? '\uffff';
}

const kinds = { o: 'open', c: 'close', l: 'lone' } as const;

function flowOf(
  segment: TextSegment,
  fence: string,
  hasWords: boolean,
): { source: string; items: FlowItem[] } {
  const items: FlowItem[] = [];
  let source = '';
  for (const [index, part] of segment.entries()) {
    const start = source.length;
    if (typeof part === 'string') {
      source += part;
      items.push({ kind: 'text', start, end: source.length, references: NO_REFERENCES });
      continue;
    }
    source += `${fence}${part.mark.charAt(0)}${part.id}${fence}`;
    const place = { start, end: source.length };
    if (part.mark === 'lone') {
      items.push({ kind: 'lone', word: hasWords && isWord(segment, index), ...place });
    } else items.push({ kind: part.mark, element: part.id, ...place });
  }
  return { source, items };
}

/**
 * Whether a mark stands where a word would, like a field: with a blank, an end or another mark before
 * it, and no letter after it. A note clings to its word, and so do anchors and pictures.
 */
function isWord(segment: TextSegment, index: number): boolean {
  const before = segment[index - 1];
  const after = segment[index + 1];
  const isApart = typeof before !== 'string' || /\s$/.test(before);
  return isApart && typeof after === 'string' && /^(?:\s|\p{P})/u.test(after);
}

function segmentFrom(text: string, fence: string): TextSegment {
  const parts: (string | Mark)[] = [];
  for (const [index, piece] of text.split(fence).entries()) {
    if (index % 2 === 0) {
      if (piece !== '') parts.push(piece);
      continue;
    }
    const kind = kinds[piece.charAt(0) as keyof typeof kinds];
    parts.push({ mark: kind, id: Number(piece.slice(1)) });
  }
  return parts;
}
