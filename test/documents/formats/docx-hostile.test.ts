import { afterEach, describe, expect, test } from 'vitest';
import { loadFormat } from '../../../server/documents/formats/index.ts';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import { archiveLimits, openArchive } from '../../../server/documents/formats/office/archive.ts';
import { readPart } from '../../../server/documents/formats/office/part-reading.ts';
import { textOf } from '../../../server/documents/formats/office/xml-element.ts';
import { XmlScanner } from '../../../server/documents/formats/office/xml-scanner.ts';
import { unzipped, zipOf, zipText } from '../../support/documents/documents.ts';
import {
  bodyOf,
  linesOf,
  paragraph,
  part,
  run,
  translateWord,
  wordDocument,
} from '../../support/documents/word-document.ts';

/** Returns the reason of a refusal; fails if the file is accepted. */
async function refusal(file: Uint8Array): Promise<string> {
  const error: unknown = await translateWord(file).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DocumentError);
  return (error as DocumentError).message;
}

/** Creates a document with another main part. */
function withXml(xml: string | Uint8Array): Uint8Array {
  return wordDocument('', { entries: { 'word/document.xml': xml } });
}

/** Patches a zip file at each occurrence of a signature. */
function patched(file: Uint8Array, signature: number, patch: (at: Buffer) => void): Uint8Array {
  const bytes = Buffer.from(file);
  for (let at = 0; at < bytes.length - 46; at += 1) {
    if (bytes.readUInt32LE(at) === signature) patch(bytes.subarray(at));
  }
  return bytes;
}

const DIRECTORY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const memoryAtStart = process.memoryUsage().rss;

