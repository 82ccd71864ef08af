import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError } from 'commander';
import { npmCommand, readConfig } from '../config.ts';
import { catalogue, RELEASES_URL, type CatalogueEntry } from '../models/catalogue.ts';
import { findModels } from '../models/find-models.ts';
import {
  installModel,
  removeModel,
  type InstallationStep,
  type Installed,
} from '../models/installation.ts';
import { fields, table } from './output.ts';

/** `models [list | install | remove]`. */
export function modelsCommands(): Command {
  return new Command('models')
    .description(
      'models for recognition, speech and punctuation, which a server takes up at its start',
    )
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(installCommand())
    .addCommand(removeCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('what can be installed and what is')
    .option('--json', 'answer in JSON, for programs')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { models, unusable } = await findModels(readConfig().MODELS_DIR);
      const installed = new Set(models.map(({ name }) => name));
      const own = models.filter(({ name }) => !catalogue.some((entry) => entry.name === name));
      if (json) {
        const available = catalogue.map((entry) => ({
          ...entry,
          installed: installed.has(entry.name),
        }));
        print(JSON.stringify({ catalogue: available, installed: models, unusable }, null, 2));
        return;
      }
      const rows = [
        ...catalogue.map((entry) => [
          installed.has(entry.name) ? 'yes' : '',
          entry.name,
          entry.kind,
          languagesText(entry.languages),
          entry.downloadMb === undefined ? '?' : `${entry.downloadMb} MB`,
          entry.licence,
          entry.source,
        ]),
        ...own.map(({ name, kind, languages, licence = '?', source = '' }) => [
          ...['yes', name, kind, languagesText(languages), '', licence, source],
        ]),
      ];
      const head = ['INSTALLED', 'NAME', 'KIND', 'LANGUAGES', 'DOWNLOAD', 'LICENCE', 'SOURCE'];
      print([table(head, rows), ...unusable.map(({ reason }) => reason)].join('\n'));
    });
}

interface InstallFlags {
  from?: string;
  acceptLicence?: true;
  timeout: number;
}

function installCommand(): Command {
  return new Command('install')
    .description('download a model and put it in its place; what was interrupted goes on')
    .argument('<name>', 'name in the catalogue')
    .option('--from <address>', 'download from a mirror of the releases')
    .option('--accept-licence', 'accept the terms of a model that has some')
    .option('--timeout <seconds>', 'give up a server that is silent for so long', seconds, 60)
    .action(async (name: string, options: InstallFlags) => {
      const entry = catalogue.find((known) => known.name === name);
      if (entry === undefined) {
        throw new Error(`There is no ${name} in the catalogue; see \`models list\`.`);
      }
      const config = readConfig();
      const address = options.from ?? config.MODELS_URL ?? RELEASES_URL;
      print(
        await untilInterrupted(async (signal) => {
          const installed = await installModel({
            ...{ entry, signal, modelsFolder: config.MODELS_DIR, npm: npmCommand() },
            releasesUrl: address.replace(/\/+$/, ''),
            stallTimeoutMs: options.timeout * 1000,
            acceptTerms: (terms) => options.acceptLicence === true || askForTerms(terms, signal),
            ...progressOf(entry),
          });
          return installedText(installed);
        }),
      );
    });
}

/** Whether a person at a terminal accepts what a licence asks. @throws Error where nobody can be asked */
async function askForTerms(terms: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Error(`${terms}\nTo accept that, add --accept-licence.`);
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${terms}\nDo you accept that? (yes/no) `, { signal });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}

/** Does some work that Ctrl+C ends in order: what was half done is taken away. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const stop = () =>
    interruption.abort(new Error('Stopped; give the command again to go on where it ended.'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(interruption.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

function installedText({ model, isNew, sha256, checkedAgainst }: Installed): string {
  if (!isNew) return `${model.name} is installed already, in ${model.folder}.`;
  const note = {
    catalogue: 'as in the catalogue',
    publisher: 'as published beside it',
    unknown: 'not published: compare it with one you trust',
  }[checkedAgainst ?? 'unknown'];
  const lines: [string, string][] = [
    ['Installed', model.name],
    ['Folder', model.folder],
    ['Languages', model.languages.join(' ')],
    ['Licence', model.licence ?? '?'],
    sha256 === undefined ? ['Checksums', note] : ['SHA-256', `${sha256} (${note})`],
  ];
  return `${fields(lines)}\n\nA server takes it up when it starts.`;
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove a model; a server that runs keeps it until it stops')
    .argument('<name>', 'name of an installed model')
    .action(async (name: string) => {
      await removeModel(readConfig().MODELS_DIR, name);
      print(`Removed ${name}.`);
    });
}

/** Progress on standard error: a line that changes for people, one each tenth for a log. */
function progressOf({ name, downloadMb, origin }: CatalogueEntry) {
  const isTerminal = process.stderr.isTTY;
  let told = -1;
  const steps: Record<InstallationStep, string> = {
    wait: `Waiting for another process that installs ${name}`,
    download:
      origin.from === 'npm' && downloadMb !== undefined
        ? `Downloading ${name} (${downloadMb} MB) with npm`
        : `Downloading ${name}`,
    check: 'Checking the download',
    unpack: 'Unpacking',
  };
  return {
    onStep(step: InstallationStep): void {
      const end = isTerminal && step === 'check' && told >= 0 ? '\n' : '';
      process.stderr.write(`${end}${steps[step]}\n`);
    },
    onProgress(bytes: number, totalBytes: number | undefined): void {
      const share = totalBytes === undefined ? 0 : Math.floor((bytes / totalBytes) * 100);
      const unit = isTerminal ? 1 : 10;
      if (Math.floor(share / unit) === Math.floor(told / unit) && told >= 0) return;
      told = share;
      const text = `${megabytes(bytes)} of ${totalBytes === undefined ? '?' : megabytes(totalBytes)} MB (${share} %)`;
      process.stderr.write(isTerminal ? `\r${text}` : `${text}\n`);
    },
  };
}

function seconds(value: string): number {
  if (/^[1-9]\d{0,4}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Give a whole number from 1.');
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function languagesText(languages: readonly string[]): string {
  return languages.length > 6 ? `${languages.length} languages` : languages.join(' ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
