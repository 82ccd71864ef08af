/** The text of cues in runs: all lines of a cue, or in a dialogue, the lines of each speaker. */
import type { Mark, TextSegment } from '../../../text/text-segment.ts';
import { joinsUnspaced } from './line-wrapping.ts';
import {
  type Place,
  type SubtitleCue,
  type SubtitleGrammar,
  subtitleTokens,
  type SubtitleToken,
} from './subtitle-cues.ts';

export interface SubtitleRun {
  cue: SubtitleCue;
  /** Its text: without tags, signs and blanks around all of it. */
  place: Place;
  /** Line breaks in it are blanks; ids of marks are indexes of `tags`. */
  segment: TextSegment;
  /** Slices of the source, by id of the mark: what opens or stands alone, and what closes. */
  tags: readonly { start: Place; end: Place | undefined }[];
  lineCount: number;
  /** What is written before it: tags, a dash, notes of music. */
  beginning: string;
}

/** A dash with which a speaker's line begins, after tags. */
const SPEAKER = /^\s*(?:<[^<>]*>|\{[^{}]*\})*\s*[-–—‐]+\s*[^\s\-–—]/;

/** The runs of a cue in order; those without text are left out. */
export function runsOf(text: string, cue: SubtitleCue, grammar: SubtitleGrammar): SubtitleRun[] {
  const groups: Place[][] = [];
  const isDialogue = cue.lines.filter((line) => SPEAKER.test(sliceOf(text, line))).length > 1;
  let isNew = true;
  for (const line of cue.lines) {
    const content = sliceOf(text, line);
    if (content.trim() === '') isNew = true;
    else if (isNew || (isDialogue && SPEAKER.test(content))) groups.push([line]);
    else groups.at(-1)?.push(line);
    if (content.trim() !== '') isNew = false;
  }
  return groups.flatMap((lines) => runOf(text, cue, lines, grammar) ?? []);
}

function runOf(
  text: string,
  cue: SubtitleCue,
  lines: readonly Place[],
  grammar: SubtitleGrammar,
): SubtitleRun | undefined {
  const tokens = coreOf(lines.flatMap((line) => subtitleTokens(text, line, grammar)));
  const first = tokens[0];
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const place = { start: first.start, end: last.end };
  return {
    cue,
    place,
    ...segmentOf(text, tokens),
    lineCount: text.slice(place.start, place.end).split(/\r\n|\n|\r/).length,
    beginning: text.slice(lines[0]?.start ?? place.start, place.start),
  };
}

/** Signs at the ends of a run that are no text: dashes of speakers, notes of music. */
const OUTER_SIGNS =
  /^(?:[\s♪♫]|[#*](?=\s))*(?:[-–—‐]+(?=\s*(?:[^\s\-–—]|$)))?(?:[\s♪♫]|[#*](?=\s))*/u;

/** How many characters they take at the end: counted from there, as a pattern would try every place. */
function lastSigns(text: string): number {
  let at = text.length;
  while (at > 0 && isOuterSign(text, at - 1)) at -= 1;
  return text.length - at;
}

function isOuterSign(text: string, at: number): boolean {
  const sign = text.charAt(at);
  return /[\s♪♫]/.test(sign) || (/[#*]/.test(sign) && /\s/.test(text.charAt(at - 1)));
}

/** How many characters they take at the beginning. */
function firstSigns(text: string): number {
  return OUTER_SIGNS.exec(text)?.[0].length ?? 0;
}

/** Tokens without what stands around all of the text: signs, tags that stand alone, whole elements. */
function coreOf(all: readonly SubtitleToken[]): SubtitleToken[] {
  const tokens = paired(all);
  let from = 0;
  let to = tokens.length - 1;
  for (;;) {
    while (from <= to && isOutside(tokens[from], 'first')) from += 1;
    while (to >= from && isOutside(tokens[to], 'last')) to -= 1;
    const first = tokens[from];
    const isWhole = first?.kind === 'open' && first.partner === tokens[to];
    if (!isWhole) break;
    from += 1;
    to -= 1;
  }
  const core = tokens.slice(from, to + 1);
  const [first] = core;
  if (first?.kind === 'text') core[0] = shortened(first, firstSigns(first.text), 0);
  const last = core.at(-1);
  if (last?.kind === 'text') {
    core[core.length - 1] = shortened(last, 0, lastSigns(last.text));
  }
  return core;
}

function isOutside(token: SubtitleToken | undefined, side: 'first' | 'last'): boolean {
  if (token?.kind === 'lone') return true;
  if (token?.kind !== 'text') return false;
  const signs = side === 'first' ? firstSigns : lastSigns;
  return signs(token.text) === token.text.length;
}

function shortened(token: SubtitleToken, before: number, after: number): SubtitleToken {
  // Of text with references, only what is written plainly can be cut off.
  if (!token.isLiteral || before + after === 0) return token;
  return {
    ...token,
    text: token.text.slice(before, token.text.length - after),
    start: token.start + before,
    end: token.end - after,
  };
}

/** Finds the partner of each tag; what has none stands alone. */
function paired(tokens: readonly SubtitleToken[]): SubtitleToken[] {
  const open: SubtitleToken[] = [];
  for (const token of tokens) {
    if (token.kind === 'open') open.push(token);
    if (token.kind !== 'close') continue;
    // One that overlaps another stays where it is.
    const partner = open.at(-1)?.name === token.name ? open.pop() : undefined;
    if (partner === undefined) token.kind = 'lone';
    else [token.partner, partner.partner] = [partner, token];
  }
  for (const token of open) token.kind = 'lone';
  return [...tokens];
}

function segmentOf(
  text: string,
  tokens: readonly SubtitleToken[],
): Pick<SubtitleRun, 'segment' | 'tags'> {
  const parts: (string | Mark)[] = [];
  const tags: { start: Place; end: Place | undefined }[] = [];
  const ids = new Map<SubtitleToken, number>();
  let end = tokens[0]?.start ?? 0;
  for (const token of tokens) {
    const isNewLine = /[\r\n]/.test(text.slice(end, token.start));
    end = token.end;
    if (isNewLine) parts.push(jointOf(lastText(parts), token.text));
    if (token.kind === 'text') {
      parts.push(token.text);
    } else if (token.kind === 'close') {
      const id = ids.get(token.partner ?? token) ?? 0;
      const tag = tags[id];
      if (tag !== undefined) tag.end = token;
      parts.push({ mark: 'close', id });
    } else {
      ids.set(token, tags.length);
      parts.push({ mark: token.kind, id: tags.length });
      tags.push({ start: token, end: undefined });
    }
  }
  return { segment: merged(parts), tags };
}

/** Neighbouring texts as one; joined in the end, for a text that grows is copied whenever it is read. */
function merged(parts: readonly (string | Mark)[]): TextSegment {
  const result: (string | Mark)[] = [];
  let texts: string[] = [];
  const endText = (): void => {
    if (texts.length > 0) result.push(texts.join(''));
    texts = [];
  };
  for (const part of parts) {
    if (typeof part === 'string') texts.push(part);
    else {
      endText();
      result.push(part);
    }
  }
  endText();
  return result;
}

function lastText(parts: readonly (string | Mark)[]): string {
  const last = parts.at(-1);
  return typeof last === 'string' ? last : '';
}

/** What stands between two lines when they are one. */
export function jointOf(left: string, right: string): string {
  if (/\s/.test(left.slice(-1)) || /^\s/.test(right)) return '';
  return joinsUnspaced(left, right) ? '' : ' ';
}

function sliceOf(text: string, { start, end }: Place): string {
  return text.slice(start, end);
}
