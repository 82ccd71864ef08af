/** Which codes of a segment enclose what is between them, and which stand alone. */
import type { Mark } from '../../../text/text-segment.ts';
import type { ContentPiece } from './xliff-pieces.ts';

export interface PairedPieces {
  /** The mark of each piece; undefined for text. */
  marks: readonly (Mark | undefined)[];
  /** Ids of codes that belong together but overlap with others: they must keep their order. */
  crossing: ReadonlySet<number>;
}

const NONE: PairedPieces = { marks: [], crossing: new Set() };

/** Numbers the codes; elements of the result are well nested. */
export function pairCodes(pieces: readonly ContentPiece[]): PairedPieces {
  if (pieces.every(({ role }) => role === 'text')) return NONE;
  const partners = partnersOf(pieces);
  const enclosing = new Map<number, number>();
  const crossed = new Set<number>();
  const open: number[] = [];
  for (const [index, { role }] of pieces.entries()) {
    if (role === 'open' || (role === 'start' && partners.has(index))) open.push(index);
    const start = role === 'close' || role === 'end' ? partners.get(index) : undefined;
    if (start === undefined || crossed.has(start)) continue;
    while (open.length > 0 && crossed.has(open.at(-1) ?? -1)) open.pop();
    if (role === 'close') {
      // What began in the element and has not ended ends outside of it.
      while (open.length > 0 && open.at(-1) !== start) crossed.add(open.pop() ?? -1);
    }
    if (open.at(-1) === start) {
      enclosing.set(start, index).set(index, start);
      open.pop();
    } else {
      crossed.add(start);
    }
  }
  return numbered(pieces, { partners, enclosing });
}

function numbered(
  pieces: readonly ContentPiece[],
  { partners, enclosing }: Record<'partners' | 'enclosing', ReadonlyMap<number, number>>,
): PairedPieces {
  const crossing = new Set<number>();
  let lastId = 0;
  const marks: (Mark | undefined)[] = [];
  for (const [index, { role }] of pieces.entries()) {
    const partner = enclosing.get(index);
    if (role === 'text') {
      marks.push(undefined);
    } else if (partner === undefined) {
      lastId += 1;
      marks.push({ mark: 'lone', id: lastId });
      if (partners.has(index)) crossing.add(lastId);
    } else if (partner > index) {
      lastId += 1;
      marks.push({ mark: 'open', id: lastId });
    } else {
      marks.push({ mark: 'close', id: marks[partner]?.id ?? 0 });
    }
  }
  return { marks, crossing };
}

/** The other end of each piece that has one in the segment. */
function partnersOf(pieces: readonly ContentPiece[]): Map<number, number> {
  const partners = new Map<number, number>();
  const open: number[] = [];
  const started = new Map<string, number[]>();
  for (const [index, { role, key = '' }] of pieces.entries()) {
    if (role === 'open') open.push(index);
    if (role === 'start') {
      const starts = started.get(key);
      if (starts === undefined) started.set(key, [index]);
      else starts.push(index);
    }
    const partner =
      role === 'close' ? open.pop() : role === 'end' ? started.get(key)?.pop() : undefined;
    if (partner !== undefined) partners.set(partner, index).set(index, partner);
  }
  return partners;
}
