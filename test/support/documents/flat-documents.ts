/** A workbook and a presentation in LibreOffice's flat XML, from which it makes Office files. */
import type { NamedDocument } from './documents.ts';

const names = ['office', 'style', 'text', 'table', 'draw', 'presentation'];
const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';
const namespaces =
  names
    .map((name) => `xmlns:${name}="${OASIS}:${name === 'draw' ? 'drawing' : name}:1.0"`)
    .join(' ') +
  ` xmlns:fo="${OASIS}:xsl-fo-compatible:1.0" xmlns:svg="${OASIS}:svg-compatible:1.0"` +
  ` xmlns:of="${OASIS}:of:1.2" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"`;

function flat(type: string, content: string): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?><office:document ${namespaces} office:version="1.3" ` +
    `office:mimetype="application/vnd.oasis.opendocument.${type}">${content}</office:document>`
  );
}

const textStyles =
  '<style:style style:name="Bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>' +
  '<style:style style:name="Red" style:family="text"><style:text-properties fo:color="#c00000" fo:font-style="italic"/></style:style>';
const font =
  '<style:text-properties style:font-name="Liberation Sans" fo:font-family="Liberation Sans"/>';

function cell(text: string): string {
  return `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
}

function figure(value: number): string {
  return `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`;
}

const rows = [
  cell('Product') + cell('Amount') + cell('Remark'),
  cell('Apples') +
    figure(12) +
    cell('Fresh from <text:span text:style-name="Bold">the</text:span> garden'),
  cell('Pears') +
    figure(30) +
    cell('Ripe in <text:span text:style-name="Red">autumn</text:span> only'),
  cell('Apples') +
    figure(7) +
    '<table:table-cell><office:annotation><dc:creator>Ann</dc:creator><text:p>Please check</text:p></office:annotation></table:table-cell>',
  cell('Total') +
    '<table:table-cell table:formula="of:=SUM([.B2:.B4])" office:value-type="float" office:value="49"><text:p>49</text:p></table:table-cell>' +
    '<table:table-cell table:formula="of:=&quot;Sum: &quot;&amp;[.B5]" office:value-type="string" office:string-value="Sum: 49"><text:p>Sum: 49</text:p></table:table-cell>',
];

/** Workbook with cells, formats within cells, a comment and formulas. */
export const flatWorkbook: NamedDocument = {
  name: 'workbook.fods',
  content: flat(
    'spreadsheet',
    `<office:styles><style:default-style style:family="table-cell">${font}</style:default-style></office:styles>` +
      `<office:automatic-styles>${textStyles}</office:automatic-styles><office:body><office:spreadsheet>` +
      `<table:table table:name="Units">${rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('')}</table:table>` +
      '</office:spreadsheet></office:body>',
  ),
};

function frame(content: string, y: number): string {
  return `<draw:frame svg:x="2cm" svg:y="${y}cm" svg:width="20cm" svg:height="3cm"><draw:text-box>${content}</draw:text-box></draw:frame>`;
}

function page(name: string, content: string, notes: string): string {
  return (
    `<draw:page draw:name="${name}" draw:master-page-name="Plain">${content}<presentation:notes>` +
    `<draw:frame presentation:class="notes" svg:x="2cm" svg:y="14cm" svg:width="16cm" svg:height="10cm"><draw:text-box><text:p>${notes}</text:p>` +
    '</draw:text-box></draw:frame></presentation:notes></draw:page>'
  );
}

const slideTable =
  '<draw:frame svg:x="2cm" svg:y="10cm" svg:width="16cm" svg:height="4cm"><table:table><table:table-column/><table:table-column/>' +
  '<table:table-row><table:table-cell><text:p>Region</text:p></table:table-cell><table:table-cell><text:p>Sales 2027</text:p></table:table-cell></table:table-row>' +
  '<table:table-row><table:table-cell><text:p>North</text:p></table:table-cell><table:table-cell><text:p>120</text:p></table:table-cell></table:table-row>' +
  '</table:table></draw:frame>';

/** Presentation with formats, a list, a table, a link and notes. */
export const flatPresentation: NamedDocument = {
  name: 'presentation.fodp',
  content: flat(
    'presentation',
    `<office:styles><style:default-style style:family="graphic">${font}</style:default-style></office:styles>` +
      '<office:automatic-styles><style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="25.4cm" fo:page-height="19.05cm"/></style:page-layout>' +
      `${textStyles}</office:automatic-styles><office:master-styles><style:master-page style:name="Plain" style:page-layout-name="Page">` +
      `${frame('<text:p>Our company</text:p>', 17)}</style:master-page></office:master-styles><office:body><office:presentation>` +
      page(
        'First',
        frame(
          '<text:p>Welcome to <text:span text:style-name="Bold">the house</text:span> by the river</text:p>',
          2,
        ) +
          frame(
            '<text:p>Read <text:a xlink:href="https://example.org/">our report</text:a> first<text:line-break/>then <text:span text:style-name="Red">come back</text:span></text:p>' +
              '<text:list><text:list-item><text:p>One thing</text:p></text:list-item><text:list-item><text:p>Another thing</text:p></text:list-item></text:list>',
            5,
          ),
        'Speak slowly here',
      ) +
      page(
        'Second',
        frame('<text:p>Numbers of the year</text:p>', 2) + slideTable,
        'Show the table',
      ) +
      '</office:presentation></office:body>',
  ),
};