describe('the docx reader refuses a document', () => {
  afterEach(() => {
    // None of these files may be unpacked for its inspection.
    expect(process.memoryUsage().rss - memoryAtStart).toBeLessThan(400_000_000);
  });

  test('that is of another kind, empty, or cut off anywhere', async () => {
    const whole = wordDocument(paragraph('Some text'));
    expect(await refusal(Buffer.from('Just text'))).toMatch(/not an Office document/);
    expect(await refusal(new Uint8Array(0))).toMatch(/not an Office document/);
    for (const share of [0.02, 0.3, 0.6, 0.9, 0.999]) {
      await refusal(whole.slice(0, Math.floor(whole.length * share)));
    }
  });

  test('with corrupted data', async () => {
    const file = wordDocument(paragraph('Some text'));
    expect(await refusal(patched(file, DIRECTORY, (at) => at.writeUInt32LE(1, 16)))).toMatch(
      /damaged/,
    );
    const data = patched(file, LOCAL_HEADER, (at) => at.fill(0xff, 60, 66));
    expect(await refusal(data)).toMatch(/damaged/);
  });

  test('with understated sizes, before unpacking it', async () => {
    const entries = { ...unzipped(wordDocument(paragraph('x'))) };
    const bomb = zipOf({ ...entries, 'word/document.xml': new Uint8Array(10_000_000) });
    expect(await refusal(bomb)).toMatch(/more data than can be translated/);
    const lying = patched(bomb, DIRECTORY, (at) => {
      if (at.readUInt32LE(24) > 1e6) at.writeUInt32LE(5000, 24);
    });
    expect(await refusal(lying)).toMatch(/damaged/);
  });

  test('with too many entries, or with entry names outside the archive', async () => {
    const many: Record<string, string> = {};
    for (let index = 0; index <= archiveLimits.entries; index += 1) many[`e${index}`] = '';
    expect(await refusal(zipOf(many, 0))).toMatch(/more data than can be translated/);
    const entries = unzipped(wordDocument(paragraph('x')));
    for (const name of ['../../etc/passwd', '/etc/passwd', 'C:/x', 'a/../../b']) {
      expect(await refusal(zipOf({ ...entries, [name]: 'x' }))).toMatch(/damaged/);
    }
  });

  test('with a repeated entry', async () => {
    const entries = unzipped(wordDocument(paragraph('x')));
    const twice = zipOf({ ...entries, 'WORD/document.xml': part('document', '') });
    expect(await refusal(twice)).toMatch(/damaged/);
  });

  test('that consists of two archives, of which programs would read different ones', async () => {
    const one = Buffer.from(wordDocument(paragraph('One')));
    const other = Buffer.from(wordDocument(paragraph('Other')));
    const record = one.subarray(-22);
    const start = record.readUInt32LE(16);
    const directory = one.subarray(start, -22);
    /** Changes fields of the end record. */
    const changed = (
      file: Buffer,
      values: { count?: number; bytes?: number; start?: number },
    ): Buffer => {
      const at = file.length - 22;
      const copy = Buffer.from(file);
      if (values.count !== undefined) copy.writeUInt16LE(values.count, at + 10);
      if (values.bytes !== undefined) copy.writeUInt32LE(values.bytes, at + 12);
      if (values.start !== undefined) copy.writeUInt32LE(values.start, at + 16);
      return copy;
    };
    const commented = Buffer.concat([one, record]);
    const twins = wordDocument(paragraph('One'), { entries: { b1: 'bytes', b2: 'bytes' } });
    const listed = Buffer.from(twins).lastIndexOf('b2') - 46;
    const unlisted = Buffer.concat([
      Buffer.from(twins).subarray(0, listed),
      Buffer.from(twins).subarray(listed + 48),
    ]);
    const count = unlisted.readUInt16LE(unlisted.length - 12);
    const bytes = unlisted.readUInt32LE(unlisted.length - 10);
    let first = 0;
    commented.writeUInt16LE(22, one.length - 2);
    const files = {
      'a second record': Buffer.concat([one, record]),
      'a record in the comment': commented,
      'one behind the other': Buffer.concat([one, other]),
      'a directory behind another': changed(Buffer.concat([one, directory, record]), {
        start: one.length,
      }),
      'a directory that is shorter than it says': changed(one, { bytes: directory.length - 1 }),
      'a directory that begins elsewhere': changed(one, { start: start + 1 }),
      'an entry that is not counted': changed(one, { count: record.readUInt16LE(10) - 1 }),
      'an entry that is not listed': changed(unlisted, { count: count - 1, bytes: bytes - 48 }),
      'an entry with another name at its place': patched(one, LOCAL_HEADER, (at) => {
        if (at.toString('latin1', 30, 47) === 'word/document.xml') at.write('W', 30);
      }),
      'an entry that is packed otherwise at its place': patched(one, LOCAL_HEADER, (at) => {
        at.writeUInt16LE(8 - at.readUInt16LE(8), 8);
      }),
      'something between the directory and its record': Buffer.concat([
        one.subarray(0, -22),
        Buffer.alloc(3),
        record,
      ]),
      'entries of the same bytes': patched(twins, DIRECTORY, (at) => {
        if (at.toString('latin1', 46, 48) === 'b1') first = at.readUInt32LE(42);
        if (at.toString('latin1', 46, 48) === 'b2') at.writeUInt32LE(first, 42);
      }),
    };
    for (const [name, file] of Object.entries(files)) {
      expect(await refusal(file), name).toMatch(/damaged/);
    }
  });

  test('with a password', async () => {
    const ole = Buffer.alloc(4096);
    ole.writeUInt32BE(0xd0cf11e0, 0);
    expect(await refusal(ole)).toMatch(/older Office format/);
    ole.write('EncryptedPackage', 1024, 'utf16le');
    expect(await refusal(ole)).toMatch(/password/);
    const flagged = patched(wordDocument(paragraph('x')), DIRECTORY, (at) =>
      at.writeUInt16LE(1, 8),
    );
    expect(await refusal(flagged)).toMatch(/password/);
  });

  test('with macros, whatever its declared type', async () => {
    const macro = wordDocument(paragraph('x'), { entries: { 'word/vbaProject.bin': 'x' } });
    expect(await refusal(macro)).toMatch(/macros/);
    const entries = unzipped(wordDocument(paragraph('x')));
    const types = Buffer.from(entries['[Content_Types].xml']!)
      .toString()
      .replace(
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
        'application/vnd.ms-word.document.macroEnabled.main+xml',
      );
    expect(await refusal(zipOf({ ...entries, '[Content_Types].xml': types }))).toMatch(/macros/);
  });

  test('of another program', async () => {
    const file = wordDocument(paragraph('x'), { mainType: 'styles' });
    expect(await refusal(file)).toMatch(/not a Word document/);
    expect(await refusal(zipOf({ mimetype: 'application/epub+zip' }))).toMatch(/not an Office/);
  });

  test('with a document type declaration, custom entities or ill-formed XML', async () => {
    const laughs = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>';
    expect(await refusal(withXml(laughs + part('document', '').slice(55)))).toMatch(
      /document type declaration/,
    );
    expect(await refusal(wordDocument(paragraph('&b;')))).toMatch(/does not contain/);
    const broken = [
      '<w:body><w:p></w:body>',
      '<a><b></a></b>',
      '<a/><b/>',
      '<a>text',
      'text',
      '',
      '<a b="1>',
      '<a <b/></a>',
      '<a></a>more',
      '<a><![CDATA[ ]]',
      '<a><!-- ',
    ];
    for (const xml of broken) await refusal(withXml(xml));
    await refusal(withXml(Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0xfe, 0x3c, 0x2f, 0x61, 0x3e])));
    await refusal(withXml('<?xml version="1.0" encoding="ISO-8859-1"?><a/>'));
  });

  test('with excessive nesting, or with an excessive paragraph', async () => {
    const deep = '<w:p>'.repeat(100_000);
    expect(await refusal(withXml(part('document', deep)))).toMatch(/nested too deeply/);
    const endless = paragraph('<w:r/>'.repeat(1_000_001));
    expect(await refusal(wordDocument(endless))).toMatch(/too large/);
    const scanner = new XmlScanner({ open: () => {}, close: () => {}, text: () => {} });
    expect(() => scanner.push(`<a>${'x'.repeat(32_000_001)}`)).toThrow(DocumentError);
    const fields = `<w:r><w:fldChar w:fldCharType="begin"/></w:r>`.repeat(100_000);
    expect(await refusal(wordDocument(paragraph(fields)))).toMatch(/nested too deeply/);
  });

  test('beyond the character limit, as soon as this is known', async () => {
    const file = wordDocument(paragraph('Twelve signs').repeat(100));
    const docx = await loadFormat('docx');
    const opening = docx.open(file, {
      source: 'en',
      target: 'es',
      output: 'docx',
      maxCharacters: 1000,
    });
    await expect(opening).rejects.toThrow(/more than 1000 characters/);
  });
});

