/** The order in which people see the parts of presentations and workbooks. */
import type { ArchiveEntry } from './archive.ts';
import type { OfficePackage } from './package-parts.ts';
import { readPart } from './part-reading.ts';
import { attributesOf } from './xml-text.ts';

/**
 * All parts: first those that the main part lists (slides, sheets), each followed by what hangs on it;
 * then what is left, in the order of the archive.
 *
 * @param main the part with the list
 * @param order.item customary name of an element of the list
 * @param order.apart relationships to parts that do not hang on another: layouts, other slides
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
  await readPart(pkg.archive, main, {
    isTree: () => false,
    tree: () => undefined,
    open: (name, tag) => {
      if (name !== item) return undefined;
      // The items have an id of their own beside that of the relationship.
      for (const [attribute, value] of attributesOf(tag)) {
        if (attribute.endsWith(':id')) ids.push(value);
      }
      return undefined;
    },
  });
  return ids;
}
