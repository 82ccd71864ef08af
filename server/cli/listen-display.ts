/**
 * Captions in a terminal: sentences stay where they were written, and below them one line shows what
 * may still change. Without a terminal there are the sentences alone.
 */
import type { WriteStream } from 'node:tty';
import type { CaptionEvent } from '../../shared/client/index.ts';

export interface Display {
  show(caption: CaptionEvent): void;
  /** What the last line begins with: progress, or what is wrong with the connection. */
  note(text: string): void;
  /** Writes what has no end mark, and takes the last line away. */
  end(): void;
}

interface Output {
  /** For sentences. */
  out: NodeJS.WritableStream;
  /** For the last line; undefined when nobody would see it. */
  line: WriteStream | undefined;
}

/** More often than this the last line flickers, in ms. */
const REDRAW_MS = 100;
const SENTENCE_END = /[.!?…؟।。！？]["'”’»)\]」』）]*\s+|[。！？][”’」』）]*/gu;
/** Characters that take two columns. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;
const CLEAR_LINE = '\r\u001b[2K';

/** @param isLabelled whether each sentence says its language */
export function createDisplay({ out, line }: Output, isLabelled: boolean): Display {
  /** Concluded words of each track whose sentence has not ended. */
  const open = new Map<string, string>();
  /** Languages as they are shown. */
  const labels = new Map<string, string>();
  let tentative = '';
  let note = '';
  let drawn = '';
  let timer: NodeJS.Timeout | undefined;

  const draw = (): void => {
    timer = undefined;
    if (line === undefined) return;
    const head = note === '' ? '' : `${note}  `;
    const soon = ((open.get('') ?? '') + tentative).trim();
    const next = head + tailOf(soon, Math.max(1, line.columns - head.length - 1));
    if (next !== drawn) line.write(CLEAR_LINE + next);
    drawn = next;
  };
  const drawSoon = (): void => void (timer ??= setTimeout(draw, REDRAW_MS));

  function write(label: string, sentence: string): void {
    if (sentence.trim() === '') return;
    if (drawn !== '') line?.write(CLEAR_LINE);
    drawn = '';
    out.write(`${isLabelled ? `${label.padEnd(5)} ` : ''}${sentence.trim()}\n`);
  }

  function flush(key: string, isEnd: boolean): void {
    const label = labels.get(key) ?? key;
    const text = open.get(key) ?? '';
    // A sentence has ended when another begins, or when everything has.
    const end = isEnd ? text.length : ([...text.matchAll(SENTENCE_END)].map(endOf).at(-1) ?? 0);
    for (const sentence of sentencesOf(text.slice(0, end))) write(label, sentence);
    open.set(key, text.slice(end));
  }

  return {
    show({ kind, language = '', concluded, tentative: soon }) {
      const key = kind === 'source' ? '' : language;
      if (kind === 'source') tentative = soon.map(({ text }) => text).join('');
      if (language !== '') labels.set(key, language);
      const text = (open.get(key) ?? '') + concluded.map((segment) => segment.text).join('');
      open.set(key, text);
      const isWhole = /[.!?…؟।。！？]["'”’»)\]」』）]*\s*$/u.test(text);
      if (concluded.length > 0) flush(key, isWhole);
      drawSoon();
    },
    note(text) {
      note = text;
      drawSoon();
    },
    end() {
      for (const key of open.keys()) flush(key, true);
      clearTimeout(timer);
      if (drawn !== '') line?.write(CLEAR_LINE);
    },
  };
}

function endOf(match: RegExpExecArray): number {
  return match.index + match[0].length;
}

function sentencesOf(text: string): string[] {
  const ends = [...text.matchAll(SENTENCE_END)].map(endOf);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

/** As much of the end of a text as fits into so many columns. */
function tailOf(text: string, columns: number): string {
  const characters = Array.from(text);
  let width = characters.reduce((sum, character) => sum + widthOf(character), 0);
  if (width <= columns) return text;
  let from = 0;
  for (; from < characters.length && width > columns - 1; from += 1) {
    width -= widthOf(characters[from] ?? '');
  }
  return `…${characters.slice(from).join('')}`;
}

function widthOf(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}
