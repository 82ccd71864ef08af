/** XLIFF files in tests: opening, translating by a rule, writing. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { xliff } from '../../../server/documents/formats/text/xliff.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';

export type Rule = (segment: TextSegment) => TextSegment;

/** Leaves a segment unchanged. */
export const same: Rule = (segment) => segment;

/** Translates into capitals, so that translated text is visible. */
export const shouted: Rule = (segment) =>
  segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part));

/** Formats text and marks as one line: `a<1>b</1><2/>`. */
export function shown(segment: TextSegment): string {
  return segment
    .map((part) => {
      if (typeof part === 'string') return part;
      return { open: `<${part.id}>`, close: `</${part.id}>`, lone: `<${part.id}/>` }[part.mark];
    })
    .join('');
}

export async function openXliff(file: string | Uint8Array, target = 'es') {
  return xliff.open(Buffer.from(file), {
    source: 'en',
    target,
    output: 'xliff' as const,
    maxCharacters: 1_000_000,
  });
}

/** Returns the bytes written when every segment is translated by the rule. */
export async function translateBytes(
  file: string | Uint8Array,
  rule: Rule,
  target = 'es',
): Promise<Buffer> {
  const opened = await openXliff(file, target);
  const translated = opened.blocks.map(({ segment }) => rule(segment));
  return Buffer.from(await opened.write(translated, { source: 'en', target }));
}

export async function translateXliff(
  file: string | Uint8Array,
  rule: Rule,
  target = 'es',
): Promise<string> {
  return (await translateBytes(file, rule, target)).toString();
}

/** Returns an XLIFF 2.1 file around units. */
export function version2(units: string, attributes = 'srcLang="en"'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" ${attributes}>
<file id="f1">
${units}
</file>
</xliff>
`;
}

/** Returns a unit around segments. */
export function unit(segments: string, id = 'u1'): string {
  return `<unit id="${id}">\n${segments}\n</unit>`;
}

/** Returns an XLIFF 1.2 file around units. */
export function version1(units: string, attributes = 'source-language="en"'): string {
  return `<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file original="a.txt" ${attributes} datatype="plaintext"><header><note>n</note></header><body>
${units}
</body></file>
</xliff>
`;
}

/** Returns the contents of all elements of a name, as written. */
export function contentsOf(file: string, name: string): string[] {
  return Array.from(
    file.matchAll(new RegExp(`<${name}(?:\\s[^>]*[^/])?>(.*?)</${name}>`, 'gs')),
    ([, content = '']) => content,
  );
}

/** Validates a file by the XLIFF 2.1 schema; returns an empty string if it is valid. */
export function schemaProblems(file: string | Uint8Array): string {
  const folder = temporaryFolder();
  const document = path.join(folder, 'file.xlf');
  writeFileSync(document, file);
  const schema = path.join(import.meta.dirname, 'xliff-core.xsd');
  try {
    execFileSync('xmllint', ['--noout', '--nonet', '--schema', schema, document], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 30_000,
    });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  }
}

/** A file with a little of everything. */
export const RICH_XLIFF = version2(
  [
    '<notes><note id="n1">For the &lt;translator&gt;</note></notes>',
    unit(
      `<notes><note>Do not touch</note></notes>
<originalData><data id="d1">&lt;b&gt;</data><data id="d2">&lt;/b&gt;</data></originalData>
<segment id="s1"><!-- why -->
  <source>Hello <pc id="1" dataRefStart="d1" dataRefEnd="d2">big &amp; <mrk id="m1" type="term">blue</mrk></pc> world.<ph id="3" equiv="{0}"/> Then <cp hex="0007"/> it ends.</source>
</segment>
<ignorable><source> </source></ignorable>
<segment id="s2" state="initial"><source xml:space="preserve"> One
two <sc id="4"/>three<ec startRef="4"/></source><target/></segment>`,
    ),
    `<group id="g1" translate="no">${unit('<segment><source>Not me</source></segment>', 'u2')}
<unit id="u3" translate="yes"><segment><source>But me, and <mrk id="1" translate="no">not this</mrk> word</source></segment></unit></group>`,
    unit('<segment><source>2 + 2 = 4</source></segment>', 'u4'),
    unit('<segment state="final"><source>Done</source><target>Hecho</target></segment>', 'u5'),
  ].join('\n'),
);
