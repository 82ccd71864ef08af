/** The commands `models …`: list, install and remove models. */
import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError } from 'commander';
import { npmCommand, readConfig } from '../config.ts';
import {
  installByName,
  listModels,
  listTranslations,
  removeByName,
  type CatalogueEntry,
  type InstallationStep,
  type Installed,
  type InstalledPackage,
  type TranslationOffer,
} from '../models/install-by-name.ts';
import { fields, table } from './output.ts';
import { findRunningServer } from './running-server.ts';
import { stopOnSignal } from './translate-command.ts';

/** `models [list | available | install | remove]`. */
export function modelsCommands(): Command {
  return new Command('models')
    .description(
      'manage models for recognition, translation, speech and ' +
        'punctuation; servers load them at start',
    )
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(availableCommand())
    .addCommand(installCommand())
    .addCommand(removeCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('list installed and installable models')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const all = await listModels(readConfig().MODELS_DIR);
      if (json) {
        print(JSON.stringify(all, null, 2));
        return;
      }
      const { catalogue, apertium, installed, unusable } = all;
      const own = installed.filter(({ name }) => !catalogue.some((entry) => entry.name === name));
      const rows = [
        ...catalogue.map((entry) => [
          entry.installed ? 'yes' : '',
          entry.name,
          entry.kind,
          languagesText(entry.languages),
          entry.downloadMb === undefined ? '?' : `${entry.downloadMb} MB`,
          entry.licence,
          entry.source,
        ]),
        ...own.map(({ name, kind, languages, licence = '?', source = '' }) => [
          'yes',
          name,
          kind,
          languagesText(languages),
          '',
          licence,
          source,
        ]),
        ...apertium.map((entry) => [
          entry.installed ? 'yes' : '',
          entry.name,
          'translation',
          entry.directions.map((pair) => pair.join(' → ')).join(', '),
          `${entry.sizeMb} MB`,
          'GPL',
          'https://www.apertium.org',
        ]),
      ];
      const head = ['INSTALLED', 'NAME', 'KIND', 'LANGUAGES', 'DOWNLOAD', 'LICENCE', 'SOURCE'];
      const more = 'Better translation: npm run dragoman -- models available';
      print([table(head, rows), ...unusable.map(({ reason }) => reason), '', more].join('\n'));
    });
}

function availableCommand(): Command {
  return new Command('available')
    .description('list installable translation models from the public list')
    .option('--from <address>', 'use a mirror of the list')
    .option('--json', 'print JSON')
    .action(async ({ from, json = false }: { from?: string; json?: boolean }) => {
      const config = readConfig();
      const offers = await listTranslations({ mirror: from ?? config.MODELS_URL });
      if (json) {
        print(JSON.stringify(offers, null, 2));
        return;
      }
      const { installed: models } = await listModels(config.MODELS_DIR);
      const installed = new Set(models.map(({ name, modelType = '' }) => `${name} ${modelType}`));
      const rows = offers.map(
        ({ name, languages, architecture, isReleased, sizeBytes, licence }) => [
          installed.has(`${name} ${architecture}`) ? 'yes' : '',
          name,
          languages.join(' → '),
          architecture,
          isReleased ? 'yes' : 'no',
          `${megabytes(sizeBytes)} MB`,
          licence,
        ],
      );
      const head = [
        'INSTALLED',
        'NAME',
        'LANGUAGES',
        'ARCHITECTURE',
        'RELEASED',
        'SIZE',
        'LICENCE',
      ];
      print(table(head, rows));
    });
}

interface InstallFlags {
  from?: string;
  architecture?: string;
  acceptLicence?: true;
  timeout: number;
}

