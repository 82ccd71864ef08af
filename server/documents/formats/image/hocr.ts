/** Reads hOCR, the XHTML in which Tesseract tells words with their places. */
import { Parser } from 'htmlparser2';
import type { OcrLine, OcrWord, PixelBox } from './ocr.ts';

type Building = Omit<OcrLine, 'words'> & { words: OcrWord[] };

/** Lines of text; what Tesseract takes for pictures and rules is left out, and so are empty lines. */
export function readHocr(hocr: string): OcrLine[] {
  const lines: Building[] = [];
  let block = 0;
  let paragraph = 0;
  let isRightToLeft = false;
  let word: { box: PixelBox; confidence: number; text: string } | undefined;
  const parser = new Parser({
    onopentag(name, { class: kinds = '', title = '', dir }) {
      if (kinds === 'ocr_carea') block++;
      else if (kinds === 'ocr_par') {
        paragraph++;
        isRightToLeft = dir === 'rtl';
      } else if (kinds === 'ocrx_word') {
        word = { box: boxOf(title), confidence: number(title, 'x_wconf') ?? 0, text: '' };
      } else if (name === 'span' && kinds.startsWith('ocr_')) {
        lines.push({ ...lineOf(title), block, paragraph, isRightToLeft, words: [] });
      }
    },
    ontext(text) {
      if (word !== undefined) word.text += text;
    },
    onclosetag(name) {
      if (name !== 'span' || word === undefined) return;
      const { box, confidence } = word;
      const text = word.text.trim();
      if (text !== '') lines.at(-1)?.words.push({ text, box, confidence });
      word = undefined;
    },
  });
  parser.end(hocr);
  return lines.filter(({ words }) => words.length > 0);
}

function lineOf(title: string): Pick<OcrLine, 'box' | 'baseline' | 'letterHeightPx' | 'angle'> {
  const box = boxOf(title);
  const [slope = 0, offset = 0] = numbers(title, 'baseline');
  return {
    box,
    // The offset is told from the lower left corner of the line's box.
    baseline: { slope, leftPx: box.bottom + offset },
    letterHeightPx: number(title, 'x_size') ?? box.bottom - box.top,
    angle: number(title, 'textangle') ?? 0,
  };
}

function boxOf(title: string): PixelBox {
  const [left = 0, top = 0, right = 0, bottom = 0] = numbers(title, 'bbox');
  return { left, top, right, bottom };
}

function number(title: string, property: string): number | undefined {
  return numbers(title, property)[0];
}

/** The numbers of a property: `title` holds properties with semicolons between them. */
function numbers(title: string, property: string): number[] {
  const found = title.split(';').map((part) => part.trim().split(/\s+/));
  return (
    found
      .find(([name]) => name === property)
      ?.slice(1)
      .map(Number) ?? []
  );
}
