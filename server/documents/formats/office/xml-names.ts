/**
 * Names of Office XML by namespace. Files choose their own prefixes and come in a transitional and a
 * strict edition (ISO/IEC 29500-1); here every name has the customary prefix: `w:p`, `a:t`, `c:v`.
 */

/** The namespaces we know, transitional and strict, by their customary prefix. */
const namespaces: Record<string, readonly string[]> = {
  w: [
    'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
    'http://purl.oclc.org/ooxml/wordprocessingml/main',
  ],
  a: [
    'http://schemas.openxmlformats.org/drawingml/2006/main',
    'http://purl.oclc.org/ooxml/drawingml/main',
  ],
  p: [
    'http://schemas.openxmlformats.org/presentationml/2006/main',
    'http://purl.oclc.org/ooxml/presentationml/main',
  ],
  x: [
    'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
    'http://purl.oclc.org/ooxml/spreadsheetml/main',
  ],
  r: [
    'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
    'http://purl.oclc.org/ooxml/officeDocument/relationships',
  ],
  m: [
    'http://schemas.openxmlformats.org/officeDocument/2006/math',
    'http://purl.oclc.org/ooxml/officeDocument/math',
  ],
  c: [
    'http://schemas.openxmlformats.org/drawingml/2006/chart',
    'http://purl.oclc.org/ooxml/drawingml/chart',
  ],
  cx: ['http://schemas.microsoft.com/office/drawing/2014/chartex'],
  cdr: [
    'http://schemas.openxmlformats.org/drawingml/2006/chartDrawing',
    'http://purl.oclc.org/ooxml/drawingml/chartDrawing',
  ],
  dgm: [
    'http://schemas.openxmlformats.org/drawingml/2006/diagram',
    'http://purl.oclc.org/ooxml/drawingml/diagram',
  ],
  dsp: ['http://schemas.microsoft.com/office/drawing/2008/diagram'],
  xdr: [
    'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing',
    'http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing',
  ],
  wp: [
    'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
    'http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing',
  ],
  pic: [
    'http://schemas.openxmlformats.org/drawingml/2006/picture',
    'http://purl.oclc.org/ooxml/drawingml/picture',
  ],
  wps: ['http://schemas.microsoft.com/office/word/2010/wordprocessingShape'],
  wpg: ['http://schemas.microsoft.com/office/word/2010/wordprocessingGroup'],
  w14: ['http://schemas.microsoft.com/office/word/2010/wordml'],
  w15: ['http://schemas.microsoft.com/office/word/2012/wordml'],
  a14: ['http://schemas.microsoft.com/office/drawing/2010/main'],
  a16: ['http://schemas.microsoft.com/office/drawing/2014/main'],
  p14: ['http://schemas.microsoft.com/office/powerpoint/2010/main'],
  x14: ['http://schemas.microsoft.com/office/spreadsheetml/2009/9/main'],
  xm: ['http://schemas.microsoft.com/office/excel/2006/main'],
  tc: ['http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments'],
  mc: ['http://schemas.openxmlformats.org/markup-compatibility/2006'],
  v: ['urn:schemas-microsoft-com:vml'],
  o: ['urn:schemas-microsoft-com:office:office'],
  ct: ['http://schemas.openxmlformats.org/package/2006/content-types'],
  rel: ['http://schemas.openxmlformats.org/package/2006/relationships'],
  cp: [
    'http://schemas.openxmlformats.org/package/2006/metadata/core-properties',
    'http://purl.oclc.org/ooxml/package/metadata/core-properties',
  ],
  dc: ['http://purl.org/dc/elements/1.1/'],
};

const prefixes = new Map(
  Object.entries(namespaces).flatMap(([prefix, uris]) => uris.map((uri) => [uri, prefix] as const)),
);

/** The customary prefix of a namespace, or undefined for one we do not know. */
export function customaryPrefix(uri: string): string | undefined {
  return prefixes.get(uri);
}

/** The namespaces in force at a place of a part. */
export class NamespaceScope {
  /** Customary names by names as written; a part has a few dozen. */
  readonly #names = new Map<string, string>();
  readonly #customary: ReadonlyMap<string, string>;

  private constructor(customary: ReadonlyMap<string, string>) {
    this.#customary = customary;
  }

  /** Outside of the root element. */
  static readonly outermost = new NamespaceScope(new Map());

  /** The scope within an element with these declarations: namespaces by prefix, `''` the default. */
  with(declarations: ReadonlyMap<string, string>): NamespaceScope {
    const customary = new Map(this.#customary);
    for (const [prefix, uri] of declarations) customary.set(prefix, customaryPrefix(uri) ?? '?');
    return new NamespaceScope(customary);
  }

  /** The customary name of an element; `?:name` in a namespace we do not know. */
  nameOf(written: string): string {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    const colon = written.indexOf(':');
    const prefix = this.#customary.get(colon < 0 ? '' : written.slice(0, colon)) ?? '?';
    const name = `${prefix}:${written.slice(colon + 1)}`;
    this.#names.set(written, name);
    return name;
  }
}