function installCommand(): Command {
  return new Command('install')
    .description('download and install models; resumes interrupted downloads')
    .argument('<names...>', 'names of models or Apertium packages, as listed')
    .option('--from <address>', 'download from a mirror')
    .option('--architecture <name>', 'architecture of a translation model: tiny, base-memory, base')
    .option('--accept-licence', 'accept the licence terms of a model')
    .option('--timeout <seconds>', 'give up when the server is silent for this long', seconds, 60)
    .action(async (names: string[], options: InstallFlags) => {
      const config = readConfig();
      const { from: mirror = config.MODELS_URL, architecture, acceptLicence, timeout } = options;
      await untilInterrupted(async (signal) => {
        for (const name of names) {
          const installed = await installByName({
            name,
            signal,
            mirror,
            architecture,
            stallTimeoutMs: timeout * 1000,
            modelsFolder: config.MODELS_DIR,
            npm: npmCommand(),
            acceptTerms(terms) {
              if (acceptLicence !== true) return askForTerms(terms, signal);
              process.stderr.write(`${terms}\nAccepted by --accept-licence.\n`);
              return true;
            },
            ...progress(name),
          });
          print(installedText(installed));
        }
      });
    });
}

/** Asks the user at a terminal to accept the terms of a licence. @throws Error without a terminal */
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

/** Runs work that Ctrl+C aborts cleanly: partial results are removed. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = stopOnSignal('Stopped; repeat the command to resume.');
  try {
    return await work(stop.signal);
  } finally {
    stop.forget();
  }
}

function installedText(installed: Installed | InstalledPackage): string {
  if ('debianPackage' in installed) {
    const { name } = installed.debianPackage;
    return installed.isNew
      ? `Installed ${name}. Servers load it at their next start.`
      : `${name} is installed already.`;
  }
  const { model, isNew, sha256, checkedAgainst } = installed;
  if (!isNew) return `${model.name} is installed already, in ${model.folder}.`;
  const note = {
    catalogue: 'as in the catalogue',
    publisher: sha256 === undefined ? 'as published on the list' : 'as published beside it',
    unknown: 'not published: compare it with a checksum that you trust',
  }[checkedAgainst ?? 'unknown'];
  const lines: [string, string][] = [
    ['Installed', model.name],
    ['Folder', model.folder],
    ['Languages', model.languages.join(' ')],
    ['Licence', model.licence ?? '?'],
    sha256 === undefined ? ['Checksums', note] : ['SHA-256', `${sha256} (${note})`],
  ];
  return `${fields(lines)}\n\nServers load it at their next start.`;
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove a model; a running server that uses it must be started again')
    .argument('<name>', 'name of an installed model')
    .action(async (name: string) => {
      const { MODELS_DIR, DATA_DIR } = readConfig();
      await removeByName(MODELS_DIR, name);
      print(`Removed ${name}.`);
      const running = findRunningServer(DATA_DIR);
      if (running === undefined) return;
      print(`The server at ${running.address} may still use it: start that server again.`);
    });
}

/**
 * Reports progress on standard error: on a terminal, a line that is updated; in a log, one line per
 * 10 %.
 */
function progress(name: string) {
  const isTerminal = process.stderr.isTTY;
  let shown = -1;
  let what = name;
  return {
    onFound(entry: CatalogueEntry | TranslationOffer): void {
      const { licence } = entry;
      const size =
        'sizeBytes' in entry
          ? `${entry.architecture}, ${megabytes(entry.sizeBytes)} MB unpacked`
          : `${entry.downloadMb ?? '?'} MB`;
      what = `${name} (${size}, licence ${licence})`;
    },
    onStep(step: InstallationStep): void {
      const end = isTerminal && step !== 'download' && shown >= 0 ? '\n' : '';
      shown = -1;
      const steps: Record<InstallationStep, string> = {
        wait: 'Waiting for another process that installs it',
        download: `Downloading ${what}`,
        check: 'Checking the download',
        unpack: 'Unpacking',
      };
      process.stderr.write(`${end}${steps[step]}\n`);
    },
    onProgress(bytes: number, totalBytes: number | undefined): void {
      const share = totalBytes === undefined ? 0 : Math.floor((bytes / totalBytes) * 100);
      const unit = isTerminal ? 1 : 10;
      if (Math.floor(share / unit) === Math.floor(shown / unit) && shown >= 0) return;
      shown = share;
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
