/** Cuts segments into pieces as `text-pieces.ts` cuts texts; a piece of a marked segment is one too. */
import { isPlain, plainText, type Mark, type TextSegment } from '../../text/text-segment.ts';
import { splitText, type TextCutting } from './text-pieces.ts';

/** A part of a segment: a text, or a well nested segment where the whole has marks. */
export interface SegmentPiece {
  content: string | TextSegment;
  /** False where there are no letters: it means the same in every language. */
  translatable: boolean;
  /** What it costs to work on, in UTF-16 units. */
  length: number;
  /** Ends of elements that were added where the piece was cut. */
  seams?: Seams;
}

interface Seams {
  /** Elements that began in an earlier piece and end in this one. */
  resumed: ReadonlySet<number>;
  /** Elements that begin in this piece and end in a later one. */
  continued: ReadonlySet<number>;
}

/**
 * An element is better translated in one go: a piece may become so many times longer than others
 * before it is cut within one.
 */
const MAX_STRETCH = 4;
const LETTER = /\p{L}/u;

/** Pieces of a segment in reading order, cut as they are consumed. */
export function* splitSegment(
  segment: TextSegment,
  cutting: TextCutting,
): Generator<SegmentPiece, void, undefined> {
  const text = plainText(segment);
  if (isPlain(segment)) {
    for (const { text: content, translatable } of splitText({ text, ...cutting })) {
      yield { content, translatable, length: content.length };
    }
    return;
  }
  if (text.length <= cutting.maxLength && cutting.sentences !== 'single') {
    yield pieceOf(segment, LETTER.test(text));
    return;
  }
  const reader = new PartReader(segment);
  let taken: TextSegment[] = [];
  let length = 0;
  let translatable = false;
  for (const piece of splitText({ text, ...cutting })) {
    taken.push(reader.take(piece.text.length));
    length += piece.text.length;
    translatable ||= piece.translatable;
    if (!reader.isBetweenElements && length < MAX_STRETCH * cutting.maxLength) continue;
    yield closed(pieceOf(taken.flat(), translatable));
    taken = [];
    length = 0;
    translatable = false;
  }
  const last = [...taken, reader.take(0)].flat();
  if (last.length > 0) yield closed(pieceOf(last, translatable));
}

/** Translated pieces of one segment as one. */
export function joinPieces(contents: readonly SegmentPiece['content'][]): TextSegment {
  const parts: (string | Mark)[] = [];
  let text = '';
  for (const content of contents) {
    for (const part of typeof content === 'string' ? [content] : content) {
      if (typeof part === 'string') text += part;
      else {
        if (text !== '') parts.push(text);
        text = '';
        parts.push(part);
      }
    }
  }
  if (text !== '' || parts.length === 0) parts.push(text);
  return parts;
}

/** A translated piece without the marks that only its cutting has added. */
export function withoutSeams(content: SegmentPiece['content'], seams: Seams): TextSegment {
  if (typeof content === 'string') return [content];
  return content.filter((part) => {
    if (typeof part === 'string') return true;
    if (part.mark === 'open') return !seams.resumed.has(part.id);
    return part.mark !== 'close' || !seams.continued.has(part.id);
  });
}

function pieceOf(segment: TextSegment, translatable: boolean): SegmentPiece {
  const text = plainText(segment);
  return { content: segment, translatable, length: text.length + segment.length };
}

/**
 * The piece with ends for the elements that were cut. Elements that neither begin nor end in it
 * are around it and have no part in its translation.
 */
function closed(piece: SegmentPiece): SegmentPiece {
  const open: number[] = [];
  const resumed: number[] = [];
  const { content } = piece;
  if (typeof content === 'string') return piece;
  for (const part of content) {
    if (typeof part === 'string' || part.mark === 'lone') continue;
    if (part.mark === 'open') open.push(part.id);
    else if (open.pop() === undefined) resumed.push(part.id);
  }
  if (open.length === 0 && resumed.length === 0) return piece;
  const opens = resumed.toReversed().map((id): Mark => ({ mark: 'open', id }));
  const closes = open.toReversed().map((id): Mark => ({ mark: 'close', id }));
  return {
    ...piece,
    content: [...opens, ...content, ...closes],
    seams: { resumed: new Set(resumed), continued: new Set(open) },
  };
}

/** Reads a segment in stretches of so much text. */
class PartReader {
  readonly #segment: TextSegment;
  #at = 0;
  #offset = 0;
  #depth = 0;

  constructor(segment: TextSegment) {
    this.#segment = segment;
  }

  /** Whether no element is open where the last stretch has ended. */
  get isBetweenElements(): boolean {
    return this.#depth === 0;
  }

  /**
   * The next stretch, with the lone marks and ends of elements that stand right after it. Once there
   * is no text left, a stretch of none is all the marks that are.
   */
  take(length: number): TextSegment {
    const taken: (string | Mark)[] = [];
    let missing = length;
    for (; this.#at < this.#segment.length; this.#at++) {
      const part = this.#segment[this.#at] ?? '';
      if (typeof part !== 'string') {
        if (part.mark === 'open' && missing === 0 && length > 0) break;
        if (part.mark === 'open') this.#depth++;
        if (part.mark === 'close') this.#depth--;
        taken.push(part);
        continue;
      }
      const text = part.slice(this.#offset, this.#offset + missing);
      if (text !== '') taken.push(text);
      missing -= text.length;
      this.#offset += text.length;
      if (this.#offset < part.length) break;
      this.#offset = 0;
    }
    return taken;
  }
}
