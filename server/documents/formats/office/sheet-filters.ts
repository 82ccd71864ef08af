/** Filters of sheets and tables, which name the texts of the cells that they show. */
import { decodeString, encodeString } from './sheet-text.ts';
import { attributeOf, withAttribute } from './xml-text.ts';

/** The text that cells have now instead of another; undefined when it is the same. */
export type FilterValue = (text: string) => string | undefined;

/** Elements that name texts of cells, without their prefix, and the attributes they do it in. */
const VALUES: Record<string, string> = {
  'x:filter': 'val',
  'x:customFilter': 'val',
  'x:sortCondition': 'customList',
};

/** Whether an element of a filter or a sorting names texts of cells. */
export function namesCellTexts(name: string): boolean {
  return name in VALUES;
}

/**
 * The tag of a filter or of a sorting with its texts as cells have them now; undefined when nothing
 * changed. Patterns (`*`, `?`) and comparisons by order stay: no cell says what they would be.
 */
export function translatedFilter(
  name: string,
  tag: string,
  filterValue: FilterValue,
): string | undefined {
  const attribute = VALUES[name] ?? '';
  const value = attributeOf(tag, attribute);
  if (value === undefined) return undefined;
  const text = decodeString(value);
  if (name === 'x:customFilter') {
    const operator = attributeOf(tag, 'operator') ?? 'equal';
    if (!/^(?:equal|notEqual)$/.test(operator) || /[*?~]/.test(text)) return undefined;
  }
  const translated = name === 'x:sortCondition' ? listOf(text, filterValue) : filterValue(text);
  return translated === undefined
    ? undefined
    : withAttribute(tag, attribute, encodeString(translated));
}

/** A list of texts between commas, as it is sorted by. */
function listOf(text: string, filterValue: FilterValue): string | undefined {
  const changed = text
    .split(',')
    .map((item) => (filterValue(item.trim()) ?? item).replaceAll(',', ' '))
    .join(',');
  return changed === text ? undefined : changed;
}
