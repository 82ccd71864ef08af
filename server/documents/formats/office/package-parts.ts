/** The parts of an Office file, found by their content types and relationships, never by their path. */
import { posix } from 'node:path';
import { DocumentError } from '../format.ts';
import { type Archive, type ArchiveEntry, openArchive } from './archive.ts';
import { eachTag } from './part-reading.ts';
import { attributeOf, attributesOf } from './xml-element.ts';

export interface OfficePackage {
  readonly archive: Archive;
  /** Returns the content type of a part, in lower case; empty when the file declares none. */
  contentType(entry: ArchiveEntry): string;
  /**
   * Finds parts by the end of their content type, which transitional and strict files share, in
   * directory order.
   */
  partsOfType(ending: string | RegExp): ArchiveEntry[];
  /** Returns the relationships of a part, or of the file itself when no part is given. */
  relationships(entry?: ArchiveEntry): Promise<readonly Relationship[]>;
}

interface Relationship {
  id: string;
  /** Last segment of the type's URI, which transitional and strict share: `header`, `chart`. */
  type: string;
  /** The target part; undefined for a target outside of the file. */
  entry: ArchiveEntry | undefined;
}

/** An Office program's file type: the content types of its main part, and its name in messages. */
interface OfficeProgram {
  /** Ends of the main part's content types, without `+xml`: `document.main`. */
  mainTypes: readonly string[];
  /** Name in messages: `Word document (.docx)`. */
  description: string;
}

/**
 * Size limit of content types and relationships, in bytes. Legitimate files stay far below: a
 * thousand slides need 300 kB.
 */
const MAX_DIRECTORY_BYTES = 16_000_000;

/**
 * Opens an Office file.
 *
 * @throws DocumentError when it is damaged or encrypted, contains macros or belongs to another program
 */
export async function openPackage(
  file: Uint8Array,
  program: OfficeProgram,
): Promise<OfficePackage> {
  const archive = await openArchive(file);
  const types = await contentTypes(archive);
  const contentType = ({ name }: ArchiveEntry): string =>
    types.overrides.get(name.toLowerCase()) ??
    types.defaults.get(posix.extname(name).slice(1).toLowerCase()) ??
    '';
  refuseMacros(archive, contentType);
  const isMain = (type: string): boolean =>
    program.mainTypes.some((main) => type.endsWith(`.${main}+xml`));
  if (!archive.entries.some((entry) => isMain(contentType(entry)))) {
    throw new DocumentError(`The file is not a ${program.description}, though its name says so.`);
  }
  return {
    archive,
    contentType,
    partsOfType: (ending) =>
      archive.entries.filter((entry) => {
        const type = contentType(entry);
        return typeof ending === 'string' ? type.endsWith(ending) : ending.test(type);
      }),
    relationships: (entry) => relationshipsOf(archive, entry),
  };
}

interface ContentTypes {
  defaults: Map<string, string>;
  overrides: Map<string, string>;
}

async function contentTypes(archive: Archive): Promise<ContentTypes> {
  const entry = archive.find('[Content_Types].xml');
  if (entry === undefined) {
    throw new DocumentError('The file is not an Office document, or it is damaged.');
  }
  const types: ContentTypes = { defaults: new Map(), overrides: new Map() };
  await eachDirectoryTag(archive, entry, (name, tag) => {
    const type = attributeOf(tag, 'ContentType')?.toLowerCase() ?? '';
    if (name === 'ct:Default') {
      types.defaults.set(attributeOf(tag, 'Extension')?.toLowerCase() ?? '', type);
    } else if (name === 'ct:Override') {
      const partName = attributeOf(tag, 'PartName')?.toLowerCase() ?? '';
      types.overrides.set(partName.replace(/^\//, ''), type);
    }
  });
  return types;
}

async function eachDirectoryTag(
  archive: Archive,
  entry: ArchiveEntry,
  visit: (name: string, tag: string) => void,
): Promise<void> {
  if (entry.sizeBytes > MAX_DIRECTORY_BYTES) {
    throw new DocumentError('The file holds more parts than can be translated.');
  }
  await eachTag(archive, entry, visit);
}

/** Refuses macros, wherever they hide: the translated file would carry them on. */
function refuseMacros(archive: Archive, contentType: (entry: ArchiveEntry) => string): void {
  const isMacro = (entry: ArchiveEntry): boolean =>
    /macroenabled|vbaproject|vbadata/.test(contentType(entry)) ||
    /(^|\/)vba(project|data)[^/]*\.(bin|xml)$/i.test(entry.name);
  if (!archive.entries.some(isMacro)) return;
  throw new DocumentError(
    'The file contains macros. Save it without them (as .docx, .pptx or .xlsx) and send it again.',
  );
}

async function relationshipsOf(
  archive: Archive,
  of: ArchiveEntry | undefined,
): Promise<Relationship[]> {
  const folder = of === undefined ? '' : posix.dirname(of.name);
  const base = of === undefined ? '' : posix.basename(of.name);
  const entry = archive.find(posix.join(folder, '_rels', `${base}.rels`));
  const found: Relationship[] = [];
  if (entry === undefined) return found;
  await eachDirectoryTag(archive, entry, (name, tag) => {
    if (name !== 'rel:Relationship') return;
    const target = attributeOf(tag, 'Target') ?? '';
    const isOutside = attributeOf(tag, 'TargetMode')?.toLowerCase() === 'external';
    found.push({
      id: attributeOf(tag, 'Id') ?? '',
      type: (attributeOf(tag, 'Type') ?? '').split('/').at(-1) ?? '',
      entry: isOutside ? undefined : archive.find(resolvePart(folder, target)),
    });
  });
  return found;
}

function resolvePart(folder: string, target: string): string {
  const path = target.split(/[?#]/, 1)[0] ?? '';
  const resolved = path.startsWith('/') ? path : posix.join('/', folder, path);
  try {
    return decodeURIComponent(posix.normalize(resolved));
  } catch {
    return resolved;
  }
}

// The order in which readers see the parts of presentations and workbooks.

/**
 * Returns all parts: first those that the main part lists (slides, sheets), each followed by its
 * related parts; then the others, in the order of the archive.
 *
 * @param main part with the list
 * @param order.item customary name of the list's elements
 * @param order.apart types of relationships that are not followed: layouts, other slides
 */
export async function partsInOrder(
  pkg: OfficePackage,
  main: ArchiveEntry,
  order: { item: string; apart: RegExp },
): Promise<Set<ArchiveEntry>> {
  const found = new Set<ArchiveEntry>();
  const related = new Map((await pkg.relationships(main)).map(({ id, entry }) => [id, entry]));
  const add = async (part: ArchiveEntry): Promise<void> => {
    if (found.has(part)) return;
    found.add(part);
    for (const { type, entry } of await pkg.relationships(part)) {
      if (entry !== undefined && !order.apart.test(type)) await add(entry);
    }
  };
  for (const id of await listedIds(pkg, main, order.item)) {
    const part = related.get(id);
    if (part !== undefined) await add(part);
  }
  for (const entry of pkg.archive.entries) found.add(entry);
  return found;
}

async function listedIds(pkg: OfficePackage, main: ArchiveEntry, item: string): Promise<string[]> {
  const ids: string[] = [];
  await eachTag(pkg.archive, main, (name, tag) => {
    if (name !== item) return;
    // Items also have an id of their own, without a prefix.
    for (const [attribute, value] of attributesOf(tag)) {
      if (attribute.endsWith(':id')) ids.push(value);
    }
  });
  return ids;
}
