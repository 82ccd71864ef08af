/**
 * SubRip and WebVTT. Times, settings, numbers, comments and styles are never touched; the text of a
 * cue is translated by sentences, also where these span cues, and set in as many lines as it had.
 */
import { countCodePoints } from '../../../text/code-points.ts';
import { plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock, type DocumentFormat } from '../format.ts';
import { decodeText } from './encoded-text.ts';
import { balancedBreaks, displayWidth } from './line-wrapping.ts';
import { readCues, type SubtitleGrammar } from './subtitle-cues.ts';
import { groupRuns, replaceAt, type SubtitleGroup } from './subtitle-groups.ts';
import { runsOf, type SubtitleRun } from './subtitle-runs.ts';
import { writtenText } from './subtitle-tags.ts';

export function createSubtitleFormat(grammar: SubtitleGrammar): DocumentFormat {
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
    const { runs, sentences } = group;
    const own = translated.slice(next, next + sentences.length);
    next += sentences.length;
    for (const [index, segment] of group.render(own).entries()) {
      const run = runs[index];
      if (run === undefined || segment === run.segment) continue;
      written += text.slice(at, run.place.start);
      written += writtenRun({ text, run, segment, grammar, lineBreak });
      at = run.place.end;
    }
  }
  return written + text.slice(at);
}

/** Players have room for two lines of about so many columns. */
const LINE_WIDTH = 42;

function writtenRun({
  text,
  run,
  segment,
  grammar,
  lineBreak,
}: {
  text: string;
  run: SubtitleRun;
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
    .map((part) => writtenPart(text, run, part, grammar))
    .join('')
    .replaceAll('\n', lineBreak);
}

function writtenPart(
  text: string,
  { tags }: SubtitleRun,
  part: TextSegment[number],
  grammar: SubtitleGrammar,
): string {
  if (typeof part === 'string') return writtenText(part, grammar);
  const tag = tags[part.id];
  const place = part.mark === 'close' ? tag?.end : tag?.start;
  return place === undefined ? '' : text.slice(place.start, place.end);
}

const LINE_BREAK = /(?<![ \t])[ \t]*[\r\n\u2028\u2029\v\f\u0085][ \t\r\n\u2028\u2029\v\f\u0085]*/g;

/** Without line breaks, and without blanks at its ends: an empty line would end the cue. */
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
