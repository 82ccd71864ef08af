/** Tags within the lines of subtitles: `<i>`, `<v Ann>`, `<00:01.000>`, `{\an8}`. */
import type { Place, SubtitleGrammar } from './subtitle-cues.ts';

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
      ...{ kind: 'text', text: read, isLiteral: read === written, name: '', partner: undefined },
      ...{ start: line.start + from, end: line.start + to },
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
      ...{ kind, text: '', isLiteral: true, name: name.toLowerCase(), partner: undefined },
      ...{ start: line.start + index, end: line.start + at },
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
