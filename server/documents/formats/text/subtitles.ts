/**
 * SubRip and WebVTT. Times, settings, numbers, comments and styles are never changed. The text is
 * translated by sentences, even across cues. Each cue keeps its number of lines, except that a single
 * line becomes two when its translation is too wide.
 */
import type { LanguageTag } from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import { layOutSentences, type SegmentLayout } from '../../../text/markup/segment-layout.ts';
import { sentenceEnds } from '../../../text/sentences.ts';
import {
  isSameSegment,
  plainText,
  type TextSegment,
  type Mark,
} from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock, type DocumentFormat } from '../format.ts';
import { decodeText } from './encoded-text.ts';
import { balancedBreaks, displayWidth, breaksAtShares, type LineBreak } from './line-wrapping.ts';
import {
  readCues,
  SPEAKER_LABEL,
  type SubtitleGrammar,
  writtenText,
  runsOf,
  type SubtitleRun,
  jointOf,
} from './subtitle-cues.ts';

export const srt = createSubtitleFormat('srt');
export const vtt = createSubtitleFormat('vtt');

function createSubtitleFormat(grammar: SubtitleGrammar): DocumentFormat {
  return {
    async open(file, { source, maxCharacters }) {
      const encoded = decodeText(file, { language: source });
      const { text } = encoded;
      const runs = readCues(text, grammar).flatMap((cue) => runsOf(text, cue, grammar));
      const characters = runs.reduce(
        (sum, { segment }) => sum + countCodePoints(plainText(segment)),
        0,
      );
      checkLength(characters, maxCharacters);
      const groups = groupRuns(runs, source);
      return {
        blocks: groups.flatMap(({ sentences }) =>
          sentences.map((segment): DocumentBlock => ({ segment, kind: 'paragraph' })),
        ),
        characters,
        write: async (translated) => encoded.encode(render({ text, groups, translated, grammar })),
      };
    },
  };
}

function render({
  text,
  groups,
  translated,
  grammar,
}: {
  text: string;
  groups: readonly SubtitleGroup[];
  translated: readonly TextSegment[];
  grammar: SubtitleGrammar;
}): string {
  const lineBreak = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  let written = '';
  let at = 0;
  let next = 0;
  for (const group of groups) {
    const { runs, tags, sentences } = group;
    const own = translated.slice(next, next + sentences.length);
    next += sentences.length;
    for (const [index, segment] of group.render(own).entries()) {
      const run = runs[index];
      if (run === undefined || segment === run.segment) continue;
      written += text.slice(at, run.place.start);
      written += writtenRun({ text, run, tags, segment, grammar, lineBreak });
      at = run.place.end;
    }
  }
  return written + text.slice(at);
}

/** Width of a line in columns; players have room for two lines of about this width. */
const LINE_WIDTH = 42;

function writtenRun({
  text,
  run,
  tags,
  segment,
  grammar,
  lineBreak,
}: {
  text: string;
  run: SubtitleRun;
  tags: SubtitleGroup['tags'];
  segment: TextSegment;
  grammar: SubtitleGrammar;
  lineBreak: string;
}): string {
  const flat = trimmed(segment);
  const plain = plainText(flat);
  const isTooWide = run.lineCount === 1 && displayWidth(plain) > LINE_WIDTH;
  const places = balancedBreaks(plain, isTooWide ? 2 : run.lineCount);
  const lines = replaceAt(flat, places, '\n');
  return lines
    .map((part) => writtenPart(text, tags, part, grammar))
    .join('')
    .replaceAll('\n', lineBreak);
}

function writtenPart(
  text: string,
  tags: SubtitleGroup['tags'],
  part: TextSegment[number],
  grammar: SubtitleGrammar,
): string {
  if (typeof part === 'string') return writtenText(part, grammar);
  const tag = tags[part.id];
  const place = part.mark === 'close' ? tag?.end : tag?.start;
  return place === undefined ? '' : text.slice(place.start, place.end);
}

/**
 * A line break with surrounding blanks. The lookbehind keeps a run of blanks from being tried from
 * each of its positions.
 */
const LINE_BREAK = /(?<![ \t])[ \t]*[\r\n\u2028\u2029\v\f\u0085][ \t\r\n\u2028\u2029\v\f\u0085]*/g;

/** Removes line breaks, and blanks at the ends: an empty line would end the cue. */
function trimmed(segment: TextSegment): TextSegment {
  const flat = segment.map((part) =>
    typeof part === 'string' ? part.replace(LINE_BREAK, ' ') : part,
  );
  const isText = (part: TextSegment[number]) => typeof part === 'string' && /[^ \t]/.test(part);
  const first = flat.findIndex(isText);
  const last = flat.findLastIndex(isText);
  return flat.map((part, index) => {
    if (typeof part !== 'string') return part;
    if (index < first || index > last) return '';
    const start = index === first ? part.replace(/^[ \t]+/, '') : part;
    return index === last ? start.replace(/(?<![ \t])[ \t]+$/, '') : start;
  });
}

