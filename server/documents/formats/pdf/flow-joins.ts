/** Paragraphs that go on in the next column or on the next page become whole again. */
import type { FlowText, TextPiece } from './flow-model.ts';
import { append, needsBlank } from './flow-text.ts';

/** Letters that have no capitals: nothing tells whether a sentence begins. */
const UNCASED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Devanagari}]/u;
const SENTENCE_END = /[.!?:;…。！？：；؟۔।]["'”’»)\]]*$/u;
const DIVIDED = /\p{L}[-\u00AD\u2010]$/u;

/** Whether a paragraph at the end of a column goes on in one at the start of the next. */
export function goesOn(end: FlowText, start: FlowText): boolean {
  if (start.marker !== undefined || start.headingLevel !== undefined) return false;
  if (end.headingLevel !== undefined || start.firstIndent > 0) return false;
  const [before, after] = [end.pieces.at(-1), start.pieces[0]];
  if (before === undefined || after === undefined || !areAlike(before, after)) return false;
  if (end.align === 'center' || start.align === 'center') return false;
  const hasEnded = SENTENCE_END.test(before.text);
  if (/^\p{Ll}/u.test(after.text)) return !hasEnded || DIVIDED.test(before.text);
  if (hasEnded || !end.isCutOff) return false;
  return UNCASED.test(after.text) || (end.leading !== undefined && start.leading !== undefined);
}

function areAlike(a: TextPiece, b: TextPiece): boolean {
  return Math.abs(a.look.size - b.look.size) <= 1;
}

/** Both as one. */
export function joined(end: FlowText, start: FlowText): FlowText {
  const pieces: TextPiece[] = [...end.pieces];
  const last = pieces.at(-1);
  const first = start.pieces[0]?.text ?? '';
  const isDivided = last !== undefined && DIVIDED.test(last.text) && /^\p{Ll}/u.test(first);
  if (isDivided) pieces[pieces.length - 1] = { ...last, text: last.text.slice(0, -1) };
  for (const [index, { text, look }] of start.pieces.entries()) {
    const isApart = index === 0 && !isDivided && needsBlank(pieces, text);
    append(pieces, isApart ? ` ${text}` : text, look);
  }
  return {
    ...end,
    pieces,
    leading: end.leading ?? start.leading,
    isCutOff: start.isCutOff,
    align: end.leading === undefined ? start.align : end.align,
  };
}