describe('the docx reader accepts a document', () => {
  test('with trailing bytes, a whole or truncated comment, or a zip64 record', async () => {
    const file = Buffer.from(wordDocument(paragraph('Text')));
    const commented = Buffer.concat([file, Buffer.from('PK, a comment')]);
    commented.writeUInt16LE('PK, a comment'.length, file.length - 2);
    const [cut, without] = [commented.subarray(0, -4), Buffer.from(file)];
    without.writeUInt16LE(3, file.length - 2);
    const record = file.subarray(-22);
    const long = Buffer.alloc(76);
    long.writeUInt32LE(0x06064b50, 0);
    long.writeUInt32LE(44, 4);
    long.writeUInt16LE(record.readUInt16LE(10), 32);
    long.writeUInt32LE(record.readUInt32LE(12), 40);
    long.writeUInt32LE(record.readUInt32LE(16), 48);
    long.writeUInt32LE(0x07064b50, 56);
    long.writeUInt32LE(file.length - 22, 64);
    const large = Buffer.concat([file.subarray(0, -22), long, record]);
    large.fill(0xff, large.length - 14, large.length - 2);
    const files = [
      ...['\n', '\r\n', '\0', '\0'.repeat(65_535), 'PK\x05\x06'].flatMap((tail) => [
        Buffer.concat([file, Buffer.from(tail)]),
        Buffer.concat([commented, Buffer.from(tail.slice(0, 65_000))]),
      ]),
      ...[large, cut, without],
    ];
    for (const each of files) expect(bodyOf(await translateWord(each))).toContain('TEXT');
    expect(await refusal(Buffer.concat([file, Buffer.alloc(65_536)]))).toMatch(/damaged/);
  });

  test('with invalid media, dangling links and external relationships', async () => {
    const rels = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';
    const file = wordDocument(paragraph('Text'), {
      entries: {
        'word/media/image1.png': 'not a picture',
        'word/_rels/document.xml.rels': `<Relationships ${rels}><Relationship Id="r" Type="x/image" Target="file:///etc/passwd" TargetMode="External"/><Relationship Id="s" Type="x/chart" Target="../../../x%zz"/></Relationships>`,
      },
    });
    expect(await linesOf(file)).toEqual(['Text']);
  });

  test('with sizes written after the data, as streaming programs do', async () => {
    const file = Buffer.from(wordDocument(paragraph('Text')));
    // Only readers of the directory, which is authoritative, handle such files correctly.
    const streamed = patched(file, LOCAL_HEADER, (at) => {
      at.writeUInt16LE(at.readUInt16LE(6) | 8, 6);
      at.fill(0, 14, 26);
    });
    expect(await linesOf(streamed)).toEqual(['Text']);
    const out = await translateWord(streamed);
    expect(unzipped(out)['word/document.xml']).toBeDefined();
  });

  test('with absurd markup, in linear time', async () => {
    const ranges = (tag: string, count: number): string =>
      Array.from({ length: count }, (_, id) => `<w:bookmark${tag} w:id="${id}" w:name="b"/>`).join(
        '',
      );
    const bodies = [
      paragraph(ranges('Start', 5_000) + run('Text') + ranges('End', 5_000)),
      paragraph(
        ranges('Start', 1_500).replaceAll('/>', '/><w:r><w:t>a</w:t></w:r>') +
          Array.from({ length: 1_500 }, (_, id) => `<w:bookmarkEnd w:id="${1499 - id}"/>`).join(
            '',
          ) +
          run('Text'),
      ),
      paragraph('a', '<w:rPr><w:del w:id="1"/></w:rPr>').repeat(2_000) + paragraph(run('Text')),
      paragraph(`<w:r ${' '.repeat(200_000)}><w:t>Text</w:t></w:r>`),
      paragraph(`<w:r><w:t ${'b'.repeat(200_000)}>Text</w:t></w:r>`),
      paragraph(`<w:r><w:t>${' '.repeat(100_000)}Text${' '.repeat(100_000)}</w:t></w:r>`),
      paragraph('<w:r><w:fldChar w:fldCharType="end"/></w:r>'.repeat(5_000) + run('Text')),
    ];
    for (const body of bodies) {
      expect(zipText(await translateWord(wordDocument(body)), 'word/document.xml')).toContain(
        'TEXT',
      );
    }
  });

  test('in chunks that are cut anywhere', async () => {
    const xml = part(
      'document',
      `<w:body>${paragraph('Größe 日本 😀')}<!-- > --><w:x a="b>c" c='"'/></w:body>`,
    );
    const bytes = Buffer.from(xml);
    const archive = await openArchive(withXml(xml));
    const entry = archive.find('word/document.xml')!;
    for (const size of [1, 2, 3, 7]) {
      const seen: string[] = [];
      const pieces = async function* (): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      };
      await readPart({ ...archive, stream: pieces }, entry, {
        isTree: (name) => name === 'w:t',
        tree: (element) => {
          seen.push(textOf(element));
          return undefined;
        },
        open: (name) => {
          seen.push(name);
          return undefined;
        },
      });
      expect(seen).toEqual(['w:document', 'w:body', 'w:p', 'w:r', 'Größe 日本 😀', 'w:x']);
    }
  });
});
