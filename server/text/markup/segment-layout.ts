/** Splits text without markup into segments for translation. */
import type { LanguageTag } from '../../../shared/language.ts';
import { countCodePoints } from '../code-points.ts';
import {
  atOnce,
  cutAroundStructure,
  cutAtLineBreaks,
  NO_REFERENCES,
  STEP,
  type SentenceSplitting,
  type Steps,
  type TextItem,
  type TextLayout,
  type FlowItem,
} from './text-layout.ts';
import {
  type WriteText,
  appendText,
  partOf,
  type SegmentItem,
  WORD_STAND_IN,
  coreOf,
  type LaidOutSegment,
  layOutSegment,
  renderSegment,
} from './segment-source.ts';
import { itemsOfProse } from './pairing.ts';
import { mayHaveBranches, messageParts, type MessagePart } from '../placeholders.ts';
import { sentenceEnds } from '../sentences.ts';
import { type TextSegment, plainText, type Mark } from '../text-segment.ts';

/**
 * Lays out a plain text. Line breaks and blanks between segments are reproduced byte for byte, as are lines
 * and sentences without letters, placeholders such as `{name}`, and pairs of tags. Each branch of a message
 * (`{count, plural, one {# file} …}`) is translated separately.
 */
export function layOutPlain(text: string, options: PlainOptions): TextLayout {
  return atOnce(plainLayout(text, options));
}

interface PlainOptions {
  splitting: SentenceSplitting;
  language?: LanguageTag | undefined;
}

/** Stepwise variant of {@link layOutPlain}. */
export function plainLayout(text: string, options: PlainOptions): Steps<TextLayout> {
  return flowLayout({
    source: text,
    items: itemsOfProse(text),
    characters: countCodePoints(text),
    splitting: options.splitting,
    language: options.language,
    write: (translated) => translated,
  });
}

// Splits a flow into segments, and assembles a text from translated segments.

/**
 * Lays out the items of a flow, which cover the source.
 *
 * @param marks finds the marks between two sentences, beside which a blank may be added or removed
 */
export function* flowLayout({
  source,
  items,
  characters,
  splitting,
  language,
  write,
  marks,
}: {
  source: string;
  items: readonly FlowItem[];
  characters: number;
  splitting: SentenceSplitting;
  language: LanguageTag | undefined;
  write: WriteText;
  marks?: RegExp;
}): Steps<TextLayout> {
  const laidOut: LaidOutSegment[] = [];
  const add = (sentence: readonly SegmentItem[]): void => {
    const segment = layOutSegment(source, sentence);
    if (segment !== undefined) laidOut.push(segment);
  };
  for (const run of runsOf(source, yield* cutAtMessages(source, items))) {
    yield;
    if (run === undefined) continue;
    if (splitting === 'none') add(run);
    else {
      for (const sentence of sentencesOf(coreOf(run), splitting, language)) {
        yield;
        add(sentence);
      }
    }
  }
  yield;
  return {
    segments: laidOut.map(({ segment }) => segment),
    characters,
    render: (translated) => render({ source, laidOut, translated, write, marks }),
  };
}

/** Yields the items between cuts, and undefined in long runs. An element without content becomes a single mark. */
function* runsOf(source: string, items: readonly FlowItem[]): Generator<SegmentItem[] | undefined> {
  let run: SegmentItem[] = [];
  for (const [index, item] of items.entries()) {
    if (index % STEP === 0) yield undefined;
    if (item.kind === 'text') {
      appendText(run, source, item);
    } else if (item.kind === 'cut') {
      if (run.length > 0) yield run;
      run = [];
    } else {
      const last = run.at(-1);
      const isEmpty =
        item.kind === 'close' && last?.kind === 'open' && last.element === item.element;
      if (isEmpty) {
        run[run.length - 1] = { kind: 'lone', word: false, start: last.start, end: item.end };
      } else run.push(item);
    }
  }
  if (run.length > 0) yield run;
}

