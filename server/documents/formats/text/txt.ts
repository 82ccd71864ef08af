/**
 * Plain text. Lines are paragraphs; where lines were broken by hand at a width, those that belong
 * together are one, and its translation is broken at that width again.
 */
import { countCodePoints } from '../../../text/code-points.ts';
import { plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock, type DocumentFormat } from '../format.ts';
import { decodeText } from './encoded-text.ts';
import { breaksWithin, joinsUnspaced } from './line-wrapping.ts';
import { paragraphsOf, type TextParagraph } from './txt-paragraphs.ts';

const LETTER = /\p{L}/u;
interface OpenParagraph extends TextParagraph {
  /** Its lines as one. */
  joined: string;
}

export const txt: DocumentFormat = {
  async open(file, { source, maxCharacters }) {
    const encoded = decodeText(file, { language: source });
    const { text } = encoded;
    const characters = countCodePoints(text);
    checkLength(characters, maxCharacters);
    const paragraphs = paragraphsOf(text)
      .map((paragraph) => ({ ...paragraph, joined: joinedLines(text, paragraph) }))
      .filter(({ joined }) => LETTER.test(joined));
    return {
      blocks: paragraphs.map(({ joined }): DocumentBlock => ({
        segment: [joined],
        kind: 'paragraph',
      })),
      characters,
      write: async (translated) => encoded.encode(render(text, paragraphs, translated)),
    };
  },
};

function joinedLines(text: string, { lines }: TextParagraph): string {
  let joined = '';
  let at = 0;
  for (const { start, end } of lines) {
    const line = text.slice(start, end);
    if (joined !== '') joined += jointOf(text.slice(at, start), joined, line);
    joined += line;
    at = end;
  }
  return joined;
}

/** What stands between two lines when they are one: blanks that do not break are meant to stay. */
function jointOf(between: string, left: string, right: string): string {
  const [kept = ''] = /^[^\S\r\n]*/.exec(between) ?? [];
  if (/[^ \t]/.test(kept)) return kept;
  return joinsUnspaced(left, right) ? '' : ' ';
}

function render(
  text: string,
  paragraphs: readonly OpenParagraph[],
  translated: readonly TextSegment[],
): string {
  let written = '';
  let at = 0;
  for (const [index, paragraph] of paragraphs.entries()) {
    const start = paragraph.lines[0]?.start ?? at;
    const end = paragraph.lines.at(-1)?.end ?? start;
    const translation = plainText(translated[index] ?? [paragraph.joined]);
    written += text.slice(at, start);
    written +=
      translation === paragraph.joined
        ? text.slice(start, end)
        : broken(text, paragraph, translation.replace(/(?<![ \t])[ \t]*[\r\n][ \t\r\n]*/g, ' '));
    at = end;
  }
  return written + text.slice(at);
}

/** A translation in lines of the paragraph's width, each beginning as its second line did. */
function broken(text: string, { lines, width }: OpenParagraph, translation: string): string {
  const [first, second] = lines;
  if (width === undefined || first === undefined || second === undefined) return translation;
  const between = text.slice(first.end, second.start);
  const [, lineBreak = '\n', indent = ''] = /(\r\n|\n|\r)([^\r\n]*)$/.exec(between) ?? [];
  const result: string[] = [];
  let at = 0;
  for (const { end, next } of breaksWithin(translation, Math.max(1, width - indent.length))) {
    result.push(translation.slice(at, end));
    at = next;
  }
  result.push(translation.slice(at));
  return result.join(lineBreak + indent);
}
