/** Output paths of translations, and the progress display. */
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WriteStream } from 'node:tty';
import {
  documentFormat,
  type DocumentFormatInfo,
  documentFormats,
  extensionOf,
  formatOfExtension,
} from '../documents/formats/index.ts';
import { isSameFile } from './listen-output.ts';
import { widthOf } from './output.ts';

/** The translation of one file into one language. */
export interface TranslationTask {
  input: string;
  target: string;
  output: string;
  /** Requested output format, if it differs from the input's. */
  outputFormat: string | undefined;
}

interface TaskOptions {
  inputs: readonly string[];
  targets: readonly string[];
  /** A file, a folder, or an extension. */
  output: string | undefined;
  /** Whether existing files may be replaced. */
  force: boolean;
}

/**
 * Plans the translations, and checks as much as possible before anything is sent.
 *
 * @throws Error that says what to change
 */
export async function planTasks(options: TaskOptions): Promise<TranslationTask[]> {
  const tasks = options.inputs.flatMap((input) => {
    const format = formatOfFile(input);
    return options.targets.map((target) => taskOf({ input, target, format, options }));
  });
  for (const task of tasks) await checkOutput(task, options);
  checkApart(tasks);
  return tasks;
}

function formatOfFile(input: string): DocumentFormatInfo {
  const found = statSync(input, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`${input}: there is no such file.`);
  if (!found.isFile()) throw new Error(`${input}: is not a file.`);
  if (found.size === 0) throw new Error(`${input}: is empty.`);
  try {
    accessSync(input, constants.R_OK);
  } catch {
    throw new Error(`${input}: cannot be read; check its permissions.`);
  }
  const format = formatOfExtension(extensionOf(input));
  if (format === undefined) throw new Error(`${input}: only ${knownEndings()} are translated.`);
  return format;
}

interface TaskSource {
  input: string;
  target: string;
  format: DocumentFormatInfo;
  options: TaskOptions;
}

function taskOf(source: TaskSource): TranslationTask {
  const { input, target, format } = source;
  const output = outputOf(source);
  const made = formatOfExtension(extensionOf(output));
  if (made === undefined || !format.outputs.includes(made.name)) {
    const possible = format.outputs.map(endingOf).join(' or ');
    throw new Error(
      `--output: a ${format.name} file can become ${possible}, not ${path.basename(output)}.`,
    );
  }
  const outputFormat = made.name === format.name ? undefined : endingOf(made.name);
  return { input, target, output, outputFormat };
}

function outputOf({ input, target, format, options: { output, inputs, targets } }: TaskSource) {
  if (output === undefined) return nameBeside(input, target, usualEnding(input, format));
  if (output.endsWith('/') || statSync(output, { throwIfNoEntry: false })?.isDirectory() === true) {
    const name = path.basename(nameBeside(input, target, usualEnding(input, format)));
    return path.join(output, name);
  }
  const isEnding = !output.includes('.') && !output.includes('/') && formatOfExtension(output);
  if (isEnding) return nameBeside(input, target, output);
  if (inputs.length > 1) throw new Error('--output: several files need a folder, or an ending.');
  const { dir, name, ext } = path.parse(output);
  return targets.length > 1 ? path.join(dir, `${name}.${target}${ext}`) : output;
}

/** Returns `report.es.docx` for `report.docx` and Spanish. */
function nameBeside(input: string, target: string, ending: string): string {
  const { dir, name } = path.parse(input);
  return path.join(dir, `${name}.${target}.${ending}`);
}

/** Returns the input's extension, or that of its default output format: a `.doc` becomes a `.docx`. */
function usualEnding(input: string, { name, outputs }: DocumentFormatInfo): string {
  return outputs[0] === name ? path.extname(input).slice(1) : endingOf(outputs[0]);
}

function endingOf(name: DocumentFormatInfo['name']): string {
  return documentFormat(name).extensions[0] ?? name;
}

async function checkOutput(
  { input, output }: TranslationTask,
  { inputs, force }: TaskOptions,
): Promise<void> {
  for (const each of inputs) {
    if (await isSameFile(each, output)) {
      throw new Error(`${output}: is a file to be translated. Name another with --output.`);
    }
  }
  const found = statSync(output, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw new Error(`${output}: is a folder.`);
  if (found !== undefined && !force) {
    throw new Error(`${output}: exists already. Replace it with --force.`);
  }
  const folder = path.dirname(path.resolve(output));
  if (!existsSync(folder))
    throw new Error(`${input}: there is no folder ${folder} to write to. Make it first.`);
  checkWritable(folder);
}

/** Writes to a folder for trial: permissions alone do not tell whether it can be written to. */
function checkWritable(folder: string): void {
  const trial = path.join(folder, `.${randomUUID()}.part`);
  try {
    writeFileSync(trial, '', { flag: 'wx' });
  } catch {
    throw new Error(`${folder}: cannot be written to. Name another folder with --output.`);
  }
  unlinkSync(trial);
}

function checkApart(tasks: readonly TranslationTask[]): void {
  const known = new Map<string, string>();
  for (const { input, output } of tasks) {
    const key = path.resolve(output);
    const other = known.get(key);
    if (other !== undefined) {
      throw new Error(`${output}: would be written for ${other} and again for ${input}.`);
    }
    known.set(key, input);
  }
}

function knownEndings(): string {
  const endings = documentFormats.flatMap(({ extensions }) => extensions);
  return `${endings.slice(0, -1).join(', ')} and ${endings.at(-1) ?? ''} files`;
}

/** Steps of a translation. */
type TranslationStep = 'sending' | 'waiting' | 'translating' | 'fetching';

export interface TranslationDisplay {
  /** @param share completed part of the step, from 0 to 1 */
  show(step: TranslationStep, share: number, secondsLeft?: number): void;
  /** Removes the progress bar. */
  end(): void;
}

interface Output {
  /** A terminal or another stream. */
  out: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
  /** Name of the document. */
  label: string;
}

/** Span of each step within the whole. */
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
      // The remaining time is an estimate that may grow; the bar never goes back.
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

/** A terminal of unknown width reports 0. */
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

/** Formats a duration as `12 s`, `3 min` or `2 h`. */
function durationText(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Composes as much of label, bar, percentage and words as fits: a wrapped line could not be cleared. */
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
  const fitting = lines.find((line) => widthOf(line) < columns) ?? `${percent}  ${words}`;
  return fitting.slice(0, Math.max(0, columns - 1));
}

/** Shortens a long name in the middle; its extension stays visible. */
function shortened(name: string): string {
  if (widthOf(name) <= MAX_LABEL_WIDTH) return name;
  const half = (MAX_LABEL_WIDTH - 1) / 2;
  const characters = Array.from(name);
  const end = within(characters.toReversed(), Math.floor(half)).toReversed();
  return `${within(characters, Math.ceil(half)).join('')}…${end.join('')}`;
}

/** Returns the first characters, as many as fit into a number of columns. */
function within(characters: readonly string[], columns: number): string[] {
  let width = 0;
  const end = characters.findIndex((character) => (width += widthOf(character)) > columns);
  return characters.slice(0, end);
}