/**
 * Cuts a run at the ends of its sentences where no element is open, because an element across two sentences
 * must occur only once. Start tags after the end of a sentence belong to the next sentence, end tags to the
 * preceding one.
 */
function* sentencesOf(
  run: readonly SegmentItem[],
  splitting: SentenceSplitting,
  language: LanguageTag | undefined,
): Generator<readonly SegmentItem[]> {
  const ends = sentenceEnds(run.map(standIn).join(''), {
    language,
    atLineBreaks: splitting === 'lines-and-sentences',
  });
  if (ends.length <= 1) {
    yield run;
    return;
  }
  let sentence: SegmentItem[] = [];
  let next = 0;
  let at = 0;
  let depth = 0;
  for (const item of run) {
    if (item.kind === 'close') {
      depth -= 1;
      sentence.push(item);
      continue;
    }
    while ((ends[next] ?? Infinity) < at) next += 1;
    if (ends[next] === at && depth === 0) {
      yield sentence;
      sentence = [];
    }
    if (item.kind === 'open') depth += 1;
    if (item.kind !== 'text' || depth > 0) {
      at += standIn(item).length;
      sentence.push(item);
      continue;
    }
    const itemEnd = at + item.text.length;
    let from = at;
    for (let end = ends[next] ?? Infinity; end < itemEnd; end = ends[next] ?? Infinity) {
      next += 1;
      if (end <= from || !item.literal) continue;
      sentence.push(partOf(item, from - at, end - at));
      yield sentence;
      sentence = [];
      from = end;
    }
    sentence.push(partOf(item, from - at, item.text.length));
    at = itemEnd;
  }
  yield sentence;
}

function standIn(item: SegmentItem): string {
  if (item.kind === 'text') return item.text;
  return item.kind === 'lone' && item.word ? WORD_STAND_IN : '';
}

function* render({
  source,
  laidOut,
  translated,
  write,
  marks,
}: {
  source: string;
  laidOut: readonly LaidOutSegment[];
  translated: readonly TextSegment[];
  write: WriteText;
  marks: RegExp | undefined;
}): Steps<string> {
  if (translated.length !== laidOut.length) {
    throw new RangeError(`${laidOut.length} segments were laid out, not ${translated.length}`);
  }
  let text = '';
  let at = 0;
  for (const [index, segment] of laidOut.entries()) {
    const translation = translated[index] ?? segment.segment;
    const between = source.slice(at, segment.start);
    const before = laidOut[index - 1];
    text +=
      before === undefined
        ? between
        : joint(
            { between, bare: marks === undefined ? between : between.replace(marks, '') },
            [before.segment, segment.segment],
            [translated[index - 1], translation],
          );
    text += yield* renderSegment(source, segment, translation, write);
    at = segment.end;
  }
  return text + source.slice(at);
}

/** Scripts without blanks between sentences, and their punctuation. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/u;

/**
 * Returns the text between two sentences: with a blank or without, as their script requires.
 *
 * @param bare the text between them, without marks
 */
function joint(
  { between, bare }: { between: string; bare: string },
  source: readonly [TextSegment, TextSegment],
  translated: readonly [TextSegment | undefined, TextSegment],
): string {
  if (bare !== '' && bare !== ' ') return between;
  const wanted = wantsBlank(translated);
  const had = wantsBlank(source);
  // The source's blank is changed only when the script changes.
  if (wanted === undefined || had !== (bare === ' ') || wanted === had) return between;
  return wanted ? ` ${between}` : between.replace(' ', '');
}

function wantsBlank([left, right]: readonly [TextSegment | undefined, TextSegment]):
  | boolean
  | undefined {
  const end = left?.at(-1);
  const start = right[0];
  if (typeof end !== 'string' || typeof start !== 'string') return undefined;
  return !WITHOUT_BLANKS.test(end.slice(-1)) && !WITHOUT_BLANKS.test(start.charAt(0));
}