// Sentences of subtitles, within one cue or spanning several. A group of runs is one segment, with
// carriage returns between cues, which sentence splitting treats as blanks. A sentence is
// translated without them, and then divided among its cues in the proportions of the source.

interface SubtitleGroup {
  runs: readonly SubtitleRun[];
  /** Tags of all its runs: a translation may move a tag into another cue. */
  tags: SubtitleRun['tags'];
  /** Its sentences, as sent to translation. */
  sentences: readonly TextSegment[];
  /**
   * Returns the segments of the runs with their sentences replaced; unchanged ones are the same
   * objects, in others the ids of marks are indexes of `tags`.
   */
  render(translated: readonly TextSegment[]): TextSegment[];
}

/** A longer pause ends a sentence without a full stop, in ms. */
const MAX_GAP_MS = 1_500;
/** Limits of a group, in cues and in UTF-16 units; they bound a sentence where punctuation is missing. */
const MAX_RUNS = 6;
const MAX_LENGTH = 400;
/** A file counts as punctuated when at least this share of its runs ends in punctuation. */
const PUNCTUATED_SHARE = 0.25;

/** Groups runs whose sentences continue from one to the next. */
function groupRuns(
  runs: readonly SubtitleRun[],
  language: LanguageTag | undefined,
): SubtitleGroup[] {
  const ended = runs.filter(({ segment }) => ENDING.test(plainText(segment))).length;
  const isPunctuated = ended >= runs.length * PUNCTUATED_SHARE;
  const groups: SubtitleRun[][] = [];
  let length = 0;
  for (const [index, run] of runs.entries()) {
    const own = plainText(run.segment).length;
    const group = groups.at(-1);
    const before = runs[index - 1];
    const joins =
      group !== undefined &&
      before !== undefined &&
      group.length < MAX_RUNS &&
      length + own <= MAX_LENGTH &&
      goesOn(before, run, { isPunctuated, language });
    if (joins) group.push(run);
    else groups.push([run]);
    length = joins ? length + own : own;
  }
  return groups.map((group) => openGroup(group, language));
}

