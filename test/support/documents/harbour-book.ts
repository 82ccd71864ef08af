/**
 * A book of three pages as a text document: headings, lists, a table with a spanning cell, a picture, two
 * columns, a footnote, a link, header and footer.
 */
import { solidPicture } from './solid-picture.ts';

const TEXT =
  'The old harbour lies at the mouth of the river, where merchants from distant countries once ' +
  'unloaded spices, silk and timber. Today its warehouses hold workshops, small theatres and ' +
  'restaurants, and on summer evenings the quays are full of people who watch the ferries come ' +
  'and go. Restoration of the buildings began in the nineties and is still not complete. ';

/** Returns the book's flat XML source, for LibreOffice. */
export async function harbourBook(): Promise<string> {
  const picture = Buffer.from(await solidPicture()).toString('base64');
  const paragraph = `<text:p text:style-name="Standard">${TEXT}</text:p>`;
  const history = `<text:p text:style-name="Standard">${TEXT}${TEXT}</text:p>`.repeat(3);
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls><style:font-face style:name="LS" svg:font-family="'Liberation Serif'"/></office:font-face-decls>
<office:styles><style:default-style style:family="paragraph"><style:text-properties style:font-name="LS" fo:font-size="11pt" fo:language="en" fo:country="GB"/></style:default-style>
<style:style style:name="Standard" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.2cm" fo:text-align="justify"/></style:style>
<style:style style:name="Heading_20_1" style:display-name="Heading 1" style:family="paragraph"><style:paragraph-properties fo:margin-top="0.5cm" fo:margin-bottom="0.3cm"/><style:text-properties fo:font-size="20pt" fo:font-weight="bold" fo:color="#1f3864"/></style:style>
<style:style style:name="Heading_20_2" style:display-name="Heading 2" style:family="paragraph"><style:paragraph-properties fo:margin-top="0.4cm" fo:margin-bottom="0.2cm"/><style:text-properties fo:font-size="14pt" fo:font-weight="bold"/></style:style>
<text:list-style style:name="L"><text:list-level-style-bullet text:level="1" text:bullet-char="•"><style:list-level-properties text:space-before="0.6cm" text:min-label-width="0.5cm"/></text:list-level-style-bullet></text:list-style>
<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."><style:list-level-properties text:space-before="0.6cm" text:min-label-width="0.6cm"/></text:list-level-style-number></text:list-style>
</office:styles>
<office:automatic-styles>
<style:page-layout style:name="pm"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2cm"/><style:header-style><style:header-footer-properties fo:min-height="0.6cm" fo:margin-bottom="0.5cm"/></style:header-style><style:footer-style><style:header-footer-properties fo:min-height="0.6cm" fo:margin-top="0.5cm"/></style:footer-style></style:page-layout>
<style:style style:name="C" style:family="table-cell"><style:table-cell-properties fo:border="0.5pt solid #000000" fo:padding="0.1cm"/></style:style>
<style:style style:name="CH" style:family="table-cell"><style:table-cell-properties fo:border="0.5pt solid #000000" fo:padding="0.1cm" fo:background-color="#ddeeff"/></style:style>
<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="I" style:family="text"><style:text-properties fo:font-style="italic" fo:color="#c00000"/></style:style>
<style:style style:name="Ce" style:family="paragraph" style:parent-style-name="Standard"><style:paragraph-properties fo:text-align="center"/></style:style>
<style:style style:name="S2" style:family="section"><style:section-properties text:dont-balance-text-columns="false"><style:columns fo:column-count="2" fo:column-gap="0.8cm"/></style:section-properties></style:style>
<style:style style:name="G" style:family="graphic"><style:graphic-properties style:wrap="none" style:horizontal-pos="center" style:horizontal-rel="paragraph"/></style:style>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="pm"><style:header><text:p text:style-name="Standard">Chronicle of the harbour</text:p></style:header><style:footer><text:p text:style-name="Ce">Page <text:page-number/> of <text:page-count/></text:p></style:footer></style:master-page></office:master-styles>
<office:body><office:text>
<text:h text:style-name="Heading_20_1" text:outline-level="1">The harbour and its city</text:h>
<text:p text:style-name="Standard">A paragraph with <text:span text:style-name="B">bold words</text:span> and <text:span text:style-name="I">red italics</text:span> and a <text:a xlink:href="https://example.org/harbour">link to the archive</text:a> within. ${TEXT}</text:p>
<text:h text:style-name="Heading_20_2" text:outline-level="2">What is found here</text:h>
<text:list text:style-name="L"><text:list-item><text:p text:style-name="Standard">Ships of wood and of iron</text:p></text:list-item><text:list-item><text:p text:style-name="Standard">Warehouses, of which seven still stand and are used by workshops, theatres and restaurants of every kind in the city</text:p></text:list-item><text:list-item><text:p text:style-name="Standard">Cranes</text:p></text:list-item></text:list>
<text:list text:style-name="N"><text:list-item><text:p text:style-name="Standard">Go down to the river</text:p></text:list-item><text:list-item><text:p text:style-name="Standard">Take the ferry</text:p></text:list-item></text:list>
<text:h text:style-name="Heading_20_2" text:outline-level="2">Prices</text:h>
<table:table table:name="T"><table:table-column table:number-columns-repeated="3"/>
<table:table-row><table:table-cell table:style-name="CH"><text:p text:style-name="Standard"><text:span text:style-name="B">Ticket</text:span></text:p></table:table-cell><table:table-cell table:style-name="CH"><text:p text:style-name="Standard"><text:span text:style-name="B">Price in euros</text:span></text:p></table:table-cell><table:table-cell table:style-name="CH"><text:p text:style-name="Standard"><text:span text:style-name="B">Remarks</text:span></text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell table:style-name="C"><text:p text:style-name="Standard">Adult</text:p></table:table-cell><table:table-cell table:style-name="C"><text:p text:style-name="Standard">12.50</text:p></table:table-cell><table:table-cell table:style-name="C"><text:p text:style-name="Standard">Valid for the whole day on all ferries and in the museum of the harbour</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell table:style-name="C"><text:p text:style-name="Standard">Child</text:p></table:table-cell><table:table-cell table:style-name="C"><text:p text:style-name="Standard">6.00</text:p></table:table-cell><table:table-cell table:style-name="C"><text:p text:style-name="Standard">Under twelve years</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell table:style-name="C" table:number-columns-spanned="3"><text:p text:style-name="Standard">All prices include taxes</text:p></table:table-cell><table:covered-table-cell/><table:covered-table-cell/></table:table-row>
</table:table>
<text:p text:style-name="Ce"><draw:frame draw:style-name="G" text:anchor-type="paragraph" svg:width="6cm" svg:height="3.6cm"><draw:image><office:binary-data>${picture}</office:binary-data></draw:image></draw:frame></text:p>
<text:p text:style-name="Ce">A centred caption</text:p>
<text:h text:style-name="Heading_20_2" text:outline-level="2">History</text:h>
${history}
<text:h text:style-name="Heading_20_2" text:outline-level="2">In two columns</text:h>
<text:section text:style-name="S2" text:name="s">${paragraph.repeat(4)}</text:section>
<text:p text:style-name="Standard">After the columns with a footnote<text:note text:id="f" text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p text:style-name="Standard">Kept in the archive of the city.</text:p></text:note-body></text:note> here.</text:p>
</office:text></office:body></office:document>`;
}
