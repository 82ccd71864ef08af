/** Parses the cues of subtitle files and the tags within them, as leniently as players do. */
import { DocumentError } from '../format.ts';
import { atOnce } from '../../../text/markup/text-layout.ts';
import { htmlTokens } from '../../../text/markup/tokens.ts';
import type { Mark, TextSegment } from '../../../text/text-segment.ts';
import type { Span } from '../../../text/placeholders.ts';
import { joinsUnspaced } from './line-wrapping.ts';

export type SubtitleGrammar = 'srt' | 'vtt';

interface SubtitleCue {
  startMs: number;
  endMs: number;
  /** Lines of its text. In SubRip, an empty line between lines does not end the cue. */
  lines: readonly Span[];
}

/** @throws DocumentError for a WebVTT file without its signature, or a SubRip file without cues */
export function readCues(text: string, grammar: SubtitleGrammar): SubtitleCue[] {
  const lines = linesOf(text);
  const cues = grammar === 'srt' ? srtCues(text, lines) : vttCues(text, lines);
  if (cues.length === 0 && grammar === 'srt') {
    throw new DocumentError(
      'The file has no subtitles: there is no line like 00:00:01,000 --> 00:00:02,000.',
    );
  }
  return cues;
}

function linesOf(text: string): Span[] {
  const lines: Span[] = [];
  let start = 0;
  for (const { 0: lineBreak, index } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: index });
    start = index + lineBreak.length;
  }
  lines.push({ start, end: text.length });
  return lines;
}

const TIME = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,:](\d{1,3})`;
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-{1,2}>\s*${TIME}`);
const NUMBER = /^\s*\d+\s*$/;

function srtCues(text: string, lines: readonly Span[]): SubtitleCue[] {
  const timings = lines.flatMap((line, index) => {
    const times = timesOf(text, line);
    return times === undefined ? [] : [{ ...times, index }];
  });
  return timings.map(({ startMs, endMs, index }, at) => {
    const next = timings[at + 1]?.index;
    const above = lines[(next ?? 0) - 1];
    const hasNumber =
      next !== undefined && above !== undefined && NUMBER.test(text.slice(above.start, above.end));
    const end = next === undefined ? lines.length : next - (hasNumber ? 1 : 0);
    return { startMs, endMs, lines: trimmed(text, lines.slice(index + 1, end)) };
  });
}

/**
 * Reads WebVTT cues. Empty lines separate blocks; comments, styles and regions have no timing line. Such a line
 * begins a cue anywhere, as in browsers, also below the header or a comment without an empty line between.
 */
function vttCues(text: string, lines: readonly Span[]): SubtitleCue[] {
  const [first] = lines;
  if (first === undefined || !/^WEBVTT(?:[ \t]|$)/.test(text.slice(first.start, first.end))) {
    throw new DocumentError('The file is not a WebVTT file: its first line is not WEBVTT.');
  }
  const cues: SubtitleCue[] = [];
  let times: { startMs: number; endMs: number } | undefined;
  let own: Span[] = [];
  const end = (): void => {
    if (times !== undefined && !isData(text, own)) cues.push({ ...times, lines: own });
    times = undefined;
    own = [];
  };
  for (const line of lines) {
    const found = timesOf(text, line);
    if (line.start === line.end || found !== undefined) {
      end();
      times = found;
    } else if (times !== undefined) own.push(line);
  }
  end();
  return cues;
}

