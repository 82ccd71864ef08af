/** Changes of a text, and how they are made. */
import { joinedSpans, touchesAny, untouchableSpans, type Span } from './untouchable.ts';

/** What comes in place of a part of a text. */
export interface Edit extends Span {
  text: string;
}

/** A text with changes made; of changes that overlap, the first one counts. Takes linear time. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, text: replacement } of edits.toSorted(byPlace)) {
    if (start < done) continue;
    parts.push(text.slice(done, start), replacement);
    done = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done);
}

/**
 * A text with the changes that are found for it, but for those that touch something untouchable.
 *
 * @param alsoUntouchable what else of a text stays as it is, in any order
 */
export function changed(
  text: string,
  find: (text: string) => Edit[],
  alsoUntouchable?: (text: string) => Span[],
): string {
  const edits = find(text);
  if (edits.length === 0) return text;
  const more = alsoUntouchable?.(text) ?? [];
  const untouchable = joinedSpans([...untouchableSpans(text), ...more]);
  return applyEdits(
    text,
    edits.filter((edit) => !touchesAny(untouchable, edit)),
  );
}

function byPlace(one: Edit, other: Edit): number {
  return one.start - other.start || other.end - one.end;
}
