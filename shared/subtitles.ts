/** Converts transcript segments to subtitles: splits them into readable cues, and writes SRT or WebVTT. */
import { endsAbbreviated } from './language.ts';

/** A piece of text and its time; it carries its own leading blank. */
export interface TimedText {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Text shown at one time. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** One or two lines. */
  readonly lines: readonly string[];
}

/** Readability limits from broadcasting practice: two lines of 42 characters, one to seven seconds. */
export const CUE_LIMITS = { lineCharacters: 42, lines: 2, leastMs: 1_000, mostMs: 7_000 } as const;

/** Silence that ends a cue, in ms: what follows is a new thought. */
const PAUSE_MS = 2_000;
/** Fill below which a cue does not end at a comma. */
const LEAST_FILL = 0.4;

const SENTENCE_END = /[.!?…؟।。！？]["'”’»)\]」』）]*$/u;
const CLAUSE_END = /[,;:，、；：–—،]["'”’»)\]」』）]*$/u;
/** Scripts without blanks between words, which may be split anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
/** Characters that must not begin a line. */
const CLOSING = /^[\p{M}\p{Pe}\p{Pf}\p{Po}ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;

interface Word extends TimedText {
  /** Whether the word follows the previous one without a blank. */
  isJoined: boolean;
  /** Length in code points, so that surrogate pairs count once. */
  length: number;
}

/**
 * Splits segments into consecutive cues that do not overlap, within {@link CUE_LIMITS}.
 *
 * @param notBeforeMs earliest start of the first cue
 */
export function subtitleCues(segments: readonly TimedText[], notBeforeMs = 0): Cue[] {
  const words = wordsOf(segments);
  const cues: Cue[] = [];
  for (let from = 0; from < words.length;) {
    const to = cueEnd(words, from);
    cues.push(cueOf(words, [from, to], cues.at(-1)?.endMs ?? notBeforeMs));
    from = to;
  }
  return cues;
}

/** Formats cues as a SubRip file. */
export function toSrt(cues: readonly Cue[]): string {
  return cues
    .map(({ startMs, endMs, lines }, index) => {
      // SubRip has no escapes, so character sequences that players would take for an arrow or a tag
      // are altered.
      const text = lines
        .join('\n')
        .replaceAll('-->', '→')
        .replace(/<(?=[/a-z])|\{(?=\\)/giu, '$&\u2060');
      return `${index + 1}\n${clock(startMs, ',')} --> ${clock(endMs, ',')}\n${text}\n`;
    })
    .join('\n');
}

/** Formats cues as a WebVTT file. */
export function toVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, lines }) => {
    const text = lines.map(escapeVtt).join('\n');
    return `\n${clock(startMs, '.')} --> ${clock(endMs, '.')}\n${text}\n`;
  });
  return `WEBVTT\n${blocks.join('')}`;
}

/** Formats segments as plain text, one sentence per line. */
export function toLines(segments: readonly TimedText[]): string {
  const words = wordsOf(segments);
  let text = '';
  words.forEach((word, index) => {
    const before = words[index - 1];
    const isNew = before !== undefined && isApart(before, word);
    text += isNew ? `\n${word.text}` : (word.isJoined ? '' : ' ') + word.text;
  });
  return text === '' ? '' : `${text.trimStart()}\n`;
}

function isApart(before: Word, word: Word): boolean {
  const isPaused = word.startMs - before.endMs > PAUSE_MS;
  const isSentence = endsSentence(before.text) && (!word.isJoined || !isAscii(before.text));
  return !CLOSING.test(word.text) && (isPaused || isSentence);
}

function endsSentence(word: string): boolean {
  return SENTENCE_END.test(word) && !endsAbbreviated(word);
}

function isAscii(text: string): boolean {
  return (text.codePointAt(text.length - 1) ?? 0) < 128;
}

