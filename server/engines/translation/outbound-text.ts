/**
 * What of a segment is sent to a translator elsewhere, and how its answer becomes a segment: the
 * blanks around the text stay here, and line breaks travel as marks, which no translator may move.
 */
import { repairMarks } from '../../text/repair.ts';
import { isPlain, plainText, type Mark, type TextSegment } from '../../text/text-segment.ts';
import { tagText, type TagStyle } from './tagged-text.ts';

export interface OutboundText {
  text: string;
  /** The text without its tags. */
  plain: string;
  /** Tags in the text, in reading order. */
  tags: readonly string[];
  /** Makes a segment of the translated text. */
  finish(translated: string): TextSegment;
}

/** Undefined where there is nothing to translate: blanks, signs, marks alone. */
export function outboundText(segment: TextSegment, style: TagStyle): OutboundText | undefined {
  const plain = plainText(segment);
  if (!/[\p{L}\p{N}]/u.test(plain)) return undefined;
  const { leading, core, trailing } = trimmed(joined(segment));
  const { carried, breaks } = withBreakMarks(core);
  const { text, tags, read } = tagText(carried, style);
  return {
    text,
    plain: plain.trim(),
    tags,
    finish(translated) {
      const answer = read(translated.trim());
      const inner = breaks.size === 0 ? answer : withBreaks(carried, answer, breaks);
      return [leading, ...inner, trailing].filter((part) => part !== '');
    },
  };
}

/** Neighbouring strings as one. */
function joined(segment: TextSegment): (string | Mark)[] {
  if (isPlain(segment)) return [plainText(segment)];
  const parts: (string | Mark)[] = [];
  for (const part of segment) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  }
  return parts;
}

function trimmed(parts: (string | Mark)[]) {
  const core = [...parts];
  const first = core[0];
  let leading = '';
  if (typeof first === 'string') {
    leading = first.slice(0, first.length - first.trimStart().length);
    core[0] = first.trimStart();
  }
  const last = core.at(-1);
  let trailing = '';
  if (typeof last === 'string') {
    trailing = last.slice(last.trimEnd().length);
    core[core.length - 1] = last.trimEnd();
  }
  return { leading, core, trailing };
}

/** Puts a lone mark in the place of every run of blanks with a line break in it. */
function withBreakMarks(parts: readonly (string | Mark)[]) {
  const breaks = new Map<number, string>();
  let nextId = parts.reduce(
    (id, part) => (typeof part === 'string' ? id : Math.max(id, part.id + 1)),
    1,
  );
  const carried = parts.flatMap((part): TextSegment => {
    if (typeof part !== 'string' || !LINE_BREAK.test(part)) return [part];
    // Blanks at the odd places.
    return part.split(/(\s+)/).map((piece, index) => {
      if (index % 2 === 0 || !LINE_BREAK.test(piece)) return piece;
      breaks.set(nextId, piece);
      return { mark: 'lone', id: nextId++ };
    });
  });
  return { carried: breaks.size === 0 ? parts : carried, breaks };
}

const LINE_BREAK = /[\n\r\u2028\u2029]/;

/** Puts the line breaks back, without the blanks a translator has put beside their marks. */
function withBreaks(
  source: TextSegment,
  translated: TextSegment,
  breaks: ReadonlyMap<number, string>,
): TextSegment {
  const parts = joined(repairMarks(source, translated));
  const breakAt = (index: number) => {
    const part = parts[index];
    return typeof part === 'object' ? breaks.get(part.id) : undefined;
  };
  return parts.map((part, index) => {
    if (typeof part !== 'string') return breakAt(index) ?? part;
    const text = breakAt(index - 1) === undefined ? part : part.trimStart();
    return breakAt(index + 1) === undefined ? text : text.trimEnd();
  });
}
