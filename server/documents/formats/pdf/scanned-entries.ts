/** Rows of tables and lists of contents: lines that stand close below each other and are texts of their own. */
import { around } from '../image/read-text.ts';
import type { SeenLine, TextRegion } from '../image/regions.ts';

/** Dots that lead to the number of a page; recognition reads some of them as other signs. */
const LEADERS = /(?:[.…·_•]\s?){4,}.{0,3}\p{Nd}+$|[.…·]{3,}/u;
/** Lines of prose are longer, in characters, also in narrow columns. */
const MAX_ENTRY_CHARACTERS = 26;
/** Two lines that begin large may be one title: its lines are nearer to each other, in heights. */
const MIN_PAIR_PITCH = 1.4;

/** Takes apart regions that are a column of a table or entries of contents. */
export function entriesOf(regions: readonly TextRegion[]): TextRegion[] {
  return regions.flatMap((region) => {
    if (region.lines.length < 2) return [region];
    if (isColumn(region)) return region.lines.map((line) => part(region, [line]));
    return contentsOf(region);
  });
}

/** Short lines that all begin large and none of which ends a sentence. */
function isColumn({ lines, pitchPx = 0 }: TextRegion): boolean {
  const isApart = lines.length > 2 || pitchPx > MIN_PAIR_PITCH * lines[0].letterHeightPx;
  return isApart && lines.every(isEntry);
}

function isEntry({ text }: SeenLine): boolean {
  return (
    text.length <= MAX_ENTRY_CHARACTERS && /^[\p{Lu}\p{Nd}]/u.test(text) && !/[.,;:!?-]$/.test(text)
  );
}

/** An entry ends with the number of its page. */
function contentsOf(region: TextRegion): TextRegion[] {
  const entries: [SeenLine, ...SeenLine[]][] = [];
  let isEnded = true;
  for (const line of region.lines) {
    const last = entries.at(-1);
    if (isEnded || last === undefined) entries.push([line]);
    else last.push(line);
    isEnded = LEADERS.test(line.text);
  }
  return entries.length === 1 ? [region] : entries.map((lines) => part(region, lines));
}

function part(region: TextRegion, lines: readonly [SeenLine, ...SeenLine[]]): TextRegion {
  return {
    ...region,
    lines,
    text: lines.map(({ text }) => text).join(' '),
    box: around(lines.map(({ appearance }) => appearance.inkBox)),
    align: 'left',
    pitchPx: lines.length > 1 ? region.pitchPx : undefined,
  };
}
