import type { DocumentSample } from './sample.ts';

const file = `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en">
  <file id="f1" original="report.txt">
    <notes><note id="n1">A remark for translators</note></notes>
    <unit id="u1">
      <segment id="s1"><source>The <pc id="1">red car</pc> is<ph id="2"/> here.</source></segment>
      <ignorable><source> </source></ignorable>
      <segment id="s2"><source>A second sentence &amp; more.</source></segment>
    </unit>
    <unit id="u2" translate="no"><segment><source>Brand name</source></segment></unit>
    <unit id="u3"><segment><source>12.50</source></segment></unit>
  </file>
</xliff>
`;

/** Translations are added beside their source, so only the rest is compared. */
const withoutTargets = (text: string): string =>
  text
    .replaceAll(/\s*<target[^>]*>.*?<\/target>/gs, '')
    .replaceAll(/ (?:trgLang|state)="[^"]*"/g, '');

export const xliff: DocumentSample = {
  format: 'xliff',
  build: async () => Buffer.from(file),
  translatable: ['The ', 'red car', 'A second sentence & more.'],
  untouched: ['A remark', 'Brand name', '12.50'],
  content: async (bytes) => withoutTargets(Buffer.from(bytes).toString('utf8')),
  asSource: (bytes) => {
    const pair = /<source>(?:(?!<\/source>).)*<\/source>\s*<target[^>]*>(.*?)<\/target>/gs;
    const text = Buffer.from(bytes).toString('utf8');
    return Buffer.from(withoutTargets(text.replaceAll(pair, '<source>$1</source>')));
  },
};
