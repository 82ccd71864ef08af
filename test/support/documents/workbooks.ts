/** Workbooks made by hand, part by part. */
import { zipOf } from './documents.ts';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument';

/** Returns a workbook part with its root element. */
export function sheetXml(root: string, content: string, attributes = ''): string {
  return (
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<${root} xmlns="${MAIN}" ` +
    `xmlns:r="${OFFICE}/relationships"${attributes}>${content}</${root}>`
  );
}

/** A part with its relationships, each the last segment of its type's address, and a target. */
export interface WorkbookPart {
  xml: string | Uint8Array;
  /** Content type without its common prefix, or a whole one. */
  type: string;
  related?: readonly (readonly [type: string, target: string])[];
}

export interface WorkbookParts {
  /** XML of `sheetData`, and of what follows it. */
  sheets: readonly {
    name: string;
    rows: string;
    after?: string;
    related?: WorkbookPart['related'];
  }[];
  /** XML of each `si`. */
  strings?: readonly string[];
  /** XML after `sheets` in the workbook. */
  workbook?: string;
  others?: Readonly<Record<string, WorkbookPart>>;
}

/** Makes a workbook file. Relationship ids are `rId1`… in the order given. */
export function workbookOf({
  sheets,
  strings,
  workbook = '',
  others = {},
}: WorkbookParts): Uint8Array {
  const parts: Record<string, WorkbookPart> = {
    'xl/workbook.xml': {
      type: 'spreadsheetml.sheet.main+xml',
      xml: sheetXml(
        'workbook',
        `<sheets>${sheets
          .map(({ name }, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
          .join('')}</sheets>${workbook}`,
      ),
      related: [
        ...sheets.map((_, i) => ['worksheet', `worksheets/sheet${i + 1}.xml`] as const),
        ...(strings === undefined ? [] : [['sharedStrings', 'sharedStrings.xml'] as const]),
        ...Object.keys(others).flatMap((name) =>
          name.includes('pivotCacheDefinition')
            ? [['pivotCacheDefinition', name.slice('xl/'.length)] as const]
            : [],
        ),
      ],
    },
    ...others,
  };
  for (const [i, { rows, after = '', related = [] }] of sheets.entries()) {
    parts[`xl/worksheets/sheet${i + 1}.xml`] = {
      type: 'spreadsheetml.worksheet+xml',
      xml: sheetXml('worksheet', `<sheetData>${rows}</sheetData>${after}`),
      related,
    };
  }
  if (strings !== undefined) {
    const items = strings.map((string) => `<si>${string}</si>`).join('');
    const counts = ` count="${strings.length}" uniqueCount="${strings.length}"`;
    parts['xl/sharedStrings.xml'] = {
      type: 'spreadsheetml.sharedStrings+xml',
      xml: sheetXml('sst', items, counts),
    };
  }
  return packageOf(parts, 'xl/workbook.xml');
}

/** Makes an Office file from parts; writes their content types and relationships. */
export function packageOf(parts: Readonly<Record<string, WorkbookPart>>, main: string): Uint8Array {
  const entries: Record<string, string | Uint8Array> = {};
  const overrides = Object.entries(parts).map(([name, { type }]) => {
    const whole = type.includes('/') ? type : `${TYPES}.${type}`;
    return `<Override PartName="/${name}" ContentType="${whole}"/>`;
  });
  entries['[Content_Types].xml'] =
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' +
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>` +
    `<Default Extension="xlsx" ContentType="${TYPES}.spreadsheetml.sheet"/>` +
    `${overrides.join('')}</Types>`;
  entries['_rels/.rels'] = relationships([['officeDocument', main]]);
  for (const [name, { xml, related = [] }] of Object.entries(parts)) {
    entries[name] = xml;
    const folder = name.slice(0, name.lastIndexOf('/'));
    const base = name.slice(folder.length + 1);
    if (related.length > 0) entries[`${folder}/_rels/${base}.rels`] = relationships(related);
  }
  return zipOf(entries);
}

function relationships(related: readonly (readonly [type: string, target: string])[]): string {
  const items = related.map(([type, target], i) => {
    const address = type.includes('/') ? type : `${OFFICE}/relationships/${type}`;
    return `<Relationship Id="rId${i + 1}" Type="${address}" Target="${target}"/>`;
  });
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' +
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
    `${items.join('')}</Relationships>`
  );
}

/** Returns a row of cells in order, beginning in column A. */
export function row(number: number, ...cells: readonly string[]): string {
  const placed = cells.map((cell, i) =>
    cell.replace(/^<c/, `<c r="${String.fromCharCode(65 + i)}${number}"`),
  );
  return `<row r="${number}">${placed.join('')}</row>`;
}

/** Returns a cell with a shared string. */
export function shared(index: number): string {
  return `<c t="s"><v>${index}</v></c>`;
}

/** Returns a cell with a number. */
export function number(value: number): string {
  return `<c><v>${value}</v></c>`;
}

/** Returns a cell with a formula and its cached result. */
export function formula(text: string, result: string | number): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return typeof result === 'number'
    ? `<c><f>${escaped}</f><v>${result}</v></c>`
    : `<c t="str"><f>${escaped}</f><v>${result}</v></c>`;
}
