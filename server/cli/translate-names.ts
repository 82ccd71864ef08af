/** Where translations are written: beside their sources, unless something else is said. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  documentFormat,
  documentFormats,
  extensionOf,
  formatOfExtension,
  type DocumentFormatInfo,
} from '../../shared/document-formats.ts';
import { isSameFile } from './listen-files.ts';

/** One file into one language. */
export interface TranslationTask {
  input: string;
  target: string;
  output: string;
  /** Ending that is asked for, where the format changes in a way that is not the only one. */
  outputFormat: string | undefined;
}

export interface TaskOptions {
  inputs: readonly string[];
  targets: readonly string[];
  /** A file, a folder, or an ending. */
  output: string | undefined;
  /** Whether files may be replaced. */
  force: boolean;
}

/**
 * What is to be done, checked as far as it can be before anything is sent.
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
    throw new Error(`${input}: may not be read.`);
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

/** `report.docx` into Spanish: `report.es.docx`. */
function nameBeside(input: string, target: string, ending: string): string {
  const { dir, name } = path.parse(input);
  return path.join(dir, `${name}.${target}.${ending}`);
}

/** As the source has it; a `.doc` becomes a `.docx`. */
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
  if (!existsSync(folder)) throw new Error(`${input}: there is no folder ${folder} to write to.`);
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
