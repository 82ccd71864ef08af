/** Converts pieces of text to Word's runs, links and notes, and finds the looks that become styles. */
import {
  ExternalHyperlink,
  FootnoteReferenceRun,
  InternalHyperlink,
  type IRunOptions,
  PageNumber,
  type ParagraphChild,
  ShadingType,
  TextRun,
} from 'docx';
import type { TextLook, TextPiece, FlowText } from './flow-model.ts';

interface RunContext {
  /** The look that a run without properties has in its paragraph's style. */
  styleLook: TextLook;
  isRightToLeft: boolean;
  /** Indexes of the pages that can be link targets. */
  bookmarks: ReadonlySet<number>;
}

/** Returns the name of the bookmark at the beginning of a source page. */
export function bookmarkName(pageIndex: number): string {
  return `page-${pageIndex + 1}`;
}

/** Returns the content of a paragraph. */
export function runsOf(pieces: readonly TextPiece[], context: RunContext): ParagraphChild[] {
  const children: ParagraphChild[] = [];
  for (const piece of pieces) {
    const { look } = piece;
    if (look.note !== undefined) {
      children.push(new FootnoteReferenceRun(look.note));
      continue;
    }
    const run = new TextRun(runOptions(piece, context));
    const { link } = look;
    if (link === undefined) {
      children.push(run);
    } else if ('url' in link) {
      children.push(new ExternalHyperlink({ link: link.url, children: [run] }));
    } else if (context.bookmarks.has(link.pageIndex)) {
      children.push(
        new InternalHyperlink({ anchor: bookmarkName(link.pageIndex), children: [run] }),
      );
    } else {
      children.push(run);
    }
  }
  return children;
}

function runOptions(
  { text, look }: TextPiece,
  { styleLook, isRightToLeft }: RunContext,
): IRunOptions {
  const content: IRunOptions =
    look.field === undefined
      ? { text: printable(text) }
      : { children: [look.field === 'page' ? PageNumber.CURRENT : PageNumber.TOTAL_PAGES] };
  return {
    ...content,
    ...lookOptions(look, styleLook),
    ...(isRightToLeft ? { rightToLeft: true } : {}),
  };
}

/** Returns the properties of a run that differ from those of its style. */
export function lookOptions(look: TextLook, style: TextLook | undefined): IRunOptions {
  return {
    ...(look.font === style?.font ? {} : { font: look.font }),
    ...(look.size === style?.size ? {} : { size: look.size }),
    ...(look.isBold === (style?.isBold ?? false) ? {} : { bold: look.isBold }),
    ...(look.isItalic === (style?.isItalic ?? false) ? {} : { italics: look.isItalic }),
    ...(look.color === style?.color ? {} : { color: look.color }),
    ...(look.shading === undefined
      ? {}
      : { shading: { type: ShadingType.CLEAR, fill: look.shading, color: 'auto' } }),
    ...(look.position === 'superscript' ? { superScript: true } : {}),
    ...(look.position === 'subscript' ? { subScript: true } : {}),
  };
}

/** Removes characters that XML does not allow: other control characters and lone surrogates. */
function printable(text: string): string {
  return text
    .replace(/\s+/g, (blank) => /[\u00A0\u202F\u3000]/.exec(blank)?.[0] ?? ' ')
    .replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '');
}

export interface DocumentLooks {
  body: TextLook;
  /** Looks by heading level from 1. */
  headings: ReadonlyMap<number, TextLook>;
}

const PLAIN: TextLook = {
  font: 'Times New Roman',
  size: 22,
  isBold: false,
  isItalic: false,
  color: '000000',
  shading: undefined,
  position: 'normal',
  link: undefined,
  note: undefined,
  field: undefined,
};

/** Finds the most frequent look of body text and of each heading level, by number of characters. */
export function findLooks(texts: Iterable<FlowText>): DocumentLooks {
  const counts = new Map<number, Map<string, { look: TextLook; characters: number }>>();
  for (const { pieces, headingLevel = 0 } of texts) {
    const group =
      counts.get(headingLevel) ?? new Map<string, { look: TextLook; characters: number }>();
    counts.set(headingLevel, group);
    for (const { text, look } of pieces) {
      const { font, size, isBold, isItalic, color } = look;
      if (look.position !== 'normal') continue;
      const key = [font, size, isBold, isItalic, color].join('|');
      const known = group.get(key) ?? {
        look: { ...PLAIN, font, size, isBold, isItalic, color },
        characters: 0,
      };
      known.characters += text.length;
      group.set(key, known);
    }
  }
  const commonest = (level: number): TextLook | undefined =>
    [...(counts.get(level)?.values() ?? [])].sort((a, b) => b.characters - a.characters)[0]?.look;
  const headings = new Map<number, TextLook>();
  for (const level of counts.keys()) {
    const look = level === 0 ? undefined : commonest(level);
    if (look !== undefined) headings.set(level, look);
  }
  return { body: commonest(0) ?? PLAIN, headings };
}

/** Returns the look of a paragraph's style. */
export function styleLook({ headingLevel }: FlowText, looks: DocumentLooks): TextLook {
  return (headingLevel === undefined ? undefined : looks.headings.get(headingLevel)) ?? looks.body;
}
