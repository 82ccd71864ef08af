/**
 * A few words that are quoted or set off, which Apertium would leave at their place while their words move
 * (`The "red" car`: `El "coche" rojo`). They are given as an element, which goes where its words go.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import { type Direction, frenchBlanks } from './sentence-signs.ts';
import { replaced } from './stand-ins.ts';

/** What begins and ends each; of the same signs no third may follow. */
const SIGNS = [
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['‹', '›'],
  ['**', '**'],
] as const;
/** One to three words, with blanks between them but none at the ends. */
const WORDS = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]{0,40}(?: [\p{L}\p{M}\p{N}'’-]{1,40}){0,2}`;
const QUOTED = new RegExp(
  SIGNS.map(([opening, closing]) => {
    const [before, after] = [opening, closing].map((sign) => sign.replaceAll('*', String.raw`\*`));
    const blank = opening === '«' ? String.raw`[ \u00a0\u202f]?` : '';
    return String.raw`(?<=^|[\s([])${before}${blank}${WORDS}${blank}${after}(?=$|[\s)\].,;:!?…])`;
  }).join('|'),
  'gu',
);
const SUSPECT = /["“„«‹]|\*\*/u;

/** A text with such elements. */
export interface QuotedWords {
  segment: TextSegment;
  /** The translation with its signs again; undefined where an element has lost its words. */
  restore: (translated: TextSegment) => TextSegment | undefined;
}

/** What stands before the first word and behind the last: signs, and the blanks of French. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;

/** Undefined of a text that has nothing of that kind, or nothing else. */
export function quotedWords(
  text: string | TextSegment,
  direction: Direction,
): QuotedWords | undefined {
  const parts = typeof text === 'string' ? [text] : text;
  if (!parts.some((part) => typeof part === 'string' && SUSPECT.test(part))) return undefined;
  const signs = new Map<number, readonly string[]>();
  let id = Math.max(0, ...parts.map((part) => (typeof part === 'string' ? 0 : part.id)));
  let outside = '';
  const segment = parts.flatMap((part): (string | Mark)[] => {
    if (typeof part !== 'string') return [part];
    const pieces: (string | Mark)[] = [];
    let from = 0;
    for (const { 0: quoted, index } of part.matchAll(QUOTED)) {
      const [opening = '', closing = ''] = quoted.match(AROUND) ?? [];
      id += 1;
      signs.set(id, [
        spaced(`${opening}x`, direction).slice(0, -1),
        spaced(`x${closing}`, direction).slice(1),
      ]);
      outside += part.slice(from, index);
      pieces.push(part.slice(from, index), { mark: 'open', id });
      pieces.push(quoted.slice(opening.length, -closing.length), { mark: 'close', id });
      from = index + quoted.length;
    }
    outside += part.slice(from);
    return [...pieces, part.slice(from)].filter((piece) => piece !== '');
  });
  if (signs.size === 0 || !/\p{L}/u.test(outside)) return undefined;
  return { segment, restore: (translated) => withSigns(translated, signs) };
}

function spaced(signs: string, direction: Direction): string {
  return replaced(signs, frenchBlanks(signs, direction));
}

/** Blanks that rules have left inside the signs go outside. */
function withSigns(
  translated: TextSegment,
  signs: ReadonlyMap<number, readonly string[]>,
): TextSegment | undefined {
  const result: (string | Mark)[] = [];
  const add = (part: string | Mark): void => {
    const before = result.at(-1);
    if (typeof part !== 'string' || typeof before !== 'string') result.push(part);
    else result[result.length - 1] = before + part;
  };
  let openSign: string | undefined;
  for (const part of translated) {
    const [opening = '', closing = ''] =
      (typeof part === 'string' ? undefined : signs.get(part.id)) ?? [];
    if (typeof part === 'string') {
      const text = part.trimStart();
      const blanks = part.slice(0, part.length - text.length);
      if (openSign === undefined) add(part);
      else if (text === '') return undefined;
      else add(`${blanks}${openSign}${text}`);
      openSign = undefined;
    } else if (opening === '') {
      if (openSign !== undefined) return undefined;
      add(part);
    } else if (part.mark === 'open') openSign = opening;
    else if (openSign !== undefined) return undefined;
    else {
      const last = result.at(-1);
      const text = typeof last === 'string' ? last.trimEnd() : '';
      if (typeof last !== 'string' || text === '') return undefined;
      result[result.length - 1] = text;
      add(`${closing}${last.slice(text.length)}`);
    }
  }
  return result;
}