/** A picture, or a part of one, for the preview above a player's time bar. */
const PICTURE = /\.(?:jpe?g|png|gif|webp|avif)(?:[?#]|$)|#xywh=/i;

/** Whether a cue is for the scripts of a page, as in metadata tracks, and not text: JSON, or a picture. */
function isData(text: string, lines: readonly Span[]): boolean {
  const [first, last] = [lines[0], lines.at(-1)];
  const content = first && last ? text.slice(first.start, last.end).trim() : '';
  if (!/\s/.test(content) && PICTURE.test(content)) return true;
  if (!/^(?:\{.*\}|\[.*\])$/s.test(content)) return false;
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

function timesOf(
  text: string,
  { start, end }: Span,
): { startMs: number; endMs: number } | undefined {
  const times = TIMING.exec(text.slice(start, end));
  if (times === null) return undefined;
  return { startMs: milliseconds(times.slice(1, 5)), endMs: milliseconds(times.slice(5, 9)) };
}

function milliseconds([hours = '0', minutes = '0', seconds = '0', fraction = '0']: readonly (
  | string
  | undefined
)[]): number {
  const inSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return inSeconds * 1000 + Number(fraction.padEnd(3, '0'));
}

/** Drops empty lines at both ends. */
function trimmed(text: string, lines: readonly Span[]): Span[] {
  const isFull = ({ start, end }: Span) => text.slice(start, end).trim() !== '';
  return lines.slice(lines.findIndex(isFull), lines.findLastIndex(isFull) + 1);
}

// Tags within the lines of subtitles: `<i>`, `<v Ann>`, `<00:01.000>`, `{\an8}`.

interface SubtitleToken extends Span {
  kind: 'text' | 'open' | 'close' | 'lone';
  /** Decoded text; empty for tags. */
  text: string;
  /** Whether the text equals its source, that is, contains no references. */
  isLiteral: boolean;
  /** Name of a tag, in lower case. */
  name: string;
  partner: SubtitleToken | undefined;
}

const OVERRIDE = String.raw`\{\\[^{}]*\}|\{[a-zA-Z]:[^{}]*\}`;
/** Tags of SubRip, which has no formal grammar: any other `<` is a literal character. */
const SRT_TAG = new RegExp(
  String.raw`<\/?(?:i|b|u|s|em|strong|font|span|c|v|lang|ruby|rt|br)(?=[\s.>/])[^<>]*>|${OVERRIDE}`,
  'gi',
);
/**
 * Tags of WebVTT: anything in angle brackets, including classes and timestamps. Overrides are
 * borrowed from other formats.
 */
const VTT_TAG = new RegExp(String.raw`<[^<>]*>|${OVERRIDE}`, 'g');

/** Splits a line into tokens, which cover it completely. */
function subtitleTokens(text: string, line: Span, grammar: SubtitleGrammar): SubtitleToken[] {
  const tokens: SubtitleToken[] = [];
  const content = text.slice(line.start, line.end);
  const add = (from: number, to: number): void => {
    if (to <= from) return;
    const written = content.slice(from, to);
    const read = grammar === 'vtt' ? resolved(written) : written;
    tokens.push({
      kind: 'text',
      text: read,
      isLiteral: read === written,
      name: '',
      partner: undefined,
      start: line.start + from,
      end: line.start + to,
    });
  };
  /** Blanks and signs become tokens of their own, as they may stay outside of the translated text. */
  const addText = (from: number, to: number): void => {
    const written = content.slice(from, to);
    const start = from + firstSigns(written);
    const end = Math.max(start, to - lastSigns(written));
    add(from, start);
    add(start, end);
    add(end, to);
  };
  let at = 0;
  for (const { 0: tag, index } of content.matchAll(grammar === 'srt' ? SRT_TAG : VTT_TAG)) {
    if (index < at) continue;
    addText(at, index);
    const [, slash, name = ''] = /^<(\/?)([a-z]+)/i.exec(tag) ?? [];
    // The reading of a ruby is not part of the sentence.
    const isReading = /^rt$/i.test(name) && slash === '';
    at = isReading ? endOfReading(content, index) : endOfOverride(content, index, tag);
    const isAlone = isReading || name === '' || /^br$/i.test(name) || tag.endsWith('/>');
    const kind = isAlone ? 'lone' : slash === '/' ? 'close' : 'open';
    tokens.push({
      kind,
      text: '',
      isLiteral: true,
      name: name.toLowerCase(),
      partner: undefined,
      start: line.start + index,
      end: line.start + at,
    });
  }
  addText(at, content.length);
  return tokens;
}

/** The end tag of a reading may be omitted before that of its `ruby`. */
function endOfReading(content: string, start: number): number {
  const end = /<\/rt\s*>|(?=<\/ruby\b)|$/i.exec(content.slice(start));
  return start + (end === null ? content.length - start : end.index + end[0].length);
}

/**
 * Returns the end of a tag. The text after `{\p1}`, from SubStation Alpha, is a drawing, up to `{\p0}`; it
 * belongs to the tag.
 */
function endOfOverride(content: string, start: number, tag: string): number {
  const end = start + tag.length;
  if (!/^\{.*\\p[1-9]/.test(tag)) return end;
  const length = content.slice(end).search(/\{[^{}]*\\p0/);
  return length === -1 ? content.length : end + length;
}

const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

/** Resolves the references that WebVTT shares with HTML; unknown ones stay. */
function resolved(text: string): string {
  return text.replace(REFERENCE, (written) => {
    const [reference] = atOnce(htmlTokens(written))[0]?.references ?? [];
    if (reference?.end !== written.length || reference.text === '') return written;
    // A line break would be taken for the end of a line of the file.
    return reference.text.replace(/[\r\n]/, ' ');
  });
}

/** Encodes text for a cue. */
export function writtenText(text: string, grammar: SubtitleGrammar): string {
  // Both formats would read an arrow as a timing line.
  if (grammar === 'srt') return text.replaceAll('-->', '->');
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export interface SubtitleRun {
  cue: SubtitleCue;
  /** Range of its text, without tags, signs and blanks around the whole of it. */
  place: Span;
  /** The text with line breaks as blanks; the ids of its marks are indexes of `tags`. */
  segment: TextSegment;
  /** Source ranges of the tags by mark id: the opening or lone tag, and the closing tag. */
  tags: readonly { start: Span; end: Span | undefined }[];
  lineCount: number;
  /** Source before the text: tags, a dash, music notes. */
  beginning: string;
  /** Source after the text. */
  ending: string;
}

/** The beginning of a speaker's line: a voice tag, or a dash or chevrons after any tags. */
const SPEAKER =
  /^\s*(?:<v[.\s][^<>]*>|(?:<[^<>]*>|\{[^{}]*\})*\s*(?:[-–—‐]+\s*[^\s\-–—]|(?:>|&gt;){2}))/i;

const LEADING_TAGS = /^\s*(?:<[^<>]*>|\{[^{}]*\})*/;

/** The name of a speaker in capitals before the words: `ANN:`, `MAN #2:`, `DR. LEE (on phone):`. */
export const SPEAKER_LABEL = /^\p{Lu}[\p{Lu}\p{N}.'’&# -]{0,30}(?:\([^()]{1,30}\))?:(?=\s|$)/u;

/** Returns the runs of a cue in order, without those that have no text. */
export function runsOf(text: string, cue: SubtitleCue, grammar: SubtitleGrammar): SubtitleRun[] {
  const groups: Span[][] = [];
  const isSpeaker = (content: string) =>
    SPEAKER.test(content) || SPEAKER_LABEL.test(content.replace(LEADING_TAGS, ''));
  const isDialogue = cue.lines.filter((line) => isSpeaker(sliceOf(text, line))).length > 1;
  let isNew = true;
  for (const line of cue.lines) {
    const content = sliceOf(text, line);
    if (content.trim() === '') isNew = true;
    else if (isNew || (isDialogue && isSpeaker(content))) groups.push([line]);
    else groups.at(-1)?.push(line);
    if (content.trim() !== '') isNew = false;
  }
  return groups.flatMap((lines) => runOf(text, cue, lines, grammar) ?? []);
}

function runOf(
  text: string,
  cue: SubtitleCue,
  lines: readonly Span[],
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
    ending: text.slice(place.end, lines.at(-1)?.end ?? place.end),
  };
}

/** Signs at the beginning of a run that are not text: speaker dashes and chevrons, music notes. */
const OUTER_SIGNS =
  /^(?:[\s♪♫]|[#*](?=\s))*(?:[-–—‐]+(?=\s*(?:[^\s\-–—]|$))|(?:>|&gt;){2,})?(?:[\s♪♫]|[#*](?=\s))*/u;

/**
 * Returns the number of such characters at the end. A loop from the end, as a pattern would be
 * tried at every position.
 */
function lastSigns(text: string): number {
  let at = text.length;
  while (at > 0 && isOuterSign(text, at - 1)) at -= 1;
  return text.length - at;
}

function isOuterSign(text: string, at: number): boolean {
  const sign = text.charAt(at);
  return /[\s♪♫]/.test(sign) || (/[#*]/.test(sign) && /\s/.test(text.charAt(at - 1)));
}

/** Returns the number of such characters at the beginning. */
function firstSigns(text: string): number {
  return OUTER_SIGNS.exec(text)?.[0].length ?? 0;
}

/** Strips from the tokens what surrounds the whole text: signs, lone tags, and elements around all of it. */
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
  // Text with references stays whole, as its offsets differ from those of the source.
  if (!token.isLiteral || before + after === 0) return token;
  return {
    ...token,
    text: token.text.slice(before, token.text.length - after),
    start: token.start + before,
    end: token.end - after,
  };
}

/** Finds the partner of each tag; tags without one become lone. */
function paired(tokens: readonly SubtitleToken[]): SubtitleToken[] {
  const open: SubtitleToken[] = [];
  for (const token of tokens) {
    if (token.kind === 'open') open.push(token);
    if (token.kind !== 'close') continue;
    // A tag that overlaps another one becomes lone.
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
  const tags: { start: Span; end: Span | undefined }[] = [];
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

/**
 * Merges adjacent texts. They are joined once at the end, as appending piece by piece would copy
 * the text repeatedly.
 */
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

/** Returns the separator for two lines that become one. */
export function jointOf(left: string, right: string): string {
  if (/\s/.test(left.slice(-1)) || /^\s/.test(right)) return '';
  return joinsUnspaced(left, right) ? '' : ' ';
}

function sliceOf(text: string, { start, end }: Span): string {
  return text.slice(start, end);
}
