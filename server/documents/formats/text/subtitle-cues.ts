/** The cues of subtitle files and the tags within them, found as leniently as players do. */
import { DocumentError } from '../format.ts';

export type SubtitleGrammar = 'srt' | 'vtt';

/** A stretch of the file's text in UTF-16 units. */
export interface Place {
  start: number;
  end: number;
}

export interface SubtitleCue {
  startMs: number;
  endMs: number;
  /** Lines of its text; in SubRip, an empty line between lines does not end a cue. */
  lines: readonly Place[];
}

/** @throws DocumentError for a file without its signature, or without a cue */
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

function linesOf(text: string): Place[] {
  const lines: Place[] = [];
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

function srtCues(text: string, lines: readonly Place[]): SubtitleCue[] {
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

/** Blocks are divided by empty lines; comments, styles and regions have no timing line of their own. */
function vttCues(text: string, lines: readonly Place[]): SubtitleCue[] {
  const [first] = lines;
  if (first === undefined || !/^WEBVTT(?:[ \t]|$)/.test(text.slice(first.start, first.end))) {
    throw new DocumentError('The file is not a WebVTT file: its first line is not WEBVTT.');
  }
  const cues: SubtitleCue[] = [];
  let times: { startMs: number; endMs: number } | undefined;
  let own: Place[] = [];
  let isOther = false;
  const end = (): void => {
    if (times !== undefined) cues.push({ ...times, lines: own });
    times = undefined;
    own = [];
  };
  for (const [index, line] of lines.entries()) {
    const content = text.slice(line.start, line.end);
    const found = isOther ? undefined : timesOf(text, line);
    if (content === '') {
      end();
      isOther = false;
    } else if (index === 0 || (times === undefined && isNoCue(text, lines[index - 1], content))) {
      isOther = true;
    } else if (found !== undefined) {
      end();
      times = found;
    } else if (times !== undefined) own.push(line);
  }
  end();
  return cues;
}

/** Whether a block begins here that is none of a cue. */
function isNoCue(text: string, before: Place | undefined, content: string): boolean {
  const isFirst = before === undefined || text.slice(before.start, before.end) === '';
  return isFirst && /^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(content);
}

function timesOf(
  text: string,
  { start, end }: Place,
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

/** Lines without the empty ones at both ends. */
function trimmed(text: string, lines: readonly Place[]): Place[] {
  const isFull = ({ start, end }: Place) => text.slice(start, end).trim() !== '';
  return lines.slice(lines.findIndex(isFull), lines.findLastIndex(isFull) + 1);
}

// Tags within the lines of subtitles: `<i>`, `<v Ann>`, `<00:01.000>`, `{\an8}`.

export interface SubtitleToken extends Place {
  kind: 'text' | 'open' | 'close' | 'lone';
  /** Of a text, references resolved; empty for tags. */
  text: string;
  /** Whether a text is written as it reads. */
  isLiteral: boolean;
  /** Of a tag, lower case. */
  name: string;
  partner: SubtitleToken | undefined;
}

const OVERRIDE = String.raw`\{\\[^{}]*\}|\{[a-zA-Z]:[^{}]*\}`;
/** SubRip has no grammar: a `<` that begins none of these is a sign. */
const SRT_TAG = new RegExp(
  String.raw`<\/?(?:i|b|u|s|em|strong|font|span|c|v|lang|ruby|rt|br)(?=[\s.>/])[^<>]*>|${OVERRIDE}`,
  'gi',
);
/** Any angle brackets are tags, of classes and times as well; overrides come from other formats. */
const VTT_TAG = new RegExp(String.raw`<[^<>]*>|${OVERRIDE}`, 'g');

/** The tokens of a line; they cover it. */
export function subtitleTokens(
  text: string,
  line: Place,
  grammar: SubtitleGrammar,
): SubtitleToken[] {
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
  /** Blanks at both ends for themselves: they may stay outside of what is translated. */
  const addText = (from: number, to: number): void => {
    const written = content.slice(from, to);
    const start = from + written.length - written.trimStart().length;
    const end = Math.max(start, from + written.trimEnd().length);
    add(from, start);
    add(start, end);
    add(end, to);
  };
  let at = 0;
  for (const { 0: tag, index } of content.matchAll(grammar === 'srt' ? SRT_TAG : VTT_TAG)) {
    if (index < at) continue;
    addText(at, index);
    const [, slash, name = ''] = /^<(\/?)([a-z]+)/i.exec(tag) ?? [];
    // How the text before is read is no part of the sentence.
    const isReading = /^rt$/i.test(name) && slash === '';
    at = isReading ? endOfReading(content, index) : index + tag.length;
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

/** The end tag of a reading may be left out before that of its `ruby`. */
function endOfReading(content: string, start: number): number {
  const end = /<\/rt\s*>|(?=<\/ruby\b)|$/i.exec(content.slice(start));
  return start + (end === null ? content.length - start : end.index + end[0].length);
}

const references = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&nbsp;', '\u00a0'],
  ['&lrm;', '\u200e'],
  ['&rlm;', '\u200f'],
]);

function resolved(text: string): string {
  return text.replace(/&[a-z]+;/g, (reference) => references.get(reference) ?? reference);
}

/** Text as it is written in a cue. */
export function writtenText(text: string, grammar: SubtitleGrammar): string {
  // In both formats an arrow would be read as a timing line.
  if (grammar === 'srt') return text.replaceAll('-->', '->');
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
