/** Translation memories for tests: files as tools write them, and their import. */
import type { ImportedTranslationMemory } from '../../../shared/schemas/translation-memories.ts';
import type { ConsoleClient } from './console-client.ts';

/** Returns a TMX 1.4 file; texts by language may contain inline elements. */
export function tmxFile(
  units: readonly Readonly<Record<string, string>>[],
  sourceLanguage = 'en',
): string {
  const body = units.map((texts) => {
    const variants = Object.entries(texts).map(
      ([language, text]) => `<tuv xml:lang="${language}"><seg>${text}</seg></tuv>`,
    );
    return `<tu>${variants.join('')}</tu>`;
  });
  return `<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header srclang="${sourceLanguage}" segtype="sentence" datatype="plaintext"/><body>${body.join('\n')}</body></tmx>`;
}

/** Imports a memory as users do in the console. @param query parameters besides name and format */
export async function uploadMemory(
  owner: ConsoleClient,
  file: { name: string; content: string },
  query: Readonly<Record<string, string>> = {},
): Promise<ImportedTranslationMemory> {
  const [name = '', format = ''] = file.name.split('.');
  const asked = new URLSearchParams({ name, format, ...query });
  const { status, body } = await owner.ask<ImportedTranslationMemory>(
    'POST',
    `translation-memories?${asked}`,
    file.content,
    { 'Content-Type': 'application/octet-stream' },
  );
  if (status !== 201) throw new Error(`${file.name} was refused: ${JSON.stringify(body)}`);
  return body;
}