/** Characters that end a sentence, a sound or a song, though a full stop may only end an abbreviation. */
const ENDING = /[\p{STerm}…:♪\])）」』][\p{Pe}\p{Pf}"'’”»]*\s*$/u;
const FULL_STOP = /\.\s*$/;
const GOES_ON = /^["'“‘«¿¡(]*\p{Ll}/u;
const VOICE = /<v[.\s][^<>]*>/i;

function goesOn(
  left: SubtitleRun,
  right: SubtitleRun,
  { isPunctuated, language }: { isPunctuated: boolean; language: LanguageTag | undefined },
): boolean {
  if (left.cue === right.cue) return false;
  if (right.cue.startMs - left.cue.endMs > MAX_GAP_MS || right.cue.startMs < left.cue.startMs) {
    return false;
  }
  const text = plainText(left.segment);
  const next = plainText(right.segment);
  if (isRepeated(text, next) || SPEAKER_LABEL.test(next)) return false;
  if (ENDING.test(text) && (!FULL_STOP.test(text) || endsAt(text, next, language))) return false;
  if (VOICE.exec(left.beginning)?.[0] !== VOICE.exec(right.beginning)?.[0]) return false;
  if (/[♪♫]/.test(left.ending)) return false;
  const signs = right.beginning.replace(/<[^<>]*>|\{[^{}]*\}/g, '');
  if (/[-–—‐♪♫]|(?:>|&gt;){2}/u.test(signs)) return false;
  if (/^[[(（]/.test(next)) return false;
  // With punctuation, a capital proves nothing, as it may begin a name. Without it, only a small
  // letter shows that the sentence continues.
  return isPunctuated || GOES_ON.test(next);
}

/** Whether a cue begins with all of the one before it, or repeats its end, as captions that roll up do. */
function isRepeated(text: string, next: string): boolean {
  return `${next} `.startsWith(`${text} `) || ` ${text}`.endsWith(` ${next}`);
}

/**
 * Whether the full stop between two cues ends a sentence rather than an abbreviation. Only these
 * two cues are examined.
 */
function endsAt(text: string, next: string, language: LanguageTag | undefined): boolean {
  const ends = sentenceEnds(`${text} ${next}`, { language, atLineBreaks: false });
  return ends.includes(text.length + 1);
}

/** Marks the border between cues; runs contain no line breaks of their own. */
const BORDER = '\r';

function openGroup(runs: readonly SubtitleRun[], language: LanguageTag | undefined): SubtitleGroup {
  const { whole, tags, offsets } = joined(runs);
  const layout = layOutSentences(whole, { cuts: true, language, hasWords: false });
  const sentences = layout.segments.map(withoutBorders);
  return {
    runs,
    tags,
    sentences,
    render: (translated) => {
      const bordered = layout.segments.map((segment, index) =>
        withBorders(segment, sentences[index] ?? segment, translated[index] ?? segment),
      );
      return divided(layout, bordered, runs.length).map((parts, index) =>
        restored(parts, runs[index]?.segment ?? [], offsets[index] ?? 0),
      );
    },
  };
}

/** Joins the segments of runs and their tags; adds to the ids of each run's marks the offset of its tags. */
function joined(runs: readonly SubtitleRun[]) {
  const whole: (string | Mark)[] = [];
  const tags: SubtitleRun['tags'][number][] = [];
  const offsets: number[] = [];
  for (const run of runs) {
    if (whole.length > 0) whole.push(BORDER);
    const offset = tags.length;
    for (const part of run.segment) {
      whole.push(typeof part === 'string' ? part : { mark: part.mark, id: part.id + offset });
    }
    tags.push(...run.tags);
    offsets.push(offset);
  }
  return { whole, tags, offsets };
}

function withoutBorders(segment: TextSegment): TextSegment {
  return segment.map((part) => {
    if (typeof part !== 'string' || !part.includes(BORDER)) return part;
    const [first = '', ...others] = part.split(BORDER);
    return others.reduce((text, next) => text + jointOf(text, next) + next, first);
  });
}

/** Inserts borders into a translated sentence at the same shares of the width as in its source. */
function withBorders(
  source: TextSegment,
  asked: TextSegment,
  translation: TextSegment,
): TextSegment {
  if (isSameSegment(asked, translation)) return source;
  const flat = translation.map((part) =>
    typeof part === 'string' ? part.replace(LINE_BREAK, ' ') : part,
  );
  const text = plainText(source);
  const whole = Math.max(1, displayWidth(text));
  const shares = [...text.matchAll(/\r/g)].map(
    ({ index }) => displayWidth(text.slice(0, index)) / whole,
  );
  if (shares.length === 0) return flat;
  const outside = new Set(offsetsOutside(flat));
  const target = plainText(flat);
  const preferred = breaksAtShares(target, shares, ({ end, next }) => {
    return outside.has(end) && outside.has(next);
  });
  const isMissing = preferred.includes(undefined);
  const places = isMissing ? breaksAtShares(target, shares) : preferred;
  return replaceAt(flat, places, BORDER);
}

/** Yields the UTF-16 offsets of the text at which no element is open. */
function* offsetsOutside(segment: TextSegment): Generator<number> {
  let at = 0;
  let depth = 0;
  for (const part of segment) {
    if (typeof part !== 'string') {
      depth += part.mark === 'open' ? 1 : part.mark === 'close' ? -1 : 0;
      continue;
    }
    for (let offset = 0; depth === 0 && offset <= part.length; offset += 1) yield at + offset;
    at += part.length;
  }
}

/**
 * Replaces the characters that breaks drop; for places that are undefined, the replacement goes to
 * the end of the segment.
 */
function replaceAt(
  segment: TextSegment,
  places: readonly (LineBreak | undefined)[],
  replacement: string,
): TextSegment {
  const breaks = places.filter((place) => place !== undefined);
  const parts: (string | Mark)[] = [];
  let next = 0;
  let at = 0;
  let from = 0;
  for (const part of segment) {
    if (typeof part !== 'string') {
      parts.push(part);
      continue;
    }
    let text = '';
    const end = at + part.length;
    for (let place = breaks[next]; place !== undefined && place.end < end; place = breaks[next]) {
      text += part.slice(Math.max(0, from - at), Math.max(0, place.end - at)) + replacement;
      from = place.next;
      next += 1;
    }
    parts.push(text + part.slice(Math.max(0, from - at)));
    at = end;
  }
  const left = places.length - next;
  if (left > 0) parts.push(replacement.repeat(left));
  return parts;
}

/** Cuts the rendered group at its borders; an element that is open at a border is closed and reopened. */
function divided(
  layout: SegmentLayout,
  bordered: readonly TextSegment[],
  count: number,
): TextSegment[] {
  const pieces: (string | Mark)[][] = [[]];
  const open: Mark[] = [];
  for (const part of layout.render(bordered)) {
    if (typeof part !== 'string') {
      pieces.at(-1)?.push(part);
      if (part.mark === 'open') open.push(part);
      else if (part.mark === 'close') open.pop();
      continue;
    }
    for (const [index, text] of part.split(BORDER).entries()) {
      if (index > 0) {
        for (const { id } of open.toReversed()) pieces.at(-1)?.push({ mark: 'close', id });
        pieces.push([...open]);
      }
      if (text !== '') pieces.at(-1)?.push(text);
    }
  }
  // A cue without any words left repeats the preceding text.
  for (let index = 1; index < count; index += 1) {
    if (plainText(pieces[index] ?? []).trim() === '') pieces[index] = pieces[index - 1] ?? [];
  }
  return pieces.slice(0, count);
}

/** Returns the run's own segment if nothing changed. @param offset of the run's tags */
function restored(parts: TextSegment, segment: TextSegment, offset: number): TextSegment {
  const own = parts.map((part) =>
    typeof part === 'string' ? part : { mark: part.mark, id: part.id - offset },
  );
  return isSameSegment(own, segment) ? segment : parts;
}
