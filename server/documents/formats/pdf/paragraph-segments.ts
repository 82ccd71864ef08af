/**
 * The translatable text of a file: its blocks in order, and the conversion of paragraphs to segments and
 * back.
 */
import { type Mark, type TextSegment, hasLetters, plainText } from '../../../text/text-segment.ts';
import type { PageParagraph, TextRun, TextStyle, Page } from './page-model.ts';
import { jointOf } from './read-line.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import { checkLength, type DocumentBlock } from '../format.ts';
import type { Titles } from './document-details.ts';
import type { PdfFile } from './pdfium.ts';
import { readPages } from './read-pages.ts';

/**
 * Reads all pages of a file.
 * @throws DocumentError when the text exceeds `maxCharacters`
 */
export function readAllPages(file: PdfFile, maxCharacters: number): Page[] {
  const pages: Page[] = [];
  let characters = 0;
  for (const page of readPages(file)) {
    characters += charactersOf(page);
    checkLength(characters, maxCharacters);
    pages.push(page);
  }
  return pages;
}

/** Returns the length of a page's translatable text, in Unicode code points. */
export function charactersOf(page: Page): number {
  return translatableParagraphs(page).reduce(
    (sum, { text }) => sum + countCodePoints(plainText(text.segment)),
    0,
  );
}

/** Returns the blocks of the pages, followed by those of the titles. */
export function blocksOf(pages: readonly Page[], titles: Titles): DocumentBlock[] {
  const paragraphs = pages.flatMap((page) =>
    translatableParagraphs(page).map(({ text }): DocumentBlock => {
      return { segment: text.segment, kind: 'paragraph' };
    }),
  );
  const units = translatableTitles(titles).map((title): DocumentBlock => {
    return { segment: [title], kind: 'unit' };
  });
  return [...paragraphs, ...units];
}

/** Returns the titles with letters: those of the outline, then the document's own. */
function translatableTitles({ outline, document }: Titles): string[] {
  return [...outline, document ?? ''].filter((title) => hasLetters(title));
}

/** A paragraph and its text. */
interface TranslatableParagraph {
  paragraph: PageParagraph;
  text: ParagraphText;
}

/** Returns the paragraphs of a page that have letters. */
export function translatableParagraphs({ paragraphs }: Page): TranslatableParagraph[] {
  return paragraphs
    .map((paragraph) => ({ paragraph, text: textOfParagraph(paragraph) }))
    .filter(({ text }) => hasLetters(text.segment));
}

/** The look and link of a stretch of text. */
export interface RunLook {
  style: TextStyle;
  /** Index of the page's link that contains it. */
  link: number | undefined;
}

/** A paragraph's text: the most frequent look is unmarked, marks stand for the others. */
export interface ParagraphText {
  segment: TextSegment;
  base: RunLook;
  /** Looks by the id of their mark. */
  looks: ReadonlyMap<number, RunLook>;
}

/** Text of one look. */
export interface LookRun extends RunLook {
  text: string;
}

/** Ratio below which sizes count as equal. */
const SIZE_TOLERANCE = 1.12;

/** Returns the text of a paragraph, with its lines joined and divided words made whole. */
export function textOfParagraph(paragraph: PageParagraph): ParagraphText {
  const runs = mergedRuns(paragraph);
  const base = commonest(runs);
  const parts: (string | Mark)[] = [];
  const looks = new Map<number, RunLook>();
  const addText = (text: string): void => {
    const last = parts.at(-1);
    if (text === '') return;
    if (typeof last === 'string') parts[parts.length - 1] = last + text;
    else parts.push(text);
  };
  for (const { text, style, link } of runs) {
    if (isSame({ style, link }, base)) {
      addText(text);
      continue;
    }
    const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
    addText(before);
    if (inner !== '') {
      const id = looks.size + 1;
      looks.set(id, { style, link });
      parts.push({ mark: 'open', id }, inner, { mark: 'close', id });
    }
    addText(after);
  }
  return { segment: parts, base, looks };
}