// Splits segments of documents into sentences for translation, and assembles them again. A segment is written
// as a text in which marks are slices, and so is laid out like marked-up text: sentences end only where no
// element is open, blanks and marks at their ends stay outside, placeholders become marks, the text between
// sentences suits their script, and each branch of a message is a text of its own.

export interface SegmentLayout {
  /** Segments to translate: they contain letters, and their marks are numbered from 1 in reading order. */
  readonly segments: readonly TextSegment[];
  /**
   * Returns the segment with its sentences replaced; each must contain the marks of its source, well nested.
   */
  render(translated: readonly TextSegment[]): TextSegment;
}

/**
 * Splits a segment into sentences.
 *
 * @param options.cuts whether each sentence becomes a segment
 * @param options.language language of the text, for sentence ends
 * @param options.hasWords whether a lone mark may stand for a word, as a field does
 */
export function layOutSentences(
  segment: TextSegment,
  {
    cuts,
    language,
    hasWords = true,
  }: { cuts: boolean; language: LanguageTag | undefined; hasWords?: boolean },
): SegmentLayout {
  const fence = fenceFor(segment);
  const { source, items } = flowOf(segment, fence, hasWords);
  if (cuts) atOnce(cutAtDivisions(segment, source, { items, language }));
  const layout = atOnce(
    flowLayout({
      source,
      items,
      language,
      characters: 0,
      splitting: cuts ? 'sentences' : 'none',
      write: (text) => text.replaceAll(fence, ''),
      // A division separates sentences better than a blank could.
      marks: new RegExp(`${fence}[ocl]\\d+${fence}`, 'g'),
    }),
  );
  return {
    segments: layout.segments,
    render: (translated) => segmentFrom(atOnce(layout.render(translated)), fence),
  };
}

/** Noncharacters of Unicode; a text that contains one is fenced by another. */
const FENCES = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index));

function fenceFor(segment: TextSegment): string {
  const text = plainText(segment);
  return FENCES.find((fence) => !text.includes(fence)) ?? '\uffff';
}

const kinds = { o: 'open', c: 'close', l: 'lone', d: 'lone' } as const;

function flowOf(
  segment: TextSegment,
  fence: string,
  hasWords: boolean,
): { source: string; items: FlowItem[] } {
  const items: FlowItem[] = [];
  let source = '';
  for (const [index, part] of segment.entries()) {
    const start = source.length;
    if (typeof part === 'string') {
      source += part;
      items.push({ kind: 'text', start, end: source.length, references: NO_REFERENCES });
      continue;
    }
    const letter = part.divides === undefined ? part.mark.charAt(0) : 'd';
    source += `${fence}${letter}${part.id}${fence}`;
    const place = { start, end: source.length };
    if (part.mark === 'lone') {
      items.push({ kind: 'lone', word: hasWords && isWord(segment, index), ...place });
    } else items.push({ kind: part.mark, element: part.id, ...place });
  }
  return { source, items };
}

/** Cuts a flow at its tabs, and at line breaks where a sentence does not go on. Items belong to the parts. */
function* cutAtDivisions(
  segment: TextSegment,
  source: string,
  { items, language }: { items: FlowItem[]; language: LanguageTag | undefined },
): Steps<void> {
  const lines = new Set<FlowItem>();
  for (const [index, item] of items.entries()) {
    const part = segment[index];
    const division = typeof part === 'object' ? part.divides : undefined;
    if (division === 'line') lines.add(item);
    if (division === 'gap') items[index] = { kind: 'cut', start: item.start, end: item.end };
  }
  yield* cutAtLineBreaks(source, items, { language, isBreak: (item) => lines.has(item) });
  yield* cutAroundStructure(items);
}

/** Cuts a flow at the syntax of messages with branches, none of which has a cut inside. */
function* cutAtMessages(source: string, items: readonly FlowItem[]): Steps<readonly FlowItem[]> {
  if (!mayHaveBranches(source)) return items;
  const all: FlowItem[] = [];
  let from = 0;
  for (let index = 0; index <= items.length; index += 1) {
    if (index % STEP === 0) yield;
    const item = items[index];
    if (item !== undefined && item.kind !== 'cut') continue;
    for (const each of cutAtBranches(source, items.slice(from, index))) all.push(each);
    if (item !== undefined) all.push(item);
    from = index + 1;
  }
  return all;
}

