/** What is kept of a translation while it goes on: sentences by key, in parts that are JSON. */
import type { TextSegment } from '../../text/text-segment.ts';
import type { TranslationProgress } from './document-translation.ts';

/** The translations that were kept; a part that cannot be read is as good as none. */
export async function readProgress(
  progress: Pick<TranslationProgress, 'parts'>,
): Promise<Map<string, TextSegment>> {
  const translations = new Map<string, TextSegment>();
  for await (const part of progress.parts()) {
    for (const [key, segment] of entriesOf(part)) translations.set(key, segment);
  }
  return translations;
}

/** A part that {@link readProgress} reads. */
export function progressPart(translations: ReadonlyMap<string, TextSegment>): Uint8Array {
  return Buffer.from(JSON.stringify([...translations]));
}

type Entry = readonly [key: string, segment: TextSegment];

function entriesOf(part: Uint8Array): Entry[] {
  try {
    const entries: unknown = JSON.parse(Buffer.from(part).toString('utf8'));
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is Entry {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]);
}
