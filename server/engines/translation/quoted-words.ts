/**
 * A few words that are quoted or set off, which Apertium would leave at their place while their words move
 * (`The "red" car`: `El "coche" rojo`). They are given as an element, which goes where its words go.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';

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
    return String.raw`(?<=^|[\s([])${before}${WORDS}${after}(?=$|[\s)\].,;:!?…])`;
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

/** Undefined of a text that has nothing of that kind, or nothing else. */
export function quotedWords(text: string | TextSegment): QuotedWords | undefined {
  const parts = typeof text === 'string' ? [text] : text;
  if (!parts.some((part) => typeof part === 'string' && SUSPECT.test(part))) return undefined;
  const signs = new Map<number, string>();
  let id = Math.max(0, ...parts.map((part) => (typeof part === 'string' ? 0 : part.id)));
  let outside = '';
  const segment = parts.flatMap((part): (string | Mark)[] => {
    if (typeof part !== 'string') return [part];
    const pieces: (string | Mark)[] = [];
    let from = 0;
    for (const { 0: quoted, index } of part.matchAll(QUOTED)) {
      const sign = /^\*\*|^./u.exec(quoted)?.[0] ?? '';
      id += 1;
      signs.set(id, quoted);
      outside += part.slice(from, index);
      pieces.push(part.slice(from, index), { mark: 'open', id });
      pieces.push(quoted.slice(sign.length, -sign.length), { mark: 'close', id });
      from = index + quoted.length;
    }
    outside += part.slice(from);
    return [...pieces, part.slice(from)].filter((piece) => piece !== '');
  });
  if (signs.size === 0 || !/\p{L}/u.test(outside)) return undefined;
  return { segment, restore: (translated) => withSigns(translated, signs) };
}

function withSigns(
  translated: TextSegment,
  signs: ReadonlyMap<number, string>,
): TextSegment | undefined {
  const result: (string | Mark)[] = [];
  let hasWords = true;
  for (const [index, part] of translated.entries()) {
    const quoted = typeof part === 'string' ? undefined : signs.get(part.id);
    const before = result.at(-1);
    let added = part;
    if (typeof part !== 'string' && quoted !== undefined) {
      const { length } = /^\*\*|^./u.exec(quoted)?.[0] ?? '';
      added = part.mark === 'open' ? quoted.slice(0, length) : quoted.slice(-length);
      const next = translated[index + 1];
      const isEmpty = part.mark === 'open' && typeof next !== 'string' && next?.id === part.id;
      hasWords &&= !isEmpty;
    }
    if (typeof added === 'string' && typeof before === 'string') {
      result[result.length - 1] = before + added;
    } else result.push(added);
  }
  return hasWords ? result : undefined;
}
