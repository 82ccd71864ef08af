/** Takes text without markup apart for translation. */
import type { LanguageTag } from '../../../shared/language.ts';
import { countCodePoints } from '../code-points.ts';
import {
  NO_REFERENCES,
  type SentenceSplitting,
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
import { sentenceEnds } from '../sentences.ts';
import type { TextSegment } from '../text-segment.ts';

/**
 * Takes a plain text apart. Line breaks and blanks between segments come back byte for byte, as do
 * lines and sentences without letters and placeholders such as `{name}`.
 */
export function layOutPlain(
  text: string,
  options: { splitting: SentenceSplitting; language?: LanguageTag | undefined },
): TextLayout {
  return layOutFlow({
    source: text,
    items: [{ kind: 'text', start: 0, end: text.length, references: NO_REFERENCES }],
    characters: countCodePoints(text),
    splitting: options.splitting,
    language: options.language,
    write: (translated) => translated,
  });
}

// Makes segments of a flow, and a text of translated segments.

/**
 * Lays out the items of a flow, which cover the source.
 *
 * @param marks finds the marks between two sentences, where these may get or lose a blank beside them
 */
export function layOutFlow({
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
}): TextLayout {
  const laidOut: LaidOutSegment[] = [];
  const add = (sentence: readonly SegmentItem[]): void => {
    const segment = layOutSegment(source, sentence);
    if (segment !== undefined) laidOut.push(segment);
  };
  for (const run of runsOf(source, items)) {
    if (splitting === 'none') add(run);
    else for (const sentence of sentencesOf(coreOf(run), splitting, language)) add(sentence);
  }
  return {
    segments: laidOut.map(({ segment }) => segment),
    characters,
    render: (translated) => render({ source, laidOut, translated, write, marks }),
  };
}

/** What lies between cuts. An element without content is one mark, as if it had been written so. */
function* runsOf(source: string, items: readonly FlowItem[]): Generator<SegmentItem[]> {
  let run: SegmentItem[] = [];
  for (const item of items) {
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
 * Cuts a run at the ends of its sentences, as far as no element is open there: one that spans two
 * sentences has to come out once. Tags after the end of a sentence belong to the next, end tags to
 * the one before.
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

function render({
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
}): string {
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
    text += renderSegment(source, segment, translation, write);
    at = segment.end;
  }
  return text + source.slice(at);
}

/** Scripts that put no blank between sentences, and their punctuation. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/u;

/**
 * What stands between two sentences, which is a blank or nothing as their script wants it.
 *
 * @param bare what is between but for marks
 */
function joint(
  { between, bare }: { between: string; bare: string },
  source: readonly [TextSegment, TextSegment],
  translated: readonly [TextSegment | undefined, TextSegment],
): string {
  if (bare !== '' && bare !== ' ') return between;
  const wanted = wantsBlank(translated);
  const had = wantsBlank(source);
  // Only a change of script is a reason to touch what the source has.
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
