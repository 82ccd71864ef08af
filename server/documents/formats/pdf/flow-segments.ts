/** Paragraphs as segments, and translated segments as pieces again. */
import type { TextSegment } from '../../../text/text-segment.ts';
import type { FlowText, TextLook, TextPiece } from './flow-model.ts';
import { append, sameLook } from './flow-text.ts';

/** A paragraph's text with the looks that its marks stand for. */
export interface SegmentedText {
  segment: TextSegment;
  /** Of unmarked text: the one that most of it has. */
  base: TextLook;
  /** By id of the mark. */
  looks: ReadonlyMap<number, TextPiece>;
}

/** Pieces of the commonest look are bare text, others have marks around; notes and fields are lone marks. */
export function segmented({ pieces }: Pick<FlowText, 'pieces'>): SegmentedText {
  const base = commonestLook(pieces);
  const looks = new Map<number, TextPiece>();
  const segment: TextSegment[number][] = [];
  const addText = (text: string): void => {
    if (text === '') return;
    const last = segment.at(-1);
    if (typeof last === 'string') segment[segment.length - 1] = last + text;
    else segment.push(text);
  };
  for (const piece of pieces) {
    const { text, look } = piece;
    const isLone = look.note !== undefined || look.field !== undefined;
    if (!isLone && sameLook(look, base)) {
      addText(text);
      continue;
    }
    const id = looks.size + 1;
    looks.set(id, piece);
    if (isLone) {
      segment.push({ mark: 'lone', id });
      continue;
    }
    // Blanks at the ends stay outside: no engine has to carry them.
    const inner = text.trim();
    const at = text.indexOf(inner);
    addText(text.slice(0, at));
    segment.push({ mark: 'open', id }, inner, { mark: 'close', id });
    addText(text.slice(at + inner.length));
  }
  return { segment, base, looks };
}

function commonestLook(pieces: readonly TextPiece[]): TextLook {
  const counts: { look: TextLook; characters: number }[] = [];
  for (const { text, look } of pieces) {
    if (look.note !== undefined || look.field !== undefined) continue;
    const known = counts.find((one) => sameLook(one.look, look));
    if (known === undefined) counts.push({ look, characters: text.length });
    else known.characters += text.length;
  }
  counts.sort((a, b) => b.characters - a.characters);
  const [most] = counts;
  if (most !== undefined) return most.look;
  const [first] = pieces;
  if (first === undefined) throw new RangeError('A paragraph without text has no look.');
  return { ...first.look, note: undefined, field: undefined };
}

/** The pieces of a translated segment. */
export function piecesOfSegment(segment: TextSegment, { base, looks }: SegmentedText): TextPiece[] {
  const pieces: TextPiece[] = [];
  const open: number[] = [];
  for (const part of segment) {
    if (typeof part === 'string') {
      const around = open.at(-1);
      const look = around === undefined ? base : (looks.get(around)?.look ?? base);
      append(pieces, part, look);
    } else if (part.mark === 'open') {
      open.push(part.id);
    } else if (part.mark === 'close') {
      open.pop();
    } else {
      const lone = looks.get(part.id);
      if (lone !== undefined) append(pieces, lone.text, lone.look);
    }
  }
  return pieces;
}
