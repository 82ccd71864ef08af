/**
 * What joins figures to others in a range or a list: `3 to 5 May 2024`, `9–5 p.m.`. A date or a time
 * that is joined to bare figures is read with them, so that a rule may not change one of the two.
 */
import { BLANK, ONE_BLANK } from './characters.ts';

const CONJUNCTIONS =
  "to|and|or|through|thru|till|until|bis|und|oder|sowie|et|ou|à|au|aux|y|e|ed|o|u|a|al|ad|hasta|alle|alla|ai|agli|all[’']";
const EAST_ASIAN = '、|，|・|から|と|や|または|か|到|至|和|或|및|와|과|부터|까지|에서|또는';
const DASH = '[-–—~〜～－&+/]';
const ARTICLES = "the|el|la|las|los|le|les|il|i|gli|l[’']|den|dem|der|zum|am|del|dell[’']";

/** A joint, with an article after it, as a piece of a pattern. */
export const JOINT =
  `(?:[,;]?${ONE_BLANK}(?:${CONJUNCTIONS})(?:${ONE_BLANK}(?:${ARTICLES}))?(?:${ONE_BLANK}|(?<=[’']))` +
  `|${BLANK}${DASH}${BLANK}(?:(?:${ARTICLES})${ONE_BLANK})?|[,;]${BLANK}|${BLANK}(?:${EAST_ASIAN})${BLANK})`;
/** A joint that goes on: after a comma another sentence may begin with figures. */
export const JOINT_ONWARD = JOINT.replace(`|[,;]${BLANK}`, '').replace('、|，|', '');

/** How far a joint and what it joins are looked for, in UTF-16 units. */
const REACH = 48;

export interface Place {
  start: number;
  end: number;
}

/** Patterns that end or begin with the figures something is joined to. */
export interface Neighbours {
  /** Of the text before, to its end. */
  before: RegExp;
  /** Of the text after, from its beginning. */
  after: RegExp;
}

const WHOLE_JOINT = new RegExp(
  `^(?:${JOINT}|${JOINT_ONWARD}(?:\\p{L}{1,12}${ONE_BLANK}){0,2})$`,
  'iu',
);

/** The text before or after a place, without formatting. */
export const textBefore = (text: string, at: number): string =>
  text.slice(Math.max(0, at - REACH), at).replaceAll('\uFDD0', '');
export const textAfter = (text: string, at: number): string =>
  text.slice(at, at + REACH).replaceAll('\uFDD0', '');

/**
 * Those of what was found, in reading order, that are not joined to bare figures. What is joined to each
 * other stays or goes as a whole.
 *
 * @param isOneWay whether several that are joined can be read in one way only
 */
export function withoutJoined<Found extends Place>(
  found: readonly Found[],
  text: string,
  { before, after }: Neighbours,
  isOneWay: (joined: readonly Found[]) => boolean = () => true,
): Found[] {
  const free: Found[] = [];
  let group: Found[] = [];
  let isBare = false;
  for (const [index, place] of found.entries()) {
    const next = found[index + 1];
    if (group.length === 0) isBare = before.test(textBefore(text, place.start));
    group.push(place);
    if (next !== undefined && areJoined(place, next, text)) continue;
    if (!isBare && !after.test(textAfter(text, place.end)) && isOneWay(group)) free.push(...group);
    group = [];
  }
  return free;
}

function areJoined({ end }: Place, { start }: Place, text: string): boolean {
  const gap = start - end;
  return gap <= REACH && WHOLE_JOINT.test(text.slice(end, start).replaceAll('\uFDD0', ''));
}