/** Cuts items at the syntax of a message with branches; an element around any of it becomes two cuts. */
function cutAtBranches(source: string, items: readonly FlowItem[]): readonly FlowItem[] {
  const offset = items[0]?.start ?? 0;
  const parts = messageParts(items.map((item) => onlyText(source, item)).join(''))?.map(
    ({ kind, start, end }) => ({ kind, start: start + offset, end: end + offset }),
  );
  if (parts === undefined) return items;
  const divided = dividedElements(items, parts);
  let next = 0;
  return items.flatMap((item): FlowItem[] => {
    const { kind, start, end } = item;
    if (kind === 'open' || kind === 'close') {
      return [divided.has(item.element) ? { kind: 'cut', start, end } : item];
    }
    if (kind !== 'text') return [item];
    const within: FlowItem[] = [];
    for (let part = parts[next]; part !== undefined && part.start < end; part = parts[next]) {
      if (part.end > start) within.push(messageItem(part, item));
      if (part.end > end) break;
      next += 1;
    }
    return within;
  });
}

/** Returns the text of an item, masked where it is a tag or a reference, whose braces and `#` are no syntax. */
function onlyText(source: string, item: FlowItem): string {
  const { kind, start, end } = item;
  if (kind !== 'text') return '\ufffc'.repeat(end - start);
  let text = '';
  let at = start;
  for (const reference of item.references) {
    text += source.slice(at, reference.start) + '\ufffc'.repeat(reference.end - reference.start);
    at = reference.end;
  }
  return text + source.slice(at, end);
}

/** Returns the elements that begin and end in different branches, or around all of them. */
function dividedElements(
  items: readonly FlowItem[],
  parts: readonly MessagePart[],
): ReadonlySet<number> {
  const divided = new Set<number>();
  const branches = new Map<number, number>();
  let next = 0;
  let branch = 0;
  for (const item of items) {
    for (let part = parts[next]; part !== undefined && part.end <= item.start; part = parts[next]) {
      if (part.kind === 'syntax') branch += 1;
      next += 1;
    }
    if (item.kind === 'open') branches.set(item.element, branch);
    else if (item.kind === 'close' && branches.get(item.element) !== branch) {
      divided.add(item.element);
    }
  }
  return divided;
}

/** Returns a part of a message as an item, as far as it lies within a text. */
function messageItem({ kind, ...part }: MessagePart, text: TextItem): FlowItem {
  const start = Math.max(part.start, text.start);
  const end = Math.min(part.end, text.end);
  if (kind !== 'text') {
    return kind === 'count'
      ? { kind: 'lone', word: true, start, end }
      : { kind: 'cut', start, end };
  }
  const references = text.references.filter((each) => each.start >= start && each.end <= end);
  return { kind, start, end, references };
}

/**
 * Whether a mark stands in the place of a word, like a field: preceded by a blank, the brace of a branch, a
 * boundary or another mark, and not followed by a letter. Footnotes, anchors and pictures adjoin a word.
 */
function isWord(segment: TextSegment, index: number): boolean {
  const before = segment[index - 1];
  const after = segment[index + 1];
  const isApart = typeof before !== 'string' || /[\s{]$/.test(before);
  return isApart && typeof after === 'string' && /^(?:\s|\p{P})/u.test(after);
}

function segmentFrom(text: string, fence: string): TextSegment {
  const parts: (string | Mark)[] = [];
  for (const [index, piece] of text.split(fence).entries()) {
    if (index % 2 === 0) {
      if (piece !== '') parts.push(piece);
      continue;
    }
    const kind = kinds[piece.charAt(0) as keyof typeof kinds];
    parts.push({ mark: kind, id: Number(piece.slice(1)) });
  }
  return parts;
}
