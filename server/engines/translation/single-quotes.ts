/**
 * Single quotation marks of English, which Apertium reads as apostrophes: `'small'` has a genitive for
 * it, and loses its first letter, and what is quoted is glued to the word before. Angle quotation marks,
 * which mean nothing to it, stand for them until the last step.
 */

/** Pairs that may stand for quotation marks: the first of which a text has neither. */
const STAND_INS = [
  ['‹', '›'],
  ['❮', '❯'],
  ['❬', '❭'],
] as const;
/** Not `dogs'`, `rock ’n’ roll`, `'tis`, `’90s`: what is quoted begins behind a blank or another sign. */
const OPENING =
  /(?<=^|[\s([{"“«—–-])['‘’](?!(?:tis|twas|em|cause|til|till|bout|round|n)\b|\d{2}s\b)(?=[\p{L}\p{N}])/giu;
const CLOSING = /(?<=[\p{L}\p{N}.,;:!?…)])['’](?=$|[\s)\]}"”».,;:!?…—–-])/gu;

/** Quotation marks of a text, and what stands for them. */
export interface SingleQuotes {
  /** In the order of their places, of one UTF-16 unit each; none where nothing is quoted. */
  replacements: readonly { start: number; end: number; text: string }[];
  /**
   * A translation with its own quotation marks again; undefined where some were lost or doubled.
   *
   * @param pieces the translation, which may come as several
   */
  restore: (pieces: readonly string[]) => string[] | undefined;
}

const NOTHING_QUOTED: SingleQuotes = { replacements: [], restore: (pieces) => [...pieces] };

/** Finds the pairs of single quotation marks of an English text. */
export function singleQuotes(text: string): SingleQuotes {
  const standIns = STAND_INS.find((pair) => pair.every((sign) => !text.includes(sign)));
  const quotes = standIns === undefined ? [] : quotedPlaces(text);
  if (standIns === undefined || quotes.length === 0) return NOTHING_QUOTED;
  const [opening, closing] = standIns;
  const replacements = quotes.flatMap(([start, end]) => [
    { start, end: start + 1, text: opening },
    { start: end, end: end + 1, text: closing },
  ]);
  return {
    replacements,
    restore(pieces) {
      const originals: Record<string, string[]> = {
        [opening]: quotes.map(([start]) => text.charAt(start)),
        [closing]: quotes.map(([, end]) => text.charAt(end)),
      };
      const signs = new RegExp(`[${opening}${closing}]`, 'gu');
      const found = pieces.flatMap((piece) => piece.match(signs) ?? []);
      const isWhole = Object.entries(originals).every(
        ([sign, places]) => found.filter((each) => each === sign).length === places.length,
      );
      if (!isWhole) return undefined;
      return pieces.map((piece) =>
        piece.replace(signs, (sign) => originals[sign]?.shift() ?? sign),
      );
    },
  };
}

/** Where quotations begin and end; one that begins within another ends that one. */
function quotedPlaces(text: string): [start: number, end: number][] {
  const closings = [...text.matchAll(CLOSING)].map(({ index }) => index);
  const places: [number, number][] = [];
  let next = 0;
  let after = 0;
  for (const { index: start } of text.matchAll(OPENING)) {
    if (start < after) continue;
    while ((closings[next] ?? Infinity) <= start) next += 1;
    const end = closings[next];
    if (end === undefined) break;
    places.push([start, end]);
    after = end;
  }
  return places;
}
