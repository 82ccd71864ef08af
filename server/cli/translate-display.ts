/**
 * How far a translation is: on a terminal a bar that moves in place, without one a line for each step.
 */
import type { WriteStream } from 'node:tty';

/** What is being done. */
export type TranslationStep = 'sending' | 'waiting' | 'translating' | 'fetching';

export interface TranslationDisplay {
  /** @param share of the step that is done, from 0 to 1 */
  show(step: TranslationStep, share: number, secondsLeft?: number): void;
  /** Takes the bar away. */
  end(): void;
}

interface Output {
  /** Where there is nobody to look, and for the terminal. */
  out: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
  /** What is translated. */
  label: string;
}

/** Where each step begins and ends in the whole. */
const SPANS = {
  sending: [0, 0.08],
  waiting: [0.08, 0.08],
  translating: [0.08, 0.97],
  fetching: [0.97, 1],
} as const satisfies Record<TranslationStep, readonly [from: number, to: number]>;
const BAR_WIDTH = 28;
const MAX_LABEL_WIDTH = 36;
const CLEAR_LINE = '\r\u001b[2K';

export function createTranslationDisplay({ out, label }: Output): TranslationDisplay {
  return out.isTTY === true ? barDisplay({ out, label }) : lineDisplay({ out, label });
}

function barDisplay({ out, label }: Output): TranslationDisplay {
  let shown = 0;
  let drawn = '';
  return {
    show(step, share, secondsLeft) {
      const [from, to] = SPANS[step];
      // What is left is estimated, and the estimate may grow: the bar does not go back.
      shown = Math.max(shown, from + (to - from) * Math.min(1, Math.max(0, share)));
      const words = wordsFor(step, secondsLeft);
      const line = lineOf({ label, share: shown, words, columns: columnsOf(out) });
      if (line !== drawn) out.write(CLEAR_LINE + line);
      drawn = line;
    },
    end() {
      if (drawn !== '') out.write(CLEAR_LINE);
      drawn = '';
    },
  };
}

/** A terminal that does not know its width says 0. */
function columnsOf({ columns = 0 }: Output['out']): number {
  return columns === 0 ? 80 : columns;
}

function lineDisplay({ out, label }: Output): TranslationDisplay {
  let last: TranslationStep | undefined;
  return {
    show(step, _share, secondsLeft) {
      if (step === last || step === 'fetching') return;
      last = step;
      out.write(`${label}: ${wordsFor(step, secondsLeft)}\n`);
    },
    end: () => undefined,
  };
}

function wordsFor(step: TranslationStep, secondsLeft: number | undefined): string {
  switch (step) {
    case 'sending':
      return 'sending';
    case 'waiting':
      return 'waiting for its turn';
    case 'translating':
      return secondsLeft === undefined
        ? 'translating'
        : `translating, about ${durationText(secondsLeft)} left`;
    case 'fetching':
      return 'fetching';
  }
}

/** `12 s`, `3 min`, `2 h`. */
function durationText(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** As much of label, bar, share and words as the terminal is wide: a longer line would not go away. */
function lineOf({
  label,
  share,
  words,
  columns,
}: {
  label: string;
  share: number;
  words: string;
  columns: number;
}): string {
  const done = Math.round(share * BAR_WIDTH);
  const bar = '━'.repeat(done) + '─'.repeat(BAR_WIDTH - done);
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const name = shortened(label);
  const lines = [`${name}  ${bar} ${percent}  ${words}`, `${bar} ${percent}  ${words}`];
  const fitting = lines.find((line) => line.length < columns) ?? `${percent}  ${words}`;
  return fitting.slice(0, Math.max(0, columns - 1));
}

/** The beginning and the end of a long name: the ending tells what it is. */
function shortened(name: string): string {
  if (name.length <= MAX_LABEL_WIDTH) return name;
  const half = (MAX_LABEL_WIDTH - 1) / 2;
  return `${name.slice(0, Math.ceil(half))}…${name.slice(-Math.floor(half))}`;
}