function escapeVtt(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Formats a time as `01:02:03,004`; hours may have more than two digits. */
function clock(timeMs: number, mark: ',' | '.'): string {
  const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0');
  const seconds = Math.floor(timeMs / 1000);
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${time.map((part) => padded(part)).join(':')}${mark}${padded(timeMs % 1000, 3)}`;
}

/** Splits segments into words and interpolates their times by position. */
function wordsOf(segments: readonly TimedText[]): Word[] {
  const words: Word[] = [];
  let isSpaced = true;
  for (const { text, startMs, endMs } of segments) {
    const firstAt = text.length - text.trimStart().length;
    const msPerUnit = Math.max(endMs - startMs, 0) / text.trim().length;
    const timeAt = (at: number): number => Math.round(startMs + (at - firstAt) * msPerUnit);
    for (const { 0: run, index } of text.matchAll(/\s+|\S+/gu)) {
      if (run.trim() === '') {
        isSpaced = true;
        continue;
      }
      let at = index;
      for (const piece of unbreakable(run)) {
        const times = { startMs: timeAt(at), endMs: timeAt(at + piece.length) };
        words.push({ text: piece, isJoined: !isSpaced, length: lengthOf(piece), ...times });
        isSpaced = false;
        at += piece.length;
      }
    }
  }
  return words;
}

/** Splits a run of characters where lines may break. */
function unbreakable(run: string): string[] {
  if (run.length <= CUE_LIMITS.lineCharacters && !UNSPACED.test(run)) return [run];
  const pieces: string[] = [];
  for (const character of run) {
    const last = pieces.at(-1);
    const mayCut =
      last === undefined ||
      lengthOf(last) >= CUE_LIMITS.lineCharacters ||
      ((UNSPACED.test(character) || UNSPACED.test(last)) && !CLOSING.test(character));
    if (mayCut) pieces.push(character);
    else pieces[pieces.length - 1] = last + character;
  }
  return pieces;
}

/** Returns the index after the last word of the cue that begins at `from`. */
function cueEnd(words: readonly Word[], from: number): number {
  const first = words[from] as Word;
  let best = { end: from + 1, score: -1 };
  let characters = 0;
  for (let end = from + 1; ; end += 1) {
    const last = words[end - 1] as Word;
    const next = words[end];
    characters += last.length + 1;
    const score = endScore(last.text, characters, last.endMs - first.startMs);
    if (score >= best.score) best = { end, score };
    if (next === undefined || next.startMs - last.endMs > PAUSE_MS) return end;
    const isLongEnough = last.endMs - first.startMs >= CUE_LIMITS.leastMs;
    if (endsSentence(last.text) && isLongEnough && !next.isJoined) return end;
    const isTooLong = next.endMs - first.startMs > CUE_LIMITS.mostMs;
    if (isTooLong || lineBreak(words, from, end + 1) === undefined) return best.end;
  }
}

/**
 * Scores a possible end of a cue: fuller is better, ends of clauses more so, and ends of sentences
 * most.
 */
function endScore(last: string, characters: number, durationMs: number): number {
  const most = CUE_LIMITS.lineCharacters * CUE_LIMITS.lines;
  const fill = Math.max(characters / most, durationMs / CUE_LIMITS.mostMs);
  if (fill < LEAST_FILL) return fill;
  return fill + (endsSentence(last) ? 2 : CLAUSE_END.test(last) ? 1 : 0);
}

function cueOf(words: readonly Word[], [from, to]: [number, number], notBeforeMs: number): Cue {
  const startMs = Math.max(Math.round(words[from]?.startMs ?? 0), notBeforeMs);
  const spokenMs = (words[to - 1]?.endMs ?? startMs) - startMs;
  const durationMs = Math.min(Math.max(spokenMs, CUE_LIMITS.leastMs), CUE_LIMITS.mostMs);
  const at = lineBreak(words, from, to) ?? to;
  const lines = [join(words.slice(from, at)), join(words.slice(at, to))];
  return { startMs, endMs: startMs + durationMs, lines: lines.filter((line) => line !== '') };
}

/**
 * Returns where words break into two lines of similar length: the index of the first word of the
 * second line, `to` if one line suffices, or undefined if two do not.
 */
function lineBreak(words: readonly Word[], from: number, to: number): number | undefined {
  let whole = 0;
  for (let at = from; at < to; at += 1) whole += widthOf(words, at, from);
  if (whole <= CUE_LIMITS.lineCharacters) return to;
  if (whole > CUE_LIMITS.lineCharacters * CUE_LIMITS.lines + 1) return undefined;
  let best: { at: number; imbalance: number } | undefined;
  let first = 0;
  for (let at = from + 1; at < to; at += 1) {
    first += widthOf(words, at - 1, from);
    if (first > CUE_LIMITS.lineCharacters) break;
    const second = whole - first - (words[at]?.isJoined === true ? 0 : 1);
    if (second > CUE_LIMITS.lineCharacters) continue;
    const last = words[at - 1]?.text ?? '';
    const endsWell = endsSentence(last) || CLAUSE_END.test(last);
    const imbalance = Math.abs(first - second) - (endsWell ? CUE_LIMITS.lineCharacters / 2 : 0);
    if (best === undefined || imbalance < best.imbalance) best = { at, imbalance };
  }
  return best?.at;
}

/** Returns the width of a word on a line that begins at `from`, including a preceding blank. */
function widthOf(words: readonly Word[], at: number, from: number): number {
  const { length = 0, isJoined = true } = words[at] ?? {};
  return at === from || isJoined ? length : length + 1;
}

function join(words: readonly Word[]): string {
  return words.map(({ text, isJoined }, at) => (at === 0 || isJoined ? text : ` ${text}`)).join('');
}

function lengthOf(text: string): number {
  let length = 0;
  for (const character of text) length += character === '' ? 0 : 1;
  return length;
}