/** Returns a translated segment as runs of one look, in reading order. */
export function runsOfSegment(
  segment: TextSegment,
  { base, looks }: Pick<ParagraphText, 'base' | 'looks'>,
): LookRun[] {
  const runs: LookRun[] = [];
  const open: RunLook[] = [base];
  for (const part of segment) {
    if (typeof part === 'string') {
      const look = open.at(-1) ?? base;
      runs.push({ text: part.replaceAll(/[^\S\u00a0]+/gu, ' '), ...look });
    } else if (part.mark === 'open') {
      open.push(looks.get(part.id) ?? base);
    } else if (part.mark === 'close') {
      open.pop();
    }
  }
  return runs;
}

/** Returns the runs of all lines, with adjacent runs of the same look merged. */
function mergedRuns({ lines }: PageParagraph): LookRun[] {
  const runs: LookRun[] = [];
  for (const [at, line] of lines.entries()) {
    for (const [index, run] of line.runs.entries()) {
      const previous = index === 0 ? lines[at - 1] : undefined;
      const joint =
        previous === undefined || previous.endsInHyphen
          ? ''
          : jointOf(textOfRuns(previous.runs), run.text);
      addRun(runs, { text: joint + run.text, style: run.style, link: run.link });
    }
  }
  return runs;
}

function textOfRuns(runs: readonly TextRun[]): string {
  return runs.map(({ text }) => text).join('');
}

function addRun(runs: LookRun[], run: LookRun): void {
  const last = runs.at(-1);
  if (last === undefined) {
    runs.push(run);
    return;
  }
  // Punctuation takes the look of the text before it: nobody intends bold commas.
  const isSign = run.style.position === 'normal' && !/[\p{L}\p{N}]/u.test(run.text);
  if (isSame(last, run) || (isSign && last.link === run.link)) last.text += run.text;
  else runs.push(run);
}

/** Tests whether two looks are the same to a reader. */
function isSame(a: RunLook, b: RunLook): boolean {
  if (a.link !== b.link) return false;
  if (a.style === b.style) return true;
  const ratio = a.style.sizePoints / b.style.sizePoints;
  return (
    a.style.isBold === b.style.isBold &&
    a.style.isItalic === b.style.isItalic &&
    a.style.isSerif === b.style.isSerif &&
    a.style.isMonospaced === b.style.isMonospaced &&
    a.style.position === b.style.position &&
    a.style.opacity === b.style.opacity &&
    a.style.decoration === b.style.decoration &&
    a.style.color.every((channel, at) => channel === b.style.color[at]) &&
    ratio < SIZE_TOLERANCE &&
    ratio > 1 / SIZE_TOLERANCE
  );
}

const plainStyle: TextStyle = {
  fontName: '',
  sizePoints: 11,
  isBold: false,
  isItalic: false,
  isSerif: false,
  isMonospaced: false,
  color: [0, 0, 0],
  position: 'normal',
};

/**
 * Returns the look of most of the text. Links and decorated words are left out where others are beside them,
 * as the blanks around a mark have this look.
 */
function commonest(runs: readonly LookRun[]): RunLook {
  const groups: { look: RunLook; length: number; hasWords: boolean }[] = [];
  for (const { text, style, link } of runs) {
    const hasWords = /[\p{L}\p{N}]/u.test(text);
    const group = groups.find(({ look }) => isSame(look, { style, link }));
    if (group === undefined) groups.push({ look: { style, link }, length: text.length, hasWords });
    else {
      group.length += text.length;
      group.hasWords ||= hasWords;
    }
  }
  const normal = groups.filter(({ look }) => look.style.position === 'normal');
  const plain = normal.filter(
    ({ look, hasWords }) => hasWords && look.link === undefined && !look.style.decoration,
  );
  const known = [plain, normal, groups].find(({ length }) => length > 0) ?? [];
  const most = known.sort((a, b) => b.length - a.length)[0];
  return most?.look ?? { style: plainStyle, link: undefined };
}
