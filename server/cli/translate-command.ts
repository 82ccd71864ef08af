import { Command, InvalidArgumentError, Option } from 'commander';
import path from 'node:path';
import { documentFormats } from '../../shared/document-formats.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import { keyOfDataFolder, localServer } from './running-server.ts';
import { createTranslationDisplay } from './translate-display.ts';
import { translateFile } from './translate-file.ts';
import { planTasks, type TranslationTask } from './translate-names.ts';
import { TranslateError, translateService, type TranslateService } from './translate-service.ts';

interface Options {
  to: string[];
  from?: string;
  output?: string;
  formality?: string;
  glossary?: string;
  url?: string;
  server?: string;
  key?: string;
  force?: boolean;
}

/** Asked again later than this, a person does not want to wait; npm and the terminal both pass Ctrl+C on. */
const ASKED_AGAIN_MS = 1_000;
/** What shells say of a program that Ctrl+C has ended. */
const STOPPED_EXIT_CODE = 130;

/** `translate FILE… --to es`. */
export function translateCommand(): Command {
  const endings = documentFormats.map(({ extensions }) => extensions[0]);
  const command = new Command('translate')
    .description('translates documents: report.docx becomes report.es.docx')
    .argument('<file...>', `${endings.slice(0, -1).join(', ')} or ${endings.at(-1) ?? ''} files`)
    .requiredOption(
      '--to <languages>',
      'languages to translate into, separated by commas',
      parseLanguages,
    )
    .option('--from <language>', 'language of the files; default: it is detected')
    .option(
      '--output <file>',
      'where to write: a file (report.docx for a pdf, too), a folder, or an ending such as docx',
    )
    .option('--force', 'replaces files that exist')
    .addOption(
      new Option('--formality <formality>', 'of the translations').choices(
        'default more less prefer_more prefer_less'.split(' '),
      ),
    )
    .option('--glossary <id>', 'glossary that the translations obey; needs --from')
    .option('--url <address>', 'address of the server; default: by the settings')
    .addOption(new Option('--server <address>', 'the same as --url').hideHelp())
    .option('--key <key>', 'API key; default: the one in the data folder');
  return command.action(async (files: string[]) => run(files, command.opts<Options>()));
}

async function run(inputs: readonly string[], options: Options): Promise<void> {
  const { to, output, force = false, from, glossary } = options;
  if (glossary !== undefined && from === undefined) {
    throw new Error('--glossary: say with --from what language the files are in.');
  }
  const tasks = await planTasks({ inputs, targets: to, output, force });
  const service = translateService({
    url: options.url ?? options.server ?? localServer(),
    apiKey: options.key ?? (await keyOfDataFolder()),
  });
  const stop = stopOnSignal();
  try {
    let failures = 0;
    for (const task of tasks) {
      const hasFailed = await translateTask(task, { service, options, signal: stop.signal });
      if (hasFailed) failures += 1;
    }
    if (failures > 0) process.exitCode = 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const rest = error instanceof TranslateError ? ` ${error.message}` : '';
    process.stderr.write(`Stopped.${rest}\n`);
    process.exitCode = STOPPED_EXIT_CODE;
  } finally {
    stop.forget();
  }
}

/**
 * Whether it failed, which has been told then.
 *
 * @throws TranslateError that concerns all files, and the signal's reason
 */
async function translateTask(
  task: TranslationTask,
  {
    service,
    options,
    signal,
  }: { service: TranslateService; options: Options; signal: AbortSignal },
): Promise<boolean> {
  const { force = false } = options;
  const label = path.basename(task.input) + (options.to.length > 1 ? ` (${task.target})` : '');
  const display = createTranslationDisplay({ out: process.stderr, label });
  try {
    const fields = fieldsOf(options);
    const { characters } = await translateFile({
      ...{ service, task, fields, display, force, signal },
    });
    display.end();
    process.stdout.write(`${task.output}\n`);
    if (process.stderr.isTTY) process.stderr.write(`  ${billText(characters)}\n`);
    return false;
  } catch (error) {
    display.end();
    if (signal.aborted) throw error;
    if (error instanceof TranslateError && error.concernsAll) throw error;
    process.stderr.write(`${task.input}: ${error instanceof Error ? error.message : 'failed.'}\n`);
    return true;
  }
}

function fieldsOf({ from, formality, glossary }: Options): Record<string, string> {
  return {
    ...(from !== undefined && { source_lang: from }),
    ...(formality !== undefined && { formality }),
    ...(glossary !== undefined && { glossary_id: glossary }),
  };
}

function billText(characters: number): string {
  if (characters === 0) return 'not billed';
  return `${characters.toLocaleString('en')} characters billed`;
}

/** Aborts when the person wants to stop, and ends the process when they insist. */
function stopOnSignal(): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  let askedAtMs: number | undefined;
  const stop = (): void => {
    const nowMs = performance.now();
    if (askedAtMs === undefined) controller.abort(new Error('Stopped.'));
    else if (nowMs - askedAtMs > ASKED_AGAIN_MS) process.exit(STOPPED_EXIT_CODE);
    askedAtMs ??= nowMs;
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    forget() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

function parseLanguages(value: string): string[] {
  const languages = value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(canonicalLanguage);
  const known = languages.filter((language) => language !== undefined);
  if (known.length === 0 || known.length < languages.length) {
    throw new InvalidArgumentError('Name languages such as es or es,pt-BR.');
  }
  return [...new Set(known)];
}
