/** Presentations made by hand, part by part. */
import { packageOf, type WorkbookPart } from './workbooks.ts';

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';

/** Namespace declarations of slides. */
export const slideNamespaces =
  `xmlns:a="${DRAWING}/main" xmlns:r="${OFFICE}/relationships" ` +
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';

export interface SlideParts {
  /** XML of the slide's shapes. */
  shapes: string;
  related?: WorkbookPart['related'];
}

/** Returns a part of a presentation with shapes. */
export function slideXml(root: string, shapes: string, after = ''): string {
  return (
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<p:${root} ${slideNamespaces}><p:cSld><p:spTree>` +
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>' +
    `${shapes}</p:spTree></p:cSld>${after}</p:${root}>`
  );
}

/** Returns a paragraph of runs: texts, or texts with the XML of their run properties. */
export function paragraph(...runs: readonly (string | readonly [string, string])[]): string {
  const written = runs.map((run) => {
    const [text, properties] = typeof run === 'string' ? [run, '<a:rPr lang="en-GB"/>'] : run;
    return text.startsWith('<') ? text : `<a:r>${properties}<a:t>${text}</a:t></a:r>`;
  });
  return `<a:p>${written.join('')}</a:p>`;
}

let lastShape = 1;

/** Returns a text box; `place` is left, top, width and height in EMU. */
export function textBox(
  paragraphs: string,
  options: { placeholder?: string; description?: string; place?: readonly number[] } = {},
): string {
  const { placeholder = '', description, place = [914400, 914400, 6858000, 1371600] } = options;
  const [x = 0, y = 0, width = 0, height = 0] = place;
  lastShape += 1;
  const described = description === undefined ? '' : ` descr="${description}"`;
  return (
    `<p:sp><p:nvSpPr><p:cNvPr id="${lastShape}" name="Shape ${lastShape}"${described}/><p:cNvSpPr txBox="1"/>` +
    `<p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/>` +
    '</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>' +
    `<p:txBody><a:bodyPr wrap="square"/><a:lstStyle/>${paragraphs}</p:txBody></p:sp>`
  );
}

/** Makes a presentation file. Slides get a layout and a master, which all programs require. */
export function presentationOf(options: {
  slides: readonly SlideParts[];
  /** XML of the shapes of the layout and of the master. */
  layout?: string;
  master?: string;
  /** XML at the end of the presentation part. */
  presentation?: string;
  others?: Readonly<Record<string, WorkbookPart>>;
}): Uint8Array {
  const { slides, layout = '', master = '', presentation = '', others = {} } = options;
  const parts: Record<string, WorkbookPart> = {
    'ppt/presentation.xml': {
      type: 'presentationml.presentation.main+xml',
      xml:
        `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<p:presentation ${slideNamespaces}>` +
        '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>' +
        // Shown in the reverse order of the parts' names.
        slides
          .map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${slides.length + 1 - i}"/>`)
          .join('') +
        '</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>' +
        `${presentation}</p:presentation>`,
      related: [
        ['slideMaster', 'slideMasters/slideMaster1.xml'],
        ...slides.map((_, i) => ['slide', `slides/slide${i + 1}.xml`] as const),
      ],
    },
    'ppt/slideMasters/slideMaster1.xml': {
      type: 'presentationml.slideMaster+xml',
      xml: slideXml('sldMaster', master, masterEnd),
      related: [
        ['slideLayout', '../slideLayouts/slideLayout1.xml'],
        ['theme', '../theme/theme1.xml'],
      ],
    },
    'ppt/slideLayouts/slideLayout1.xml': {
      type: 'presentationml.slideLayout+xml',
      xml: slideXml('sldLayout', layout),
      related: [['slideMaster', '../slideMasters/slideMaster1.xml']],
    },
    'ppt/theme/theme1.xml': { type: 'theme+xml', xml: theme },
    ...others,
  };
  for (const [i, { shapes, related = [] }] of slides.entries()) {
    parts[`ppt/slides/slide${i + 1}.xml`] = {
      type: 'presentationml.slide+xml',
      xml: slideXml('sld', shapes),
      related: [['slideLayout', '../slideLayouts/slideLayout1.xml'], ...related],
    };
  }
  return packageOf(parts, 'ppt/presentation.xml');
}

const colours = ['bg1', 'tx1', 'bg2', 'tx2', 'accent1', 'accent2', 'accent3', 'accent4'];
const masterEnd =
  `<p:clrMap ${colours.map((name) => `${name}="${{ bg1: 'lt1', tx1: 'dk1', bg2: 'lt2', tx2: 'dk2' }[name] ?? name}"`).join(' ')}` +
  ' accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>' +
  '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>' +
  '<p:txStyles><p:titleStyle><a:lvl1pPr algn="ctr"/></p:titleStyle><p:bodyStyle><a:lvl1pPr algn="l" rtl="0"/></p:bodyStyle><p:otherStyle/></p:txStyles>';

const theme =
  `<a:theme xmlns:a="${DRAWING}/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">` +
  [
    'dk1',
    'lt1',
    'dk2',
    'lt2',
    'accent1',
    'accent2',
    'accent3',
    'accent4',
    'accent5',
    'accent6',
    'hlink',
    'folHlink',
  ]
    .map(
      (name, i) =>
        `<a:${name}><a:srgbClr val="${name.startsWith('lt') ? 'FFFFFF' : `0${i % 10}2030`.slice(0, 6)}"/></a:${name}>`,
    )
    .join('') +
  '</a:clrScheme><a:fontScheme name="Plain"><a:majorFont><a:latin typeface="Liberation Sans"/><a:ea typeface=""/><a:cs typeface=""/>' +
  '</a:majorFont><a:minorFont><a:latin typeface="Liberation Sans"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme>' +
  '<a:fmtScheme name="Plain"><a:fillStyleLst><a:noFill/><a:noFill/><a:noFill/></a:fillStyleLst><a:lnStyleLst><a:ln/><a:ln/><a:ln/></a:lnStyleLst>' +
  '<a:effectStyleLst><a:effectStyle><a:effectLst/></a:effectStyle><a:effectStyle><a:effectLst/></a:effectStyle><a:effectStyle><a:effectLst/></a:effectStyle>' +
  '</a:effectStyleLst><a:bgFillStyleLst><a:noFill/><a:noFill/><a:noFill/></a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>';
