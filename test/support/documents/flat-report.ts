const uris = {
  office: 'urn:oasis:names:tc:opendocument:xmlns:office:1.0',
  text: 'urn:oasis:names:tc:opendocument:xmlns:text:1.0',
  table: 'urn:oasis:names:tc:opendocument:xmlns:table:1.0',
  style: 'urn:oasis:names:tc:opendocument:xmlns:style:1.0',
  draw: 'urn:oasis:names:tc:opendocument:xmlns:drawing:1.0',
  fo: 'urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0',
  svg: 'urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0',
  xlink: 'http://www.w3.org/1999/xlink',
  dc: 'http://purl.org/dc/elements/1.1/',
};

/** A report with most features that writers use, as LibreOffice reads it. */
export function flatReport(): string {
  const declarations = Object.entries(uris).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  const sentence =
    'The <text:span text:style-name="B">quick</text:span> brown fox jumps over <text:a xlink:type="simple" xlink:href="http://dog.example/">the lazy dog</text:a>, and nobody minds. ';
  const chapter = (number: number): string =>
    `<text:h text:outline-level="1">Chapter about subject ${number}</text:h>` +
    `<text:p>${sentence.repeat(8)}<text:note text:note-class="footnote"><text:note-citation>${number}</text:note-citation><text:note-body><text:p>A remark below the page.</text:p></text:note-body></text:note> After it.</text:p>`.repeat(
      3,
    ) +
    '<table:table><table:table-column table:number-columns-repeated="2"/>' +
    '<table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Amount</text:p></table:table-cell></table:table-row>' +
    '<table:table-row><table:table-cell><text:p>Apples</text:p></table:table-cell><table:table-cell><text:p>1,234.50</text:p></table:table-cell></table:table-row></table:table>' +
    '<text:list><text:list-item><text:p>First of all</text:p></text:list-item><text:list-item><text:p>Second to that</text:p></text:list-item></text:list>' +
    '<text:p>Before<draw:frame draw:style-name="F" text:anchor-type="as-char" svg:width="5cm" svg:height="2cm"><draw:text-box><text:p>Words in a box</text:p></draw:text-box></draw:frame>after<text:line-break/>next line<text:tab/>tabbed<office:annotation><dc:creator>Ada</dc:creator><text:p>A comment on it</text:p></office:annotation></text:p>';
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${declarations.join(' ')} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:automatic-styles><style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style><style:style style:name="F" style:family="graphic"><style:graphic-properties/></style:style>
<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2cm"/><style:header-style/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L"><style:header><text:p>Head of the page</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number> of it</text:p></style:footer></style:master-page></office:master-styles>
<office:body><office:text>
<text:table-of-content text:name="T"><text:table-of-content-source text:outline-level="1"><text:index-title-template>Table of contents</text:index-title-template></text:table-of-content-source><text:index-body><text:index-title text:name="H"><text:p>Table of contents</text:p></text:index-title><text:p>Chapter about subject 1<text:tab/>1</text:p></text:index-body></text:table-of-content>
${chapter(1)}${chapter(2)}${chapter(3)}</office:text></office:body></office:document>`;
}
