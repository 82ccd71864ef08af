/** The commands `memory …`: import, list and delete translation memories. */
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'commander';
import { ServiceError } from '../../shared/errors.ts';
import {
  MAX_MEMORY_FILE_BYTES,
  type ImportedTranslationMemory,
  type TranslationMemory,
} from '../../shared/schemas/translation-memories.ts';
import { tooLarge } from '../memories/memory-import.ts';
import type { MemoryImport, TranslationMemories } from '../memories/translation-memories.ts';
import { answering } from './administration.ts';
import { fields, table } from './output.ts';

/** `memory import | list | delete`. */
export function memoryCommands(): Command {
  return new Command('memory')
    .description('manage translation memories: earlier translations to be used again')
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(deleteCommand());
}

function importCommand(): Command {
  const command = new Command('import')
    .description('import a memory from a TMX 1.4 or CSV file')
    .argument('<file>', 'the file; its extension determines the format')
    .requiredOption('--account <account>', 'name or id of the account')
    .option('--name <name>', 'name of the memory; default: name of the file')
    .addOption(
      new Option('--format <format>', 'format, if the extension does not determine it').choices(
        formats,
      ),
    )
    .option('--source <language>', 'source language, for a file that does not name it')
    .option('--target <language>', 'target language, for a file that does not name it');
  type Options = {
    account: string;
    name?: string;
    format?: Format;
    source?: string;
    target?: string;
  };
  return answering(command, async ({ accounts, translationMemories }, file = '') => {
    const options = command.opts<Options>();
    const format = options.format ?? formatOf(file);
    const { accountId } = await accounts.resolve(options.account);
    await checkFile(file);
    const memory = await importFile(translationMemories, accountId, {
      name: options.name ?? path.basename(file, path.extname(file)),
      format,
      bytes: createReadStream(file),
      sourceLang: options.source,
      targetLang: options.target,
      languageNames: { source: '--source', target: '--target' },
    });
    const text = fields([
      ...memoryFields(memory),
      ['Left out', `${memory.skipped_count.toLocaleString('en')} segments without a usable pair`],
    ]);
    return { json: memory, text };
  });
}

/** @throws Error locating the fault in the file; partially written data is then deleted */
async function importFile(
  translationMemories: TranslationMemories,
  accountId: string,
  file: MemoryImport,
): Promise<ImportedTranslationMemory> {
  try {
    return await translationMemories.import(accountId, file);
  } catch (error) {
    await translationMemories.tidy();
    if (!(error instanceof ServiceError) || error.detail === undefined) throw error;
    throw new Error(`${error.message} ${error.detail}`, { cause: error });
  }
}

function listCommand(): Command {
  const command = new Command('list')
    .description('list the memories of an account, oldest first')
    .requiredOption('--account <account>', 'name or id of the account');
  return answering(command, async ({ accounts, translationMemories }) => {
    const { account } = command.opts<{ account: string }>();
    const { accountId } = await accounts.resolve(account);
    const memories = await allMemories(accountId, translationMemories);
    const rows = memories.map((memory) => [
      memory.name,
      `${memory.source_language} → ${memory.target_languages.join(' ')}`,
      memory.segment_count.toLocaleString('en'),
      memory.translation_memory_id,
    ]);
    const text =
      rows.length === 0
        ? 'There are no translation memories yet.'
        : table(['NAME', 'LANGUAGES', 'SEGMENTS', 'ID'], rows);
    return { json: memories, text };
  });
}

function deleteCommand(): Command {
  const command = new Command('delete')
    .description('delete a memory with all its segments')
    .argument('<memory-id>', 'ID of the memory, from `memory list`')
    .requiredOption('--account <account>', 'name or id of the account');
  return answering(command, async ({ accounts, translationMemories }, memoryId = '') => {
    const { account } = command.opts<{ account: string }>();
    const { accountId } = await accounts.resolve(account);
    await translationMemories.delete(accountId, memoryId);
    await translationMemories.tidy();
    return { json: { translation_memory_id: memoryId }, text: 'Deleted.' };
  });
}

/** @throws Error describing the problem with the file and its remedy */
async function checkFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new Error(`${file}: there is no such file. Check its path.`);
  if (found.isDirectory()) {
    throw new Error(`${file} is a folder. Name a file in it: each becomes a memory of its own.`);
  }
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw new Error(`${file} cannot be read by this user. Change its permissions.`, { cause });
  });
  if (found.size > MAX_MEMORY_FILE_BYTES) throw tooLarge();
}

const formats = ['tmx', 'csv'] as const;
type Format = (typeof formats)[number];

function formatOf(file: string): Format {
  const ending = path.extname(file).slice(1).toLowerCase();
  const format = formats.find((known) => known === ending);
  if (format !== undefined) return format;
  throw new Error(`${file}: the ending does not show the format. Add --format tmx or csv.`);
}

const PAGE_SIZE = 25;

async function allMemories(
  accountId: string,
  translationMemories: TranslationMemories,
): Promise<TranslationMemory[]> {
  const memories: TranslationMemory[] = [];
  for (;;) {
    const page = { offset: memories.length, limit: PAGE_SIZE };
    const { translation_memories: found } = await translationMemories.list(accountId, page);
    memories.push(...found);
    if (found.length < PAGE_SIZE) return memories;
  }
}

function memoryFields(memory: TranslationMemory): [label: string, value: string][] {
  return [
    ['Memory', memory.name],
    ['Id', memory.translation_memory_id],
    ['Languages', `${memory.source_language} → ${memory.target_languages.join(' ')}`],
    ['Segments', memory.segment_count.toLocaleString('en')],
  ];
}
